"""Coding of signals by a fitted estimator, and reconstruction from their codes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbdl import _core
from sbdl._coding import ALGORITHMS, Coding, EmptyRows
from sbdl._fitted import FittedModel
from sbdl._options import check_bool, check_float, check_int
from sbdl._validation import as_rows, threads_from

__all__ = ["CodedSignals", "trained_number"]

Array = NDArray[np.float64]
TRANSFORM_ALGORITHMS = ("auto", "posterior", *ALGORITHMS)


def trained_number(model: _core.Model, option: str) -> Any:
    """Return an option that the model was learned with; None if it had no value (the model then has text)."""
    value = json.loads(model.options_json).get(option)
    return value if isinstance(value, (int, float)) else None


class CodedSignals(FittedModel):
    """Coding of signals, controlled by the parameters ``transform_...``."""

    transform_algorithm: str
    transform_n_nonzero_coefs: int | None
    transform_max_error: float | None
    transform_alpha: float | None
    transform_max_iter: int
    transform_burn_in: int
    transform_draws: int
    transform_sparse: bool
    n_jobs: int | None

    def _check(self, X: Any, *, reset: bool) -> Array:
        """Return signals as the core takes them."""
        raise NotImplementedError

    def _ignores_empty(self) -> bool:
        """Return whether signals without any observed entry have codes of zeros; otherwise they are errors."""
        raise NotImplementedError

    def transform(self, X: ArrayLike, *, return_std: bool = False, return_probability: bool = False) -> Any:
        """Code signals with the learned dictionary.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Models of `gibbs`, `vb` and `bpfa` accept missing entries: the code is that of the others. A signal without
            any is an error for "posterior", or has a code of zeros with ``empty_signals="ignore"``.
        return_std : bool, default=False
            Also return the posterior standard deviation of every coefficient.
        return_probability : bool, default=False
            Also return the posterior probability that each coefficient is not zero, that is, that the signal uses the
            atom. For models with on/off codes: `gibbs`, `vb` and `bpfa`, but not with ``prior="student-t"``.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
        codes_std : ndarray of shape (n_samples, n_components)
            With `return_std`.
        codes_probability : ndarray of shape (n_samples, n_components)
            With `return_probability`.
        """
        self._require_fit()
        return self._encode(self._check(X, reset=False), return_std, return_probability)

    def _encode(self, rows: Array, return_std: bool = False, return_probability: bool = False, first: int = 0) -> Any:
        """Code rows first, first + 1, ... of the signals: draws depend on these numbers."""
        owner = type(self).__name__
        algorithm = self._transform_algorithm()
        threads = threads_from(self.n_jobs)
        if algorithm == "posterior":
            signals = EmptyRows(rows, self._ignores_empty())
            found = _core.encode_posterior(
                self.model_,
                signals.rows,
                burn_in=check_int(self.transform_burn_in, "transform_burn_in", owner, least=0, most=8e6),
                draws=check_int(self.transform_draws, "transform_draws", owner, most=8e6),
                sparse=check_bool(self.transform_sparse, "transform_sparse", owner),
                seed=self.model_.seed,
                threads=threads,
                std=bool(return_std),
                probability=bool(return_probability),
                first=first,
            )
            signals.clear(found)
            return found if len(found) > 1 else found[0]
        for wanted, name in [(return_std, "standard deviations"), (return_probability, "probabilities")]:
            if wanted:
                raise ValueError(f"transform_algorithm {algorithm!r} has no {name}; use 'posterior'")
        coding = Coding(algorithm, threads=threads)
        if algorithm in ("omp", "ormp"):
            most, error = self._pursuit_limits()
            coding = replace(coding, n_nonzero_coefs=most, max_error=error)
        else:
            coding = replace(
                coding,
                alpha=self._alpha(),
                max_iter=check_int(self.transform_max_iter, "transform_max_iter", owner),
            )
        return coding.code(self.model_.dictionary, rows)

    def _alpha(self) -> float:
        if self.transform_alpha is not None:
            return check_float(self.transform_alpha, "transform_alpha", type(self).__name__)
        return float(trained_number(self.model_, "lambda") or 1.0)

    def _check_transform_algorithm(self) -> None:
        if self.transform_algorithm not in TRANSFORM_ALGORITHMS:
            names = ", ".join(map(repr, TRANSFORM_ALGORITHMS))
            raise ValueError(
                f"The 'transform_algorithm' parameter of {type(self).__name__} must be a str among {{{names}}}. "
                f"Got {self.transform_algorithm!r} instead."
            )

    def _transform_algorithm(self) -> str:
        self._check_transform_algorithm()
        if self.transform_algorithm != "auto":
            return self.transform_algorithm
        return "posterior" if _core.has_code_posterior(self.model_) else "omp"

    def _pursuit_limits(self) -> tuple[int, float]:
        owner = type(self).__name__
        most, error = self.transform_n_nonzero_coefs, self.transform_max_error
        if most is None and error is None:
            most, error = trained_number(self.model_, "sparsity"), trained_number(self.model_, "max_error")
        if most is None and error is None:
            dim = self.model_.dictionary.shape[1]
            error = _core.omp_error_of_noise(self.model_.noise_sd, dim)
            if error <= 0.0:
                return dim, 0.0
        checked_most = 0 if most is None else check_int(most, "transform_n_nonzero_coefs", owner)
        checked_error = 0.0 if error is None else check_float(error, "transform_max_error", owner)
        return checked_most, checked_error

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Reconstruct signals from their codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        signals : ndarray of shape (n_samples, n_features)
        """
        self._require_fit()
        codes = as_rows(X, owner=type(self).__name__)
        atoms = self.components_.shape[0]
        if codes.shape[1] != atoms:
            raise ValueError(f"X has {codes.shape[1]} columns, but there are {atoms} atoms")
        return codes @ self.components_

    def reconstruct(self, X: ArrayLike) -> Array:
        """Return the signals that their codes give: with less noise, and with missing entries filled in.

        The same as ``inverse_transform(transform(X))``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        signals : ndarray of shape (n_samples, n_features)
        """
        return self.inverse_transform(self.transform(X))

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Return the share of the signals' energy that their codes explain.

        It is ``1 - |X - codes components_|^2 / |X|^2``. Missing entries do not count.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        score : float
            At most 1; larger is better.
        """
        self._require_fit()
        rows = self._check(X, reset=False)
        energy = float(np.nansum(rows**2))
        left = float(np.nansum((rows - self._encode(rows) @ self.components_) ** 2))
        return 1.0 - left / energy if energy > 0.0 else float(left == 0.0)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return a name for each column of the codes: dictionarylearning0, dictionarylearning1, ...

        Parameters
        ----------
        input_features : Ignored

        Returns
        -------
        names : ndarray of str
        """
        self._require_fit()
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}{i}" for i in range(self.components_.shape[0])], dtype=object)
