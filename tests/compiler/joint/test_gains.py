"""Loads into LX for a single reader: what they gain at most, and that no plan needs one that is left out."""

from __future__ import annotations

from random import Random

import pytest
from frozendict import frozendict

import compiler.joint.ground as ground_module
import compiler.joint.kept as kept_module
from compiler.check import check
from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.joint.gains import Reader, least_us, turning
from compiler.joint.kinds import Kind
from compiler.joint.offers import Offers
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.plan import EditKind
from compiler.solvers.joint.price import Sums, closed
from compiler.solvers.joint.problem import NOWHERE, Bill, Choice, JointProblem, Load, Menu, Rates, Task
from compiler.solvers.joint.table import SEARCHES
from tests.compiler.joint.drawn_programs import GRAPH, spec
from tests.compiler.joint.grounds import field_of
from tests.programs import attention, chain, problem_of, product
from tests.sketch import Sketch

RATES = Rates(150.0, 0.00574)
ANY = 1 << 40
PROBLEM = JointProblem((), (), 1024, 128, RATES)


def solved(program: LoopProgram, solver: str = "cp-sat", pins: Pins | None = None) -> Compilation:
    return compile_problem(GRAPH, problem_of(program, pins), pipeline=spec(solver, 5.0))


def fan(readers: int) -> LoopProgram:
    """A small input, and large results that no step reads: nearly all of its traffic is written."""
    sketch = Sketch("fan")
    value = sketch.apply("relu", sketch.input("x", 256, 512))
    for number in range(readers):
        wide = number % 2 == 0
        sketch.output(
            sketch.apply("add", value, value) if wide else sketch.reduce("sum", sketch.apply("mul", value, value), 1)
        )
    return sketch.program()


def biased() -> LoopProgram:
    """A wide row added to every row: the row makes all traffic slow while nothing of it is in LX."""
    sketch = Sketch("biased")
    sketch.output(sketch.apply("add", sketch.input("x", 256, 2048), sketch.parameter("bias", 2048)))
    return sketch.program()


# The optimum


@pytest.mark.parametrize("solver", SEARCHES)
def test_every_search_finds_a_load_for_a_single_reader_that_pays(solver: str) -> None:
    """Turnaround of 2 MiB each way is spared: 40.0 us become 28.0 us."""
    found = solved(chain(8, 256, 512), solver)
    assert found.cost.total_us == pytest.approx(27.962, abs=5e-4)
    assert [(edit.kind, edit.source) for edit in found.plan.edits] == [(EditKind.CLONE_IN, "x")]
    assert all(verdict.ok for verdict in check(found.problem, found.plan))
    without = solved(chain(8, 256, 512), solver, Pins(placement=frozendict({"x": "hbm"})))
    assert without.cost.total_us == pytest.approx(40.0, abs=5e-4)


@pytest.mark.parametrize(
    ("program", "names"),
    [(chain(8, 256, 512), "x"), (attention(), "qv"), (biased(), ["bias"])],
    ids=lambda one: str(one)[:12],
)
def test_no_pin_on_an_input_makes_a_plan_quicker(program: LoopProgram, names: str) -> None:
    free = solved(program)
    pinned = solved(program, pins=Pins(placement=frozendict(dict.fromkeys(names, "lx"))))
    assert free.solver is not None
    assert free.solver.gap == 0
    assert free.cost.total_us <= pinned.cost.total_us + 1e-6


def test_no_pin_makes_a_long_program_quicker_that_writes_more_than_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ground_module, "LONG", 4)
    free = solved(fan(8))
    pinned = solved(fan(8), pins=Pins(placement=frozendict({"x": "lx"})))
    assert free.cost.total_us <= pinned.cost.total_us + 1e-6
    assert [edit.source for edit in free.plan.edits] == ["x"]


