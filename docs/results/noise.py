"""The noise that `sbdl denoise` infers, beside the truth.

Run as python docs/results/noise.py PICTURES, where PICTURES is a folder of grey 8-bit PNG pictures. Only the noise is
of interest, so nothing is learned (method dct). Two tables: pictures as they are with noise, and what files of 8 bits
make of them, rounded and cut off at 0 and 255.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.image import imread

import sbdl

SIGMAS = (5, 10, 15, 25, 50, 75)
SEEDS = 3


def grey(path):
    """Return the pixels of a picture, 0 to 255."""
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


if __name__ == "__main__":
    table(sys.argv[1], bits8=False)
    print()
    table(sys.argv[1], bits8=True)
