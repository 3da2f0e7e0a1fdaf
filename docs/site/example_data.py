"""Small files under the names that the examples of the pages use; their hidden blocks call this.

As small as the examples allow: they show how a command is written, and not what it finds.
"""

import wave
from pathlib import Path

import numpy as np
from PIL import Image

import sbdl


def signals(*names, count=24, length=8):
    """Files of synthetic signals, all the same; the extension of a name selects the format."""
    values = sbdl.synthetic(count, length, 12, n_nonzero_coefs=2, random_state=1).signals
    for name in names:
        save(name, values)
    return values


def incomplete(*names, mask=None, **size):
    """Signals of which every fifth entry is NaN, and the mask that says so: 1 is observed."""
    values = signals(**size)
    missing = np.arange(values.size).reshape(values.shape) % 5 == 3
    for name in names:
        save(name, np.where(missing, np.nan, values))
    if mask:
        np.save(mask, (~missing).astype(np.uint8))


def save(name, values):
    """An array as .npy, .csv or HDF5."""
    if name.endswith(".npy"):
        np.save(name, values)
    elif name.endswith(".csv"):
        np.savetxt(name, values, delimiter=",")
    else:
        import h5py

        with h5py.File(name, "w") as file:
            file["signals"] = values


def painted(size):
    """A grey image without noise: a disc on a slope."""
    y, x = np.mgrid[:size, :size] / size
    return 60 + 80 * x + 90 * (np.hypot(x - 0.5, y - 0.5) < 0.3)


def image(*names, sigma=20, size=32, pages=1):
    """The painted image with noise, in the format of each name; several pages, if asked for. Returns it as an array."""
    noise = np.random.default_rng(0).normal(0, sigma, (pages, size, size))
    noisy = np.clip(np.rint(painted(size) + noise), 0, 255).astype(np.uint8)
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".npy"):
            np.save(name, noisy.squeeze())
        else:
            first, *others = [Image.fromarray(page) for page in noisy]
            first.save(name, **({"save_all": True, "append_images": others} if others else {}))
    return noisy.squeeze()


def mask(name, size=32):
    """A mask of which one strip is missing."""
    seen = np.full((size, size), 255, np.uint8)
    seen[10:12, 5:25] = 0
    Image.fromarray(seen).save(name)


def gaps(name, pages=1, size=32):
    """A float TIFF in which some pixels are NaN."""
    values = image(size=size, pages=pages).astype(np.float32)
    values[..., ::5, ::3] = np.nan
    first, *others = [Image.fromarray(page) for page in values.reshape(-1, size, size)]
    first.save(name, save_all=True, append_images=others)


def sound(count=4000):
    """A tone with noise."""
    noise = np.random.default_rng(0).normal(0, 0.1, count)
    return 0.5 * np.sin(np.arange(count) / 9) + noise


def wav(name):
    """The tone as a sound."""
    with wave.open(name, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes((sound() * 20000).astype("<i2").tobytes())


def table(name, column):
    """The tone as a column of a table."""
    np.savetxt(name, np.c_[np.arange(4000), sound()], delimiter=",", header=f"time,{column}", comments="")
