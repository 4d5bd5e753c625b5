"""Compiled programs with one thing wrong: the simulator alone has to notice, since no check looks at a program."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest

from compiler.plan import EditKind
from compiler.program import CoreSlice, DeviceOp, DeviceTensor, Program
from simulator.report import VerifyReport, describe
from tests.simulator.compiled_cases import MAKERS, Compiled, compiled_case

Change = Callable[[DeviceOp], DeviceOp]


def with_ops(program: Program, change: Callable[[tuple[DeviceOp, ...]], tuple[DeviceOp, ...]]) -> Program:
    """The program with the steps of every kernel changed."""
    return replace(program, kernels=tuple(replace(kernel, ops=change(kernel.ops)) for kernel in program.kernels))


def with_step(program: Program, name: str, change: Change) -> Program:
    """The program with one step changed."""
    return with_ops(program, lambda ops: tuple(change(op) if op.name == name else op for op in ops))


def without(program: Program, name: str) -> Program:
    """The program with one step left out."""
    return with_ops(program, lambda ops: tuple(op for op in ops if op.name != name))


def moved_before(program: Program, name: str, other: str) -> Program:
    """The program with one step run right before another."""

    def order(ops: tuple[DeviceOp, ...]) -> tuple[DeviceOp, ...]:
        (step,) = [op for op in ops if op.name == name]
        rest = [op for op in ops if op.name != name]
        place = next(place for place, op in enumerate(rest) if op.name == other)
        return (*rest[:place], step, *rest[place:])

    return with_ops(program, order)


def with_tensor(program: Program, name: str, change: Callable[[DeviceTensor], DeviceTensor]) -> Program:
    """The program with one tensor changed."""
    return replace(program, tensors=tuple(change(each) if each.name == name else each for each in program.tensors))


def with_slice(core: int, change: Callable[[CoreSlice], CoreSlice]) -> Change:
    """A step with the slice of one core changed."""
    return lambda op: replace(op, slices=tuple(change(part) if part.core == core else part for part in op.slices))


def swapped(op: DeviceOp) -> DeviceOp:
    """The first two cores do each other's part."""
    one, other, *rest = op.slices
    pair = (replace(one, ranges=other.ranges), replace(other, ranges=one.ranges))
    return replace(op, slices=(*pair, *rest))


def shortened(place: int, part: CoreSlice) -> CoreSlice:
    """One iteration less of a loop."""
    low, high = part.ranges[place]
    return replace(part, ranges=(*part.ranges[:place], (low, high - 1), *part.ranges[place + 1 :]))


def caught(case: Compiled, program: Program) -> VerifyReport:
    """The verdict on a changed program, after the right one was found to be right."""
    assert case.judge().ok
    assert program != case.program, "something was changed"
    report = case.judge(program)
    assert not report.ok
    return report


def diverges_at(report: VerifyReport, step: str) -> None:
    assert report.fault == ""
    assert report.first_divergence is not None
    assert report.first_divergence.step == step
    assert report.first_divergence.errors is not None
    assert any(line.startswith("  worst: ") for line in describe(report))


def reads_nothing(report: VerifyReport, step: str, buffer: str) -> None:
    """The first wrong step is the one that reads what nobody has written."""
    assert report.fault == ""
    assert report.first_divergence is not None
    assert (report.first_divergence.step, report.first_divergence.unwritten) == (step, buffer)
    assert any(f"it reads {buffer}, which no step has written" in line for line in describe(report))


def test_a_box_that_belongs_to_another_core() -> None:
    case = compiled_case("softmax")

    def turned(tensor: DeviceTensor) -> DeviceTensor:
        one, other, *rest = tensor.boxes
        return replace(tensor, boxes=(replace(one, core=other.core), replace(other, core=one.core), *rest))

    report = caught(case, with_tensor(case.program, "softmax/exp", turned))
    assert "LX write outside what core 0 holds of softmax/exp" in report.fault


def test_two_live_tensors_at_one_place_in_lx() -> None:
    case = compiled_case("softmax")
    there = case.tensor("softmax/exp").address
    report = caught(case, with_tensor(case.program, "softmax/sum", lambda t: replace(t, address=there)))
    diverges_at(report, "softmax/div")


def test_two_live_tensors_that_share_one_stick_of_lx() -> None:
    case = compiled_case("softmax")
    tensor = case.tensor("softmax/max")
    report = caught(case, with_tensor(case.program, tensor.name, lambda t: replace(t, address=t.address - 128)))
    diverges_at(report, "softmax/sub")


@pytest.mark.parametrize("step", ["softmax/max", "softmax/sum"])
def test_padding_that_is_not_masked(step: str) -> None:
    case = compiled_case("softmax")
    diverges_at(caught(case, with_step(case.program, step, lambda op: replace(op, masked=()))), step)