@pytest.mark.parametrize(
    "program", [chain(64, 256), biased(), product(64, 256, 512), product(512, 512, 512)], ids=lambda one: one.name
)
def test_loads_that_are_left_out_are_never_missed(program: LoopProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = solved(program)
    monkeypatch.setattr(kept_module, "_LATEST", [])
    monkeypatch.setattr(Offers, "_gain_us", lambda _self, one, *_: 1.0 if one.writer < 0 else 0.0)
    everything = solved(program)
    assert everything.solver is not None
    assert everything.solver.gap == 0
    assert kept.cost.total_us == pytest.approx(everything.cost.total_us, abs=1e-6)


# What is on offer


def test_an_input_that_gains_nothing_in_lx_is_not_on_offer() -> None:
    """The weight is spread over the cores: it takes as long to load as to read, and there is nothing else to gain."""
    field = field_of(product(64, 8192, 4096), load_device("spyre"))
    items = {item.name: item for item in field.ground.problem.items}
    inputs = [item for item in items.values() if item.writer < 0]
    assert inputs
    assert any(not item.copies for item in inputs)
    for offers in field.ground.offers:
        assert all(offer.gain_us > 0 for offer in offers)


def test_results_that_no_step_reads_count_as_written() -> None:
    field = field_of(fan(40), load_device("spyre"))
    assert len(field.ground.problem.tasks) > ground_module.LONG
    assert next(item for item in field.ground.problem.items if item.name == "x").copies


# The bound on the gain


def _bill(draw: Random, inside: bool) -> Bill:
    compute, fused, memory, serial = (draw.choice((0.0, draw.uniform(0, 9))) for _ in range(4))
    loads = (
        ()
        if inside or draw.random() < 0.5
        else (Load(0, draw.randrange(9000), draw.uniform(0, 3), draw.uniform(0, 3)),)
    )
    return Bill(compute, fused, memory, serial, draw.randrange(0, 9000, 1000), draw.randrange(0, 9000, 1000), loads)


@pytest.mark.parametrize("seed", range(200))
def test_no_kernel_gains_more_by_a_load_than_was_told(seed: int) -> None:
    draw = Random(seed)
    choices = tuple(
        Choice(
            (draw.randrange(2), draw.choice((0, 1, NOWHERE))), tuple(_bill(draw, bool(mask & 1)) for mask in range(4))
        )
        for _ in range(3)
    )
    kind, load = Kind(Menu(choices), ()), Bill(serial_us=draw.uniform(0, 9))
    told = {view: Reader(kind, 0, False, ANY, RATES).gain_us(view, load) for view in (0, 1)}
    for rest in [_rest(draw) for _ in range(20)]:
        for mask in (0, 2):
            for one in (c for c in choices if mask == 0 or c.views[1] != NOWHERE):
                with_load = _time(rest, one.bills[mask | 1], load)
                rivals = [c for c in choices if mask == 0 or c.views[1] == one.views[1]]
                without = min(_time(rest, c.bills[mask]) for c in rivals)
                assert without - with_load <= told[one.views[0]] + 1e-9


def _rest(draw: Random) -> Bill:
    """What the other steps of a kernel take."""
    compute, fused, memory, serial = (draw.uniform(0, 30) for _ in range(4))
    return Bill(compute, fused, memory, serial, draw.randrange(20000), draw.randrange(20000))


def _time(*bills: Bill) -> float:
    sums = Sums()
    for one in bills:
        sums.add(_own_loads(one))
    return closed(PROBLEM, sums).total_us()


def _own_loads(one: Bill) -> Bill:
    """A bill whose loads nobody shares."""
    memory = sum(load.delivery_us for load in one.loads)
    serial = sum(max(load.delivery_us, load.burst_us) - load.delivery_us for load in one.loads)
    read = one.read_bytes + sum(load.size_bytes for load in one.loads)
    return Bill(one.compute_us, one.fused_us, one.memory_us + memory, one.serial_us + serial, read, one.written_bytes)


def test_a_load_that_must_not_change_the_division_has_fewer_rivals() -> None:
    slow, quick = Bill(memory_us=9.0), Bill(memory_us=1.0)
    kind = Kind(Menu((Choice((0,), (slow, Bill())), Choice((1,), (quick, Bill())))), ())
    load = Bill(serial_us=2.0)
    assert Reader(kind, 0, False, ANY, RATES).gain_us(0, load) == 0.0
    assert Reader(kind, 0, True, ANY, RATES).gain_us(0, load) == pytest.approx(7.0)


def test_bytes_spare_turnaround_only_where_a_kernel_may_read_less_than_it_writes() -> None:
    menu = Menu((Choice((0,), (Bill(read_bytes=15_000_000, written_bytes=1000), Bill(written_bytes=1000))),))
    load = Bill(serial_us=100.0)
    assert Reader(Kind(menu, ()), 0, False, 0, RATES).gain_us(0, load) == 0.0
    assert Reader(Kind(menu, ()), 0, False, ANY, RATES).gain_us(0, load) == pytest.approx(15_000 * 0.00574)
    assert Reader(Kind(menu, ()), 0, False, 14_000_000, RATES).gain_us(0, load) == pytest.approx(14_000 * 0.00574)
    assert turning((Task("one", (0,), -1, menu, 3),), {}) == {3: 1000}
    more = Menu((Choice((), (Bill(read_bytes=3000),)),))
    assert turning((Task("one", (0,), -1, menu, 3), Task("two", (), -1, more, 3)), {}) == {}
    assert turning((Task("one", (0,), -1, menu, 3), Task("two", (), -1, more, 3)), {3: 2500}) == {3: 500}


def test_a_program_takes_no_less_than_its_quickest_divisions_with_all_in_lx() -> None:
    """Of reductions of one kernel only the slowest counts, and compute hides memory."""
    one = Task("one", (), -1, Menu((Choice((), (Bill(compute_us=2.0, fused_us=9.0, memory_us=1.0),)),)))
    two = Task("two", (), -1, Menu((Choice((), (Bill(compute_us=1.0, fused_us=8.0, memory_us=15.0, serial_us=1.0),)),)))
    assert least_us((one, two), RATES) == pytest.approx(17.0)
    assert least_us((one, one), RATES) == pytest.approx(13.0)
