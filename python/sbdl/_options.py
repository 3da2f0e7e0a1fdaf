"""The methods and their options as the core describes them. Names, types, bounds, defaults and help are written once,
in C++, and read when the package is imported, so a new method of the core appears here by itself.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import math
import numbers
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import numpy as np

from sbdl import _core

__all__ = [
    "METHODS",
    "OPTION_NAMES",
    "PARAMETER_OF_FIELD",
    "Method",
    "Option",
    "check_float",
    "check_int",
    "check_names",
    "did_you_mean",
    "explains_unknown_names",
    "has_narrow_posterior",
    "in_words",
    "methods",
    "options_of",
    "options_section",
    "other_name",
    "read_options",
]

# Options for which scikit-learn has another name. ("lambda" is a keyword of Python.)
PARAMETER_OF_FIELD = {"atoms": "n_components", "sweeps": "max_iter", "lambda": "alpha"}
_core.set_keywords(PARAMETER_OF_FIELD)
# Parameters that the estimator has for every method.
COMMON = ("n_components", "max_iter")


@dataclass(frozen=True)
class Option:
    """One option of one method."""

    name: str  # of the keyword argument
    field: str  # in the core
    type: str  # int, float, bool or choice
    words: tuple[str, ...]
    least: float
    least_allowed: bool
    most: float
    default: Any
    needed: bool
    help: str
    optional: bool = False  # may have no value: the core then finds one, unless it is needed

    @property
    def expected(self) -> str:
        """What the option takes, in scikit-learn's words."""
        if self.type == "choice":
            return f"a str among {{{', '.join(repr(word) for word in self.words)}}}"
        if self.type == "bool":
            return "an instance of 'bool'"
        article = "an int" if self.type == "int" else "a float"
        opening = "[" if self.least_allowed else "("
        closing = "inf)" if self.most >= 1e300 else f"{self.most:.16g}]"
        return f"{article} in the range {opening}{self.least:.16g}, {closing}"

    def check(self, value: Any, owner: str) -> Any:
        """Return the value as the core takes it; raise ValueError if it is not valid."""
        if self.type == "choice":
            good = isinstance(value, str) and value in self.words
        elif self.type == "bool":
            good = isinstance(value, (bool, np.bool_))
            value = bool(value) if good else value
        else:
            kind = numbers.Integral if self.type == "int" else numbers.Real
            good = isinstance(value, kind) and not isinstance(value, (bool, np.bool_))
            good = good and (value >= self.least if self.least_allowed else value > self.least)
            good = good and value <= self.most and not math.isinf(value)
            if good:
                value = int(value) if self.type == "int" else float(value)
        if not good:
            raise ValueError(f"The {self.name!r} parameter of {owner} must be {self.expected}. Got {value!r} instead.")
        return value


# What others call a parameter: the program, and scikit-learn above all.
OTHER_NAMES = {
    **PARAMETER_OF_FIELD,
    "batch_size": "batch",
    "fit_algorithm": "method",
    "algorithm": "method",
    "lambda_": "alpha",
    "n_atoms": "n_components",
    "n_dict_components": "n_components",
    "n_iter": "max_iter",
    "n_nonzero_coefs": "sparsity",
    "nonzeros": "transform_n_nonzero_coefs",
    "patch": "patch_size",
    "seed": "random_state",
    "shuffle": "order",
    "threads": "n_jobs",
    "tol": "tolerance",
}


# Parameters of scikit-learn's dictionary learners that have no counterpart here, and what to do instead.
WITHOUT_COUNTERPART = {
    "code_init": "codes are found anew in every run; warm_start=True keeps dictionary and noise",
    "dict_init": "begin with another dictionary by from_model(model, warm_start=True)",
    "max_no_improvement": "a callback that returns True ends the run, and so does time_limit",
    "positive_code": "codes of either sign are learned, and there is no option for others",
    "positive_dict": "atoms with entries of either sign are learned, and there is no option for others",
    "split_sign": "split the codes: np.hstack([np.maximum(codes, 0), np.maximum(-codes, 0)])",
}


def in_words(names: list[str]) -> str:
    """Return `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def other_name(unknown: str, known: Iterable[str]) -> str:
    """Return the end of a message about a parameter that does not exist: which one was meant, or what to do."""
    known = list(known)
    if OTHER_NAMES.get(unknown) in known:
        return f"; here it is called {OTHER_NAMES[unknown]!r}"
    if unknown in WITHOUT_COUNTERPART:
        return f"; {WITHOUT_COUNTERPART[unknown]}"
    return did_you_mean(unknown, known)


def did_you_mean(unknown: str, known: Iterable[str]) -> str:
    """Return the end of a message about a word that does not exist: the word that was meant, if one is near."""
    near = difflib.get_close_matches(unknown, list(known), n=1, cutoff=0.7)
    return f"; did you mean {near[0]!r}?" if near else ""


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def explains_unknown_names(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let the error about an unknown keyword argument say which one was meant."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def checked(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        check_names(function.__name__, kwargs, known)
        return function(*args, **kwargs)

    return checked


def check_names(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise TypeError for a keyword argument that the function does not have."""
    for name in given:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{other_name(name, known)}")


