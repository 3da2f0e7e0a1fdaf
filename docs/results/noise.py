"""The noise that `sbdl denoise` infers, beside the truth.

Run as python docs/results/noise.py PICTURES, where PICTURES is a folder of grey 8-bit PNG pictures. Only the noise is
of interest, so nothing is learned (method dct).
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


def ratio(truth, sigma, seed):
    """Return inferred over true sigma for one noise."""
    noisy = sbdl.make_noisy(truth, sigma, random_state=seed)
    return sbdl.denoise(noisy, method="dct", recipe="paper", random_state=0)[1].sigma / sigma


def main(folder):
    """Print the table."""
    print("| inferred / true sigma | " + " | ".join(map(str, SIGMAS)) + " |")
    print("|:--|" + "--:|" * len(SIGMAS))
    for path in sorted(Path(folder).glob("*.png")):
        truth = grey(path)
        cells = []
        for sigma in SIGMAS:
            found = [ratio(truth, sigma, seed) for seed in range(SEEDS)]
            worst = max(found, key=lambda r: abs(r - 1))
            cells.append(f"{np.mean(found):.3f} ({worst:.3f})")
        print(f"| {path.stem} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
