"""A 12-megapixel JPEG and a stack of 200 pages: time, memory, PSNR, and crops to look at.

Run as python docs/results/large_images.py PROGRAM PART FOLDER [--size N] [-- OPTIONS of sbdl denoise]. PROGRAM is the
path of sbdl, FOLDER keeps all files. PART is one of

- jpeg: four photographs of scikit-image, enlarged, with noise of variance 0.6 x + 16, as a JPEG of quality 92 with
  4:2:0 chroma. It has 4000 x 3000 pixels, or N thousandths of that along each side;
- stack: 200 pages (or N) of 512 x 512 pixels, 16 bits, with moving spots, gain 2.2, read noise 3 and offset 100.

A run that was stopped goes on. It needs NumPy, SciPy, scikit-image, tifffile and Pillow.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import tifffile
from PIL import Image

FULL_SIZE = {"jpeg": 1000, "stack": 200}
PAGE_SIDE, SPOTS = 512, 60
GAIN, READ_NOISE, OFFSET = 2.2, 3.0, 100.0


def psnr(truth, image, peak):
    """Return the peak signal-to-noise ratio in dB."""
    return 10.0 * np.log10(peak**2 / np.mean((np.asarray(truth, float) - np.asarray(image, float)) ** 2))


def make_photograph(folder, size):
    """Write truth.png and noisy.jpg."""
    from skimage import data  # where the files were copied to, it need not be there

    width, height = 2 * size, 3 * size // 2  # of each of the four
    parts = [
        Image.fromarray(photograph).resize((width, height), Image.Resampling.BICUBIC)
        for photograph in (data.astronaut(), data.coffee(), data.chelsea(), data.rocket())
    ]
    truth = np.vstack([np.hstack(parts[:2]), np.hstack(parts[2:])]).astype(float)
    noisy = truth + np.sqrt(0.6 * truth + 16.0) * np.random.default_rng(1).standard_normal(truth.shape)
    Image.fromarray(truth.astype(np.uint8)).save(folder / "truth.png")
    Image.fromarray(np.clip(np.round(noisy), 0, 255).astype(np.uint8)).save(
        folder / "noisy.jpg", quality=92, subsampling=2
    )


def make_stack(folder, pages):
    """Write truth.tif, in units of the samples, and noisy.tif."""
    rng = np.random.default_rng(2)
    places, speeds = rng.uniform(0, PAGE_SIDE, (SPOTS, 2)), rng.normal(0, 1, (SPOTS, 2))
    widths, heights = rng.uniform(2, 8, SPOTS), rng.uniform(20, 400, SPOTS)
    along = np.arange(PAGE_SIDE)
    shade = 20 + 15 * np.sin(along / 90)[:, None] * np.cos(along / 70)
    truth = np.empty((pages, PAGE_SIDE, PAGE_SIDE), np.float32)
    for page in range(pages):
        counts = shade.copy()
        for place, width, height in zip(places + page * speeds, widths, heights, strict=True):
            down, across = (np.exp(-0.5 * ((along - at % PAGE_SIDE) / width) ** 2) for at in place)
            counts += height * down[:, None] * across
        truth[page] = GAIN * counts + OFFSET
    noisy = GAIN * rng.poisson((truth - OFFSET) / GAIN) + OFFSET + rng.normal(0, READ_NOISE, truth.shape)
    tifffile.imwrite(folder / "truth.tif", truth)
    tifffile.imwrite(folder / "noisy.tif", np.clip(np.round(noisy), 0, 65535).astype(np.uint16))


def denoise(program, folder, noisy, clean, options):
    """Run the program, or let it go on, and print what it found and took."""
    checkpoint = folder / "run.checkpoint"
    if checkpoint.exists():
        command = [program, "denoise", "--resume", checkpoint, "--json"]
    else:
        command = [program, "denoise", noisy, "-o", clean, "--checkpoint", checkpoint, "--json", *options]
    begin = time.monotonic()
    run = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True)
    took = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{time.monotonic() - begin:.0f} s, {took.ru_utime + took.ru_stime:.0f} s of processor time, ", end="")
    print(f"{took.ru_maxrss / 2**20:.2f} GiB" + (", resumed" if "--resume" in command else ""))
    (folder / "run.json").write_text(run.stdout)
    for sentence in json.loads(run.stdout).get("noise", {}).get("found", []):
        print(f"- {sentence}")


def show(folder, images, scale):
    """Write crops.png: the same part of noisy, clean and true image side by side, for each of several parts."""
    rows = []
    height, width = images[0].shape[:2]
    for down, across in ((0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75)):
        top, left = int(down * max(0, height - 200)), int(across * max(0, width - 300))
        rows.append(np.hstack([image[top : top + 200, left : left + 300] for image in images]))
    Image.fromarray(np.clip(scale * np.vstack(rows), 0, 255).astype(np.uint8)).save(folder / "crops.png")


def main():
    """Make the images, clean them, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("part", choices=tuple(FULL_SIZE))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=int)
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given, options = parser.parse_args(sys.argv[1:end]), sys.argv[end + 1 :]
    size = given.size or FULL_SIZE[given.part]
    folder = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    if given.part == "jpeg":
        truth, noisy, clean, peak = folder / "truth.png", folder / "noisy.jpg", folder / "clean.png", 255.0
    else:
        truth, noisy, clean, peak = folder / "truth.tif", folder / "noisy.tif", folder / "clean.tif", None
    if not noisy.exists():
        {"jpeg": make_photograph, "stack": make_stack}[given.part](folder, size)
    if not clean.exists():
        denoise(given.program, folder, noisy, clean, options)
    if given.part == "jpeg":
        images = [np.asarray(Image.open(path), float) for path in (noisy, clean, truth)]
        show(folder, images, 1.0)
    else:
        images = [tifffile.imread(path).astype(float) for path in (noisy, clean, truth)]
        peak = images[2].max() - images[2].min()
        show(folder, [image[size // 2] - OFFSET for image in images], 0.5)
        print(f"mean of the counts, clean over true: {np.mean(images[1] - OFFSET) / np.mean(images[2] - OFFSET):.4f}")
    print(f"PSNR {psnr(images[2], images[0], peak):.2f} dB before, {psnr(images[2], images[1], peak):.2f} dB after")


if __name__ == "__main__":
    main()
