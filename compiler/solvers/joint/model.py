"""Model: a JointProblem for CP-SAT, with views as classes and the load of LX per tick in place of addresses.

Owns the variables and what ties them together; sums of time are `compiler.solvers.joint.clock`, room is
`compiler.solvers.joint.room`.  An optimum is one of the question without addresses: whether they exist is for `pack`.
All variables are hinted from an answer to start from, as half a hint is not taken up.  Refuses strategy.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compiler.plan import EditKind
from compiler.solvers.joint.price import written_view
from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, Answer, Copy, JointProblem, Tie
from compiler.solvers.joint.tables import Table, Weights, tables

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

SMALL = 30  # tasks
FINE, COARSE = 1_000_000, 100_000
Terms = list[tuple["cp_model.IntVar", int]]
"""A linear expression: variables and their factors."""


@dataclass(slots=True)
class JointModel:
    """Variables of a problem: `chosen[task][choice]`, `inside[item][view]`, `out[item]`, `home[item, reader][view]`,
    `serves[item, copy][reader]` and `made[item, copy][view it starts from]`."""

    problem: JointProblem
    start: Answer
    weights: Weights | None
    model: cp_model.CpModel = field(init=False)
    tables: tuple[Table, ...] = field(init=False)
    chosen: list[dict[int, cp_model.IntVar]] = field(init=False, default_factory=list)
    inside: list[dict[int, cp_model.IntVar]] = field(init=False, default_factory=list)
    out: list[cp_model.IntVar | None] = field(init=False, default_factory=list)
    home: dict[tuple[int, int], dict[int, cp_model.IntVar]] = field(init=False, default_factory=dict)
    serves: dict[tuple[int, int], dict[int, cp_model.IntVar]] = field(init=False, default_factory=dict)
    made: dict[tuple[int, int], dict[int, cp_model.IntVar]] = field(init=False, default_factory=dict)
    hints: dict[int, int] = field(init=False, default_factory=dict)
    most: dict[int, int] = field(init=False, default_factory=dict)
    _one: cp_model.IntVar = field(init=False)

    def __post_init__(self) -> None:
        from ortools.sat.python import cp_model

        self.model = cp_model.CpModel()
        self._one = self.model.new_constant(1)
        self.hints[self._one.index] = self.most[self._one.index] = 1
        self.tables = tables(self.problem, self.weights, self.start.choices)
        self._choices()
        for number in range(len(self.problem.items)):
            self._item(number)

    @property
    def units_per_us(self) -> int:
        """Whole units of a microsecond: finer for small problems, which lose no time by it."""
        return FINE if len(self.problem.tasks) <= SMALL else COARSE

    # Variables

    def boolean(self, value: bool) -> cp_model.IntVar:
        """A new truth value, and what it is at the start."""
        made = self.model.new_bool_var("")
        self.hints[made.index], self.most[made.index] = int(value), 1
        return made

    def whole(self, most: int, value: int) -> cp_model.IntVar:
        """A new whole number from 0, and what it is at the start."""
        made = self.model.new_int_var(0, max(most, value), "")
        self.hints[made.index], self.most[made.index] = value, max(most, value)
        return made

    def value(self, terms: Terms) -> int:
        """What an expression is at the start."""
        return sum(factor * self.hints[variable.index] for variable, factor in terms)

    def at_most(self, terms: Terms, most: int | Terms) -> None:
        """An expression is no more than a number, or than another expression."""
        from ortools.sat.python import cp_model

        if isinstance(most, int):
            limit = most
        else:
            terms, limit = terms + [(variable, -factor) for variable, factor in most], 0
        variables, factors = [variable for variable, _ in terms], [factor for _, factor in terms]
        self.model.add(cp_model.LinearExpr.weighted_sum(variables, factors) <= limit)

    def _choices(self) -> None:
        for number, table in enumerate(self.tables):
            if len(table.choices) == 1:
                self.chosen.append({table.choices[0]: self._one})
                continue
            mine = self.start.choices[number]
            found = {choice: self.boolean(choice == mine) for choice in table.choices}
            self.model.add_exactly_one(found.values())
            self.chosen.append(found)
        for tie in self.problem.ties:
            self._tied(tie)

    def _tied(self, tie: Tie) -> None:
        """Of every cut the first task has as many choices as each other one: one or none."""
        rows: list[dict[int, Terms]] = []
        for task, cuts in zip(tie.tasks, tie.cuts, strict=True):
            row: dict[int, Terms] = defaultdict(list)
            for choice, variable in self.chosen[task].items():
                row[cuts[choice]].append((variable, 1))
            rows.append(row)
        for other in rows[1:]:
            for cut in sorted({*rows[0], *other}):
                self.at_most(rows[0].get(cut, []), other.get(cut, []))

    def with_view(self, number: int, item: int) -> dict[int, Terms]:
        """View of an item -> the choices of a task that have it."""
        place = self.problem.places[number].get(item)
        found: dict[int, Terms] = defaultdict(list)
        if place is not None:
            table = self.tables[number]
            for choice, views in zip(table.choices, table.views, strict=True):
                if views[place] != NOWHERE:
                    found[views[place]].append((self.chosen[number][choice], 1))
        return found

    # Items

    def _item(self, number: int) -> None:
        item, start = self.problem.items[number], self.start
        here = start.resident[number]
        left = written_view(self.problem, start, number) if here else NOWHERE
        inside: dict[int, cp_model.IntVar] = {}
        written = self.with_view(item.writer, number) if item.writer >= 0 else {}
        for view, choices in written.items():
            inside[view] = self.boolean(here and view == left)
            self.at_most([(inside[view], 1)], choices)
        if len(inside) > 1:
            self.model.add_at_most_one(inside.values())
        self.inside.append(inside)
        self.out.append(self._out(number, inside))
        for place, copy in enumerate(item.copies):
            self._copy(number, place, copy)
        for reader, way in zip(item.readers, start.served[number], strict=True):
            self._reader(number, reader, way, left)
        for place, copy in enumerate(item.copies):
            self._serving(number, place, copy)
        self._pinned(number)

    def _pinned(self, number: int) -> None:
        """What a pin asks for: one of these has to be true."""
        item = self.problem.items[number]
        if item.pinned == "lx":
            self.model.add_at_least_one(self.inside_for(number))
        if item.ring:
            self.model.add_at_least_one(self.rings(number))

    def inside_for(self, number: int) -> list[cp_model.IntVar]:
        """The ways by which readers of an item get it out of LX; where it has none, that it is there."""
        item = self.problem.items[number]
        if not item.readers:
            return list(self.inside[number].values())
        ways = [one for reader in item.readers for one in self.home[number, reader].values()]
        return ways + [one for place in range(len(item.copies)) for one in self.serves[number, place].values()]

    def rings(self, number: int) -> list[cp_model.IntVar]:
        """The relayouts of an item that may be made."""
        copies = enumerate(self.problem.items[number].copies)
        rings = [place for place, copy in copies if copy.kind is EditKind.RELAYOUT]
        return [one for place in rings for one in self.made[number, place].values()]

    def _out(self, number: int, inside: dict[int, cp_model.IntVar]) -> cp_model.IntVar | None:
        if not inside:
            return None
        out = self.boolean(self.start.out[number])
        here: Terms = [(one, 1) for one in inside.values()]
        self.at_most([(out, 1)], here)
        if self.problem.items[number].output:
            self.at_most(here, [(out, 1)])
        return out

    def _copy(self, number: int, place: int, copy: Copy) -> None:
        used = place in self.start.served[number]
        self.serves[number, place] = {}
        if self.problem.items[number].pinned == "hbm":
            self.made[number, place] = {}
            return
        if copy.kind is not EditKind.RELAYOUT:
            made = self.boolean(used)
            self.made[number, place] = {DEVICE: made}
            self._in_device([(made, 1)], number)
            return
        left = written_view(self.problem, self.start, number) if used else NOWHERE
        found = {}
        for view, inside in self.inside[number].items():
            if view in copy.bills:
                found[view] = self.boolean(used and view == left)
                self.model.add_implication(found[view], inside)
        self.made[number, place] = found

    def _in_device(self, needs: Terms, number: int) -> None:
        """These may be true only if the item is in device memory: not in LX, or cloned out."""
        inside = self.inside[number]
        out = self.out[number]
        if not inside:
            return
        here: Terms = [(one, 1) for one in inside.values()]
        abroad: Terms = [(out, 1)] if out is not None else []
        for variable, _ in needs:
            self.at_most([(variable, 1), *here, *((other, -1) for other, _ in abroad)], 1)

    def _reader(self, number: int, reader: int, way: int, left: int) -> None:
        """A reader is served at home, by one copy, or out of device memory."""
        needs = self.with_view(reader, number)
        home: dict[int, cp_model.IntVar] = {}
        for view, inside in self.inside[number].items():
            if view in needs:
                home[view] = self.boolean(way == HOME and view == left)
                self.model.add_implication(home[view], inside)
        self.home[number, reader] = home
        by_view: dict[int, list[cp_model.IntVar]] = {view: [one] for view, one in home.items()}
        for place, copy in enumerate(self.problem.items[number].copies):
            if reader in copy.readers and copy.view in needs and self.made[number, place]:
                serve = self.boolean(way == place)
                self.serves[number, place][reader] = serve
                by_view.setdefault(copy.view, []).append(serve)
        for view, ways in by_view.items():
            self.at_most([(one, 1) for one in ways], needs[view])
        served = [one for ways in by_view.values() for one in ways]
        self._else_device(number, served)

    def _else_device(self, number: int, served: list[cp_model.IntVar]) -> None:
        """If none of these serves a reader, the item has to be in device memory."""
        inside, out = self.inside[number], self.out[number]
        if inside and out is not None:
            here: Terms = [(one, 1) for one in inside.values()]
            self.at_most(here, [(out, 1), *((one, 1) for one in served)])

    def _serving(self, number: int, place: int, copy: Copy) -> None:
        """A copy serves only if it is made, and is made only if it serves."""
        made: Terms = [(one, 1) for one in self.made[number, place].values()]
        serves: Terms = [(one, 1) for one in self.serves[number, place].values()]
        assert copy.view != NOWHERE
        for serve in serves:
            self.at_most([serve], made)
        if made:
            self.at_most(made, serves)

    # Answers

    def answer(self, value: dict[int, int]) -> Answer:
        """The answer that the values of all variables (by index) stand for."""
        choices = tuple(next(c for c, one in table.items() if value[one.index]) for table in self.chosen)
        resident = tuple(any(value[one.index] for one in inside.values()) for inside in self.inside)
        out = tuple(bool(one is not None and value[one.index]) for one in self.out)
        served = tuple(
            tuple(self._way(number, reader, value) for reader in item.readers)
            for number, item in enumerate(self.problem.items)
        )
        return Answer(choices, resident, out, served)

    def _way(self, number: int, reader: int, value: dict[int, int]) -> int:
        if any(value[one.index] for one in self.home[number, reader].values()):
            return HOME
        for place in range(len(self.problem.items[number].copies)):
            serve = self.serves[number, place].get(reader)
            if serve is not None and value[serve.index]:
                return place
        return DEVICE