def check_int(value: Any, name: str, owner: str, *, least: int = 1, most: float = 2**31 - 1) -> int:
    """Return an argument that must be a whole number."""
    return int(Option(name, name, "int", (), least, True, most, None, False, "").check(value, owner))


def check_bool(value: Any, name: str, owner: str) -> bool:
    """Return an argument that must be true or false."""
    return bool(Option(name, name, "bool", (), 0, True, 1, None, False, "").check(value, owner))


def check_float(value: Any, name: str, owner: str) -> float:
    """Return an argument that must be a number above 0."""
    return float(Option(name, name, "float", (), 0, False, 1e300, None, False, "").check(value, owner))


@dataclass(frozen=True)
class Method:
    """One way to learn a dictionary."""

    name: str
    options: dict[str, Option]  # by the name of their keyword argument
    streaming: bool
    missing: bool  # accepts signals with missing entries
    posterior: bool  # infers the noise, and the uncertainty of the noise and the atoms
    narrow_posterior: bool  # its standard deviations are too small
    ranks: bool  # can be shared by several processes


def read_options(fields: list[dict[str, Any]], parameter_of_field: dict[str, str]) -> dict[str, Option]:
    """Return options as the core describes them, by the name of their keyword argument."""
    options = {}
    for described in fields:
        keyword = parameter_of_field.get(described["name"], described["name"])
        options[keyword] = Option(field=described["name"], **{**described, "name": keyword})
    return options


def _read_methods() -> dict[str, Method]:
    found = {}
    for name, described in _core.describe_methods("standard").items():
        options = read_options(described["fields"], PARAMETER_OF_FIELD)
        if {"burn_in", "draws"} <= options.keys():  # of a chain, burn-in and draws together; the core splits them
            planned = options["burn_in"].default + options["draws"].default
            options["max_iter"] = Option(
                "max_iter", "sweeps", "int", (), 1, True, 1.6e7, planned, False, "Burn-in and draws together."
            )
        can = {key: described[key] for key in ("streaming", "missing", "posterior", "narrow_posterior", "ranks")}
        found[name] = Method(name, options, **can)
    return found


METHODS = _read_methods()
# In the order of the methods, each once.
OPTION_NAMES = tuple(
    dict.fromkeys(name for method in METHODS.values() for name in method.options if name not in COMMON)
)


def methods() -> list[str]:
    """Return the names that ``method=`` takes.

    >>> "gibbs" in methods()
    True
    """
    return list(METHODS)


def has_narrow_posterior(model: _core.Model) -> bool:
    """Return whether the standard deviations of a model are too small."""
    method = METHODS.get(model.method)  # none: a newer program made the file
    return method is not None and method.narrow_posterior


def _meanings(name: str) -> list[tuple[str, list[Method]]]:
    """Return the help texts of an option, each once, with the methods that have it."""
    meanings: dict[str, list[Method]] = {}
    for method in METHODS.values():
        if name in method.options:
            meanings.setdefault(method.options[name].help, []).append(method)
    return list(meanings.items())


def _default_text(option: Option) -> str:
    if option.default is None:
        return "none" if option.needed else "auto"
    return f"{option.default:g}" if isinstance(option.default, float) else str(option.default)


def options_section() -> str:
    """Return the part of the estimator's docstring about the options of the methods."""
    lines = []
    for name in OPTION_NAMES:
        users = [method for method in METHODS.values() if name in method.options]
        words = dict.fromkeys(w for method in users for w in method.options[name].words)
        kind = f"{{{', '.join(map(repr, words))}}}" if words else users[0].options[name].type
        lines.append(f"{name} : {kind}, default=None")
        for text, of in _meanings(name):
            defaults = ", ".join(f"{m.name} [{_default_text(m.options[name])}]" for m in of)
            lines += textwrap.wrap(f"{defaults}: {text}", 100, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def options_of(model: _core.Model) -> dict[str, Any]:
    """Return the parameters that a model was learned with, as far as they differ from the defaults of its preset."""
    preset = "paper" if model.preset == "paper" else "standard"
    fields = _core.describe_methods(preset)[model.method]["fields"]
    stored = json.loads(model.options_json)
    found: dict[str, Any] = {"n_components": model.dictionary.shape[0]}
    if preset != "standard":
        found["preset"] = preset
    for name, option in read_options(fields, PARAMETER_OF_FIELD).items():
        value = stored.get(option.field)
        unset = option.optional and isinstance(value, str)  # "auto" or "none"
        if name not in found and value is not None and not unset and value != option.default:
            found[name] = value
    return found
