"""Pure copies: what they are, that they turn sticks on their own, and what that costs."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from compiler.copies import is_pure_copy, transposes
from compiler.cost.model import price
from compiler.dtypes import DType
from compiler.layout import SPARSE, Arrangement, StickLayout, stick_layout
from compiler.layout_rules import candidates
from compiler.loops import Apply, Load, LoopProgram
from compiler.plan import Edit, EditKind, Plan, Slot
from compiler.problem import Problem
from compiler.scene import Candidate, scene_of
from compiler.schedule import expand
from compiler.spaces import space_of
from tests.compiler.layout_cases import legal, names
from tests.compiler.shapes import divided, placed
from tests.programs import problem_of, reshaped, transposed, unsqueezed
from tests.random_draft import View
from tests.sketch import Sketch

ROWS, COLUMNS = 128, 256


def clone(sketch: Sketch, view: View) -> View:
    """A dense tensor of the values that a view shows."""
    return sketch.cat(0, view)


def program_of(build: Callable[[Sketch], View]) -> LoopProgram:
    sketch = Sketch()
    sketch.output(build(sketch))
    return sketch.program()


def turned(rows: int = ROWS, columns: int = COLUMNS, dtype: DType = DType.F16) -> LoopProgram:
    """x [rows, columns] copied into cat [columns, rows]."""
    return program_of(lambda sketch: clone(sketch, transposed(sketch.input("x", rows, columns, dtype=dtype))))


def ways(program: LoopProgram, source: StickLayout) -> tuple[Candidate, ...]:
    """Candidates of the first op for a layout of what it reads."""
    scene = scene_of(program, problem_of(program).device)
    op = program.ops[0]
    return candidates(scene, op, {op.reads[0].buffer: source})


def default(program: LoopProgram) -> StickLayout:
    problem = problem_of(program)
    buffer = program.buffers[0]
    return stick_layout(buffer.shape, buffer.strides, problem.device.lanes(buffer.dtype))


def test_a_clone_is_a_pure_copy_and_so_is_a_part_of_a_cat() -> None:
    whole, part = turned(), program_of(lambda sketch: sketch.cat(1, sketch.input("a", 4, 64), sketch.input("b", 4, 64)))
    for program in (whole, part):
        assert all(is_pure_copy(op, program.buffer_map) for op in program.ops)


@pytest.mark.parametrize(
    "build",
    [
        lambda sketch: sketch.cast(sketch.input("x", 4, 64), DType.F32),
        lambda sketch: sketch.apply("relu", sketch.input("x", 4, 64)),
        lambda sketch: sketch.apply("add", sketch.input("x", 4, 64), sketch.input("y", 4, 64)),
        lambda sketch: sketch.pad(sketch.input("x", 4, 64), 0, 64),
        lambda sketch: sketch.rows_of(sketch.input("x", 4, 64), sketch.input("at", 3, dtype=DType.I64)),
        lambda sketch: sketch.reduce("sum", sketch.input("x", 4, 64), 1),
        lambda sketch: sketch.fill(4, 64),
        lambda sketch: sketch.opaque("cumsum", sketch.input("x", 4, 64)),
    ],
    ids=["cast", "function", "sum", "masked", "gathered", "reduced", "constant", "host"],
)
def test_what_computes_masks_or_gathers_is_no_pure_copy(build: Callable[[Sketch], View]) -> None:
    program = program_of(build)
    assert not is_pure_copy(program.ops[-1], program.buffer_map)


def test_a_copy_into_another_type_is_no_pure_copy() -> None:
    program = turned()
    buffers = dict(program.buffer_map)
    buffers["cat"] = replace(buffers["cat"], dtype=DType.BF16)
    assert not is_pure_copy(program.ops[0], buffers)
    op = program.ops[0]
    doubled = replace(op, body=(Load(0, DType.F16), Apply("neg", (0,), DType.F16)), results=(1,))
    assert not is_pure_copy(doubled, program.buffer_map)


def test_the_ordinary_ways_come_first_and_the_turned_one_needs_no_restickify() -> None:
    program = turned()
    source = default(program)
    found = ways(program, source)
    assert (found[0].loop, found[0].needs, found[0].outputs[0].stick_dim) == ("i", (source,), 0)
    across = [way for way in found if way.loop == "j" and way.needs == (source,)]
    assert [way.outputs[0] for way in across] == [stick_layout((COLUMNS, ROWS), (ROWS, 1), 64)]
    assert found.index(across[0]) > max(place for place, way in enumerate(found) if way.needs != (source,))


def test_every_dim_of_the_result_may_have_its_sticks() -> None:
    program = program_of(lambda s: clone(s, s.input("x", 3, 70, 130).permuted((2, 0, 1))))
    source = default(program)
    free = {way.outputs[0].stick_dim for way in ways(program, source) if way.needs == (source,)}
    assert free == {0, 1, 2}


def test_other_ops_do_not_turn_sticks() -> None:
    program = program_of(lambda s: s.apply("relu", transposed(s.input("x", ROWS, COLUMNS))))
    source = default(program)
    assert {way.loop for way in ways(program, source) if way.needs == (source,)} == {"i"}


@pytest.mark.parametrize("order", [(0, 1, SPARSE), (1, 0)])
def test_single_values_are_not_gathered(order: tuple[int, ...]) -> None:
    program = program_of(lambda s: clone(s, transposed(s.input("x", 1, COLUMNS))))
    spread = stick_layout((1, COLUMNS), (COLUMNS, 1), 64, order)
    found = ways(program, spread)
    assert {way.loop for way in found} == {None}


def test_a_slice_that_starts_inside_a_stick_is_restickified_first() -> None:
    program = program_of(lambda s: clone(s, transposed(s.input("x", ROWS, COLUMNS).sliced(1, 32, 96, 1))))
    source = default(program)
    assert all(way.needs != (source,) for way in ways(program, source))


def test_a_row_repeated_is_a_copy_to_other_sticks_too() -> None:
    program = program_of(lambda s: clone(s, unsqueezed(s.input("x", COLUMNS), 1).expanded((COLUMNS, ROWS))))
    source = default(program)
    assert {way.outputs[0].stick_dim for way in ways(program, source) if way.needs == (source,)} == {0, 1}


def test_a_staggered_source_is_written_in_standard_order() -> None:
    program = turned(dtype=DType.F32)
    staggered = stick_layout((ROWS, COLUMNS), (COLUMNS, 1), 32, arrangement=Arrangement.F16_TO_F32)
    across = [way for way in ways(program, staggered) if way.loop == "j" and way.needs == (staggered,)]
    assert [way.outputs[0].arrangement for way in across] == [Arrangement.STANDARD]


def test_the_plan_of_a_clone_that_its_reader_wants_turned() -> None:
    sketch = Sketch()
    x, y = sketch.input("x", 100, 130), sketch.input("y", 130, 100)
    sketch.output(sketch.apply("add", clone(sketch, transposed(x)), y))
    plan = legal(sketch)
    assert names(plan) == []
    assert plan.reasons["layout:cat"].startswith("sticks of dim 1 (j); copied from sticks of dim 1; ")
    assert transposes(sketch.ops[0], sketch.program().buffer_map, plan.layouts)


def test_a_clone_of_a_reshaped_view_is_written_as_its_reader_wants() -> None:
    """x [64, 128] turned and flattened: no stick of the flat vector is a stick of x."""
    sketch = Sketch()
    x, y = sketch.input("x", 64, 128), sketch.input("y", 128 * 64)
    flat = reshaped(clone(sketch, transposed(x)), 128 * 64)
    sketch.output(sketch.apply("add", flat, y))
    plan = legal(sketch)
    assert names(plan) == []


# Divided and priced


def layouts_of(program: LoopProgram, target: tuple[int, ...]) -> dict[str, StickLayout]:
    buffers = program.buffer_map
    return {
        "x": default(program),
        "cat": stick_layout(buffers["cat"].shape, buffers["cat"].strides, 64, target),
    }


def planned(target: tuple[int, ...]) -> tuple[Problem, Plan]:
    problem = problem_of(turned(1024, 1024))
    return problem, divided(problem, layouts_of(problem.program, target))


def test_both_loops_are_divided_in_whole_sticks() -> None:
    problem, plan = planned((0, 1))
    schedule = expand(problem.program, plan)
    space = space_of(schedule.steps[0].op, schedule, plan.layouts)
    assert {axis.name: (axis.lanes, axis.size) for axis in space.axes} == {"i": (64, 16), "j": (64, 16)}
    assert all(split.step % 64 == 0 for split in plan.divisions["part"].splits)


def test_a_copy_that_turns_sticks_takes_the_time_of_a_restickify() -> None:
    cost = price(*planned((0, 1)))
    assert cost.total_us == pytest.approx(36.16, abs=0.005)
    assert [term.name for term in cost.steps[0].terms] == ["restickify"]
    assert (cost.restickify_us, cost.restickify_elements) == (0, 0), "nothing was inserted"


def test_a_copy_that_keeps_its_sticks_takes_the_time_of_a_copy() -> None:
    cost = price(*planned((1, 0)))
    assert cost.total_us == pytest.approx(40.0, abs=0.005)
    assert [term.name for term in cost.steps[0].terms] == ["device memory", "read/write turnaround"]


def test_a_copy_with_a_side_on_chip_is_not_priced_as_a_restickify() -> None:
    """The result is written to device memory all the same, because it leaves the model."""
    problem, plan = planned((0, 1))
    resident = replace(plan, placement=plan.placement | {"cat": Slot(0, 65536, 0, 0)})
    cost = price(problem, resident)
    assert [term.name for term in cost.steps[0].terms] == ["device memory", "read/write turnaround"]
    assert cost.hbm_bytes == 2 * 1024 * 1024 * 2


@pytest.mark.parametrize("kind", [EditKind.REORDER, EditKind.PAD])
def test_inserted_copies_that_keep_their_sticks_are_plain_copies(kind: EditKind) -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.input("x", 1024, 1024)))
    problem = problem_of(sketch.program())
    edit = Edit("x.copy", kind, "x", "x.copy", "neg", ("neg",))
    padding = ((0, 1088),) if kind is EditKind.PAD else ()
    order = (0, 1) if kind is EditKind.PAD else (-2, 0, 1)
    layout = stick_layout((1024, 1024), (1024, 1), 64, order, padding=padding)
    plan = placed(problem, {"x.copy": layout}, (edit,))
    cost = price(problem, replace(plan, placement=plan.placement.delete("x.copy")))
    assert cost.steps[0].step == "x.copy"
    assert cost.steps[0].terms[0].name == "device memory"
    assert price(problem, plan).steps[0].terms[0].name == ("device memory" if padding else "load into LX")
    assert (cost.restickify_us, cost.restickify_elements) == (0, 0)
