"""Moves, as whole plans are priced: over the ring, into LX and out of it, on plans written by hand."""

from dataclasses import replace

import pytest

from compiler.coordinates import core_boxes
from compiler.cost.memory import one_way_us, turnaround_us
from compiler.cost.model import price
from compiler.division import Division
from compiler.loops import LoopProgram
from compiler.plan import Edit, EditKind, Placement, Plan, ReasonCode, Spilled
from compiler.price import Cost
from compiler.problem import Problem
from compiler.relayouts import relayout_time_us
from compiler.schedule import expand
from tests.compiler.tiny import naive_plan, placed, slot, split, spyre
from tests.programs import chain
from tests.sketch import Sketch

MIB = 1 << 20
IN = slot(0, 1, 0, 0)
OUT = Spilled(ReasonCode.DEVICE_COPY, "a clone")
ROWS = split(i=(32, 64))


Places = dict[str, Placement]


def moved(problem: Problem, edits: tuple[Edit, ...], divisions: dict[str, Division], places: Places) -> Plan:
    """A plan with these edits and divisions, and in LX what is named there."""
    plan = placed(naive_plan(problem, edits=edits), **places)
    return replace(plan, divisions=plan.divisions | divisions, kernels=())


def cost_of(
    program: LoopProgram,
    edits: tuple[Edit, ...],
    divisions: dict[str, Division],
    places: Places | None = None,
    cores: int = 32,
) -> Cost:
    problem = Problem(program, spyre(cores))
    return price(problem, moved(problem, edits, divisions, places or {}))


def serial(cost: Cost) -> dict[str, float]:
    return {one.step: one.serial_us for one in cost.steps if one.serial_us}


# Over the ring


WRITER, READER = split(j=(8, 32)), split(j=(4, 64), l=(2, 256))
RING = Edit("neg@ring", EditKind.RELAYOUT, "neg", "neg@ring", "relu", ("relu",))


def test_c1_without_and_with_the_relayout() -> None:
    program = chain(8, 256, 512)
    without = cost_of(program, (), {"neg": WRITER, "relu": READER}, cores=8)
    assert without.total_us == pytest.approx(79.999, abs=5e-4)
    divisions = {"neg": WRITER, "relu": READER, "neg@ring": split(d1=(4, 64), d2=(2, 256))}
    cost = cost_of(program, (RING,), divisions, {"neg": IN, "neg@ring": IN}, 8)
    assert cost.total_us == pytest.approx(41.136, abs=5e-4)
    assert cost.relayout_us == pytest.approx(1.1364, abs=5e-5)
    assert serial(cost) == {"neg@ring": cost.relayout_us}
    ring = next(one for one in cost.steps if one.step == "neg@ring")
    assert (ring.read_bytes, ring.write_bytes, ring.hbm_us, ring.compute_us) == (0, 0, 0, 0)
    assert "run=4,096 B split=2" in ring.terms[0].inputs


def test_a_relayout_onto_several_cores_follows_the_same_law() -> None:
    sketch = Sketch("gathered")
    value = sketch.apply("neg", sketch.input("x", 512, 256))
    sketch.output(sketch.matmul(value, sketch.input("y", 256, 512), "dot"))
    edit = Edit("neg@ring", EditKind.RELAYOUT, "neg", "neg@ring", "dot", ("dot",), 4)
    writer, reader, copy = split(i=(8, 64)), split(i=(2, 256), j=(4, 128)), split(d0=(2, 256), replica=(4, 1))
    divisions = {"neg": writer, "dot": reader, "neg@ring": copy}
    cost = cost_of(sketch.program(), (edit,), divisions, {"neg": IN, "neg@ring": IN}, 8)
    problem = Problem(sketch.program(), spyre(8))
    plan = moved(problem, (edit,), divisions, {"neg": IN, "neg@ring": IN})
    assert cost.relayout_us == pytest.approx(_law(problem, plan))
    read = {one.step: one.read_bytes for one in cost.steps}
    assert read == {"neg": 512 * 256 * 2, "neg@ring": 0, "dot": 256 * 512 * 2}


def _law(problem: Problem, plan: Plan) -> float:
    schedule = expand(problem.program, plan)
    boxes = [
        core_boxes(
            schedule.step_map[name].op,
            schedule.step_map[name].op.write,
            schedule.buffers[name],
            plan.layouts[name],
            plan.divisions[name],
        )
        for name in ("neg", "neg@ring")
    ]
    return relayout_time_us(problem.device, plan.layouts["neg"], *boxes)


# Into LX


def doubled(rows: int) -> LoopProgram:
    """x*2 + x*3, written as two unary ops and an add."""
    sketch = Sketch("doubled")
    x = sketch.input("x", rows, 2048)
    sketch.output(sketch.apply("add", sketch.apply("neg", x), sketch.apply("exp", x)))
    return sketch.program()


