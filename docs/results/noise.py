"""The noise that `sbdl denoise` infers, beside the true noise.

Run as python docs/results/noise.py IMAGES, where IMAGES is a folder of grey 8-bit PNG images. Only the noise is of
interest, so nothing is learned (method dct). The first table has the noisy images as they are, the second the same
images as 8-bit files, rounded and clipped to 0 and 255. The third shows how quiet the images themselves are in their
quietest region: noise added to them cannot be separated from less than that.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.image import imread

import sbdl

SIGMAS = (5, 10, 15, 25, 50, 75)
SEEDS = 3
SIDE = 8  # side of the windows that are transformed
PLACE = 8  # windows across a region, half a window apart: 36 pixels


def grey(path):
    """Return the pixels of an image, 0 to 255."""
    pixels = imread(path)
    pixels = pixels[..., 0] if pixels.ndim == 3 else pixels
    return np.asarray(pixels * 255.0 if pixels.dtype.kind == "f" else pixels, dtype=float)


def ratio(truth, sigma, seed, bits8):
    """Return inferred over true sigma for one noise."""
    noisy = sbdl.make_noisy(truth, sigma, random_state=seed)
    if bits8:
        noisy = np.clip(np.round(noisy), 0, 255).astype(np.uint8)
    return sbdl.denoise(noisy, method="dct", recipe="paper", random_state=0)[1].sigma / sigma


def table(folder, bits8):
    """Print one of the tables."""
    print("| inferred / true sigma | " + " | ".join(map(str, SIGMAS)) + " |")
    print("|:--|" + "--:|" * len(SIGMAS))
    for path in sorted(Path(folder).glob("*.png")):
        truth = grey(path)
        cells = []
        for sigma in SIGMAS:
            found = [ratio(truth, sigma, seed, bits8) for seed in range(SEEDS)]
            worst = max(found, key=lambda r: abs(r - 1))
            cells.append(f"{np.mean(found):.3f} ({worst:.3f})")
        print(f"| {path.stem} | " + " | ".join(cells) + " |", flush=True)


def bands():
    """Return masks of an 8 x 8 DCT: fine in both directions, in the vertical one only, in the horizontal one only."""
    down, across = np.indices((SIDE, SIDE))
    fine = down + across >= 10
    return {"both": fine, "down": ~fine & (down >= 5), "across": ~fine & (across >= 5)}


def quietest(image):
    """Return the smallest root mean square of each band over all regions."""
    k, x = np.indices((SIDE, SIDE))
    basis = np.sqrt(np.where(k == 0, 1, 2) / SIDE) * np.cos(np.pi * (x + 0.5) * k / SIDE)
    windows = np.lib.stride_tricks.sliding_window_view(image, (SIDE, SIDE))[:: SIDE // 2, :: SIDE // 2]
    squares = np.einsum("jy,rcyx,kx->rcjk", basis, windows, basis, optimize=True) ** 2
    rows, cols = (n // PLACE * PLACE for n in squares.shape[:2])
    found = {}
    for name, mask in bands().items():
        energy = squares[:rows, :cols, mask].mean(axis=2)
        places = energy.reshape(rows // PLACE, PLACE, cols // PLACE, PLACE).mean(axis=(1, 3))
        found[name] = np.sqrt(places.min())
    return found


def grain(folder):
    """Print how quiet the images are, and what noise of 5 becomes in the quietest band of the quietest region."""
    print("| fine detail | in both directions | down | across | noise of 5 becomes |")
    print("|:--|--:|--:|--:|--:|")
    for path in sorted(Path(folder).glob("*.png")):
        found = quietest(grey(path))
        total = np.hypot(5.0, min(found.values()))
        cells = " | ".join(f"{g:.2f}" for g in found.values())
        print(f"| {path.stem} | {cells} | {total:.2f} ({total / 5:.3f}) |")


if __name__ == "__main__":
    table(sys.argv[1], bits8=False)
    print()
    table(sys.argv[1], bits8=True)
    print()
    grain(sys.argv[1])
