"""The noise that `sbdl denoise` finds in images without a flat region, drawn here, and what it makes of them.

Run as python docs/results/nowhere_flat.py PROGRAM [PROGRAM ...] [--only WORD ...]. Each PROGRAM is the path of an sbdl;
the columns of the table are theirs. With --only those rows are made whose image and noise hold one of the words. The
noise found is that of `--quality fast`, divided by the standard deviation of the noise that was added, before clipping.

It needs NumPy, SciPy, Pillow and the fonts of Matplotlib. Noise comes from NumPy's default_rng with fixed seeds.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import gaussian_filter

SIDE = 192
WORDS = "the noise of a page is found where its letters look alike and not in its margins which it does not have"


def page(ink, paper):
    """Return text without margins, antialiased."""
    rng = np.random.default_rng(1)
    font = ImageFont.truetype(str(Path(get_data_path()) / "fonts/ttf/DejaVuSans.ttf"), 11)
    image = Image.new("L", (SIDE, SIDE), paper)
    draw = ImageDraw.Draw(image)
    for top in range(-3, SIDE, 11):
        draw.text((-int(rng.integers(12)), top), " ".join(rng.choice(WORDS.split(), 30)), ink, font)
    return np.asarray(image, dtype=float)


def tiles():
    """Return tiles of 16 x 16 pixels drawn at random."""
    return np.tile(255.0 * np.random.default_rng(2).random((16, 16)), (SIDE // 16, SIDE // 16))


def stripes():
    """Return stripes that are no number of pixels apart."""
    row, col = np.indices((SIDE, SIDE))
    return 128.0 + 90.0 * np.sin(2.0 * np.pi * (col + 0.31 * row) / 5.3)


def knitted():
    """Return stitches, slightly bent, lighter in one corner."""
    row, col = (
        np.indices((SIDE, SIDE))
        + 3.0 * gaussian_filter(np.random.default_rng(3).standard_normal((2, SIDE, SIDE)), (0, 12, 12)) * 12
    )
    leg = np.abs((col / 9.0) % 1.0 - 0.5) * 9.0
    stitch = np.cos(2.0 * np.pi * (row - 1.2 * leg) / 7.0)
    return 110.0 + 55.0 * stitch + 25.0 * np.cos(2.0 * np.pi * leg / 4.5) + 0.15 * (row + col)


def halftone():
    """Return printed dots whose size follows the light."""
    row, col = np.indices((SIDE, SIDE))
    screen = np.cos(2.0 * np.pi * (row + col) / 8.0) + np.cos(2.0 * np.pi * (row - col) / 8.0)
    return gaussian_filter(np.where(screen > 1.2 * np.sin(row / 60.0) * np.cos(col / 45.0), 40.0, 220.0), 0.6)


def weave():
    """Return threads in two colours, over and under each other."""
    row, col = np.indices((SIDE, SIDE))
    over = (row // 6 + col // 6) % 2 == 0
    light = np.where(over, 1.0 - ((row % 6) - 2.5) ** 2 / 9.0, 1.0 - ((col % 6) - 2.5) ** 2 / 9.0)
    return light[..., None] * np.where(over[..., None], [220.0, 120.0, 60.0], [70.0, 110.0, 190.0])


def drawings():
    """Return the images without noise, 0 to 255."""
    return {
        "text": page(40, 200),
        "black on white": page(0, 255),
        "tiles": tiles(),
        "stripes": stripes(),
        "knitted": knitted(),
        "halftone": halftone(),
        "weave (colour)": weave(),
    }


def in_bytes(image):
    """Return it rounded and clipped to 8 bits."""
    return np.clip(np.round(image), 0, 255).astype(np.uint8)


def noises(image):
    """Return names, standard deviations and noisy images."""
    rng = np.random.default_rng(4)
    white = rng.standard_normal(image.shape)
    for sigma in (2, 10, 25):
        yield f"white {sigma}", sigma, image + sigma * white
    yield "white 25, 8 bits", 25, in_bytes(image + 25 * white)
    shared = gaussian_filter(white, (0.7, 0.7) + (0,) * (image.ndim - 2))
    yield "blurred 20", 20, image + 20.0 * shared / shared.std()
    light = np.maximum(image, 0.0)
    yield "30 counts", np.sqrt(np.mean(light * 255.0 / 30.0)), rng.poisson(30.0 * light / 255.0) * 255.0 / 30.0


def denoise(program, noisy):
    """Return the clean image and the program's JSON; None if the program fails."""
    with tempfile.TemporaryDirectory() as folder:
        source, clean = Path(folder) / "noisy.npy", Path(folder) / "clean.npy"
        np.save(source, noisy)
        command = [program, "denoise", source, "-o", clean, "--json", "--quiet", "--quality", "fast", "--threads", "1"]
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        return None if run.returncode else (np.load(clean), json.loads(run.stdout))


def psnr(truth, image):
    """Return the peak signal-to-noise ratio in dB."""
    return 10.0 * np.log10(255.0**2 / np.mean((truth - np.asarray(image, float)) ** 2))


def cells_of(program, truth, sigma, noisy):
    """Return the noise found, the quality, and a mark where no region was flat."""
    result = denoise(program, noisy)
    if result is None:
        return ["failed", ""]
    clean, run = result
    mark = " *" if run["noise"].get("nowhere_flat") else ""
    return [f"{run['noise_sd'] / sigma:.2f}{mark}", f"{psnr(truth, clean):.2f}"]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--only", nargs="*", default=[""])
    arguments = parser.parse_args()
    print("| image | noise | noisy |" + " noise found | PSNR |" * len(arguments.programs))
    print("|:--|:--|--:|" + "--:|--:|" * len(arguments.programs))
    for name, truth in drawings().items():
        for kind, sigma, noisy in noises(truth):
            if not any(word in f"{name} {kind}" for word in arguments.only):
                continue
            cells = [name, kind, f"{psnr(truth, noisy):.2f}"]
            for program in arguments.programs:
                cells += cells_of(program, truth, sigma, noisy)
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
