"""Arguments: the parser of both the window and the command line, with errors as one sentence.

Owns the kinds of values that options take; each says what is allowed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NoReturn

from compiler.errors import InputError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """Raises InputError where argparse prints a usage and exits."""

    def error(self, message: str) -> NoReturn:
        """One sentence instead of a page."""
        raise InputError(self.prog, message.removeprefix("argument "), f"see {self.prog} --help")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Argparse would not notice that it cannot be written."""
        (file or sys.stdout).write(self.format_help())


def one_of(allowed: Iterable[str]) -> tuple[str, ...]:
    """The choices of an option as plain words: of an enum, argparse would tell names that nobody can type."""
    return tuple(str(word) for word in allowed)


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """The type of an option that takes a whole number in a range, both ends included."""
    allowed = f"a whole number from {least} to {most}" if most is not None else f"a whole number from {least} on"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:  # also for thousands of digits
            value = least - 1
        if value < least or (most is not None and value > most):
            raise argparse.ArgumentTypeError(f"{text!r} is not {allowed}")
        return value

    return read


def time_limit(text: str) -> float:
    """The type of an option that takes seconds, more than none."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time above 0 in seconds, such as 2.5")
    return value
