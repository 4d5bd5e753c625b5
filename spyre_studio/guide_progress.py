"""How far lessons were read, as the settings keep it: one line per lesson, `softmax 3` or `softmax 0 finished`.

Owns: that text.  Refuses what it does not know: a settings file may be older or newer than this program.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.guide_heading import Progress
from spyre_studio.settings import Settings

_FINISHED: Final = "finished"


def progress_of(settings: Settings, key: str) -> Progress:
    """How far a lesson was read; its begin if it never was."""
    found = (_read(line) for line in settings.lessons)
    return next((progress for name, progress in found if name == key), Progress())


def keep_progress(settings: Settings, key: str, progress: Progress) -> None:
    """Remember it."""
    others = [line for line in settings.lessons if _read(line)[0] != key]
    line = f"{key} {progress.step}" + (f" {_FINISHED}" if progress.finished else "")
    settings.set_lessons([*others, line])


def progress_words(progress: Progress, steps: int) -> str:
    """'step 3 of 9', or '' where one is at the begin.

    >>> progress_words(Progress(2), 9)
    'step 3 of 9'
    """
    return f"step {progress.step + 1} of {steps}" if progress.step else ""


def _read(line: str) -> tuple[str, Progress]:
    parts = line.split()
    known = len(parts) in {2, 3} and parts[1].isascii() and parts[1].isdecimal() and len(parts[1]) < 4
    if not known or parts[2:] not in ([], [_FINISHED]):
        return "", Progress()
    return parts[0], Progress(int(parts[1]), len(parts) == 3)
