"""The keys of a text: one row each.

Owns: which key does what. Refuses: doing it; the text does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from frozendict import frozendict
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

if TYPE_CHECKING:
    from spyre_studio.views.text_lines import TextLines

Act = Callable[["TextLines"], object]
_K, _M = Qt.Key, Qt.KeyboardModifier
_NONE, _SHIFT, _CONTROL = _M.NoModifier, _M.ShiftModifier, _M.ControlModifier
KEYS_HINT: Final = (
    "Left and Right fold and unfold, * unfolds all, 1 folds all, Ctrl+Left and Ctrl+Right go from name to name, "
    "Enter selects it, N and Shift+N go to where the selection is named"
)


def _page(text: TextLines) -> int:
    return max(text.viewport().height() // text.grid_.row - 1, 1)


def _sideways(steps: int) -> Act:
    def act(text: TextLines) -> None:
        bar = text.horizontalScrollBar()
        bar.setValue(bar.value() + steps * bar.singleStep())

    return act


_MOVES: Final[frozendict[Qt.Key, Callable[[TextLines, bool], object]]] = frozendict(
    {
        _K.Key_Up: lambda text, more: text.go_by(-1, more),
        _K.Key_Down: lambda text, more: text.go_by(1, more),
        _K.Key_PageUp: lambda text, more: text.go_by(-_page(text), more),
        _K.Key_PageDown: lambda text, more: text.go_by(_page(text), more),
        _K.Key_Home: lambda text, more: text.go_by(-text.rows, more),
        _K.Key_End: lambda text, more: text.go_by(text.rows, more),
    }
)
_KEYS: Final[frozendict[tuple[Qt.Key, Qt.KeyboardModifier], Act]] = frozendict(
    {
        (_K.Key_Left, _NONE): lambda text: text.fold_here(),
        (_K.Key_Right, _NONE): lambda text: text.unfold_here(),
        (_K.Key_Minus, _NONE): lambda text: text.fold_here(),
        (_K.Key_Plus, _NONE): lambda text: text.unfold_here(),
        (_K.Key_Space, _NONE): lambda text: text.turn(text.line),
        (_K.Key_Asterisk, _NONE): lambda text: text.fold_all(False),
        (_K.Key_1, _NONE): lambda text: text.fold_all(True),
        (_K.Key_0, _NONE): lambda text: text.fold_as_at_first(),
        (_K.Key_Left, _CONTROL): lambda text: text.next_link(False),
        (_K.Key_Right, _CONTROL): lambda text: text.next_link(True),
        (_K.Key_Left, _SHIFT): _sideways(-1),
        (_K.Key_Right, _SHIFT): _sideways(1),
        (_K.Key_Return, _NONE): lambda text: text.follow(),
        (_K.Key_Enter, _NONE): lambda text: text.follow(),
        (_K.Key_N, _NONE): lambda text: text.next_occurrence(True),
        (_K.Key_N, _SHIFT): lambda text: text.next_occurrence(False),
        (_K.Key_A, _CONTROL): lambda text: text.choose_all(),
    }
)
_TYPED: Final = frozenset({_K.Key_Plus, _K.Key_Asterisk})  # with Shift on some keyboards, or among the numbers


def act_for(event: QKeyEvent) -> Act | None:
    """What a key does, None if nothing."""
    key, held = Qt.Key(event.key()), event.modifiers() & ~_M.KeypadModifier
    if key in _TYPED:
        held &= ~_SHIFT
    if key in _MOVES and held in (_NONE, _SHIFT, _CONTROL):
        move = _MOVES[key]
        return lambda text: move(text, held == _SHIFT)
    if key == _K.Key_Escape and held == _NONE:
        return lambda text: text.choose_none()
    return _KEYS.get((key, held))
