"""Base classes of the estimator: scikit-learn's if it is installed, otherwise the few parts of them that are needed.

The wheel must run with NumPy alone, yet a scikit-learn user expects a real ``BaseEstimator``: ``clone``,
``set_output``, the boxes in notebooks, metadata routing. Importing it where it is installed gives all of that; the
replacement gives ``get_params``, ``set_params``, ``fit_transform`` and a readable ``repr``.
"""

from __future__ import annotations

import html
import inspect
from typing import TYPE_CHECKING, Any

__all__ = [
    "HAVE_SKLEARN",
    "BaseEstimator",
    "ConvergenceWarning",
    "NarrowPosteriorWarning",
    "NotFittedError",
    "TransformerMixin",
    "estimator_diagram",
]


class PlainEstimator:
    """Parameters are the arguments of ``__init__``, stored under their own names."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        parameters = inspect.signature(cls.__init__).parameters.values()
        return sorted(p.name for p in parameters if p.name != "self" and p.kind != p.VAR_KEYWORD)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; there are no nested ones, so `deep` changes nothing."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Any:
        """Set parameters by name and return the estimator."""
        known = self._parameter_names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known!r}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if not (value is defaults[name].default or value == defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


class PlainTransformer:
    """``fit_transform`` for estimators with fit and transform."""

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit, then transform the same signals."""
        return self.fit(X, y, **fit_params).transform(X)  # type: ignore[attr-defined]


class PlainNotFittedError(ValueError, AttributeError):
    """Raised when an estimator is used before ``fit``."""


class PlainConvergenceWarning(UserWarning):
    """Issued when an algorithm did not converge in the steps allowed."""


class NarrowPosteriorWarning(UserWarning):
    """Issued when standard deviations are read that are too small."""


def plain_diagram(estimator: Any) -> str:
    """Return an estimator as HTML."""
    return f"<pre>{html.escape(repr(estimator))}</pre>"


if TYPE_CHECKING:
    HAVE_SKLEARN = False
    estimator_diagram = plain_diagram
    BaseEstimator = PlainEstimator
    TransformerMixin = PlainTransformer
    NotFittedError = PlainNotFittedError
    ConvergenceWarning = PlainConvergenceWarning
else:
    try:
        from sklearn.base import BaseEstimator, TransformerMixin
        from sklearn.exceptions import ConvergenceWarning, NotFittedError
        from sklearn.utils import estimator_html_repr as estimator_diagram

        HAVE_SKLEARN = True
    except ImportError:
        HAVE_SKLEARN = False
        estimator_diagram = plain_diagram
        BaseEstimator = PlainEstimator
        TransformerMixin = PlainTransformer
        NotFittedError = PlainNotFittedError
        ConvergenceWarning = PlainConvergenceWarning
