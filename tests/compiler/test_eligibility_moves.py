"""Eligibility among moves: what a relayout, a clone-in and a clone-out allow, and what they must not hide."""

from dataclasses import replace

import pytest

from compiler.division import Division
from compiler.eligibility import Scene, judge, scene_of
from compiler.layout import stick_layout
from compiler.loops import LoopProgram
from compiler.ownership import Holding, may_take_over
from compiler.plan import Edit, EditKind, ReasonCode, Spilled
from tests.compiler.shapes import divided
from tests.compiler.tiny import split
from tests.programs import chain, problem_of
from tests.sketch import Sketch

ROWS, COLUMNS = split(i=(4, 16)), split(j=(4, 64))


def scene(
    program: LoopProgram, divisions: dict[str, Division], *edits: Edit, moves: bool = True, order: str = ""
) -> Scene:
    """A plan with plain layouts, these divisions and these edits; `order` names a buffer with sticks along rows."""
    problem = problem_of(program)
    buffers = program.buffer_map
    turned = {order: stick_layout(buffers["neg"].shape, buffers["neg"].strides, 64, (1, 0))} if order else {}
    plan = divided(problem)
    layouts = plan.layouts | {edit.target: turned.get(edit.target, plan.layouts["neg"]) for edit in edits}
    plan = replace(plan, edits=edits, layouts=layouts, divisions=plan.divisions | divisions)
    return scene_of(program, plan, moves)


def pair() -> LoopProgram:
    return chain(64, 256)


RING = Edit("neg@ring", EditKind.RELAYOUT, "neg", "neg@ring", "relu", ("relu",))


def test_a_relayout_reads_from_any_core() -> None:
    divisions = {"neg": ROWS, "relu": COLUMNS}
    found = judge(scene(pair(), divisions), "neg")
    assert isinstance(found, Spilled)
    assert found.code is ReasonCode.DIVISION_MISMATCH
    moved = scene(pair(), divisions | {"neg@ring": split(d1=(4, 64))}, RING)
    assert isinstance(judge(moved, "neg"), Holding)
    assert isinstance(judge(moved, "neg@ring"), Holding)


def test_the_reader_of_a_relayout_has_to_find_its_part_there() -> None:
    moved = scene(pair(), {"neg": ROWS, "relu": COLUMNS, "neg@ring": split(d0=(4, 16))}, RING)
    assert isinstance(judge(moved, "neg"), Holding)
    found = judge(moved, "neg@ring")
    assert isinstance(found, Spilled)
    assert found.code is ReasonCode.DIVISION_MISMATCH


def test_a_copy_takes_over_nobodys_place() -> None:
    moved = scene(pair(), {"neg": ROWS, "relu": ROWS, "neg@ring": split(d0=(4, 16))}, RING)
    step = moved.schedule.step_map["neg@ring"]
    assert not may_take_over(step, "neg", moved.schedule, moved.plan)
    assert may_take_over(moved.schedule.step_map["relu"], "neg@ring", moved.schedule, moved.plan)


def read_and_given() -> LoopProgram:
    sketch = Sketch("both")
    value = sketch.apply("neg", sketch.input("x", 64, 256))
    sketch.output(value, sketch.apply("relu", value))
    return sketch.program()


OUT = Edit("neg@out", EditKind.CLONE_OUT, "neg", "neg@out", "relu", ("output:out0",))


def test_an_output_may_stay_where_a_clone_goes_out() -> None:
    divisions = {"neg": ROWS, "relu": ROWS}
    found = judge(scene(read_and_given(), divisions), "neg")
    assert isinstance(found, Spilled)
    assert found.code is ReasonCode.GRAPH_OUTPUT
    moved = scene(read_and_given(), divisions | {"neg@out": split(d0=(4, 16))}, OUT)
    assert isinstance(judge(moved, "neg"), Holding)
    assert judge(moved, "neg@out") == Spilled(
        ReasonCode.DEVICE_COPY, "32,768 B: the clone of neg at step 1, for what needs device memory"
    )


def test_a_clone_out_has_to_read_what_its_core_holds() -> None:
    moved = scene(read_and_given(), {"neg": ROWS, "relu": ROWS, "neg@out": split(d1=(4, 64))}, OUT)
    found = judge(moved, "neg")
    assert isinstance(found, Spilled)
    assert found.code is ReasonCode.DIVISION_MISMATCH
    assert "neg@out" in found.detail


def loaded() -> tuple[LoopProgram, Edit]:
    sketch = Sketch("loaded")
    value = sketch.apply("neg", sketch.input("x", 64, 256))
    sketch.output(sketch.apply("add", sketch.apply("exp", value), sketch.apply("relu", value)))
    return sketch.program(), Edit("neg@in", EditKind.CLONE_IN, "neg", "neg@in", "exp", ("exp", "relu"))


def test_what_a_clone_in_loads_is_in_device_memory() -> None:
    program, edit = loaded()
    divisions = dict.fromkeys(("neg", "exp", "relu", "add"), ROWS) | {"neg@in": split(d0=(4, 16))}
    moved = scene(program, divisions, edit)
    assert judge(moved, "neg") == Spilled(ReasonCode.NOT_WORTH_IT, "neg@in at step 1 loads it from device memory")
    assert isinstance(judge(moved, "neg@in"), Holding)


def test_parts_on_several_cores_are_equal_tiles_too() -> None:
    sketch = Sketch("gathered")
    x, y = sketch.input("neg", 64, 256), sketch.input("y", 256, 512)
    sketch.output(sketch.matmul(x, y, "dot"), sketch.matmul(x, y, "dot2"))
    program = sketch.program()
    edit = Edit("x@in", EditKind.CLONE_IN, "neg", "x@in", "dot", ("dot", "dot2"), 4)
    cut = split(i=(2, 32), j=(4, 128))
    good = {"dot": cut, "dot2": cut, "x@in": split(d0=(2, 32), replica=(4, 1))}
    held = judge(scene(program, good, edit), "x@in")
    assert isinstance(held, Holding)
    assert (held.replicas, held.bytes_per_core) == (4, 64 * 256 * 2 // 2)
    swapped = good | {"x@in": split(replica=(4, 1), d0=(2, 32))}
    found = judge(scene(program, swapped, edit), "x@in")
    assert isinstance(found, Spilled)
    assert found.code is ReasonCode.DIVISION_MISMATCH
    fewer = good | {"x@in": split(d0=(2, 32))}
    assert isinstance(judge(scene(program, fewer, edit), "x@in"), Spilled)


@pytest.mark.parametrize(
    ("copying", "moves", "code"),
    [
        (split(d0=(4, 16)), True, None),
        (split(d0=(4, 16)), False, ReasonCode.RESTICKIFY_READER),
        (split(d1=(4, 64)), True, ReasonCode.DIVISION_MISMATCH),
    ],
    ids=["at-home", "without-moves", "from-others"],
)
def test_a_restickify_may_read_lx_where_each_core_holds_what_it_reads(
    copying: Division, moves: bool, code: ReasonCode | None
) -> None:
    turn = Edit("neg@d0", EditKind.RESTICKIFY, "neg", "neg@d0", "relu", ("relu",))
    divisions = {"neg": ROWS, "relu": ROWS, "neg@d0": copying}
    found = judge(scene(pair(), divisions, turn, moves=moves, order="neg@d0"), "neg")
    assert (found.code if isinstance(found, Spilled) else None) is code
