"""The actions of the table as Qt knows them: menus, shortcuts, and whether each makes sense right now.

Owns: one QAction per row, their menus, and their state. Refuses: doing anything; handlers do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from spyre_studio.actions import ACTIONS, MENUS, Action, Menu, When
from spyre_studio.choice_list import Choice
from spyre_studio.derived import ops_of
from spyre_studio.palette_actions import found_actions
from spyre_studio.palette_match import Target
from spyre_studio.palette_rows import rows
from spyre_studio.selection import Selection
from spyre_studio.session import Session


def holds(session: Session, selection: Selection) -> frozenset[When]:
    """Everything of `When` that is true now."""
    pinned = any(key.partition(":")[2] in {selection.op, selection.buffer} for key in session.pins.keys)
    compilation = session.compilation
    facts: dict[When, bool] = {
        "always": True,
        "plan": compilation is not None,
        "busy": bool(session.busy),
        "searching": session.search is not None and not session.search.ending,
        "undo": session.undo_stack.canUndo(),
        "redo": session.undo_stack.canRedo(),
        "pins": bool(session.pins),
        "variants": len(session.variants) > 0,
        "back": selection.can_go_back,
        "forward": selection.can_go_forward,
        "selected": pinned,
        "op": compilation is not None and selection.op in ops_of(compilation),
        "buffer": compilation is not None and selection.buffer in compilation.plan.placement,
    }
    return frozenset(when for when, true in facts.items() if true)


class ActionSet(QObject):
    """`triggered` carries the row whose action was triggered; `lesson_runs`, and whether there is a `way_back` from
    the start page, are to be said before `refresh`."""

    triggered = Signal(object)

    def __init__(self, session: Session, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._selection = session, selection
        self.lesson_runs = self.way_back = False
        self.by_key = {row.key: self._made(row) for row in ACTIONS}
        session.changed.connect(self.refresh)
        session.settings.changed.connect(self.refresh)
        session.searched.connect(self.refresh)
        # The stack speaks while it is destroyed too, perhaps after this: bound methods are disconnected in time.
        stack = session.undo_stack
        stack.canUndoChanged.connect(self.by_key["undo"].setEnabled)
        stack.canRedoChanged.connect(self.by_key["redo"].setEnabled)
        stack.undoTextChanged.connect(self._name_undo)
        stack.redoTextChanged.connect(self._name_redo)
        selection.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Enable what makes sense now."""
        now = holds(self._session, self._selection) | ({"lesson"} if self.lesson_runs else set())
        now |= {"back"} if self.way_back else set()
        for row in ACTIONS:
            known = self.by_key[row.key]
            known.setEnabled(row.when in now)
            if row.setting:
                known.setChecked(self._session.settings.on(row.setting))

    def of_scope(self, scope: str) -> list[QAction]:
        """The actions that hold in a scope."""
        return [self.by_key[row.key] for row in ACTIONS if row.scope == scope]

    def fill(self, bar: QMenuBar) -> dict[Menu, QMenu]:
        """Put every action into the menu bar."""
        menus: dict[Menu, QMenu] = {}
        for name in MENUS:
            menu = bar.addMenu(f"&{name}")
            menu.setToolTipsVisible(True)
            menus[name] = menu
        inner: dict[str, QMenu] = {}
        for row in ACTIONS:
            menu = menus[row.menu]
            if row.submenu:
                menu = inner[row.submenu] = inner.get(row.submenu) or menu.addMenu(row.submenu)
                menu.setToolTipsVisible(True)
            if row.section:
                menu.addSeparator()
            menu.addAction(self.by_key[row.key])
        return menus

    def choices(self, text: str) -> Sequence[Choice]:
        """Actions that `text` may mean, for the command palette: what makes sense now, the last used first."""
        found, awake = found_actions(
            text,
            lambda key: self.by_key[key].text(),
            lambda key: self.by_key[key].isEnabled(),
            self._session.settings.used,
            _beside(text),
        )
        return rows(found, enabled=awake)

    def trigger(self, key: str) -> None:
        """Do what the action of this key does, if it makes sense now."""
        self.by_key[key].trigger()

    def _name_undo(self, step: str) -> None:
        """Say what undo would take back."""
        self.by_key["undo"].setText(f"Undo: {step}" if step else "Undo")

    def _name_redo(self, step: str) -> None:
        """Say what redo would do again."""
        self.by_key["redo"].setText(f"Redo: {step}" if step else "Redo")

    def _made(self, row: Action) -> QAction:
        made = QAction(row.text, self)
        made.setObjectName(row.key)
        made.setShortcuts([QKeySequence(shortcut) for shortcut in row.shortcuts])
        made.setToolTip(row.tip)
        made.setCheckable(bool(row.setting))
        if row.scope == "graph":
            made.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        made.triggered.connect(lambda _checked=False: self.triggered.emit(row))
        return made


def _beside(text: str) -> Sequence[Target]:
    """Pipelines and examples, for those who type their names; of all actions they would be a third."""
    from spyre_studio.palette_extras import extras  # knows pipelines: not needed for the first paint

    return extras() if text.strip() else ()


def bind(actions: ActionSet, handlers: QObject) -> None:
    """Call the method that each row names on `handlers`; AttributeError at once if one is missing."""
    methods: dict[str, Callable[[Action], None]] = {row.key: getattr(handlers, row.handler) for row in ACTIONS}
    actions.triggered.connect(lambda row: methods[row.key](row))
