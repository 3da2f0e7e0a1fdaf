"""Denoising of images."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbdl import _core
from sbdl._html import denoise_html, stack_html
from sbdl._options import check_names, explains_unknown_names, read_options
from sbdl._progress import stage_bar
from sbdl._validation import as_image, seed_from, threads_from, users_level, warn_all

__all__ = ["DenoiseInfo", "StackInfo", "denoise", "denoise_stack"]

PARAMETER_OF_FIELD = {"patch": "patch_size", "atoms": "n_components", "sweeps": "max_iter", "lambda": "lambda_"}
OPTIONS = read_options(_core.describe_denoise(), PARAMETER_OF_FIELD)
STACK_OPTIONS = read_options(_core.describe_stack(), {})


class DenoiseInfo:
    """What :func:`denoise` found.

    Attributes
    ----------
    sigma : float
        Standard deviation of the noise, inferred or given; for a colour image, root mean square over its planes.
    std : ndarray of float32 or None
        Standard deviation of every pixel of the result.
    plane_sigma : list of float
        Noise of each plane as processed: grey; or luminance and two colour differences.
    sigma_given : bool
        Whether the noise was given: `sigma`, or `gain` and `read_noise`.
    noise : dict
        What the noise was found to be: its ``kind``, "gaussian" or "poisson-gaussian"; the ``gain``, ``read_noise`` and
        ``offset`` of each plane (zeros if it does not grow with brightness; of a plane whose noise does not while that
        of others does, a gain of 0 and all of its noise as read noise), and whether read noise and offset are a guess
        (``offset_assumed``); the share of its samples that were ``clipped``; the ``correlation`` of neighbouring pixels
        in each plane as processed (zeros if it is white, empty if it was not measured), and whether it is
        ``correlation_unknown``; whether the image was ``compressed`` so strongly that its finest detail
        is gone; whether there is ``nearly_none`` of the noise; ``row_stripes`` and ``column_stripes``, the standard
        deviation of what whole rows or columns have in common beside the image, and ``impulses``, the share of pixels
        that are black or white at random (zeros if none were found); whether the image is ``nowhere_flat``, so that the
        noise was estimated from parts of it that look alike; and ``found``, a list of sentences.
    unchanged : bool
        No noise was found, and the image was returned as it was.
    only_noise : bool
        Almost nothing was left after the noise was removed.
    empty_share : float
        Share of the patches in which only noise was found.
    training_patches : int
    seconds : dict
        Time of each stage.
    model : Model
        The dictionary of patches.
    """

    def __init__(self, outcome: _core.DenoiseOutcome) -> None:
        self._outcome = outcome
        self.sigma = outcome.noise_sd
        self.std: NDArray[np.float32] | None = outcome.std
        self.plane_sigma = outcome.plane_noise
        self.sigma_given = outcome.noise_given
        self.noise: dict[str, Any] = outcome.noise
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
        """Write one self-contained HTML page: before and after, what was removed, the dictionary, the run.

        Parameters
        ----------
        path : path-like
        title : str
        truth : array-like, default=None
            The true image, if it is known.
        """
        self._outcome.report(path, title, None if truth is None else as_image(truth, name="truth"))

    def _repr_html_(self) -> str:
        return denoise_html(self)

    def __repr__(self) -> str:
        return f"<sbdl.DenoiseInfo: sigma {self.sigma:.4g} ({'given' if self.sigma_given else 'inferred'})>"


class StackInfo:
    """What :func:`denoise_stack` found. The lists have one entry for each page that is done.

    Attributes
    ----------
    sigma : list of float
        Standard deviation of the noise of each page.
    noise : list of dict
        What the noise of each page was found to be, as in :class:`DenoiseInfo`.
    std : ndarray of float32 or None
        Standard deviation of every pixel of the result.
    unchanged : list of bool
        No noise was found, and the page was returned as it was.
    only_noise : list of bool
        Almost nothing was left after the noise was removed.
    shared : bool
        Whether one dictionary cleaned all pages.
    model : Model or None
        That dictionary; None if there is none, also when the run was interrupted before it was learned.
    """

    def __init__(self) -> None:
        self.sigma: list[float] = []
        self.noise: list[dict[str, Any]] = []
        self.std: NDArray[np.float32] | None = None
        self.unchanged: list[bool] = []
        self.only_noise: list[bool] = []
        self.shared = False
        self.model: _core.Model | None = None
        self._warnings: list[list[str]] = []  # of each page
        self._stack_warnings: list[str] = []
        self._seconds = 0.0
        self._stack: NDArray[Any]
        self._clean: NDArray[Any]

    def report(
        self, path: str | os.PathLike[str], *, title: str = "Denoised stack", truth: ArrayLike | None = None
    ) -> None:
        """Write one self-contained HTML page: the noise of every page, some before and after, the dictionary.

        The stack and the result are not copied for it: write the page before you change them.

        Parameters
        ----------
        path : path-like
        title : str
        truth : array-like, default=None
            The true stack, if it is known.
        """
        known = None if truth is None else as_image(truth, name="truth")
        if known is not None and known.shape != self._stack.shape:
            raise ValueError(f"truth has the shape {known.shape}, the stack {self._stack.shape}")
        keys = ("sigma", "noise", "unchanged", "only_noise", "warnings")
        columns = (self.sigma, self.noise, self.unchanged, self.only_noise, self._warnings)
        pages = [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]
        _core.write_stack_report(
            path, title, self._stack, self._clean, known, pages, self.model, self._stack_warnings, self._seconds
        )

    def _repr_html_(self) -> str:
        return stack_html(self)

    def __repr__(self) -> str:
        return f"<sbdl.StackInfo: {len(self.sigma)} pages>"


def denoise_fields(**values: Any) -> dict[str, Any]:
    """Return the options as the core takes them. None and "auto" leave a value that may be missing to the core."""
    fields = {}
    for name, value in values.items():
        if name in ("max_patches", "max_iter") and value is None:
            continue
        option = OPTIONS[name]
        auto = option.optional and (value is None or (isinstance(value, str) and value == "auto"))
        fields[option.field] = None if auto else option.check(value, "denoise")
    return fields


@explains_unknown_names
def denoise(
    image: ArrayLike,
    *,
    sigma: float | None = None,
    noise: str = "auto",
    gain: float | None = None,
    read_noise: float | None = None,
    offset: float | None = None,
    method: str = "auto",
    recipe: str = "standard",
    quality: str = "best",
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
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
    callback: Callable[[_core.SweepReport], Any] | None = None,
    verbose: int = 0,
) -> tuple[NDArray[Any], DenoiseInfo]:
    """Remove the noise from an image with a dictionary learned from it. The noise level need not be known.

    Ctrl-C during learning ends the learning: the image is cleaned with what was learned, and a warning says so.
    Ctrl-C after that, and when pressed again, raises KeyboardInterrupt within a second.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
        uint8, uint16, float32 or float64, on any scale. A further channel is alpha and is left alone.
    sigma : float, default=None
        Standard deviation of the noise, if it is known; None: it is inferred.
    noise : {"auto", "gaussian", "poisson-gaussian"}, default="auto"
        What the noise is: of one strength, growing with brightness, or whichever of the two the image shows.
    gain, read_noise, offset : float, default=None
        Of noise that grows with brightness: units of the samples per count of light, standard deviation without light,
        value without light; None: inferred.
    method : str, default="auto"
        How the dictionary is learned: any of ``sbdl.methods()``; "auto" is "online", or "dct" for an image that is
        too small to learn from.
    recipe : {"standard", "paper"}, default="standard"
        How the dictionary cleans the image: the standard way, or the paper's.
    quality : {"fast", "best"}, default="best"
        With ``recipe="standard"``: "best" also estimates similar patches jointly, "fast" only single patches.
    tolerance : float, default=1.1
        With ``recipe="paper"``: the error at which the pursuit of a patch stops, in units of the noise. K-SVD's
        authors use 1.15.
    keep_noisy : float or "auto", default=0.0
        With ``recipe="paper"``: weight of the noisy image when the patches, of weight 1 each, are averaged; "auto":
        30 divided by the noise, for images of 0 to 255.
    lambda_ : float, default=None
        Methods `apru` and `majorization`: the weight of the codes' l1 norm, on the scale of the image; None: the
        noise times the root of the logarithm of the number of atoms.
    lambda_s : float, default=None
        Method `apru`, which takes both weights or none: the weight while patches are coded.
    patch_size, n_components, stride : int
        Side of a patch, number of atoms, and distance between the training patches (0: 2, or 1 for a small image).
    max_patches : int, default=None
        Maximum number of training patches; None: 32768.
    max_iter : int, default=None
        Sweeps of the learner; None: as many as the image needs.
    std : bool, default=True
        Also compute the standard deviation of every pixel.
    model : Model, default=None
        Use this dictionary instead of learning one; `patch_size` must be that of its patches.
    random_state : int, RandomState, Generator or None, default=0
    n_jobs : int, default=None
        Number of threads; None and -1: one per core.
    checkpoint : path-like, default=None
        Write the state of the run to this file from time to time; it is removed at the end. A run that is stopped while
        it learns leaves it.
    checkpoint_every : float, default=60.0
        Seconds between two checkpoints; 0: after every sweep and every pass over the patches.
    resume : bool, default=False
        Resume from `checkpoint` if the file is there, to the same result as if the run had never stopped. Image,
        options and `random_state` must be the same.
    callback : callable, default=None
        Called with a :class:`SweepReport` after each sweep; ends the learning by returning True. If it raises an
        exception, the run goes on without it, and a warning says so.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Returns
    -------
    clean : ndarray
        Of the same shape and type as `image`; integers are rounded and clipped.
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
    file = None if checkpoint is None else Path(checkpoint)
    if resume and file is None:
        raise ValueError("'resume' needs the file of a 'checkpoint'")
    array = as_image(image)
    if array.ndim == 1:
        raise ValueError("image must be height x width; sbdl.denoise_signal() cleans signals of one dimension")
    options = denoise_fields(
        sigma=sigma,
        noise=noise,
        gain=gain,
        read_noise=read_noise,
        offset=offset,
        recipe=recipe,
        quality=quality,
        tolerance=tolerance,
        keep_noisy=keep_noisy,
        lambda_=lambda_,
        lambda_s=lambda_s,
        patch_size=patch_size,
        n_components=n_components,
        stride=stride,
        max_patches=max_patches,
        max_iter=max_iter,
    )
    with stage_bar("denoising", verbose) as stage:
        outcome = _core.denoise(
            array,
            options,
            method=method,
            std=std,
            model=model,
            seed=seed_from(random_state),
            threads=threads_from(n_jobs),
            checkpoint=file,
            checkpoint_every=float(checkpoint_every),
            resume=file is not None and resume and file.exists(),
            callback=callback,
            stage=stage,
        )
    if outcome.interrupted:
        warnings.warn(
            "Learning interrupted by user; the image was cleaned with what was learned so far.",
            stacklevel=users_level(),
        )
    elif file is not None:
        file.unlink(missing_ok=True)
    warn_all(outcome.warnings)
    return outcome.image, DenoiseInfo(outcome)


