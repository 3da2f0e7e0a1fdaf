"""Clean a sound without knowing the noise level.

python 05_denoise_signal.py [NOISY.npy]
"""

import sys

import numpy as np

import sbdl

if len(sys.argv) > 1:
    truth, noisy = None, np.load(sys.argv[1])
else:  # a chirp, and clicks of a decaying tone
    t = np.arange(12000) / 8000
    truth = 0.5 * np.sin(2 * np.pi * (100 * t + 250 * t**2))
    for click in np.arange(0.1, 1.5, 0.2):
        truth += 0.8 * np.sin(2 * np.pi * 900 * (t - click)) * np.exp(-(t - click) / 0.01) * (t > click)
    noisy = truth + 0.1 * np.random.default_rng(1).normal(size=t.size)

clean, info = sbdl.denoise_signal(noisy, verbose=1)
print(f"noise found: {info.sigma:.4f}")
if truth is not None:
    before, after = (10 * np.log10(np.var(truth) / np.mean((s - truth) ** 2)) for s in (noisy, clean))
    print(f"SNR {before:.1f} dB before, {after:.1f} dB after")
np.save("clean.npy", clean)
print("wrote clean.npy")
