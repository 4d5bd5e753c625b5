"""Room for the panels at the sides: where the window is too narrow for all, they step aside for a while.

Owns: which panels step aside, and saying so. Refuses: panels that somebody hid or shows again by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, Qt

from spyre_studio.qt_theme import px
from spyre_studio.theme import GRID

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow

_FIRST_TO_GO: Final = ("left", "right")
_KEYS: Final = {"left": "Ctrl+B", "right": "Ctrl+I"}


class SideRoom(QObject):
    """Looks at the room of a window whenever that changes; `fit` looks now."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._away: tuple[str, ...] = ()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The window has another size."""
        if watched is self._window and event.type() is QEvent.Type.Resize:
            self.fit()
        return super().eventFilter(watched, event)

    def fit(self) -> None:
        """Panels that have no room step aside, those that have it again come back."""
        window = self._window
        if not window.has_views or window.workbench.full.key:
            return
        bench, away = window.workbench, self._without_room()
        if away == self._away:
            return
        for key in set(self._away) - set(away):
            bench.docks[key].show()
        gone = [key for key in away if key not in self._away]
        for key in gone:
            bench.docks[key].hide()
        self._away = away
        self._widen()
        if gone:
            keys = ", ".join(_KEYS[key] for key in away)
            window.status.say(f"Side panel{'s' if len(away) > 1 else ''} made room for the rest: {keys}")

    def _without_room(self) -> tuple[str, ...]:
        bench = self._window.workbench
        needed = {key: bench.docks[key].minimumSizeHint().width() + px(GRID / 2) for key in _FIRST_TO_GO}
        wanted = [key for key in _FIRST_TO_GO if key in self._away or not bench.docks[key].isHidden()]
        whole = max(needed["right"], self._inspected())
        middle = max(bench.graph.minimumSizeHint().width(), bench.docks["bottom"].minimumSizeHint().width())
        away: list[str] = []
        for key in wanted:
            asked = needed if key == "right" else needed | {"right": whole}  # it scrolls before it goes
            if middle + sum(asked[each] for each in wanted if each not in away) > self._window.width():
                away.append(key)
        return tuple(away)

    def _inspected(self) -> int:
        from spyre_studio.views.inspector import InspectorView  # there by now, and not needed for the first paint

        view = self._window.workbench.views["inspector"]
        return view.needed_width if isinstance(view, InspectorView) else 0

    def _widen(self) -> None:
        """The inspector is as wide as what it shows, where another panel made room for it."""
        bench, needed = self._window.workbench, self._inspected()
        if not bench.docks["right"].isHidden() and bench.docks["right"].width() < needed:
            bench.panels.resizeDocks([bench.docks["right"]], [needed], Qt.Orientation.Horizontal)
