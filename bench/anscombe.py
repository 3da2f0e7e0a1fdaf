"""Noise that grows with brightness, for a denoiser that knows only noise of one strength.

The model is z = gain * Poisson(light) + offset + normal noise. The transform makes the noise 1 everywhere (Anscombe's,
generalised by Starck, Murtagh and Bijaoui). The inverse is the closed form of Makitalo and Foi ("Optimal inversion of
the generalized Anscombe transformation for Poisson-Gaussian noise", 2013) for the unbiased one: undoing the square
root alone would make dark regions too dark. The fit is a simple one, which any user of BM3D could have written; it
shares nothing with that of sbdl.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
WINDOW, STEP = 8, 4
GROUPS = 30  # of windows with similar brightness
MOST_CLIPPED = 0.2  # of the pixels of a window
LEAST_WINDOWS = 100  # with fewer that are not clipped, all are used
LEAST_GROWTH = 1.1  # of the variance from dark to bright; below it the noise is of one strength
QUARTER = 0.25
# A quarter of the windows of pure noise of variance 1 are below this: an average of 49 squares that overlap is as
# narrow as one of 21.8 independent squares (Wilson and Hilferty's approximation of their distribution).
QUARTER_OF_SQUARES = (1 - 2 / (9 * 21.8) - 0.6745 * np.sqrt(2 / (9 * 21.8))) ** 3


@dataclass
class Noise:
    """Its variance is gain * (brightness - offset) + read_noise^2. A gain of 0: it is the same everywhere."""

    gain: float
    read_noise: float
    offset: float


def windows_of(values: Array, side: int) -> Array:
    return np.lib.stride_tricks.sliding_window_view(values, (side, side))[::STEP, ::STEP]


def brightness_and_variance(image: Array) -> tuple[Array, Array]:
    """Return mean and noise variance of groups of windows, darkest first.

    The noise is measured by second differences, which smooth regions hardly have, and by the lower quarter of the
    windows of a group, which are the smoothest.
    """
    differences = 0.5 * (image[:-1, :-1] - image[1:, :-1] - image[:-1, 1:] + image[1:, 1:])
    mean = windows_of(image, WINDOW).mean(axis=(2, 3))
    variance = windows_of(differences**2, WINDOW - 1).mean(axis=(2, 3)) / QUARTER_OF_SQUARES
    # Noise that was clipped at either end is weaker than the rest.
    ends = (image == image.min()) | (image == image.max())
    clipped = windows_of(ends, WINDOW).mean(axis=(2, 3)) > MOST_CLIPPED
    use = ~clipped if (~clipped).sum() >= LEAST_WINDOWS else np.ones_like(clipped)
    order = np.argsort(mean[use], kind="stable")
    groups = np.array_split(order, min(GROUPS, len(order)))
    middles = [(np.median(mean[use][group]), np.quantile(variance[use][group], QUARTER)) for group in groups]
    brightness, strength = np.array(middles).T
    return brightness, strength


def fit(image: Array) -> Noise:
    """Return the noise of an image: a straight line through brightness and variance."""
    brightness, strength = brightness_and_variance(image)
    gain, at_zero = 0.0, float(strength.mean())
    floor = max(1e-3 * float(strength.max()), np.finfo(float).tiny)
    expected = np.maximum(strength, floor)
    for _ in range(10):  # the spread of a variance is proportional to the variance
        gain, at_zero = (float(value) for value in np.polyfit(brightness, strength, 1, w=1 / expected))
        expected = np.maximum(gain * brightness + at_zero, floor)
    if gain <= 0.0 or expected[-1] < LEAST_GROWTH * expected[0]:
        return Noise(0.0, float(np.sqrt(max(np.average(strength, weights=expected**-2), floor))), 0.0)
    # Offset and read noise cannot be told apart by the line; neither can be negative.
    return Noise(gain, float(np.sqrt(max(at_zero, 0.0))), max(-at_zero, 0.0) / gain)


def forward(image: Array, noise: Noise) -> Array:
    """Return values whose noise is 1."""
    counts, read = (image - noise.offset) / noise.gain, noise.read_noise / noise.gain
    return 2.0 * np.sqrt(np.maximum(counts + 3 / 8 + read**2, 0.0))


def inverse(values: Array, noise: Noise) -> Array:
    """Return the brightness whose transformed noisy values have this mean."""
    read = noise.read_noise / noise.gain
    dark = 2.0 * np.sqrt(3 / 8 + read**2)  # the transform of no light
    v = np.maximum(values, dark)
    root = np.sqrt(3 / 2)
    counts = v**2 / 4 + root / (4 * v) - 11 / (8 * v**2) + 5 * root / (8 * v**3) - 1 / 8 - read**2
    return noise.gain * np.maximum(counts, 0.0) + noise.offset
