"""The table twin of a sweep: every value with its time, its parts, what it moves, and why there is no plan.

Owns: the columns and their values, and committing a row. Refuses: drawing, and running a sweep.
"""

from __future__ import annotations

from math import isnan, nan

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from spyre_studio.qt_theme import active_theme
from spyre_studio.sweep import Fault, Setting, Sweep
from spyre_studio.sweep_words import NO_PLAN, TERMS, standing
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.units import format_bytes, format_number, format_percent
from spyre_studio.views.compare import delta_colour

_NOISE_US = 5e-4


class SweepTable(CopyableTable):
    """One row is current; `committed` carries its key on Enter and on a double click."""

    committed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(TableModel(_columns()), "Values of the sweep", parent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.doubleClicked.connect(lambda _index: self._commit())

    def show_sweep(self, sweep: Sweep, shown: str) -> None:
        """Another sweep, or more of it."""
        self.show_rows(lambda: [_row(sweep, one, shown) for one in sweep.settings])

    def show_sweep_now(self, sweep: Sweep, shown: str) -> None:
        """As `show_sweep`, also while nobody looks: the rows are to be copied."""
        self._model.set_rows([_row(sweep, one, shown) for one in sweep.settings])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter commits."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._commit()
        else:
            super().keyPressEvent(event)

    def _commit(self) -> None:
        if self.keys():
            self.committed.emit(str(self.keys()[0]))


def _columns() -> tuple[Column, ...]:
    return (
        Column("value"),
        Column("what", colour=_what_colour, hint="Best, on screen, under way, or why there is no plan"),
        Column("time, µs", _number, number=True, hint=TERMS["predicted"]),
        Column(
            "to now, µs",
            _delta,
            number=True,
            hint="Against the plan on screen; less is faster",
            colour=lambda cell: "" if isnan(float(cell)) else delta_colour(float(cell), active_theme()),
        ),
        Column("compute, µs", _number, number=True, hint=TERMS["compute"], gives_way=1),
        Column("memory, µs", _number, number=True, hint=TERMS["device memory"], gives_way=2),
        Column("beside, µs", _number, number=True, hint=TERMS["beside"], gives_way=6),
        Column("bound, µs", _number, number=True, hint=TERMS["bound"], gives_way=3),
        Column(
            "gap",
            _share,
            number=True,
            hint="What a better plan could save at most, as a share of the time",
            gives_way=4,
        ),
        Column("traffic", _bytes, number=True, hint="Bytes from and to device memory", gives_way=5),
        Column("LX peak", _bytes, number=True, hint="Bytes of LX in use at once on a core, at most", gives_way=1),
        Column("of LX", _share, number=True, hint="The peak as a share of what the plan may use", gives_way=7),
        Column("relayouts", _count, number=True, hint="Times data goes over the ring", gives_way=8),
    )


def _row(sweep: Sweep, one: Setting, shown: str) -> Row:
    outcome, found, now = sweep.outcomes.get(one.key), sweep.figures(one.key), sweep.figures(shown)
    words = ", ".join(standing(sweep, one.key, shown))
    if isinstance(outcome, Fault):
        words = f"{NO_PLAN}: {outcome.sentence}"
    if found is None:
        return Row(one.key, (one.title, words, *(nan,) * 11), words)
    bounded = found.bound_us >= 0
    words = ", ".join(word for word in (words, found.remark, "" if found.ok else "a check failed") if word)
    cells: tuple[Cell, ...] = (
        one.title,
        words,
        found.total_us,
        found.total_us - now.total_us if now is not None else nan,
        found.compute_us,
        found.memory_us,
        found.beside_us,
        found.bound_us if bounded else nan,
        max(found.gap, 0.0) if bounded else nan,
        float(found.hbm_bytes),
        float(found.lx_peak_bytes),
        found.lx_peak_bytes / found.lx_budget_bytes if found.lx_budget_bytes else nan,
        float(found.moves),
    )
    return Row(one.key, cells, f"{one.title}: {one.hint}" if one.hint != one.title else "")


def _number(cell: Cell) -> str:
    return "" if isnan(float(cell)) else format_number(float(cell), 2)


def _delta(cell: Cell) -> str:
    """A signed number with a mark of its direction, so that colour is not the only sign."""
    value = float(cell)
    if isnan(value) or abs(value) <= _NOISE_US:
        return ""
    return f"{'▲' if value > 0 else '▼'} {format_number(value, 2, signed=True)}"


def _share(cell: Cell) -> str:
    return "" if isnan(float(cell)) else format_percent(float(cell))


def _bytes(cell: Cell) -> str:
    return "" if isnan(float(cell)) else format_bytes(float(cell))


def _count(cell: Cell) -> str:
    return "" if isnan(float(cell)) else f"{float(cell):.0f}"


def _what_colour(cell: Cell) -> str:
    theme = active_theme()
    return theme.bad_text if str(cell).startswith(NO_PLAN) else theme.mute
