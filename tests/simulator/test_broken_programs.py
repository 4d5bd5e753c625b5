"""Programs that are wrong in one place: poison, bounds and the step-by-step check must show each of them."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from compiler.layout import stick_layout
from compiler.program import DeviceOp, DeviceTensor, Memory, Program
from simulator.functional.verify import verify
from simulator.report import VerifyReport
from tests.simulator.programs import CASES, Case, compared, gathered, integers, matmul, softmax, sorted_on_host


def retensor(program: Program, name: str, change: Callable[[DeviceTensor], DeviceTensor]) -> Program:
    """The program with one tensor changed."""
    return replace(program, tensors=tuple(change(each) if each.name == name else each for each in program.tensors))


def restep(program: Program, name: str, change: Callable[[DeviceOp], DeviceOp]) -> Program:
    """The program with one step changed."""
    (kernel,) = program.kernels
    return replace(
        program,
        kernels=(replace(kernel, ops=tuple(change(each) if each.name == name else each for each in kernel.ops)),),
    )


def passing(core: int, to: int) -> Callable[[DeviceOp], DeviceOp]:
    """A step whose core sends its partial result elsewhere."""
    return lambda op: replace(
        op, slices=tuple(replace(part, pass_to=to) if part.core == core else part for part in op.slices)
    )


def judge(case: Case, program: Program, *, poison: bool = True) -> VerifyReport:
    report = verify(program, case.inputs, case.expected, poison=poison)
    assert not report.ok
    return report


def wrong_step(report: VerifyReport) -> str:
    assert report.fault == ""
    assert report.first_divergence is not None
    return report.first_divergence.step


def test_two_tensors_at_one_address_in_device_memory() -> None:
    case = matmul()
    report = judge(case, retensor(case.sketch.program(), "w", lambda t: replace(t, address=0)))
    assert wrong_step(report) == "mm"
    assert report.outputs[0].comparison.beyond > 0


def test_a_live_range_in_lx_that_another_tensor_takes() -> None:
    case = softmax()
    report = judge(case, retensor(case.sketch.program(), "s", lambda t: replace(t, address=128)))
    assert wrong_step(report) == "div", "the sum is written into e, which div then reads"


def test_a_sum_over_padding_that_is_not_masked() -> None:
    case = softmax()
    program = restep(case.sketch.program(), "sum", lambda op: replace(op, masked=()))
    report = judge(case, program)
    assert wrong_step(report) == "sum"
    assert report.outputs[0].comparison.cosine == 0.0, "NaN everywhere"
    assert verify(program, case.inputs, case.expected, poison=False).ok, "without poison, padding happens to be 0"


def test_a_maximum_over_padding_that_is_not_masked() -> None:
    case = softmax(resident=False)
    report = judge(case, restep(case.sketch.program(), "max", lambda op: replace(op, masked=())))
    assert wrong_step(report) == "max"


def test_a_contraction_over_padding_that_is_not_masked() -> None:
    case = matmul(k=100, k_split=1)
    assert verify(case.sketch.program(), case.inputs, case.expected).ok
    report = judge(case, restep(case.sketch.program(), "mm", lambda op: replace(op, masked=())))
    assert wrong_step(report) == "mm"


def test_staggered_padding_that_is_not_masked() -> None:
    case = CASES["staggered_sum"]()
    report = judge(case, restep(case.sketch.program(), "sum", lambda op: replace(op, masked=())))
    assert wrong_step(report) == "sum"


def test_integer_padding_that_is_not_masked() -> None:
    case = CASES["integer_rows"]()
    assert verify(case.sketch.program(), case.inputs, case.expected).ok
    report = judge(case, restep(case.sketch.program(), "sum", lambda op: replace(op, masked=())))
    assert wrong_step(report) == "sum"


@pytest.mark.parametrize("name", ["sub", "exp", "div", "max", "sum"])
def test_a_core_without_its_slice(name: str) -> None:
    case = softmax(resident=False)
    report = judge(case, restep(case.sketch.program(), name, lambda op: replace(op, slices=op.slices[:-1])))
    assert wrong_step(report) == name
    assert report.first_divergence is not None
    assert report.first_divergence.comparison.got == "nan"


def test_a_core_without_its_slice_in_lx() -> None:
    case = softmax()
    report = judge(case, restep(case.sketch.program(), "exp", lambda op: replace(op, slices=op.slices[1:])))
    assert report.first_divergence is not None
    assert report.first_divergence.step == "exp"


def test_integers_and_bools_no_core_wrote() -> None:
    case = integers()
    report = judge(case, restep(case.sketch.program(), "third", lambda op: replace(op, slices=op.slices[:1])))
    assert wrong_step(report) == "third"
    for lanes in (32, 64):
        case = compared(lanes)
        same = Case(case.sketch, {**case.inputs, "b": case.inputs["a"]}, ())
        program = restep(case.sketch.program(), "gt", lambda op: replace(op, slices=op.slices[:2]))
        report = verify(program, same.inputs, {"c": torch.zeros(6, 100, dtype=torch.bool), "y": -case.inputs["a"]})
        assert not report.ok, "a > a is False everywhere, but some of it was never written"
        assert report.first_divergence is not None
        assert report.first_divergence.step == "gt"


def test_a_step_that_runs_too_early_reads_poison() -> None:
    case = softmax(resident=False)
    program = case.sketch.program()
    (kernel,) = program.kernels
    order = [kernel.ops[place] for place in (1, 0, 2, 3, 4)]
    report = judge(case, replace(program, kernels=(replace(kernel, ops=tuple(order)),)))
    assert torch.isnan(torch.tensor(float(report.outputs[0].comparison.got)))


def test_a_consumer_on_other_cores_than_the_producer() -> None:
    case = softmax()

    def turn(op: DeviceOp) -> DeviceOp:
        ranges = [part.ranges for part in op.slices]
        turned = zip(op.slices, ranges[1:] + ranges[:1], strict=True)
        return replace(op, slices=tuple(replace(part, ranges=each) for part, each in turned))

    report = judge(case, restep(case.sketch.program(), "div", turn))
    assert report.fault.startswith("step div: LX read outside what core 0 holds of e; ")
    assert report.outputs == ()


def test_a_reader_on_a_core_that_holds_nothing() -> None:
    case = softmax()
    program = retensor(case.sketch.program(), "m", lambda t: replace(t, boxes=t.boxes[:3]))
    assert "LX write outside what core 3 holds of m" in judge(case, program).fault


def test_a_box_that_starts_one_row_late() -> None:
    case = softmax()

    def shift(tensor: DeviceTensor) -> DeviceTensor:
        first = tensor.boxes[0]
        start = tuple(each + (place == 1) for place, each in enumerate(first.start))
        return replace(tensor, boxes=(replace(first, start=start), *tensor.boxes[1:]))

    assert "LX write outside what core 0 holds of e" in judge(case, retensor(case.sketch.program(), "e", shift)).fault


def test_a_partial_sum_that_goes_to_the_wrong_chain() -> None:
    case = matmul()
    report = judge(case, restep(case.sketch.program(), "mm", passing(2, 7)))
    assert wrong_step(report) == "mm"


def test_a_partial_sum_that_is_not_passed_on() -> None:
    case = matmul()
    assert wrong_step(judge(case, restep(case.sketch.program(), "mm", passing(2, -1)))) == "mm"


@pytest.mark.parametrize(
    ("core", "to", "why"),
    [
        (2, 31, "a partial result goes to core 31, which does not take part"),
        (3, 0, "partial results go round in a ring"),
    ],
)
def test_a_chain_that_cannot_work(core: int, to: int, why: str) -> None:
    case = matmul()
    assert why in judge(case, restep(case.sketch.program(), "mm", passing(core, to))).fault


def test_partial_results_of_different_sizes() -> None:
    case = matmul()

    def narrow(op: DeviceOp) -> DeviceOp:
        first = op.slices[0]
        return replace(op, slices=(replace(first, ranges=((0, 16), *first.ranges[1:])), *op.slices[1:]))

    assert "partial results of 16x64 and 32x64" in judge(case, restep(case.sketch.program(), "mm", narrow)).fault


def test_partial_results_that_cannot_be_joined() -> None:
    case = softmax(resident=False)
    report = judge(case, restep(case.sketch.program(), "div", passing(0, 1)))
    assert "partial results of pointwise cannot be joined" in report.fault


def test_one_core_with_two_slices() -> None:
    case = softmax()
    report = judge(case, restep(case.sketch.program(), "max", lambda op: replace(op, slices=op.slices + op.slices[:1])))
    assert "a core has two slices" in report.fault


def test_a_tensor_beyond_its_memory() -> None:
    case = softmax()
    program = case.sketch.program()
    short = replace(program, hbm_bytes=program.hbm_bytes - 128)
    assert "device memory" in judge(case, short).fault
    assert "LX of core 0" in judge(case, replace(program, lx_bytes=program.lx_bytes - 128)).fault
    odd = retensor(program, "e", lambda t: replace(t, address=64))
    assert "are not whole sticks" in judge(case, odd).fault


def test_a_layout_for_another_type() -> None:
    case = matmul()
    narrow = stick_layout((32, 128), (128, 1), 32)
    program = retensor(case.sketch.program(), "y", lambda t: replace(t, layout=narrow))
    assert "its layout has 32 elements per stick, f16 has not" in judge(case, program).fault


def test_an_index_beyond_the_table() -> None:
    case = gathered()
    numbers = {**case.inputs, "n": torch.tensor([3, -1, 0, 10, -10])}
    report = verify(case.sketch.program(), numbers, case.expected)
    assert "looks up entry 10 of a dimension with 10 entries" in report.fault


def test_the_host_sees_device_memory_only() -> None:
    case = sorted_on_host()
    program = replace(case.sketch, lx={"a": 0}).program()
    assert "the host cannot read a, which is in LX" in judge(case, program).fault
    last = softmax(cores=1)
    program = replace(last.sketch, lx={"y": 0}).program()
    assert "the host cannot read y, which is in LX" in judge(last, program).fault


def test_a_read_beyond_the_tensor() -> None:
    case = CASES["strided"]()
    program = case.sketch.program()
    shape = stick_layout((8, 128), (128, 1), 64)
    assert program.tensor_map["x"].memory is Memory.HBM
    report = judge(case, retensor(program, "x", lambda t: replace(t, layout=shape)))
    assert "outside the tensor" in report.fault
