"""Whether a run has settled: what the core says, as a warning in Python's words."""

from __future__ import annotations

import re
import warnings

from sbdl import _core
from sbdl._base import ConvergenceWarning
from sbdl._options import PARAMETER_OF_FIELD
from sbdl._validation import users_level

__all__ = ["settling_warning", "warn_unless_settled"]

# Options of the program that are no options of a method.
PARAMETERS = {**PARAMETER_OF_FIELD, "seed": "random_state", "start": "warm_start"}


def _as_parameter(match: re.Match[str]) -> str:
    """Return "`--burn-in 600`" as "`burn_in=600`", and "`--prior on-off`" with the quotes that Python needs."""
    name = match["name"].replace("-", "_")
    name = PARAMETERS.get(name, name)
    value = match["value"]
    if not value:
        return f"`{name}`"
    return f"`{name}={value}`" if value[0].isdigit() else f'`{name}="{value}"`'


def settling_warning(model: _core.Model) -> str:
    """Return why a run has not settled and what to do, in the names of the estimator's parameters."""
    advice = [
        re.sub(r"`--(?P<name>[a-z-]+)(?: (?P<value>[^`]+))?`", _as_parameter, text) for text in model.settling_advice
    ]
    return " ".join([f"not settled: {model.settled_reason}.", *advice])


def warn_unless_settled(model: _core.Model) -> None:
    """Issue a ConvergenceWarning for a run that has not settled."""
    if model.settled is False:
        warnings.warn(settling_warning(model), ConvergenceWarning, stacklevel=users_level())