@pytest.mark.parametrize(("mib", "time"), [(8, 111.8), (16, 223.7)])
def test_m4_an_input_cloned_into_lx(mib: int, time: float) -> None:
    rows = mib * MIB // 4096
    edit = Edit("x@in", EditKind.CLONE_IN, "x", "x@in", "neg", ("neg", "exp"))
    cut = split(i=(32, rows // 32))
    divisions = {"neg": cut, "exp": cut, "add": cut, "x@in": split(d0=(32, rows // 32))}
    cost = cost_of(doubled(rows), (edit,), divisions, {"neg": IN, "exp": IN, "x@in": IN})
    assert cost.total_us == pytest.approx(time, abs=0.05)
    assert serial(cost) == {"x@in": pytest.approx(one_way_us(spyre(), mib * MIB))}
    assert cost.hbm_bytes == 2 * mib * MIB


def test_a_clone_for_several_cores_is_one_load() -> None:
    sketch = Sketch("shared")
    x, y = sketch.input("x", 256, 256), sketch.input("y", 256, 512)
    sketch.output(sketch.matmul(x, y, "dot"))
    edit = Edit("x@in", EditKind.CLONE_IN, "x", "x@in", "dot", ("dot",), 4)
    divisions = {"dot": split(i=(2, 128), j=(4, 128)), "x@in": split(d0=(2, 128), replica=(4, 1))}
    cost = cost_of(sketch.program(), (edit,), divisions, {"x@in": IN}, 8)
    assert serial(cost) == {"x@in": pytest.approx(one_way_us(spyre(), 256 * 256 * 2))}
    assert cost.steps[0].read_bytes == 256 * 256 * 2


def test_a_computed_buffer_is_loaded_by_the_same_law_as_an_input() -> None:
    """neg lies in device memory; exp and relu read its clone."""
    sketch = Sketch("reloaded")
    value = sketch.apply("neg", sketch.input("x", 2048, 1024))
    sketch.output(sketch.apply("add", sketch.apply("exp", value), sketch.apply("relu", value)))
    edit = Edit("neg@in", EditKind.CLONE_IN, "neg", "neg@in", "exp", ("exp", "relu"))
    divisions = dict.fromkeys(("neg", "exp", "relu", "add"), ROWS) | {"neg@in": split(d0=(32, 64))}
    cost = cost_of(sketch.program(), (edit,), divisions, {"exp": IN, "relu": IN, "neg@in": IN})
    size = 2048 * 1024 * 2
    assert serial(cost) == {"neg@in": pytest.approx(one_way_us(spyre(), size))}
    assert {one.step: one.hbm_bytes for one in cost.steps} == {
        "neg": 2 * size,
        "neg@in": size,
        "exp": 0,
        "relu": 0,
        "add": size,
    }


# Out of LX


def test_an_output_that_steps_read_as_well_is_written_once_and_read_by_nobody() -> None:
    sketch = Sketch("both")
    value = sketch.apply("neg", sketch.input("x", 2048, 1024))
    sketch.output(value, sketch.apply("relu", value))
    edit = Edit("neg@out", EditKind.CLONE_OUT, "neg", "neg@out", "relu", ("output:out0",))
    divisions = {"neg": ROWS, "relu": ROWS, "neg@out": split(d0=(32, 64))}
    cost = cost_of(sketch.program(), (edit,), divisions, {"neg": IN, "neg@out": OUT})
    size = 2048 * 1024 * 2
    assert {one.step: (one.read_bytes, one.write_bytes) for one in cost.steps} == {
        "neg": (size, 0),
        "neg@out": (0, size),
        "relu": (0, size),
    }
    assert serial(cost) == {}
    plain = cost_of(sketch.program(), (), {"neg": ROWS, "relu": ROWS})
    assert plain.total_us - cost.total_us == pytest.approx(
        one_way_us(spyre(), size) + turnaround_us(spyre(), 2 * size, 2 * size) - turnaround_us(spyre(), size, 2 * size)
    )


def test_a_clone_out_at_the_end_is_a_step_of_its_own() -> None:
    program = chain(2048, 1024, primitives=("neg", "relu"))
    edit = Edit("relu@out", EditKind.CLONE_OUT, "relu", "relu@out", "", ("output:out0",))
    divisions = {"neg": ROWS, "relu": ROWS, "relu@out": split(d0=(32, 64))}
    cost = cost_of(program, (edit,), divisions, {"neg": IN, "relu": IN, "relu@out": OUT})
    assert [(one.step, one.write_bytes) for one in cost.steps] == [
        ("neg", 0),
        ("relu", 0),
        ("relu@out", 2048 * 1024 * 2),
    ]
    assert cost.total_us == pytest.approx(cost_of(program, (), {"neg": ROWS, "relu": ROWS}, {"neg": IN}).total_us)
