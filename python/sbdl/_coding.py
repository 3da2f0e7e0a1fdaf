"""Codes of signals with a fixed dictionary, by algorithms that need nothing else."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sbdl import _core
from sbdl._base import ConvergenceWarning
from sbdl._validation import users_level

__all__ = ["ALGORITHMS", "LASSO", "Coding", "EmptyRows"]

Array = NDArray[np.float64]
LASSO = ("lasso_cd", "lasso_lars")  # scikit-learn's names of two ways to the same minimum
ALGORITHMS = ("omp", "ormp", *LASSO, "threshold")


@dataclass(frozen=True)
class Coding:
    """How signals are coded. An algorithm ignores parameters that it does not have."""

    algorithm: str
    n_nonzero_coefs: int = 0  # 0: no limit
    max_error: float = 0.0  # 0: no limit
    alpha: float = 1.0
    max_iter: int = 1000
    threads: int = 0

    def code(self, dictionary: Array, rows: Array) -> Array:
        """Return one code per row; NaN in a signal is a missing entry, and only the others count."""
        if not np.isnan(rows.min()):  # a single NaN makes this NaN
            return self._code_whole(dictionary, rows)
        codes = np.zeros((rows.shape[0], dictionary.shape[0]))
        for of, seen in _by_pattern(np.isnan(rows)):
            if seen.any():
                part = replace(self, max_error=self.max_error * float(np.sqrt(seen.mean())))
                atoms = np.ascontiguousarray(dictionary[:, seen])
                codes[of] = part._code_whole(atoms, np.ascontiguousarray(rows[of][:, seen]))
        return codes

    def _code_whole(self, dictionary: Array, rows: Array) -> Array:
        if self.algorithm == "threshold":
            along = rows @ dictionary.T
            return np.sign(along) * np.maximum(np.abs(along) - self.alpha, 0.0)
        if self.algorithm not in LASSO:
            return _core.encode_omp(
                dictionary,
                rows,
                max_nonzeros=self.n_nonzero_coefs,
                max_error=self.max_error,
                pursuit=self.algorithm,
                threads=self.threads,
            )
        codes, unsettled = _core.encode_lasso(
            dictionary, rows, alpha=self.alpha, steps=self.max_iter, threads=self.threads
        )
        if unsettled:
            warnings.warn(
                f"{unsettled} of {rows.shape[0]} codes did not converge in {self.max_iter} steps: "
                "allow more steps, or increase alpha",
                ConvergenceWarning,
                stacklevel=users_level(),
            )
        return codes


class EmptyRows:
    """Signals without any entry, which are ignored: they are coded as zeros, and their codes set to zero.

    So the others keep their numbers, on which random draws depend.
    """

    def __init__(self, rows: Array, ignored: bool) -> None:
        self._where: NDArray[np.bool_] = np.asarray(np.isnan(rows).all(axis=1) if ignored else [], dtype=bool)
        self.rows = np.where(self._where[:, np.newaxis], 0.0, rows) if self._where.any() else rows

    def clear(self, found: tuple[Array, ...]) -> None:
        """Set their rows to zero in each of the arrays."""
        if self._where.any():
            for part in found:
                part[self._where] = 0.0


def _by_pattern(gaps: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.bool_]]]:
    """Yield the signals that lack the same entries, and which entries they have."""
    patterns, which = np.unique(gaps, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(patterns)))
    for pattern, of in zip(patterns, np.split(order, ends[:-1]), strict=True):
        yield of, ~pattern
