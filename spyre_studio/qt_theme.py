"""Puts a theme on the application: style, palette, stylesheet and fonts, and follows the system's dark and light.

Owns: everything that turns tokens of theme.py into Qt objects. Refuses: colours of its own, and painting.
Widgets and canvases ask `active_theme()` while they paint; a change reaches them as QEvent.PaletteChange.
Palette and font are the application's; the sheet is worn by every window that was dressed.  In place of another
sheet of the application Qt dresses each widget once for every widget that it lies in, which takes ten times as long;
and emptying it first makes Qt delete a style that is in use.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final, Literal
from weakref import WeakSet

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

import resources
from spyre_studio.stylesheet import stylesheet
from spyre_studio.theme import (
    DARK,
    LIGHT,
    SIZE_BODY,
    SIZE_LABEL,
    SIZE_MICRO,
    SIZE_REFERENCE,
    SIZE_TITLE,
    Theme,
)

ThemeChoice = Literal["system", "dark", "light"]
FontSize = Literal["title", "body", "label", "micro"]

_PROPERTY: Final = "spyreTheme"
_ZOOM: Final = "spyreTextZoom"
_SHEET: Final = "spyreSheet"
_DRESSED: Final[WeakSet[QWidget]] = WeakSet()
_SIZES: Final[dict[FontSize, int]] = {
    "title": SIZE_TITLE,
    "body": SIZE_BODY,
    "label": SIZE_LABEL,
    "micro": SIZE_MICRO,
}


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Dress the whole application; may be called again at any time to change the theme."""
    app.setProperty(_PROPERTY, theme.name)
    scale.cache_clear()
    if app.style().name().lower() != "fusion":
        app.setStyle("Fusion")
    sheet = stylesheet(theme, scale(), _icons())
    if app.property(_SHEET) == sheet:
        return  # wearing it already: Qt would dress every widget anew
    app.setProperty(_SHEET, sheet)
    app.setFont(font("body"))
    app.setPalette(_palette(theme))
    for window in tuple(_DRESSED):
        if isValid(window):
            _dress_anew(window, sheet)


def _dress_anew(window: QWidget, sheet: str) -> None:
    """Dress it in this turn of the event loop and paint it in the next: a large one takes its time for either."""
    if window.updatesEnabled():  # else somebody has it stand still anyway
        window.setUpdatesEnabled(False)
        QTimer.singleShot(0, window, lambda: window.setUpdatesEnabled(True))
    window.setStyleSheet(sheet)


def dress(window: QWidget) -> None:
    """Put the sheet on a widget without a parent and all that lies in it, now and at every change; call it early."""
    app = QApplication.instance()
    sheet = app.property(_SHEET) if app is not None else None
    _DRESSED.add(window)
    if isinstance(sheet, str) and window.styleSheet() != sheet:
        window.setStyleSheet(sheet)


def active_theme() -> Theme:
    """The theme that `apply_theme` put on the application last; dark before that."""
    app = QApplication.instance()
    return LIGHT if app is not None and app.property(_PROPERTY) == LIGHT.name else DARK


@lru_cache(maxsize=4096)
def qcolor(colour: str, opacity: float = 1.0) -> QColor:
    """The QColor of a token, shared: do not modify it."""
    made = QColor(colour)
    made.setAlphaF(opacity)
    return made


@lru_cache(maxsize=1)
def scale() -> float:
    """How much larger than the reference of 12 px texts are: the factor for every size in pixels.  Measured when a
    theme is put on: painting asks for it thousands of times."""
    return system_scale() * text_zoom()


def system_scale() -> float:
    """How much larger than the reference the system's own font is, whatever a person chose for this program."""
    return min(max(QFontInfo(_system_font()).pixelSize() / SIZE_REFERENCE, 0.5), 4.0)


def text_zoom() -> float:
    """How much larger than the system's a person wants the texts."""
    app = QApplication.instance()
    zoom = app.property(_ZOOM) if app is not None else None
    return zoom if isinstance(zoom, float) else 1.0


def set_text_zoom(zoom: float) -> None:
    """Measure by another size from now on; `apply_theme` dresses what is there already."""
    app = QApplication.instance()
    if app is not None:
        app.setProperty(_ZOOM, float(zoom))
    scale.cache_clear()


def px(length: float) -> int:
    """A length of theme.py in pixels of this system, at least 1."""
    return max(1, round(length * scale()))


def font(size: FontSize, bold: bool = False, mono: bool = False) -> QFont:
    """The interface face, or its monospaced twin, in one of the four sizes; the caller may change it."""
    made = QFont(_mono_font() if mono else _system_font())
    made.setPixelSize(px(_SIZES[size]))
    made.setBold(bold)
    return made


def _icons() -> str:
    """The folder of the icons, as a stylesheet writes paths: with slashes on every system."""
    return (Path(resources.__file__).parent / "icons").as_posix()


def _system_font() -> QFont:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)


def _mono_font() -> QFont:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.panel,
        role.WindowText: theme.text,
        role.Base: theme.panel,
        role.AlternateBase: theme.raised,
        role.Text: theme.text,
        role.PlaceholderText: theme.mute,
        role.Button: theme.raised,
        role.ButtonText: theme.text,
        role.BrightText: theme.bad_text,
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.text,
        role.Highlight: theme.selection,
        role.HighlightedText: theme.text,
        role.Link: theme.accent_text,
        role.LinkVisited: theme.accent_text,
        role.Light: theme.raised,
        role.Midlight: theme.raised,
        role.Mid: theme.line,
        role.Dark: theme.line,
        role.Shadow: theme.bg,
        role.Accent: theme.accent,
    }
    palette = QPalette()
    for one, colour in colours.items():
        palette.setColor(one, qcolor(colour))
    for one in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, qcolor(theme.faint))
    return palette


class ThemeFollower(QObject):
    """Keeps the application in the chosen theme; with 'system' it follows the desktop while it runs."""

    changed = Signal(str)  # 'dark' or 'light', after the application wears it

    def __init__(self, app: QApplication, choice: ThemeChoice = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        # Where the desktop does not say, its own palette does; it must be read before ours replaces it.
        self._palette_is_dark = app.palette().color(QPalette.ColorRole.Window).lightnessF() < 0.5
        self._choice: ThemeChoice = choice
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)
        self._apply()

    @property
    def choice(self) -> ThemeChoice:
        """What the user chose."""
        return self._choice

    def choose(self, choice: ThemeChoice) -> None:
        """Follow the system or hold one theme."""
        self._choice = choice
        self._apply()

    def toggle(self) -> None:
        """From the theme on screen to the other one, as an explicit choice."""
        self.choose("light" if active_theme() is DARK else "dark")

    def _system_changed(self) -> None:
        if self._choice == "system":
            self._apply()

    def _apply(self) -> None:
        theme = self._wanted()
        apply_theme(self._app, theme)
        self.changed.emit(theme.name)

    def _wanted(self) -> Theme:
        if self._choice != "system":
            return DARK if self._choice == "dark" else LIGHT
        scheme = QGuiApplication.styleHints().colorScheme()
        if scheme == Qt.ColorScheme.Unknown:
            return DARK if self._palette_is_dark else LIGHT
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
