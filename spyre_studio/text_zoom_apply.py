"""Puts a size of texts on the application, and on widgets that measured themselves by the size before.

Owns: which numbers of a widget follow the texts: font, fixed sizes, margins and spacing.  Refuses: pictures and
lists, which measure while they paint, and views, which are made anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, QSize, Qt, QTimer
from PySide6.QtWidgets import QApplication, QBoxLayout, QLayout, QWidget

from spyre_studio.qt_theme import active_theme, apply_theme, set_text_zoom, text_zoom
from spyre_studio.settings import Settings
from spyre_studio.side_room import SideRoom

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow

_UNBOUNDED: Final = 16777215  # what Qt takes for "no maximum"


def wear_text_size(settings: Settings) -> bool:
    """Dress the application in the size of the settings; False if it is worn already."""
    zoom = int(str(settings.value("text_size"))) / 100
    app = QApplication.instance()
    if zoom == text_zoom() or not isinstance(app, QApplication):
        return False
    set_text_zoom(zoom)
    apply_theme(app, active_theme())
    return True


class TextSize(QObject):
    """Keeps a window in the size of its settings, from before its first widget is made."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._frame = Rescaled()
        self._sides = SideRoom(window)
        self._pending = False
        wear_text_size(window.session.settings)
        window.session.settings.changed.connect(self._changed)
        window.session.changed.connect(self._opened)

    def _changed(self, what: str) -> None:
        if what == "text_size" and not self._pending:
            # In a turn of its own: the key that asked for it is an event of a view that is about to go.
            self._pending = True
            QTimer.singleShot(0, self, self._renew)

    def fit_sides(self) -> None:
        """Panels beside the views have room or step aside, once what is there now has taken its place."""
        QTimer.singleShot(0, self, self._sides.fit)

    def _opened(self, what: str) -> None:
        if what == "model":
            self.fit_sides()

    def _renew(self) -> None:
        self._pending = False
        self._window.maker.renew(self._wear)

    def _wear(self) -> None:
        window = self._window
        roots = (window.start, window.loading, window.banner, window.status)
        for root in roots:
            self._frame.note(root)
        wear_text_size(window.session.settings)
        for root in roots:
            self._frame.follow(root)


@dataclass(frozen=True, slots=True)
class _Measures:
    """Of a widget and its layout, at a zoom; `font` 0 for one that has no font of its own, margins left to bottom."""

    zoom: float
    font: int
    least: QSize
    most: QSize
    margins: tuple[int, int, int, int]
    spacings: tuple[int, ...]


class Rescaled:
    """Remembers what widgets measured when they were made: sizes do not drift, however often they change."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[QWidget, _Measures] = WeakKeyDictionary()

    def note(self, root: QWidget) -> None:
        """Remember `root` and the widgets below it that are not known yet; call it before the size changes."""
        for widget in (root, *root.findChildren(QWidget)):
            if widget not in self._made:
                self._made[widget] = _measured(widget)

    def follow(self, root: QWidget) -> None:
        """Give `root` and the widgets below it the measures of the size that is worn now."""
        for widget in (root, *root.findChildren(QWidget)):
            known = self._made.get(widget)
            if known is not None:
                _put(widget, known, text_zoom() / known.zoom)


def _measured(widget: QWidget) -> _Measures:
    own = widget.testAttribute(Qt.WidgetAttribute.WA_SetFont)
    layout, margins = widget.layout(), (0, 0, 0, 0)
    if layout is not None:
        around = layout.contentsMargins()
        margins = (around.left(), around.top(), around.right(), around.bottom())
    return _Measures(
        text_zoom(),
        widget.font().pixelSize() if own else 0,
        widget.minimumSize(),
        widget.maximumSize(),
        margins,
        tuple(each.spacing() for each in _layouts(layout)),
    )


def _layouts(layout: QLayout | None) -> tuple[QBoxLayout, ...]:
    """A layout and those within it."""
    if layout is None:
        return ()
    own = (layout,) if isinstance(layout, QBoxLayout) else ()
    return (*own, *layout.findChildren(QBoxLayout))


def _put(widget: QWidget, known: _Measures, factor: float) -> None:
    if known.font > 0:
        face = widget.font()
        face.setPixelSize(max(1, round(known.font * factor)))
        widget.setFont(face)
    widget.setMinimumSize(_scaled(known.least, factor))
    widget.setMaximumSize(_scaled(known.most, factor))
    layout = widget.layout()
    if layout is None:
        return
    layout.setContentsMargins(*(round(side * factor) for side in known.margins))
    for each, spacing in zip(_layouts(layout), known.spacings, strict=False):
        each.setSpacing(round(spacing * factor))


def _scaled(size: QSize, factor: float) -> QSize:
    """One pixel is a line and stays one; no maximum stays none."""
    sides = (side if side <= 1 or side >= _UNBOUNDED else round(side * factor) for side in size.toTuple())
    return QSize(*sides)
