"""Autosaved projects: where they lie, and which of them were left behind by a window that ended before they were saved.

Owns one file per window, with a lock that tells whether that window still runs.  Refuses to lose one: what was left
behind stays until somebody took it back or said that it is not needed.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QLockFile

from spyre_studio.project import SUFFIX


@dataclass(frozen=True, slots=True)
class Left:
    """An autosaved project that no window takes care of, and when it was written last."""

    path: Path
    when: datetime


class Recovery:
    """The autosaved project of this window, and those left behind in the same folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own = folder / f"{uuid.uuid4().hex}{SUFFIX}"
        self._locks: dict[Path, QLockFile] = {}

    def place(self) -> Path | None:
        """Where this window's project is to be written; None where the folder cannot be used."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
        return self._own if self._lock(self._own) else None

    @property
    def keeps(self) -> bool:
        """True if this window's project has been written."""
        return self._own.exists()

    def drop(self) -> None:
        """This window has nothing that is not saved."""
        with suppress(OSError):
            self._own.unlink(missing_ok=True)

    def end(self) -> None:
        """The window closes; others may take what it leaves behind, which is nothing."""
        self.drop()
        for lock in self._locks.values():
            lock.unlock()
        self._locks.clear()

    def left(self) -> tuple[Left, ...]:
        """What was left behind, the latest first; no other window offers it meanwhile."""
        try:
            found = [path for path in self._folder.glob(f"*{SUFFIX}") if path != self._own and self._lock(path)]
            rows = [Left(path, datetime.fromtimestamp(path.stat().st_mtime, UTC)) for path in found]
        except OSError:
            return ()
        return tuple(sorted(rows, key=lambda row: row.when, reverse=True))

    def forget(self, left: Left) -> None:
        """It was taken back, or is not needed."""
        with suppress(OSError):
            left.path.unlink(missing_ok=True)
        lock = self._locks.pop(left.path, None)
        if lock is not None:
            lock.unlock()

    def _lock(self, path: Path) -> bool:
        """True if nobody else has it; the lock of a process that has ended is nobody's."""
        if path not in self._locks:
            lock = QLockFile(f"{path}.lock")
            lock.setStaleLockTime(0)
            if not lock.tryLock(0):
                return False
            self._locks[path] = lock
        return True
