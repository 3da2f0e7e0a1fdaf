"""Checks of input before it reaches the core. Messages are those of scikit-learn, whether it is installed or not."""

from __future__ import annotations

import contextlib
import numbers
import os
import re
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbdl import _core

__all__ = [
    "as_floats",
    "as_image",
    "as_rows",
    "as_signal",
    "check_feature_names",
    "check_model",
    "feature_names_of",
    "memory_from",
    "seed_from",
    "threads_from",
    "users_level",
    "warn_all",
    "without_alpha",
]

Rows = NDArray[np.float64]


# Advice about missing values, for messages.
FILL = "fill them, or leave out the rows that have some"


def _reject_kinds(X: Any, name: str, *, missing: bool = False, way_out: str = FILL) -> None:
    if type(X).__module__.split(".")[0] == "scipy" and hasattr(X, "toarray"):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    if not missing and isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(
            f"Input {name} is a masked array with {int(np.ma.getmaskarray(X).sum())} masked values. "
            f"Missing values are not supported: {way_out}."
        )


def _to_floats(X: Any, name: str) -> NDArray[Any]:
    array = np.asarray(X)
    if array.dtype == object and hasattr(X, "to_numpy"):  # a data frame may have its own marker for missing values
        with contextlib.suppress(TypeError, ValueError):
            array = X.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.iscomplexobj(array):
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind in "USV" or array.dtype.kind in "mM":
        # Text that spells numbers is converted, as NumPy does; anything else is an error.
        try:
            return array.astype(np.float64)
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"dtype={array.dtype} of {name} is not compatible with arrays of numbers; convert your data"
            ) from error
    return array.astype(np.float64, copy=False)


def as_floats(X: Any, name: str = "X") -> NDArray[np.float64]:
    """Return X as float64; masked entries become NaN."""
    array = _to_floats(X, name)
    return np.where(np.ma.getmaskarray(X), np.nan, array) if np.ma.is_masked(X) else array


def as_rows(
    X: Any, *, owner: str, name: str = "X", what: str = "sample", missing: bool = False, way_out: str = FILL
) -> Rows:
    """Return X as C-contiguous float64 rows: X itself if it is that already, otherwise one conversion.

    With `missing`, entries may be NaN, and masked ones become NaN; without, `way_out` is the advice in the message.
    """
    _reject_kinds(X, name, missing=missing, way_out=way_out)
    array = as_floats(X, name)
    if array.ndim == 0:
        raise ValueError(
            f"Expected 2D array, got scalar array instead:\narray={array}.\n"
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    if array.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead:\narray={array}.\n"
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required by {owner}.")
    if array.shape[0] < 1:
        raise ValueError(
            f"Found array with 0 {what}(s) (shape={array.shape}) while a minimum of 1 is required by {owner}."
        )
    if array.shape[1] < 1:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required by {owner}."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(array.sum())  # one pass without a temporary, enough for almost all data
    if suspicious and not np.isfinite(array).all():
        if not missing and np.isnan(array).any():
            raise ValueError(
                f"Input {name} contains NaN.\n"
                f"{owner} does not accept missing values encoded as NaN natively: {way_out}."
            )
        if np.isinf(array).any():
            raise ValueError(f"Input {name} contains infinity or a value too large for dtype('float64').")
    return np.ascontiguousarray(array)


def feature_names_of(X: Any) -> NDArray[np.object_] | None:
    """Return the column names of a data frame if all of them are strings."""
    columns = getattr(X, "columns", None)
    if columns is None or isinstance(X, np.ndarray):
        return None
    names = np.asarray(columns, dtype=object)
    kinds = sorted({type(name).__qualname__ for name in names})
    if kinds == ["str"]:
        return names
    if "str" in kinds:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{kinds} as feature name / column name types. If you want feature names to be stored and validated, "
            "you must convert them all to strings, by using X.columns = X.columns.astype(str) for example. "
            "Otherwise you can remove feature / column names from your input data, or convert them all to a "
            "non-string data type."
        )
    return None


def _listed(names: Any) -> str:
    most = 5
    listed = "".join(f"- {name}\n" for name in names[:most])
    return listed + ("- ...\n" if len(names) > most else "")


