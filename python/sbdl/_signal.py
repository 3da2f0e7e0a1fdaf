"""Denoising of one-dimensional signals."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbdl import _core
from sbdl._denoise import denoise_fields
from sbdl._html import signal_html
from sbdl._options import explains_unknown_names, read_options
from sbdl._progress import stage_bar
from sbdl._validation import as_signal, seed_from, threads_from, users_level, warn_all

__all__ = ["SignalInfo", "denoise_signal"]

OPTIONS = read_options(_core.describe_signal(), {})


class SignalInfo:
    """What :func:`denoise_signal` found.

    Attributes
    ----------
    sigma : float
        Standard deviation of the noise, inferred or given.
    sigma_given : bool
    std : ndarray of shape (n,) or None
        Standard deviation of every sample of the result.
    noise_colour : float
        Standard deviation of the noise at low frequencies over that at high ones; 1 if it may be white.
    unchanged : bool
        No noise was found, and the signal was returned as it was.
    only_noise : bool
        Almost nothing was left after the noise was removed.
    empty_share : float
        Share of the windows in which only noise was found.
    training_windows : int
    seconds : dict
        Time of each stage.
    model : Model
        The dictionary of windows.
    """

    def __init__(self, outcome: _core.SignalOutcome) -> None:
        self._outcome = outcome
        self.sigma = outcome.noise_sd
        self.sigma_given = outcome.noise_given
        self.std: NDArray[np.float64] | None = outcome.std
        self.noise_colour = outcome.noise_colour
        self.unchanged = outcome.unchanged
        self.only_noise = outcome.only_noise
        self.empty_share = outcome.empty_share
        self.training_windows = outcome.training_windows
        self.seconds = outcome.seconds
        self.model = outcome.model

    def _repr_html_(self) -> str:
        return signal_html(self)

    def __repr__(self) -> str:
        return f"<sbdl.SignalInfo: sigma {self.sigma:.4g} ({'given' if self.sigma_given else 'inferred'})>"


@explains_unknown_names
def denoise_signal(
    signal: ArrayLike,
    *,
    sigma: float | None = None,
    window: int | None = None,
    method: str = "auto",
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
) -> tuple[NDArray[np.float64], SignalInfo]:
    """Remove the noise from a signal, such as an ECG, a sound or a spectrum, with a dictionary of its windows.

    The noise is taken to be white and Gaussian; its level need not be known. A warning says so if it is
    not white, unless the correlation is weak. Ctrl-C is as for :func:`denoise`.

    Parameters
    ----------
    signal : array-like of shape (n,)
        Real numbers on any scale, at least two windows of them. Missing samples have to be filled first.
    sigma : float, default=None
        Standard deviation of the noise, if it is known; None: it is inferred.
    window : int, default=None
        Samples in a window; None: 64, or as many as the atoms of `model` have.
    method : str, default="auto"
        How the dictionary is learned: any of ``sbdl.methods()``; "auto" is "online", or "dct" for a signal that is too
        short to learn from.
    n_components, stride : int
        Number of atoms, and distance between the training windows (0: 1, or 2 for a long signal).
    max_patches : int, default=None
        Maximum number of training windows; None: 32768.
    max_iter : int, default=None
        Sweeps of the learner; None: as many as the signal needs.
    std : bool, default=True
        Also compute the standard deviation of every sample.
    model : Model, default=None
        Use this dictionary instead of learning one; its atoms are as long as the window.
    random_state : int, RandomState, Generator or None, default=0
    n_jobs : int, default=None
        Number of threads; None and -1: one per core.
    callback : callable, default=None
        As for :func:`denoise`.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Returns
    -------
    clean : ndarray of shape (n,)
    info : SignalInfo

    Examples
    --------
    >>> import numpy as np, sbdl
    >>> t = np.arange(2000)
    >>> truth = np.sin(t / 9.0) * np.exp(-(((t % 400) - 200) / 60.0) ** 2)
    >>> noisy = truth + 0.2 * np.random.default_rng(1).normal(size=t.size)
    >>> clean, info = sbdl.denoise_signal(noisy)
    >>> bool(np.std(clean - truth) < 0.1), abs(info.sigma - 0.2) < 0.02
    (True, True)
    """
    if window is None:
        window = OPTIONS["window"].default if model is None else model.dictionary.shape[1]
    options = denoise_fields(
        sigma=sigma, n_components=n_components, stride=stride, max_patches=max_patches, max_iter=max_iter
    )
    with stage_bar("denoising", verbose) as stage:
        outcome = _core.denoise_signal(
            as_signal(signal),
            options,
            {"window": OPTIONS["window"].check(window, "denoise_signal")},
            method=method,
            std=std,
            model=model,
            seed=seed_from(random_state),
            threads=threads_from(n_jobs),
            callback=callback,
            stage=stage,
        )
    if outcome.interrupted:
        warnings.warn(
            "Learning interrupted by user; the signal was cleaned with what was learned so far.",
            stacklevel=users_level(),
        )
    warn_all(outcome.warnings)
    return outcome.signal, SignalInfo(outcome)
