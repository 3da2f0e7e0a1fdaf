"""Plots of results. Each returns the matplotlib axes it drew on; only this module needs matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbdl._core import Model
from sbdl._validation import without_alpha

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["atoms", "before_after", "trace"]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("sbdl.plots needs matplotlib: pip install matplotlib") from error
    return plt


def _model_of(learned: Any) -> Model | None:
    """Return the model of an estimator, of a DenoiseInfo, or the model itself."""
    for candidate in (learned, getattr(learned, "model_", None), getattr(learned, "model", None)):
        if isinstance(candidate, Model):
            return candidate
    return None


def _patch_shape(entries: int, model: Model | None, shape: tuple[int, ...] | None) -> tuple[int, ...]:
    if shape is None and model is not None and all(model.patch_shape):
        height, width, planes = model.patch_shape
        shape = (height, width) if planes == 1 else (height, width, planes)
    if shape is None:
        side = math.isqrt(entries)
        if side * side != entries:
            raise ValueError(f"atoms have {entries} entries, which is not a square; give their shape")
        shape = (side, side)
    if math.prod(shape) != entries:
        raise ValueError(f"atoms have {entries} entries, patches of {shape} have {math.prod(shape)}")
    return shape


def atoms(learned: Any, *, shape: tuple[int, ...] | None = None, limit: int = 256, ax: Axes | None = None) -> Axes:
    """Draw the atoms, the most used first: patches as small images, others as curves.

    Parameters
    ----------
    learned : DictionaryLearning, DenoiseInfo, Model or array of atoms
    shape : tuple of int, default=None
        Height and width of an atom. None: those of the model's patches, and curves if it was not learned from patches;
        an array of atoms is drawn as squares.
    limit : int, default=256
        Maximum number of atoms drawn.
    ax : matplotlib Axes, default=None

    Returns
    -------
    ax : matplotlib Axes
    """
    model = _model_of(learned)
    rows: NDArray[np.float64] = np.asarray(learned, dtype=float) if model is None else model.dictionary
    order = np.arange(len(rows)) if model is None else np.argsort(-model.atom_usage, kind="stable")
    shown = rows[order[:limit]]
    across = math.ceil(math.sqrt(len(shown)))
    ax = _pyplot().subplots()[1] if ax is None else ax
    if shape is None and model is not None and not all(model.patch_shape):
        _draw_curves(ax, shown, across)
    else:
        _draw_patches(ax, shown.reshape(-1, *_patch_shape(rows.shape[1], model, shape)[:2]), across)
    ax.set_axis_off()
    ax.set_title(f"{len(shown)} of {len(rows)} atoms")
    return ax


def _scaled(atom: NDArray[np.float64]) -> NDArray[np.float64]:
    peak = np.abs(atom).max()
    return atom / peak if peak > 0 else atom


def _draw_curves(ax: Axes, shown: NDArray[np.float64], across: int) -> None:
    along = np.linspace(0.05, 0.95, shown.shape[1])
    for number, atom in enumerate(shown):
        down, right = divmod(number, across)
        ax.plot(right + along, -down + 0.45 * _scaled(atom), color="C0", linewidth=1)


def _draw_patches(ax: Axes, shown: NDArray[np.float64], across: int) -> None:
    height, width = shown.shape[1:]
    down = math.ceil(len(shown) / across)
    mosaic = np.full((down * (height + 1) - 1, across * (width + 1) - 1), np.nan)
    for number, atom in enumerate(shown):
        top, left = (number // across) * (height + 1), (number % across) * (width + 1)
        mosaic[top : top + height, left : left + width] = _scaled(atom)
    ax.imshow(mosaic, cmap="gray", vmin=-1, vmax=1, interpolation="nearest")


def trace(learned: Any, *, what: str = "noise_sd", ax: Axes | None = None) -> Axes:
    """Draw the run sweep by sweep, one line per chain; burn-in is pale.

    Parameters
    ----------
    learned : DictionaryLearning, DenoiseInfo or Model
    what : {"noise_sd", "objective"}, default="noise_sd"
    ax : matplotlib Axes, default=None

    Returns
    -------
    ax : matplotlib Axes
    """
    model = _model_of(learned)
    if model is None:
        raise ValueError("a trace needs a fitted estimator, a Model or a DenoiseInfo")
    if what not in ("noise_sd", "objective"):
        raise ValueError(f"what is {what!r}, must be 'noise_sd' or 'objective'")
    ax = _pyplot().subplots()[1] if ax is None else ax
    trace_of = model.trace
    for chain in np.unique(trace_of["chain"]):
        mine = trace_of["chain"] == chain
        (line,) = ax.plot(trace_of["sweep"][mine], trace_of[what][mine], alpha=0.35, linewidth=1)
        kept = mine & (trace_of["kept"] == 1)
        ax.plot(trace_of["sweep"][kept], trace_of[what][kept], color=line.get_color(), label=f"chain {chain + 1}")
    ax.set_xlabel("sweep")
    ax.set_ylabel("noise standard deviation" if what == "noise_sd" else "objective")
    if len(np.unique(trace_of["chain"])) > 1:
        ax.legend()
    return ax


def before_after(
    before: ArrayLike, after: ArrayLike, truth: ArrayLike | None = None, *, axes: Any = None
) -> NDArray[Any]:
    """Draw images side by side on one scale: before, after and, if given, the truth.

    Returns
    -------
    axes : ndarray of matplotlib Axes
    """
    images = [("before", without_alpha(np.asarray(before))), ("after", without_alpha(np.asarray(after)))]
    if truth is not None:
        images.append(("truth", without_alpha(np.asarray(truth))))
    if axes is None:
        axes = _pyplot().subplots(1, len(images), figsize=(4 * len(images), 4), sharex=True, sharey=True)[1]
    least, most = float(np.min(images[-1][1])), float(np.max(images[-1][1]))
    for ax, (title, image) in zip(axes, images, strict=False):
        if image.ndim == 3:
            ax.imshow(np.clip((image - least) / max(most - least, 1e-300), 0, 1))
        else:
            ax.imshow(image, cmap="gray", vmin=least, vmax=most)
        ax.set_title(title)
        ax.set_axis_off()
    return np.asarray(axes)
