"""Attributes of a fitted estimator. All are parts of `model_`, under their scikit-learn names. Its model names it."""

from __future__ import annotations

import math
import os
import warnings
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sbdl import _core
from sbdl._base import NarrowPosteriorWarning, NotFittedError
from sbdl._options import has_narrow_posterior

__all__ = ["FittedModel", "name_the_estimator"]

Array = NDArray[np.float64]


class FittedModel:
    """Attributes that exist once `model_` does."""

    model_: _core.Model

    def _learned(self) -> _core.Model:
        if "model_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no such attribute before fit")
        return cast(_core.Model, self.__dict__["model_"])

    def _with_warning(self, std: Array | None, name: str, instead: str = "") -> Array | None:
        """Return standard deviations; warn where they are those of an approximation that is too sure."""
        if std is not None and has_narrow_posterior(self._learned()):
            warnings.warn(
                f"the standard deviations in `{name}` are too small with method {self._learned().method}: "
                f"do not rely on them{instead}",
                NarrowPosteriorWarning,
                stacklevel=3,
            )
        return std

    def _require_fit(self) -> None:
        if not hasattr(self, "model_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments "
                "before using this estimator."
            )

    @property
    def components_(self) -> Array:
        """Atoms of unit norm."""
        return self._learned().dictionary

    @property
    def components_std_(self) -> Array | None:
        """Posterior standard deviation of the atoms' entries; None when unknown. Too small with `svb`, which warns."""
        return self._with_warning(self._learned().dictionary_std, "components_std_")

    @property
    def components_usage_(self) -> Array:
        """Root mean square code of each atom over the training signals."""
        return self._learned().atom_usage

    @property
    def components_probability_(self) -> Array | None:
        """Probability that a signal uses the atom; None for models without on/off codes."""
        probability = self._learned().atom_probability
        return probability if len(probability) else None

    @property
    def components_in_use_(self) -> NDArray[np.bool_]:
        """Whether the signals determine the direction of each atom."""
        return np.asarray(self._learned().atoms_in_use, dtype=bool)

    @property
    def noise_variance_(self) -> float:
        """Variance of the noise."""
        return self._learned().noise_sd ** 2

    @property
    def noise_sd_(self) -> float:
        """Standard deviation of the noise."""
        return self._learned().noise_sd

    @property
    def noise_sd_std_(self) -> float | None:
        """Posterior standard deviation of `noise_sd_`; None when unknown."""
        std = self._learned().noise_sd_std
        return None if math.isnan(std) else std

    @property
    def n_components_(self) -> int:
        """Number of atoms."""
        return int(self._learned().dictionary.shape[0])

    @property
    def codes_(self) -> Array | None:
        """Training codes; None unless they were kept."""
        return self._learned().codes

    @property
    def codes_std_(self) -> Array | None:
        """Their posterior standard deviation. Too small with `svb`, which warns."""
        return self._with_warning(
            self._learned().codes_std, "codes_std_", "; `transform(X, return_std=True)` has better ones"
        )

    @property
    def codes_probability_(self) -> Array | None:
        """Probability that each of them is not zero; None for models without on/off codes."""
        return self._learned().codes_probability

    @property
    def n_samples_seen_(self) -> int:
        """Signals that a streaming method has learned from so far."""
        return self._learned().signals_seen

    @property
    def trace_(self) -> dict[str, NDArray[Any]]:
        """One entry per sweep."""
        return self._learned().trace

    @property
    def diagnostics_(self) -> dict[str, float]:
        """R-hat and effective sample sizes."""
        return self._learned().diagnostics

    @property
    def settled_(self) -> bool | None:
        """Whether the run had settled when it ended; None when that is not known."""
        return self._learned().settled

    @property
    def estimate_(self) -> str:
        """Which of several chains the estimate is of; empty when there was one."""
        return self._learned().estimate

    @property
    def stop_reason_(self) -> str:
        """Why the run ended."""
        return self._learned().stop_reason

    @property
    def seed_(self) -> int:
        """The core's seed, with which the program gives the same model."""
        return self._learned().seed

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to an HDF5 file, which :meth:`from_model`, the program and others read.

        Parameters
        ----------
        path : path-like
        """
        self._require_fit()
        self.model_.save(path)

    def report(self, path: str | os.PathLike[str], *, title: str = "DictionaryLearning") -> None:
        """Write one self-contained HTML page about the run.

        Parameters
        ----------
        path : path-like
        title : str
        """
        self._require_fit()
        _core.write_model_report(self.model_, path, title)


def name_the_estimator(estimator: type) -> None:
    """Let a Model that is asked for what only the estimator has, such as ``transform``, name the way there."""

    def no_attribute(model: _core.Model, name: str) -> Any:
        text = f"'Model' object has no attribute {name!r}"
        if not name.startswith("_") and hasattr(estimator, name):
            text += f"; {estimator.__name__}.from_model(model).{name} is what the estimator has"
        raise AttributeError(text, name=name, obj=model)

    model: Any = _core.Model
    model.__getattr__ = no_attribute