def check_feature_names(estimator: Any, names: NDArray[np.object_] | None) -> None:
    """Compare the names of new data with those seen in fit."""
    fitted = getattr(estimator, "feature_names_in_", None)
    owner = type(estimator).__name__
    if fitted is None and names is None:
        return
    if fitted is None:
        warnings.warn(f"X has feature names, but {owner} was fitted without feature names", stacklevel=users_level())
        return
    if names is None:
        warnings.warn(
            f"X does not have valid feature names, but {owner} was fitted with feature names", stacklevel=users_level()
        )
        return
    if len(names) == len(fitted) and (names == fitted).all():
        return
    unseen = sorted(set(names) - set(fitted))
    missing = sorted(set(fitted) - set(names))
    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += "Feature names unseen at fit time:\n" + _listed(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)


def as_image(image: Any, *, name: str = "image", integers: bool = False) -> NDArray[Any]:
    """Return an image's array as the core takes it: contiguous, native, uint8, uint16, float32 or float64.

    With `integers`, other integer types are accepted, too, as float64.
    """
    _reject_kinds(image, name)
    array = np.asarray(image)
    if array.dtype.newbyteorder("=") in (np.uint8, np.uint16, np.float32, np.float64):
        return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    if integers and array.dtype.kind in "iub":
        return np.ascontiguousarray(array, dtype=np.float64)
    raise ValueError(
        f"{name} has dtype {array.dtype}, must be uint8, uint16, float32 or float64; convert it with .astype()"
    )


def without_alpha(image: NDArray[Any]) -> NDArray[Any]:
    """Return what can be seen of an image: grey, or three colours."""
    if image.ndim == 2:
        return image
    return image[..., :3] if image.shape[2] >= 3 else image[..., 0]


def as_signal(signal: Any, *, name: str = "signal") -> NDArray[np.float64]:
    """Return a one-dimensional signal as the core takes it."""
    _reject_kinds(signal, name, way_out="interpolate them first")
    array = _to_floats(signal, name)
    if array.ndim != 1:
        raise ValueError(f"{name} has the shape {array.shape}, must have one dimension; clean channels one by one")
    return np.ascontiguousarray(array, dtype=np.float64)


def check_model(model: Any) -> None:
    """Raise TypeError unless `model` is a model, or None."""
    if model is not None and not isinstance(model, _core.Model):
        raise TypeError(f"model is {type(model).__module__}.{type(model).__name__}, must be an sbdl.Model")


def seed_from(random_state: Any) -> int:
    """Return the core's seed: an int is the seed itself, a generator draws one, and so does NumPy's own for None."""
    if random_state is None or random_state is np.random:
        return int(np.random.randint(0, 2**32, dtype=np.uint64))
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, (bool, np.bool_)):
        seed = int(random_state)
        if 0 <= seed < 2**64:
            return seed
        raise ValueError(f"random_state is {random_state}, must be between 0 and 2**64 - 1")
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**32, dtype=np.uint64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**32, dtype=np.uint64))
    raise ValueError(f"{random_state!r} cannot be used to seed a numpy.random.RandomState instance")


def threads_from(n_jobs: int | None) -> int:
    """Return the core's number of threads; 0 means one per core."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if not isinstance(n_jobs, numbers.Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"The 'n_jobs' parameter must be a non-zero int or None. Got {n_jobs!r} instead.")
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def memory_from(memory: int | str | None) -> float:
    """Return an amount of memory in bytes, such as "8G" or "500M"; 0 means no limit."""
    if memory is None:
        return 0.0
    amount = 0.0
    if isinstance(memory, str):
        found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)([KMGT]?)", memory, re.IGNORECASE)
        if found is not None:
            amount = float(found[1]) * 1024.0 ** " KMGT".index(found[2].upper() or " ")
    elif isinstance(memory, numbers.Real) and not isinstance(memory, (bool, np.bool_)):
        amount = float(memory)
    if not 0.0 < amount < float("inf"):
        raise ValueError(
            f"The 'memory' parameter must be an amount such as '8G', a number of bytes or None. Got {memory!r} instead."
        )
    return amount


def users_level() -> int:
    """Return the stacklevel with which a warning of the caller points at the user's line."""
    level, frame = 1, sys._getframe(1)
    # What exec() runs need not have a name.
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("sbdl", "sklearn"):
        level, frame = level + 1, frame.f_back
    return level


def warn_all(texts: Iterable[str]) -> None:
    """Issue what the core has to say as warnings about the line that called a public function."""
    for text in texts:
        warnings.warn(text, stacklevel=users_level())
