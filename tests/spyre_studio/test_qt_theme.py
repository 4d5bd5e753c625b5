"""The application wears a theme, follows the system's and scales with its font."""

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio import qt_theme
from spyre_studio.qt_theme import ThemeFollower, active_theme, apply_theme, font, px, qcolor, scale
from spyre_studio.theme import DARK, LIGHT, THEMES, Theme


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_a_theme_reaches_palette_and_widgets(qapp: QApplication, qtbot: QtBot, dark: Theme, theme: Theme) -> None:
    apply_theme(qapp, theme)
    assert active_theme() is theme
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == theme.panel
    button = QPushButton("Re-solve")
    button.setProperty("primary", True)
    qtbot.addWidget(button)
    button.resize(120, 32)
    assert button.grab().toImage().pixelColor(60, 5).name() == theme.accent


def test_a_window_is_dressed_in_one_turn_and_painted_in_the_next(qtbot: QtBot, qapp: QApplication, dark: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    apply_theme(qapp, LIGHT)
    assert not window.updatesEnabled()
    apply_theme(qapp, DARK)
    qtbot.waitUntil(window.updatesEnabled)
    window.setUpdatesEnabled(False)
    apply_theme(qapp, LIGHT)
    QApplication.processEvents()
    assert not window.updatesEnabled(), "whoever has it stand still says when it moves again"


def test_an_explicit_choice_holds_and_toggles(qapp: QApplication, qtbot: QtBot, dark: Theme) -> None:
    follower = ThemeFollower(qapp, "light")
    assert active_theme() is LIGHT
    with qtbot.waitSignal(follower.changed) as signal:
        follower.toggle()
    assert signal.args == ["dark"]
    assert active_theme() is DARK
    assert follower.choice == "dark"


def test_system_follows_the_desktop(qapp: QApplication, dark: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    schemes = {"now": Qt.ColorScheme.Light}

    class Hints(QObject):
        colorSchemeChanged = Signal(Qt.ColorScheme)  # noqa: N815 - Qt's name

        def colorScheme(self) -> Qt.ColorScheme:
            return schemes["now"]

    hints = Hints()
    monkeypatch.setattr(QGuiApplication, "styleHints", lambda: hints)
    follower = ThemeFollower(qapp, "system")
    assert active_theme() is LIGHT
    schemes["now"] = Qt.ColorScheme.Dark
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert active_theme() is DARK
    follower.choose("light")
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert active_theme() is LIGHT


@pytest.mark.parametrize(("theme", "wanted"), [(DARK, DARK), (LIGHT, LIGHT)])
def test_a_silent_desktop_is_judged_by_its_palette(
    qapp: QApplication, dark: Theme, theme: Theme, wanted: Theme
) -> None:
    apply_theme(qapp, theme)
    ThemeFollower(qapp, "system")
    assert active_theme() is wanted


def test_sizes_scale_with_the_system_font(qapp: QApplication, dark: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    assert font("title").pixelSize() > font("body").pixelSize() > font("label").pixelSize() > font("micro").pixelSize()
    large = QFont()
    large.setPixelSize(24)
    with monkeypatch.context() as patched:
        patched.setattr(qt_theme, "_system_font", lambda: large)
        apply_theme(qapp, DARK)
        assert scale() == 2
        assert px(8) == 16
        assert px(0.1) == 1
        assert font("title", bold=True).pixelSize() == 30
        assert font("title", bold=True).bold()


def test_the_mono_face_has_equal_widths(qapp: QApplication) -> None:
    from PySide6.QtGui import QFontMetricsF

    metrics = QFontMetricsF(font("body", mono=True))
    assert metrics.horizontalAdvance("1") == metrics.horizontalAdvance("W")


def test_colours_are_shared(qapp: QApplication) -> None:
    assert qcolor("#5aa9ff") is qcolor("#5aa9ff")
    assert qcolor("#5aa9ff", 0.5).alpha() == 128
