"""Lesson files: one TOML each in `resources/lessons`, read strictly.

Owns: which lessons there are, in which order, and what a file may hold.  Refuses what it does not know in one sentence;
names of ops and buffers are a matter of the plan, which is not there yet.  The start page needs headings only, so that
only what stands before the first step is read for it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import resources
from compiler.errors import InputError
from resources.examples import example
from spyre_studio.guide_heading import Heading

if TYPE_CHECKING:
    from spyre_studio.guide import GuideStep, Lesson

LESSONS: Final = ("softmax", "mlp", "attention", "mismatch")
"""The bundled ones, the simplest first."""
FOLDER: Final = Path(resources.__file__).parent / "lessons"
_FIRST_STEP: Final = "\n[[step]]"
_KEYS: Final = {"title": str, "line": str, "minutes": int, "model": str}
_FIX: Final = "correct the file, or install the program again"
_MOST: Final = 40  # steps
T = TypeVar("T")


def lesson_path(key: str) -> Path:
    """The file of a bundled lesson."""
    return FOLDER / f"{key}.toml"


@cache
def heading_of(path: Path) -> Heading:
    """What stands before the first step; InputError for what is no lesson."""
    text = _read(path).partition(_FIRST_STEP)[0]
    return _heading(path, _parsed(path, text))


@cache
def read_lesson(path: Path) -> Lesson:
    """A whole lesson; InputError with one sentence for what is none."""
    from spyre_studio.guide import Lesson  # the start page needs no steps

    table = _parsed(path, _read(path))
    heading = _heading(path, {key: value for key, value in table.items() if key != "step"})
    steps = table.get("step")
    if not isinstance(steps, list) or not steps:
        raise fault(path, "it has no [[step]]")
    if len(steps) > _MOST:
        raise fault(path, f"it has {len(steps)} steps, more than {_MOST}")
    return Lesson(heading, tuple(_step(path, number, one) for number, one in enumerate(steps, 1)))


def fault(path: Path, why: str) -> InputError:
    """The error of a file that is no lesson."""
    return InputError(f"the lesson {path.name}", why, _FIX)


def _step(path: Path, number: int, table: object) -> GuideStep:
    from spyre_studio.guide_step_file import read_step

    try:
        return read_step(table)
    except ValueError as error:
        raise fault(path, f"in step {number} {error}") from None


def _heading(path: Path, table: Mapping[str, object]) -> Heading:
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise fault(path, f"it has '{unknown[0]}', which no lesson has")
    title, line, model = (_value(path, table, key, str) for key in ("title", "line", "model"))
    minutes = _value(path, table, "minutes", int)
    if not 0 < minutes <= 60:
        raise fault(path, f"it takes {minutes} minutes, and may take 1 to 60")
    if example(model.partition("?")[0]) is None:
        raise fault(path, f"its model '{model}' is no bundled example")
    return Heading(path.stem, title, line, minutes, model)


def _value(path: Path, table: Mapping[str, object], key: str, kind: type[T]) -> T:
    value = table.get(key)
    if not isinstance(value, kind) or isinstance(value, bool) or value == "":
        raise fault(path, f"'{key}' has to be {'a text' if kind is str else 'a whole number'}")
    return value


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise fault(path, f"it cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise fault(path, "it is not UTF-8 text") from None


def _parsed(path: Path, text: str) -> dict[str, object]:
    try:
        table: dict[str, object] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is nested too deeply"
        raise fault(path, f"it is not TOML: {why}") from None
    return table
