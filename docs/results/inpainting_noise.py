"""Incomplete images with noise: `sbdl inpaint` beside `sbdl denoise` after linear interpolation, and its coverage.

The tables "With noise" of inpainting.md: python inpainting_noise.py PROGRAM FOLDER IMAGE...
"""

import json
import subprocess
import sys

import numpy as np
from PIL import Image
from scipy.interpolate import griddata

sbdl, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:]


def run(*words):
    """What the program says about a run."""
    told = subprocess.run([sbdl, *words, "--json", "--quiet", "--threads", "1"], capture_output=True, check=True)
    return json.loads(told.stdout)


def psnr(name, truth):
    """In dB, of the image in a file."""
    return 10 * np.log10(255**2 / np.mean((np.load(name) - truth) ** 2))


print("| noise | image | found | inpaint | linear, denoise | linear, denoise with the noise given |\n|--:|:--|--:|--:|--:|--:|")
for sigma in (5, 15):
    for number, name in enumerate(names):
        truth = np.asarray(Image.open(f"{folder}/{name}.png"), dtype=float)
        draws = np.random.default_rng([sigma, number])
        seen = draws.random(truth.shape) < 0.5
        noisy = truth + sigma * draws.standard_normal(truth.shape)
        np.save("gaps.npy", np.where(seen, noisy, np.nan))
        told = run("inpaint", "gaps.npy", "-o", "full.npy")
        every = tuple(np.indices(truth.shape))
        linear, nearest = (griddata(np.argwhere(seen), noisy[seen], every, kind) for kind in ("linear", "nearest"))
        np.save("linear.npy", np.where(np.isnan(linear), nearest, linear))
        run("denoise", "linear.npy", "-o", "unknown.npy")
        run("denoise", "linear.npy", "-o", "known.npy", "--sigma", str(sigma))
        results = " | ".join(f"{psnr(file, truth):.2f}" for file in ("full.npy", "unknown.npy", "known.npy"))
        print(f"| {sigma} | {name} | {told['noise_sd']:.2f} | {results} |", flush=True)


def within(truth, noisy, seen, *options):
    """Shares of the missing pixels whose errors are within one and two standard deviations."""
    np.save("gaps.npy", np.where(seen, noisy, np.nan))
    run("inpaint", "gaps.npy", "-o", "full.npy", "--std", "std.npy", *options)
    errors = np.abs(np.load("full.npy") - truth)[~seen] / np.load("std.npy")[~seen]
    return " / ".join(f"{100 * np.mean(errors < times):.0f}" for times in (1, 2))


print("\n| image | noise | observed | without noise | as observed (`--keep-observed`) |\n|:--|--:|--:|--:|--:|")
for number, name in enumerate(names):
    truth = np.asarray(Image.open(f"{folder}/{name}.png"), dtype=float)
    for sigma in (5, 20, 30):
        for share in (0.1, 0.2, 0.5):
            draws = np.random.default_rng([sigma, number, round(100 * share)])
            seen = draws.random(truth.shape) < share
            noisy = truth + sigma * draws.standard_normal(truth.shape)
            cells = f"{within(truth, noisy, seen)} | {within(noisy, noisy, seen, '--keep-observed')}"
            print(f"| {name} | {sigma} | {100 * share:.0f} % | {cells} |", flush=True)
