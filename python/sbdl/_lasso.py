"""The lasso's minimum, exactly: FISTA tells which coefficients are not zero, and which sign they have; given these the
minimum is the solution of a small linear system, and it is easy to see whether they were right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbdl import _core

__all__ = ["minimise_lasso"]

Array = NDArray[np.float64]
# How near FISTA goes to the minimum, as a share of half the signal's squared norm, before its signs are tried.
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
ROUNDING = 1e-9  # of alpha, by which a slope may miss it
AT_ONCE = 4096  # signals that are solved for together


def minimise_lasso(dictionary: Array, rows: Array, alpha: float, *, steps: int, threads: int) -> tuple[Array, int]:
    """Return the codes, and how many of them are not within the last tolerance of the minimum after all steps."""
    codes = np.zeros((rows.shape[0], dictionary.shape[0]))
    gram = dictionary @ dictionary.T
    unsettled = 0
    for first in range(0, len(rows), AT_ONCE):
        part = rows[first : first + AT_ONCE]
        found = codes[first : first + AT_ONCE]
        left = np.arange(len(part))
        for tolerance in TOLERANCES:
            near = _core.encode_fista(
                dictionary,
                part[left],
                alpha=alpha,
                steps=steps,
                tolerance=tolerance,
                start=found[left],
                threads=threads,
            )
            right = _finish(dictionary, gram, part[left], alpha, near)
            found[left] = near
            left = left[~right]
            if not len(left):
                break
        else:
            unsettled += int(_far(dictionary, part[left], alpha, found[left]).sum())
    return codes, unsettled


def _far(dictionary: Array, rows: Array, alpha: float, codes: Array) -> NDArray[np.bool_]:
    """Return which codes are not known to be within the last tolerance of the minimum."""
    residuals = rows - codes @ dictionary
    # A point of the dual problem: the residual, made small enough to be feasible.
    steepest = np.abs(residuals @ dictionary.T).max(axis=1)
    share = alpha / np.maximum(steepest, alpha)
    energy = np.sum(residuals**2, axis=1)
    primal = 0.5 * energy + alpha * np.abs(codes).sum(axis=1)
    dual = share * np.sum(residuals * rows, axis=1) - 0.5 * share**2 * energy
    far: NDArray[np.bool_] = primal - dual > 1.01 * TOLERANCES[-1] * 0.5 * np.sum(rows**2, axis=1)
    return far


def _finish(dictionary: Array, gram: Array, rows: Array, alpha: float, codes: Array) -> NDArray[np.bool_]:
    """Put the exact minimum where the signs of the codes are those of the minimum; return where."""
    signs = np.sign(codes)
    exact = np.zeros_like(codes)
    target = rows @ dictionary.T - alpha * signs
    sizes = np.count_nonzero(codes, axis=1)
    for size in np.unique(sizes[sizes > 0]):
        of = np.flatnonzero(sizes == size)
        atoms = np.nonzero(codes[of])[1].reshape(len(of), size)
        small = gram[atoms[:, :, None], atoms[:, None, :]]
        try:
            solved = np.linalg.solve(small, np.take_along_axis(target[of], atoms, axis=1)[:, :, None])
        except np.linalg.LinAlgError:  # atoms that depend on each other: what FISTA found stays
            continue
        exact[of[:, None], atoms] = solved[:, :, 0]
    slopes = (rows - exact @ dictionary) @ dictionary.T
    right: NDArray[np.bool_] = (np.sign(exact) == signs).all(axis=1)
    right &= (np.abs(slopes) <= (1.0 + ROUNDING) * alpha).all(axis=1)
    codes[right] = exact[right]
    return right
