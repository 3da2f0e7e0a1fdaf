"""How many pixels of denoised 8-bit photographs are within the intervals of `sbdl denoise --std`.

    build/python/images/bin/python docs/results/std_8bit.py --grey 25 50 --colour 25 -- OPTIONS

White noise is added to crops of the training photographs (bench/photographs.py), which are then rounded and clipped
to 8 bits. OPTIONS are passed to `sbdl denoise`. With --before OTHER it also prints the gain in PSNR over another
program. The venv `images` is made by `./dev bench images`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import tifffile
from numpy.typing import NDArray
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import photographs

SIDE = 256
LEVELS = (50, 80, 90, 95)


def crop_of(name: str, mode: str) -> NDArray[Any] | None:
    """Return the middle of a photograph; None for the colours of a grey one."""
    photograph = photographs.opened(photographs.file_of(*photographs.TRAINING[name]))
    if mode == "RGB" and photograph.mode == "L":
        return None
    samples = np.asarray(photograph.convert(mode)).astype(float)
    top, left = (length // 2 - SIDE // 2 for length in samples.shape[:2])
    return samples[top : top + SIDE, left : left + SIDE]


def psnr(truth: NDArray[Any], image: NDArray[Any]) -> float:
    """Return the peak signal-to-noise ratio in dB of an image once it is rounded to 8 bits."""
    return float(10.0 * np.log10(255.0**2 / np.mean((truth - np.clip(np.round(image), 0, 255)) ** 2)))


def measured(program: list[str], before: str | None, truth: NDArray[Any], sigma: float, seed: int) -> list[float]:
    """Return the percentages within one and two standard deviations and in the intervals of LEVELS, and the gain."""
    noisy = truth + sigma * np.random.default_rng(seed).standard_normal(truth.shape)
    with tempfile.TemporaryDirectory() as folder:
        source, clean, std = (Path(folder) / name for name in ("noisy.png", "clean.tif", "std.tif"))
        Image.fromarray(np.clip(np.round(noisy), 0, 255).astype(np.uint8)).save(source)
        words = [program[0], "denoise", source, "-o", clean, "--std", std, "--depth", "float", "-q", *program[1:]]
        subprocess.run(words, check=True)
        result = tifffile.imread(clean)
        errors = np.abs(result - truth) / tifffile.imread(std)
        gain = []
        if before:
            other = Path(folder) / "before.png"
            subprocess.run([before, "denoise", source, "-o", other, "-q"], check=True)
            gain = [psnr(truth, result) - psnr(truth, np.asarray(Image.open(other), float))]
    bounds = [1.0, 2.0] + [NormalDist().inv_cdf(0.5 + level / 200) for level in LEVELS]
    return [100 * float(np.mean(errors <= bound)) for bound in bounds] + gain


def main() -> None:
    """Print a line per image, and the means of each kind of images."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/apps/sbdl/sbdl")
    parser.add_argument("--before", help="a program to compare with")
    parser.add_argument("--grey", type=int, nargs="*", default=[25, 50], metavar="SIGMA")
    parser.add_argument("--colour", type=int, nargs="*", default=[25], metavar="SIGMA")
    parser.add_argument("options", nargs="*", metavar="OPTIONS")
    arguments = parser.parse_args()
    program = [arguments.program, *arguments.options]
    for mode, sigma in [("L", sigma) for sigma in arguments.grey] + [("RGB", sigma) for sigma in arguments.colour]:
        rows = []
        for number, name in enumerate(photographs.TRAINING):
            truth = crop_of(name, mode)
            if truth is None:
                continue
            rows.append(measured(program, arguments.before, truth, sigma, 1000 * number + sigma))
            print(mode, sigma, name, *(f"{value:.2f}" for value in rows[-1]), flush=True)
        mean, spread = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1)
        print(f"{mode} {sigma}: {len(rows)} images, means", *(f"{value:.2f}" for value in mean))
        print(f"{mode} {sigma}: standard deviation between images", *(f"{value:.2f}" for value in spread))


if __name__ == "__main__":
    main()
