"""Settings: what a person chose once and for all, one row each.

Owns the table, its defaults and the lists of files opened and actions used last.  Refuses values that a row does not
allow: the default is used instead, because a settings file may be older or newer than this program.
"""

from __future__ import annotations

from dataclasses import dataclass

from frozendict import frozendict
from PySide6.QtCore import QObject, QSettings, Signal

from spyre_studio.text_zoom import NORMAL, WORDS

Value = bool | str
ORGANISATION = "Spyre Studio"
_RECENT = "recent"
_MOST_RECENT = 12
_USED = "used"
_MOST_USED = 40
_LESSONS = "lessons"


@dataclass(frozen=True, slots=True)
class Setting:
    """A row: `choices` is empty for a switch, else the allowed words; `help` is one sentence."""

    key: str
    title: str
    help: str
    default: Value
    choices: tuple[str, ...] = ()

    def allows(self, value: Value) -> bool:
        """True if the row may hold this value."""
        return value in self.choices if self.choices else isinstance(value, bool)


_ROWS = (
    Setting("theme", "Theme", "Light, dark, or as the system is set.", "system", ("system", "light", "dark")),
    Setting(
        "resolve_automatically",
        "Re-solve automatically",
        "Compile again as soon as a pin changes; otherwise the plan is marked stale until you re-solve.",
        True,
    ),
    Setting(
        "linked",
        "Link time and steps",
        "Zooming one picture with an axis of steps or of time moves the others to the same steps.",
        True,
    ),
    Setting("text_size", "Text size", "Percent of the size that the system has.", str(NORMAL), WORDS),
    Setting("poison", "Poison unused memory", "Verify with padding and unused memory filled with NaN.", True),
)
SETTINGS: frozendict[str, Setting] = frozendict((row.key, row) for row in _ROWS)


class Settings(QObject):
    """The current values; `changed` names the row that changed, or `recent`."""

    changed = Signal(str)

    def __init__(self, store: QSettings | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store or QSettings(ORGANISATION, ORGANISATION)

    def value(self, key: str) -> Value:
        """The value of a row."""
        row = SETTINGS[key]
        stored = self._store.value(key)
        if not row.choices and isinstance(stored, str):  # an ini file knows text only
            stored = {"true": True, "false": False}.get(stored, row.default)
        return stored if isinstance(stored, bool | str) and row.allows(stored) else row.default

    def on(self, key: str) -> bool:
        """The value of a switch."""
        return self.value(key) is True

    def set(self, key: str, value: Value) -> None:
        """Change a row; ValueError for a value that it does not allow."""
        if not SETTINGS[key].allows(value):
            raise ValueError(f"setting {key} cannot be {value!r}")
        if value != self.value(key):
            self._store.setValue(key, value)
            self.changed.emit(key)

    @property
    def recent(self) -> tuple[str, ...]:
        """What was opened last, the latest first."""
        return self._list(_RECENT)

    def add_recent(self, spec: str) -> None:
        """Put a spec in front of the list."""
        self._set_recent([spec, *(entry for entry in self.recent if entry != spec)])

    def drop_recent(self, spec: str) -> None:
        """Take a spec out of the list, for instance because its file is gone."""
        self._set_recent([entry for entry in self.recent if entry != spec])

    def clear_recent(self) -> None:
        """Forget what was opened."""
        self._set_recent([])

    @property
    def used(self) -> tuple[str, ...]:
        """Keys of the actions that were picked in the palette, the latest first."""
        return self._list(_USED)

    def add_used(self, key: str) -> None:
        """Put an action in front of the list."""
        self._store.setValue(_USED, [key, *(entry for entry in self.used if entry != key)][:_MOST_USED])

    @property
    def lessons(self) -> tuple[str, ...]:
        """How far lessons were read, as `guide_progress` writes it."""
        return self._list(_LESSONS)

    def set_lessons(self, entries: list[str]) -> None:
        """Remember how far lessons were read; `changed` names `lessons`."""
        self._store.setValue(_LESSONS, entries)
        self.changed.emit(_LESSONS)

    def _list(self, key: str) -> tuple[str, ...]:
        stored = self._store.value(key, [])
        entries = [stored] if isinstance(stored, str) else stored  # one entry comes back as itself
        return tuple(entry for entry in entries if isinstance(entry, str)) if isinstance(entries, list) else ()

    def _set_recent(self, entries: list[str]) -> None:
        self._store.setValue(_RECENT, entries[:_MOST_RECENT])
        self.changed.emit(_RECENT)