def test_a_mask_on_the_wrong_loop() -> None:
    case = compiled_case("softmax")
    diverges_at(
        caught(case, with_step(case.program, "softmax/sum", lambda op: replace(op, masked=("i",)))), "softmax/sum"
    )


def test_a_contraction_whose_tail_is_not_masked() -> None:
    case = compiled_case("padded")
    diverges_at(caught(case, with_step(case.program, "matmul", lambda op: replace(op, masked=()))), "matmul")


def test_zeros_that_nobody_writes_behind_the_last_row() -> None:
    """Zero times what lies there is NaN if that is NaN."""
    case = compiled_case("padded")
    name = case.move(EditKind.PAD)

    def bare(tensor: DeviceTensor) -> DeviceTensor:
        return replace(tensor, layout=replace(tensor.layout, padding=()))

    diverges_at(caught(case, with_tensor(case.program, name, bare)), "matmul")


def test_a_relayout_that_is_left_out() -> None:
    case = compiled_case("carried")
    move = case.move(EditKind.RELAYOUT)
    reads_nothing(caught(case, without(case.program, move)), "relu", move)


def test_a_relayout_that_runs_before_its_source_is_written() -> None:
    case = compiled_case("carried")
    move = case.move(EditKind.RELAYOUT)
    reads_nothing(caught(case, moved_before(case.program, move, "neg")), move, "neg")


def test_a_relayout_that_reads_local_lx_only() -> None:
    case = compiled_case("carried")
    move = case.move(EditKind.RELAYOUT)
    report = caught(case, with_step(case.program, move, lambda op: replace(op, ring=False)))
    assert f"step {move}: LX read outside what core 0 holds of neg" in report.fault


def test_a_reader_that_is_served_from_the_place_before_the_relayout() -> None:
    """The reader goes to what its cores hold of the source, which is columns where it needs rows."""
    case = compiled_case("carried")
    move = case.move(EditKind.RELAYOUT)

    def stale(op: DeviceOp) -> DeviceOp:
        reads = tuple(replace(read, buffer="neg") if read.buffer == move else read for read in op.op.reads)
        return replace(op, op=replace(op.op, reads=reads))

    report = caught(case, without(with_step(case.program, "relu", stale), move))
    assert "LX read outside what core 0 holds of neg" in report.fault


def test_a_relayout_of_what_no_core_holds() -> None:
    case = compiled_case("carried")
    report = caught(case, with_tensor(case.program, "neg", lambda t: replace(t, boxes=t.boxes[:-1])))
    assert "outside what core 3 holds of neg" in report.fault
    producer = with_step(case.program, "neg", lambda op: replace(op, slices=op.slices[:-1]))
    report = caught(case, with_tensor(producer, "neg", lambda t: replace(t, boxes=t.boxes[:-1])))
    assert "over the ring, and no core holds it" in report.fault


def test_a_relayout_into_the_place_it_reads() -> None:
    case = compiled_case("carried")
    move = case.move(EditKind.RELAYOUT)
    there = case.tensor("neg").address
    diverges_at(caught(case, with_tensor(case.program, move, lambda t: replace(t, address=there))), move)


def test_a_result_in_place_of_an_operand_that_is_still_needed() -> None:
    case = compiled_case("kept")
    there = case.tensor("neg").address
    diverges_at(caught(case, with_tensor(case.program, "exp", lambda t: replace(t, address=there))), "add")


def test_a_clone_in_that_is_left_out() -> None:
    case = compiled_case("softmax")
    move = case.move(EditKind.CLONE_IN)
    reads_nothing(caught(case, without(case.program, move)), "softmax/max", move)


def test_a_clone_in_that_comes_too_late() -> None:
    case = compiled_case("softmax")
    move = case.move(EditKind.CLONE_IN)
    reads_nothing(caught(case, moved_before(case.program, move, "softmax/sub")), "softmax/max", move)


def test_an_output_that_is_not_copied_out() -> None:
    case = compiled_case("shown")
    report = caught(case, without(case.program, case.move(EditKind.CLONE_OUT)))
    assert report.fault == ""
    assert report.first_divergence is None, "every step that ran did what it should"
    (name,) = [view.name for view in case.program.outputs if view.buffer == case.move(EditKind.CLONE_OUT)]
    wrong = next(each for each in report.outputs if each.name == name)
    assert wrong.comparison.beyond == wrong.comparison.elements
    assert wrong.errors is not None
    assert [each.core for each in wrong.errors.cores] == [-1], "no core wrote it"


def test_an_output_that_is_copied_out_before_it_is_made() -> None:
    case = compiled_case("shown")
    move = case.move(EditKind.CLONE_OUT)
    reads_nothing(caught(case, moved_before(case.program, move, "neg")), move, "neg")


