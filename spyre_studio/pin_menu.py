"""Pins in menus: what can be fixed about an op or a buffer, where it is seen.

Owns: the entries, which of them are checked, and the picker of another op. Refuses: doing more than asking the session.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QMenu, QWidget

from spyre_studio.alike_pins import Alike, alike_buffer, alike_op, unpin_words, unpinned_alike
from spyre_studio.choice_list import Choice
from spyre_studio.derived import ops_of
from spyre_studio.picker import Picker
from spyre_studio.pin_change import without
from spyre_studio.session import Session
from spyre_studio.units import format_count

_PLACES = (("lx", "Keep in LX"), ("hbm", "Keep in device memory"))
_WAYS = (("ring", "Over the ring"), ("none", "Never"))
SAME = "Same division as…"
SWEEP = "Sweep its splits"


def add_op(menu: QMenu, op: str, session: Session, window: QWidget) -> None:
    """What can be fixed about an op of the model, nothing about an inserted move; `window`: what a picker lies over."""
    compilation = session.compilation
    if compilation is None or op not in ops_of(compilation):
        return
    other = session.pins.same.get(op)
    menu.addAction(f"{SAME} (now {other})" if other else SAME, lambda: choose_same(session, op, window))
    menu.addAction(SWEEP, lambda: session.start_sweep(f"op:{op}"))
    add_alike(menu, op, session)


def add_buffer(menu: QMenu, buffer: str, session: Session, named: bool) -> None:
    """Where a buffer shall lie and how it may get to other cores; `named`: the entries say which buffer it is."""
    now = session.pins.placement.get(buffer)
    for where, words in _PLACES:
        entry = menu.addAction(f"{words}: {buffer}" if named else words)
        entry.setCheckable(True)
        entry.setChecked(now == where)
        entry.triggered.connect(lambda _checked=False, where=where: session.pin_placement(buffer, where))
    ways = menu.addMenu(f"Relayout: {buffer}" if named else "Relayout")
    for way, words in _WAYS:
        entry = ways.addAction(words)
        entry.setCheckable(True)
        entry.setChecked(session.pins.relayout.get(buffer) == way)
        entry.triggered.connect(lambda _checked=False, way=way: session.pin_relayout(buffer, way))
    add_pin_alike(menu, buffer, session, buffer=True)


def add_alike(menu: QMenu, name: str, session: Session, buffer: bool = False) -> None:
    """Everything like an op or a buffer: pin it the same way, or not at all; nothing where there is only one."""
    compilation, pins = session.compilation, session.pins
    if compilation is None:
        return
    add_pin_alike(menu, name, session, buffer)
    count, after = unpinned_alike(compilation, pins, name)
    if count > 1:
        menu.addAction(unpin_words(count), lambda: session.set_pins(after))


def add_pin_alike(menu: QMenu, name: str, session: Session, buffer: bool) -> None:
    """Pin everything like an op or a buffer in the same way; nothing where there is only one."""
    found = _alike(name, session, buffer)
    if found is not None:
        menu.addAction(found.words, lambda: _pin_alike(name, session, buffer))


def _alike(name: str, session: Session, buffer: bool) -> Alike | None:
    compilation = session.compilation
    if compilation is None:
        return None
    return (alike_buffer if buffer else alike_op)(compilation, session.pins, name)


def _pin_alike(name: str, session: Session, buffer: bool) -> None:
    """With the pins of now: other menus may have changed them since this one was made."""
    found = _alike(name, session, buffer)
    if found is not None:
        session.set_pins(found.after)


def add_unpin(menu: QMenu, names: Sequence[str], session: Session) -> None:
    """Take back every pin of these ops and buffers, if there is one."""
    pinned = [key for key in session.pins.keys if key.partition(":")[2] in names]
    if pinned:
        menu.addSeparator()
        menu.addAction("Unpin", lambda: _unpin(session, pinned))


def choose_same(session: Session, op: str, window: QWidget) -> None:
    """Let somebody pick the op whose division `op` shall have."""

    def choices(text: str) -> list[Choice]:
        compilation = session.compilation
        words = text.casefold().split()
        ops = compilation.problem.program.ops if compilation is not None else ()
        divisions = compilation.plan.divisions if compilation is not None else {}
        return [
            Choice(other.name, other.name, format_count(divisions[other.name].cores, "core"))
            for other in ops
            if other.name != op and other.name in divisions
            if all(word in other.name.casefold() for word in words)
        ]

    picker = Picker(SAME, f"The op whose division {op} shall have", choices, window)
    picker.picked.connect(lambda other: session.pin_same(op, other))
    picker.open_over(window)


def _unpin(session: Session, keys: list[str]) -> None:
    session.set_pins(without(session.pins, *keys))
