"""Fill in an image with half of its pixels missing, by a dictionary learned from the remaining pixels of its patches.

python 04_missing_pixels.py
"""

import numpy as np

import sbdl

SIDE, PATCH = 64, 8

truth = sbdl.make_image(SIDE, SIDE, random_state=1).astype(float)
image = np.where(np.random.default_rng(1).random(truth.shape) < 0.5, np.nan, truth)

places = [(i, j) for i in range(0, SIDE - PATCH + 1, 2) for j in range(0, SIDE - PATCH + 1, 2)]
patches = np.array([image[i : i + PATCH, j : j + PATCH].ravel() for i, j in places])
means = np.nanmean(patches, axis=1, keepdims=True)

model = sbdl.DictionaryLearning(
    64, method="bpfa", max_iter=100, keep_reconstruction=True, random_state=1, verbose=1
).fit(patches - means)
whole = (model.reconstruction_ + means).reshape(-1, PATCH, PATCH)

total, count = np.zeros(truth.shape), np.zeros(truth.shape)
for (i, j), patch in zip(places, whole, strict=True):
    total[i : i + PATCH, j : j + PATCH] += patch
    count[i : i + PATCH, j : j + PATCH] += 1
filled = np.where(np.isnan(image), total / count, image)

gaps = np.isnan(image)
guess = np.full(truth.shape, np.nanmean(image))
print(f"{gaps.mean():.0%} of the pixels are missing")
for name, image in [("their mean", guess), ("filled in", filled)]:
    error = np.sqrt(np.mean((image - truth)[gaps] ** 2))
    print(f"root mean square error of the missing pixels: {name} {error:.1f}")