def denoise_stack(
    stack: ArrayLike,
    *,
    dictionary: str = "shared",
    method: str = "auto",
    std: bool = False,
    model: _core.Model | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    **options: Any,
) -> tuple[NDArray[Any], StackInfo]:
    """Remove the noise from a stack of images: a time series or a z-stack, page by page.

    Ctrl-C ends it: the pages that are done are returned, and a warning says so. To go on with the others as if nothing
    had happened: ``denoise_stack(stack[len(clean):], model=info.model)`` with the same options.

    Parameters
    ----------
    stack : array-like of shape (pages, height, width) or (pages, height, width, 3)
        uint8, uint16, float32 or float64, on any scale. A fourth channel is alpha and is left alone. It may be a
        ``numpy.memmap``.
    dictionary : {"shared", "own"}, default="shared"
        One dictionary for all pages, learned from a few of them (shared), or one for each page (own).
    method, model, random_state, n_jobs
        As for :func:`denoise`.
    std : bool, default=False
        Also compute the standard deviation of every pixel.
    verbose : int, default=0
        1 shows a progress bar for all pages on standard error.
    **options
        `sigma`, `noise`, `gain`, `read_noise`, `offset`, `recipe`, `quality`, `tolerance`, `keep_noisy`, `lambda_`,
        `lambda_s`, `patch_size`, `n_components`, `stride`, `max_patches` and `max_iter` of :func:`denoise`.

    Returns
    -------
    clean : ndarray
        Of the same shape and type as `stack`.
    info : StackInfo

    Examples
    --------
    >>> import numpy as np, sbdl
    >>> truth = sbdl.make_image(48, 48, random_state=1)
    >>> noisy = np.stack([sbdl.make_noisy(truth, 20.0, random_state=page) for page in range(3)])
    >>> clean, info = sbdl.denoise_stack(noisy, n_components=64)
    >>> clean.shape, len(info.sigma), info.shared
    ((3, 48, 48), 3, True)
    """
    check_names("denoise_stack", options, [*OPTIONS, *(denoise_stack.__kwdefaults__ or ())])
    pages = as_image(stack, name="stack")
    info = StackInfo()
    clean = np.empty(pages.shape, pages.dtype)
    planes = (3,) if pages.ndim == 4 else ()
    deviations = np.empty(pages.shape[:3] + planes, np.float32) if std else None
    start = time.perf_counter()

    def keep(page: int, outcome: _core.DenoiseOutcome) -> None:
        clean[page] = outcome.image
        if deviations is not None:
            deviations[page] = outcome.std
        info.unchanged.append(outcome.unchanged)
        info.only_noise.append(outcome.only_noise)
        info.noise.append(outcome.noise)
        info._warnings.append(outcome.warnings)
        info.sigma.append(outcome.noise_sd)  # last: now the page is done

    with stage_bar("denoising", verbose) as stage:

        def show(page: int, name: str, share: float, left: float) -> None:
            if stage is not None:
                stage(name if page == len(pages) else f"page {page + 1}/{len(pages)}, {name}", share, left)

        outcome = _core.denoise_stack(
            pages,
            denoise_fields(**options),
            {"dictionary": STACK_OPTIONS["dictionary"].check(dictionary, "denoise_stack")},
            method=method,
            std=std,
            model=model,
            seed=seed_from(random_state),
            threads=threads_from(n_jobs),
            page=keep,
            progress=show if verbose else None,
        )
    done = len(info.sigma)
    info._seconds = time.perf_counter() - start
    info._stack, info._clean, info._stack_warnings = pages, clean[:done], outcome.warnings
    info.std = None if deviations is None else deviations[:done]
    info.shared = outcome.shared
    info.model = outcome.model if outcome.shared and outcome.model.dictionary.size > 0 else None
    if outcome.interrupted:
        warnings.warn(f"Interrupted by user; {done} of {len(pages)} pages are done and returned.", stacklevel=2)
    warn_all([*outcome.warnings, *(text for texts in info._warnings for text in texts)])
    return clean[:done], info