def test_slices_that_two_cores_have_swapped_read_what_they_do_not_hold() -> None:
    case = compiled_case("softmax")
    report = caught(case, with_step(case.program, "softmax/div", swapped))
    assert "step softmax/div: LX read outside what core 0 holds" in report.fault


def test_two_cores_that_do_the_same_part() -> None:
    case = compiled_case("turned")
    first = case.steps["add"].slices[0].ranges
    report = caught(case, with_step(case.program, "add", with_slice(1, lambda part: replace(part, ranges=first))))
    diverges_at(report, "add")
    errors = report.outputs[0].errors
    assert errors is not None
    assert errors.worst_core is not None
    assert errors.worst_core.core == -1, "nobody did the other part"


@pytest.mark.parametrize("place", [0, 1])
def test_a_slice_that_is_too_short(place: int) -> None:
    case = compiled_case("turned")
    report = caught(case, with_step(case.program, "add", with_slice(2, partial(shortened, place))))
    diverges_at(report, "add")


def test_a_partial_sum_that_is_lost() -> None:
    case = compiled_case("summed")
    giver = next(part for part in case.steps["matmul"].slices if part.pass_to >= 0)

    def dropped(op: DeviceOp) -> DeviceOp:
        return replace(op, slices=tuple(part for part in op.slices if part.core != giver.core))

    diverges_at(caught(case, with_step(case.program, "matmul", dropped)), "matmul")


def test_a_partial_sum_that_is_written_instead_of_passed_on() -> None:
    case = compiled_case("summed")
    giver = next(part for part in case.steps["matmul"].slices if part.pass_to >= 0)
    keep = with_slice(giver.core, lambda part: replace(part, pass_to=-1))
    diverges_at(caught(case, with_step(case.program, "matmul", keep)), "matmul")


def test_a_partial_sum_that_goes_to_another_chain() -> None:
    case = compiled_case("summed")
    slices = case.steps["matmul"].slices
    giver = next(part for part in slices if part.pass_to >= 0)
    stranger = next(part for part in slices if part.pass_to < 0 and part.ranges[0] != giver.ranges[0])
    astray = with_slice(giver.core, lambda part: replace(part, pass_to=stranger.core))
    diverges_at(caught(case, with_step(case.program, "matmul", astray)), "matmul")


def test_a_contraction_that_leaves_out_one_row() -> None:
    case = compiled_case("summed")
    place = next(place for place, loop in enumerate(case.steps["matmul"].op.loops) if loop.name == "k")
    diverges_at(caught(case, with_step(case.program, "matmul", with_slice(1, partial(shortened, place)))), "matmul")


def test_two_inputs_at_one_address_of_device_memory() -> None:
    case = compiled_case("turned")
    there = case.tensor("inputs_0").address
    report = caught(case, with_tensor(case.program, "inputs_1", lambda t: replace(t, address=there)))
    assert report.fault == ""
    assert report.first_divergence is not None


def test_a_result_that_is_written_over_a_live_input() -> None:
    case = compiled_case("turned")
    there, move = case.tensor("inputs_1").address, case.move(EditKind.RESTICKIFY)
    diverges_at(caught(case, with_tensor(case.program, move, lambda t: replace(t, address=there))), "add")


def test_a_restickify_that_is_left_out() -> None:
    case = compiled_case("turned")
    move = case.move(EditKind.RESTICKIFY)
    reads_nothing(caught(case, without(case.program, move)), "add", move)


def test_sticks_that_are_read_as_if_they_had_been_restickified() -> None:
    """The reader goes to the bytes of the source, which lie in sticks of the other dim."""
    case = compiled_case("turned")
    move, there = case.move(EditKind.RESTICKIFY), case.tensor("inputs_0").address
    skipped = with_tensor(without(case.program, move), move, lambda t: replace(t, address=there))
    report = caught(case, skipped)
    reads_nothing(report, "add", move)
    assert report.outputs[0].comparison.beyond > 0, "which would be numbers, but not these"


def readers(case: Compiled) -> Iterator[tuple[str, str]]:
    """Pairs of a step and a later one that reads what it writes."""
    steps = list(case.steps.values())
    for place, op in enumerate(steps):
        for later in steps[place + 1 :]:
            if any(read.buffer == op.op.write.buffer for read in later.op.reads):
                yield op.name, later.name


@pytest.mark.parametrize("name", MAKERS)
def test_no_step_can_be_left_out_or_lose_a_core_or_come_late(name: str) -> None:
    case = compiled_case(name)
    for step in case.steps:
        assert not case.judge(without(case.program, step)).ok
        fewer = with_step(case.program, step, lambda op: replace(op, slices=op.slices[1:]))
        assert not case.judge(fewer).ok
    for step, reader in readers(case):
        assert not case.judge(moved_before(case.program, reader, step)).ok
