"""One view alone in the workbench: the others and the panels step aside until one goes back.

Owns: what is hidden meanwhile, the strip that says how to get back, and Escape.  Refuses: knowing what views show.
The header stays, because the verdict is always on screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QShortcut
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QLineEdit, QWidget

from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID, PAD
from spyre_studio.views import view_row
from spyre_studio.widgets import button

if TYPE_CHECKING:
    from spyre_studio.workbench import Workbench


class FullView(QObject):
    """Of one workbench. `strip` belongs above its panels; `key` is that of the view that is alone, '' for none."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self._workbench = workbench
        self.key = ""
        self._before: tuple[QByteArray, int] = (QByteArray(), 0)
        self.strip = QWidget(workbench)
        self._words = QLabel(self.strip)
        self.back = button("All views", "quiet", "Show all views again (Esc, F11)")
        self._arrange()
        self._escape = QShortcut(Qt.Key.Key_Escape, workbench, self._escaped)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.setEnabled(False)

    @property
    def layout_before(self) -> QByteArray | None:
        """The layout that comes back, to be remembered instead of the one on screen; None while no view is alone."""
        return self._before[0] if self.key else None

    def toggle(self) -> None:
        """The view with the keyboard, else the one in front, alone; or all views again."""
        if self.key:
            self.leave()
        else:
            self.enter(self._with_keyboard() or self._workbench.current_view)

    def enter(self, key: str) -> None:
        """Show one view alone; another one takes the place of one that is alone already."""
        bench = self._workbench
        if not self.key:
            self._before = (bench.saved_layout(), bench.tabs.currentIndex())
        self.key = key
        view = bench.views[key]
        holder = next((dock for dock in bench.docks.values() if dock.isAncestorOf(view)), None)
        if bench.tabs.indexOf(view) >= 0:
            bench.tabs.setCurrentWidget(view)
        bench.graph.setVisible(holder is None)
        bench.tabs.tabBar().hide()
        bench.tabs.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Tab would end at its bar, which cannot be seen
        for dock in bench.docks.values():
            dock.setVisible(dock is holder)
        row = view_row(key)
        self._words.setText(f"{row.title if row else key} alone · Esc or F11 shows all views")
        self.strip.show()
        self._escape.setEnabled(True)
        if not view.isAncestorOf(QApplication.focusWidget() or bench):
            _focus(view)

    def leave(self) -> None:
        """All views as they were."""
        if not self.key:
            return
        view, self.key = self._workbench.views[self.key], ""
        state, tab = self._before
        bench = self._workbench
        bench.graph.show()
        bench.tabs.tabBar().show()
        bench.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        bench.restore_layout(state)
        if bench.docks["bottom"].isHidden():
            bench.tabs.setCurrentIndex(tab)
        self.strip.hide()
        self._escape.setEnabled(False)
        if view.isVisible() and not view.isAncestorOf(QApplication.focusWidget() or bench):
            _focus(view)

    def _with_keyboard(self) -> str:
        focused = QApplication.focusWidget()
        views = self._workbench.views.items()
        return next((key for key, view in views if focused and (view is focused or view.isAncestorOf(focused))), "")

    def _escaped(self) -> None:
        """Something nearer to the keyboard may have a use for it: a drag that is cancelled, a line that is closed."""
        focused = QApplication.focusWidget()
        dragging = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        if focused is not None and (dragging or isinstance(focused, QLineEdit)):
            shown = focused.isVisible()
            event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
            self._escape.setEnabled(False)  # else it would take this one as well
            QApplication.sendEvent(focused, event)
            self._escape.setEnabled(bool(self.key))
            if dragging or focused.isVisible() != shown:
                return
        self.leave()

    def _arrange(self) -> None:
        self._words.setFont(font("label"))
        self._words.setProperty("tone", "mute")
        row = QHBoxLayout(self.strip)
        row.setContentsMargins(px(PAD), px(GRID / 4), px(PAD), px(GRID / 4))
        row.addWidget(self._words, 1)
        row.addWidget(self.back)
        self.back.clicked.connect(self.leave)
        self.strip.hide()


def _focus(view: QWidget) -> None:
    """The keyboard to the first thing in a view that takes it."""
    inner = [child for child in view.findChildren(QWidget) if child.isVisibleTo(view)]
    taking = (child for child in (view, *inner) if child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.isEnabled())
    first = next(taking, None)
    if first is not None:
        first.setFocus(Qt.FocusReason.OtherFocusReason)
