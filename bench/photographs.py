"""The images of bench/images.py: training photographs, those of a folder, and pairs of noisy and true ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

Array = NDArray[Any]
SIDE = 256
LEAST_SIDE = 16  # of the images in a folder; BM3D and SSIM need about as much
WHITE = 255.0

# Photographs in the wheels of these packages, so that nothing has to be downloaded besides. They are those on which
# recipes are chosen (docs/results/how-recipes-were-chosen.md), and are in no table of the paper.
TRAINING = {
    "camera": ("skimage", "data/camera.png"),
    "astronaut": ("skimage", "data/astronaut.png"),
    "coins": ("skimage", "data/coins.png"),
    "chelsea": ("skimage", "data/chelsea.png"),
    "coffee": ("skimage", "data/coffee.png"),
    "motorcycle_left": ("skimage", "data/motorcycle_left.png"),
    "rocket": ("skimage", "data/rocket.jpg"),
    "brick": ("skimage", "data/brick.png"),
    "china": ("sklearn", "datasets/images/china.jpg"),
    "flower": ("sklearn", "datasets/images/flower.jpg"),
    "grace_hopper": ("matplotlib", "mpl-data/sample_data/grace_hopper.jpg"),
}
# Two more in colour. No recipe was chosen on them.
MORE_COLOUR = {
    "hubble_deep_field": ("skimage", "data/hubble_deep_field.jpg"),
    "ihc": ("skimage", "data/ihc.png"),
}
ENDINGS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".pgm", ".ppm", ".bmp")


class ImageError(Exception):
    """A folder or file that cannot be used, with the reason."""


def file_of(package: str, path: str) -> Path:
    """Return a file of an installed package, without loading the package."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ImageError(f"the package {package}, which has training images, is not installed")
    return Path(found.submodule_search_locations[0]) / path


def opened(path: Path) -> Image.Image:
    try:
        image = Image.open(path)
        image.load()
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise ImageError(f"{path}: cannot be read: {error}") from error
    return image


def samples_of(path: Path) -> Array:
    """Return the samples as they are, (height, width) or (height, width, 3); transparency is left out."""
    image = opened(path)
    if image.mode not in ("L", "RGB") and not image.mode.startswith(("I", "F")):
        image = image.convert("L" if image.mode in ("1", "LA") else "RGB")
    samples = np.asarray(image)
    if samples.ndim == 3 and (samples == samples[..., :1]).all():
        samples = samples[..., 0]  # grey that is stored as colour
    if min(samples.shape[:2]) < LEAST_SIDE:
        width, height = image.size
        raise ImageError(f"{path}: has {width} x {height} pixels, must have at least {LEAST_SIDE} x {LEAST_SIDE}")
    return samples


def training(colour: bool) -> dict[str, Array]:
    """Return the middle 256 x 256 pixels of each photograph, 0 to 255, in grey; or of those in colour, and two more."""
    found = {}
    for name, (package, path) in (TRAINING | (MORE_COLOUR if colour else {})).items():
        image = opened(file_of(package, path))
        if colour and image.mode == "L":
            continue
        left, top = (image.width - SIDE) // 2, (image.height - SIDE) // 2
        part = image.convert("RGB" if colour else "L").crop((left, top, left + SIDE, top + SIDE))
        found[name] = np.asarray(part, dtype=float)
    return found


def files_in(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    if not folder.is_dir():
        raise ImageError(f"{folder}: is not a folder" if folder.exists() else f"{folder}: there is no such folder")
    return sorted(path for path in folder.iterdir() if path.name.lower().endswith(endings) and path.is_file())


def in_folder(folder: Path) -> dict[str, Array]:
    """Return all images of a folder, 0 to 255. Those with other than 8 bits are stretched to that range."""
    found = {}
    for path in files_in(folder, ENDINGS):
        samples = samples_of(path)
        image = samples.astype(float)
        if samples.dtype != np.uint8:
            low, high = image.min(), image.max()
            if not high > low:
                raise ImageError(f"{path}: all pixels are equal")
            image = WHITE * (image - low) / (high - low)
        found[path.name] = image
    if not found:
        raise ImageError(f"{folder}: has no images ({', '.join(ENDINGS)})")
    return found


def pairs(folder: Path) -> dict[str, tuple[Array, Array]]:
    """Return noisy and true image of each pair NAME-noisy.png and NAME-truth.png, with the samples of the files."""
    found = {}
    for path in files_in(folder, ("-noisy.png",)):
        name = path.name[: -len("-noisy.png")]
        truth_path = path.with_name(f"{name}-truth.png")
        if not truth_path.is_file():
            raise ImageError(f"{path}: there is no {truth_path.name} beside it")
        noisy, truth = samples_of(path), samples_of(truth_path)
        if noisy.ndim != 2 or truth.ndim != 2:
            raise ImageError(f"{path}: pairs must be grey")
        if noisy.shape != truth.shape or noisy.dtype != truth.dtype:
            raise ImageError(f"{path}: differs from {truth_path.name} in size or type")
        found[name] = (noisy, truth)
    if not found:
        raise ImageError(f"{folder}: has no pairs NAME-noisy.png and NAME-truth.png")
    return found
