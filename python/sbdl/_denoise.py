"""Images without their noise."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbdl import _core
from sbdl._options import check_float, check_int
from sbdl._progress import ProgressBar, listener
from sbdl._validation import as_image, seed_from, threads_from

__all__ = ["DenoiseInfo", "denoise"]


class DenoiseInfo:
    """What :func:`denoise` found.

    Attributes
    ----------
    sigma : float
        The noise's standard deviation, inferred or told; of a colour image, root mean square over its planes.
    std : ndarray of float32 or None
        Standard deviation of every pixel of the result.
    plane_sigma : list of float
        Noise of each plane as worked on: grey; or luminance and two colour differences.
    told : bool
        Whether `sigma` was given.
    unchanged : bool
        No noise was found, and the image is what it was.
    only_noise : bool
        Next to nothing was left when the noise was gone.
    empty_share : float
        Share of the patches in which nothing but noise was found.
    training_patches : int
    seconds : dict
        Time of each stage.
    model : Model
        The dictionary of patches.
    """

    def __init__(self, outcome: _core.DenoiseOutcome) -> None:
        self._outcome = outcome
        self.sigma = outcome.noise_sd
        self.std: NDArray[np.float32] | None = outcome.deviation
        self.plane_sigma = outcome.plane_noise
        self.told = outcome.noise_told
        self.unchanged = outcome.unchanged
        self.only_noise = outcome.only_noise
        self.empty_share = outcome.empty_share
        self.training_patches = outcome.training_patches
        self.seconds: dict[str, float] = {}
        for stage, seconds in outcome.stages:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds

    @property
    def model(self) -> _core.Model:
        """The dictionary of patches."""
        return self._outcome.model

    def report(
        self, path: str | os.PathLike[str], *, title: str = "Denoised image", truth: ArrayLike | None = None
    ) -> None:
        """Write one self-contained HTML page: before and after, what was taken away, the dictionary, the run.

        Parameters
        ----------
        path : path-like
        title : str
        truth : array-like, default=None
            The clean image, where somebody has it.
        """
        self._outcome.report(path, title, None if truth is None else as_image(truth, name="truth"))

    def __repr__(self) -> str:
        return f"<sbdl.DenoiseInfo: sigma {self.sigma:.4g} ({'told' if self.told else 'inferred'})>"


def _noisy_weight(weight: float | str) -> float | None:
    if weight == "auto":
        return None
    return 0.0 if weight == 0 else check_float(weight, "keep_noisy", "denoise")


def denoise(
    image: ArrayLike,
    *,
    sigma: float | None = None,
    method: str = "auto",
    recipe: str = "best",
    tolerance: float = 1.1,
    keep_noisy: float | str = 0.0,
    lambda_: float | None = None,
    lambda_s: float | None = None,
    patch_size: int = 8,
    n_components: int = 256,
    stride: int = 0,
    max_patches: int | None = None,
    max_iter: int | None = None,
    std: bool = True,
    model: _core.Model | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    callback: Callable[[_core.SweepReport], Any] | None = None,
    verbose: int = 0,
) -> tuple[NDArray[Any], DenoiseInfo]:
    """Take the noise out of an image with a dictionary learned from it. Nobody has to say how much noise there is.

    Ctrl-C ends the learning, and the image is made with what there is.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
        uint8, uint16, float32 or float64, on any scale. A further channel is alpha, and left alone.
    sigma : float, default=None
        Standard deviation of the noise, for those who know it.
    method : str, default="auto"
        How the dictionary is learned: any of ``sbdl.methods()``; "auto" is "online", and "dct" for an image that is
        too small to learn from.
    recipe : {"best", "paper"}, default="best"
        The best known, or the paper's way.
    tolerance : float, default=1.1
        With ``recipe="paper"``: how large the pursuit leaves a patch's error, in units of the noise. K-SVD's authors
        take 1.15.
    keep_noisy : float or "auto", default=0.0
        With ``recipe="paper"``: the noisy image's weight where the patches are averaged, each of which has weight 1;
        "auto" is 30 over the noise of an image of 0 to 255.
    lambda_ : float, default=None
        Methods `apru` and `majorization`: the weight of the codes' l1 norm, on the scale of the image; None: the
        noise times the root of the logarithm of the number of atoms.
    lambda_s : float, default=None
        Method `apru`, which takes both weights or none: theirs while patches are coded.
    patch_size, n_components, stride : int
        Side of a patch, atoms, and distance of the patches that are learned from (0: 2, and 1 in a small image).
    max_patches : int, default=None
        Learn from at most so many patches; None: 32768.
    max_iter : int, default=None
        Sweeps of the learner; None: as many as the image needs.
    std : bool, default=True
        Also find the standard deviation of every pixel.
    model : Model, default=None
        Use this dictionary instead of learning one; `patch_size` must be that of its patches.
    random_state : int, RandomState, Generator or None, default=0
    n_jobs : int, default=None
        Threads; None and -1: one a core.
    callback : callable, default=None
        Called with a :class:`SweepReport` after each sweep; ends the learning by returning True.
    verbose : int, default=0
        1 shows a bar on standard error.

    Returns
    -------
    clean : ndarray
        Of the same shape and type; integers are rounded and clipped.
    info : DenoiseInfo

    Examples
    --------
    >>> import sbdl
    >>> truth = sbdl.make_image(64, 64, random_state=1)
    >>> noisy = sbdl.make_noisy(truth, 20.0, random_state=1)
    >>> clean, info = sbdl.denoise(noisy, n_components=64)
    >>> sbdl.psnr(truth, clean) > sbdl.psnr(truth, noisy) + 3
    True
    """
    bar = ProgressBar("learning") if verbose else None
    outcome = _core.denoise(
        as_image(image),
        recipe=recipe,
        method=method,
        sigma=None if sigma is None else check_float(sigma, "sigma", "denoise"),
        tolerance=check_float(tolerance, "tolerance", "denoise"),
        keep_noisy=_noisy_weight(keep_noisy),
        lambda_=None if lambda_ is None else check_float(lambda_, "lambda_", "denoise"),
        lambda_s=None if lambda_s is None else check_float(lambda_s, "lambda_s", "denoise"),
        patch=check_int(patch_size, "patch_size", "denoise"),
        atoms=check_int(n_components, "n_components", "denoise"),
        stride=check_int(stride, "stride", "denoise", least=0),
        max_patches=0 if max_patches is None else check_int(max_patches, "max_patches", "denoise"),
        sweeps=0 if max_iter is None else check_int(max_iter, "max_iter", "denoise"),
        deviation=std,
        model=model,
        seed=seed_from(random_state),
        threads=threads_from(n_jobs),
        callback=listener(callback, bar),
        stage=None if bar is None else bar.on_stage,
    )
    if bar is not None:
        bar.close()
    if outcome.interrupted:
        warnings.warn("Learning interrupted by user; the image was made with what there was.", stacklevel=2)
    return outcome.image, DenoiseInfo(outcome)
