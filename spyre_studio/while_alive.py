"""While alive: what is to be called later, unless the object that it is for is gone by then.

Owns that one condition.  Views are made anew in another size of texts, and an answer of the worker may come after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

from PySide6.QtCore import QObject
from shiboken6 import isValid

P = ParamSpec("P")


def while_alive(owner: QObject, act: Callable[P, object]) -> Callable[P, None]:
    """The same call, which does nothing once Qt has deleted `owner`."""

    def called(*args: P.args, **named: P.kwargs) -> None:
        if isValid(owner):
            act(*args, **named)

    return called
