"""Filling in the missing pixels of images."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbdl import _core
from sbdl._html import inpaint_html
from sbdl._options import read_options
from sbdl._progress import stage_bar
from sbdl._validation import as_image, check_model, threads_from, warn_all

__all__ = ["InpaintInfo", "inpaint"]

OPTIONS = read_options(_core.describe_inpaint(), {"patch": "patch_size", "group": "group_size"})


class InpaintInfo:
    """What :func:`inpaint` found.

    Attributes
    ----------
    sigma : float
        Standard deviation of the noise of the observed pixels, inferred or given.
    sigma_given : bool
    std : ndarray of float32 or None
        Standard deviation of every pixel of the result.
    missing : int
        Number of samples that were missing, over all channels.
    unchanged : bool
        Nothing was missing, and the image was returned as it was.
    rounds : int
        Passes over the image.
    seconds : dict
        Time of each stage.
    """

    def __init__(self, outcome: _core.InpaintOutcome) -> None:
        self._outcome = outcome
        self.sigma: float = outcome.noise_sd
        self.sigma_given: bool = outcome.noise_given
        self.std: NDArray[np.float32] | None = outcome.std
        self.missing: int = outcome.missing
        self.unchanged: bool = outcome.unchanged
        self.rounds: int = outcome.rounds
        self.seconds: dict[str, float] = dict(outcome.stages)

    def report(
        self, path: str | os.PathLike[str], *, title: str = "Inpainted image", truth: ArrayLike | None = None
    ) -> None:
        """Write a page about the run: before and after, and how certain each pixel is.

        Parameters
        ----------
        path : path-like
        title : str
        truth : array-like, default=None
            The complete image, if it is known.
        """
        known = None if truth is None else as_image(truth, name="truth")
        self._outcome.report(path, title, known)

    def _repr_html_(self) -> str:
        return inpaint_html(self)

    def __repr__(self) -> str:
        return f"<sbdl.InpaintInfo: {self.missing} samples were missing>"


def _mask_array(mask: ArrayLike) -> NDArray[Any]:
    array = np.ma.filled(mask, 0)  # what is masked in the mask is missing
    return as_image(array.astype(np.uint8) if array.dtype.kind == "b" else array, name="mask", integers=True)


def _planes(pixels: NDArray[Any]) -> int:
    """Return how many of the channels are colours: alpha is the last of two or four."""
    channels: int = pixels.shape[2]
    return channels - 1 if channels % 2 == 0 else channels


def _without_masked(image: Any, mask: ArrayLike | None) -> tuple[NDArray[Any], ArrayLike | None]:
    """Return the array of a masked array, and a mask of what is observed: neither masked nor missing in `mask`."""
    data = as_image(np.ma.filled(image, 0))
    if data.ndim not in (2, 3):
        return data, mask  # the core says what is wrong; so it does of a mask that does not fit
    pixels = data.reshape(*data.shape[:2], -1)
    hidden = np.ma.getmaskarray(image).reshape(pixels.shape)
    planes = _planes(pixels)
    observed = ~(hidden[..., :planes] | hidden[..., planes:].any(axis=2, keepdims=True))
    if mask is None:
        opaque = (pixels[..., planes:] != 0).all(axis=2, keepdims=True)
        return data, observed & opaque & ~np.isnan(pixels[..., :planes])
    known = _mask_array(mask)
    if known.ndim not in (2, 3) or known.shape[:2] != data.shape[:2]:
        return data, known
    known = known.reshape(*known.shape[:2], -1)
    return data, known[..., : _planes(known)] * observed


def inpaint(
    image: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    sigma: float | None = None,
    keep_observed: bool = False,
    patch_size: int = 8,
    group_size: int = 60,
    radius: int = 16,
    rounds: int = 0,
    std: bool = True,
    model: _core.Model | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> tuple[NDArray[Any], InpaintInfo]:
    """Fill in the missing pixels of an image, and remove its noise. The noise level need not be known.

    Ctrl-C raises KeyboardInterrupt within a second.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
        uint8, uint16, float32 or float64, on any scale. NaN in floats is missing, and so are masked entries of a masked
        array and a pixel whose alpha (a further channel) is 0.
    mask : array-like of shape (height, width) or that of `image`, default=None
        False or 0 where pixels, or single samples, are missing; True or one other number elsewhere. Of a masked array,
        what is masked is missing as well.
    sigma : float, default=None
        Standard deviation of the noise, if it is known; None: it is inferred.
    keep_observed : bool, default=False
        Leave the observed pixels as they are, noise included.
    patch_size, group_size, radius : int
        Side of a patch, number of similar patches that share a model, and search radius for similar patches.
    rounds : int, default=0
        Passes over the image; 0: as many as the missing share needs.
    std : bool, default=True
        Also compute the standard deviation of every pixel.
    model : Model, default=None
        Begin with this dictionary of patches; `patch_size` must be that of its patches.
    n_jobs : int, default=None
        Number of threads; None and -1: one per core.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Returns
    -------
    full : ndarray
        Of the same shape and type as `image`; integers are rounded and clipped.
    info : InpaintInfo

    Examples
    --------
    >>> import numpy as np
    >>> import sbdl
    >>> truth = sbdl.make_image(64, 64, random_state=1)
    >>> mask = np.random.default_rng(1).random(truth.shape) < 0.5
    >>> full, info = sbdl.inpaint(truth * mask, mask)
    >>> bool(sbdl.psnr(truth, full) > sbdl.psnr(truth, truth * mask) + 10)
    True
    """
    check_model(model)
    if np.ma.is_masked(image):
        image, mask = _without_masked(image, mask)
    values = {
        "sigma": sigma,
        "patch_size": patch_size,
        "group_size": group_size,
        "radius": radius,
        "rounds": rounds,
    }
    fields = {}
    for name, value in values.items():
        option = OPTIONS[name]
        fields[option.field] = None if option.optional and value is None else option.check(value, "inpaint")
    with stage_bar("inpainting", verbose) as stage:
        outcome = _core.inpaint(
            as_image(image),
            None if mask is None else _mask_array(mask),
            fields,
            keep_observed=bool(keep_observed),
            std=bool(std),
            model=model,
            threads=threads_from(n_jobs),
            stage=stage,
        )
    warn_all(outcome.warnings)
    return outcome.image, InpaintInfo(outcome)
