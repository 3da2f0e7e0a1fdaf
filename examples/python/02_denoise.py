"""Denoise an image without knowing the noise level.

python 02_denoise.py [NOISY.npy]
"""

import sys

import numpy as np

import sbdl

if len(sys.argv) > 1:
    truth, noisy = None, np.load(sys.argv[1])
else:
    truth = sbdl.make_image(128, 128, random_state=1)
    noisy = sbdl.make_noisy(truth, sigma=25, random_state=1)

clean, info = sbdl.denoise(noisy, n_components=128, verbose=1)
print(f"noise found: {info.sigma:.2f}")
if truth is not None:
    print(f"PSNR {sbdl.psnr(truth, noisy):.2f} dB before, {sbdl.psnr(truth, clean):.2f} dB after")
np.save("clean.npy", clean)
info.report("report.html", truth=truth)
print("wrote clean.npy and report.html")
