"""`partial_fit` where the method can learn from batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sbdl._options import METHODS

__all__ = ["StreamingMethod"]


class StreamingMethod:
    """`partial_fit` exists only for a ``method`` that can learn from batches."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is not None:
            method = METHODS.get(instance.method)
            if method is None or not method.streaming:
                raise AttributeError(
                    f"This {type(instance).__name__!r} has no attribute 'partial_fit': "
                    f"method={instance.method!r} does not learn from batches"
                )
        return self._function.__get__(instance, owner)
