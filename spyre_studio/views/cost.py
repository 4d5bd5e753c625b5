"""What the selected op costs: its time, the terms behind it with formula and inputs, and the kernel around it.

Owns: the panel. Refuses: computing; every figure is the plan's.
"""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.price import CostTerm, StepCost
from spyre_studio.bars import Bar, Part
from spyre_studio.glossary import hint_of
from spyre_studio.legend import Entry, Legend
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.term_groups import group_of, summed
from spyre_studio.theme import GRID
from spyre_studio.units import format_bytes, format_count, format_percent, format_us
from spyre_studio.widgets import Card, Heading, text_label


class TermCard(Card):
    """One term: name, time, its share as a bar, the formula and the inputs."""

    def __init__(self, term: CostTerm, longest: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        name, time = QLabel(term.name), QLabel(format_us(term.microseconds))
        name.setFont(font("body", bold=True))
        time.setFont(font("label", mono=True))
        name.setToolTip(hint_of(term.name))
        head.addWidget(name)
        head.addStretch(1)
        head.addWidget(time)
        colour = getattr(active_theme(), group_of(term.name).token)
        share = term.microseconds / longest if longest > 0 else 0.0
        formula, inputs = text_label(term.formula, "mute"), text_label(term.inputs, "mute")
        formula.setFont(font("label"))
        inputs.setFont(font("micro", mono=True))
        for label in (formula, inputs):
            label.setMinimumWidth(1)
        self.column.addLayout(head)
        self.column.addWidget(Bar((Part(share, colour),), f"{term.name}: {format_us(term.microseconds)}"))
        self.column.addWidget(formula)
        if term.inputs:
            self.column.addWidget(inputs)


class CostPanel(QWidget):
    """Shows one step."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = Heading("")
        self.bar, self.legend = Bar(), Legend()
        self.words = text_label("", "mute")
        self.terms_heading = Heading("Terms")
        self.cards: list[TermCard] = []
        self._terms = QVBoxLayout()
        self._shown: tuple[StepCost, str] | None = None
        self._arrange()

    def show_step(self, compilation: Compilation, step: str) -> bool:
        """Show the price of a step; False if the plan has none for it."""
        cost = next((one for one in compilation.cost.steps if one.step == step), None)
        if cost is None:
            return False
        total = compilation.cost.total_us
        share = format_percent(cost.total_us / total) if total > 0 else ""
        self.heading.set_heading(format_us(cost.total_us), f"{share} of {format_us(total)}" if share else "")
        self.words.setText(_words(compilation, cost))
        self._show_bar(cost)
        if self._shown is None or self._shown[0] is not cost or self._shown[1] != active_theme().name:
            self._shown = (cost, active_theme().name)
            self._show_terms(cost)
        return True

    def _show_bar(self, cost: StepCost) -> None:
        theme, groups = active_theme(), summed(cost.terms)
        whole = sum(us for _, us in groups) or 1.0
        parts = tuple(Part(us / whole, getattr(theme, group.token)) for group, us in groups)
        spoken = ", ".join(f"{group.title} {format_us(us)}" for group, us in groups)
        self.bar.set_parts(parts, spoken)
        self.bar.setVisible(bool(parts))
        entries = tuple(Entry(f"{group.title} {format_us(us)}", group.token) for group, us in groups)
        self.legend.set_entries(entries)
        self.legend.setVisible(bool(entries))

    def _show_terms(self, cost: StepCost) -> None:
        for card in self.cards:
            self._terms.removeWidget(card)
            card.deleteLater()
        longest = max((term.microseconds for term in cost.terms), default=0.0)
        self.cards = [TermCard(term, longest) for term in cost.terms]
        for card in self.cards:
            self._terms.addWidget(card)
        self.terms_heading.setVisible(bool(self.cards))

    def _arrange(self) -> None:
        self.words.setMinimumWidth(1)
        self.legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._terms.setSpacing(px(GRID))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID))
        for widget in (self.heading, self.bar, self.legend, self.words):
            column.addWidget(widget)
        column.addSpacing(px(GRID / 2))
        column.addWidget(self.terms_heading)
        column.addLayout(self._terms)
        column.addStretch(1)


def _words(compilation: Compilation, cost: StepCost) -> str:
    kernel = next((one for one in compilation.cost.kernels if cost.step in one.steps), None)
    sentences = []
    if cost.hbm_bytes:
        read, written = format_bytes(cost.read_bytes), format_bytes(cost.write_bytes)
        sentences.append(f"Reads {read} from device memory and writes {written}.")
    else:
        sentences.append("It moves nothing between device memory and the cores.")
    if kernel is not None:
        others = f" with {format_count(len(kernel.steps) - 1, 'other step')}" if len(kernel.steps) > 1 else ""
        sentences.append(
            f"It runs in {kernel.kernel}{others}, {format_us(kernel.total_us)} in all: compute and memory "
            "overlap there, so that terms need not add up."
        )
    return " ".join(sentences)
