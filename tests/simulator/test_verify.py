"""Verify on small programs: right ones agree with PyTorch under poison, verdicts tell rounding from corruption."""

import pytest
import torch

from compiler.errors import InputError, StoppedError
from compiler.program import Program
from simulator.functional.execute import execute
from simulator.functional.verify import verify
from simulator.report import Agreement, VerifyReport, describe
from tests.simulator.programs import CASES, Case, compared, matmul, softmax


def judge(case: Case, program: Program | None = None, *, poison: bool = True) -> VerifyReport:
    return verify(program or case.sketch.program(), case.inputs, case.expected, poison=poison)


@pytest.mark.parametrize("poison", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_right_programs_agree_with_pytorch(name: str, poison: bool) -> None:
    report = judge(CASES[name](), poison=poison)
    assert report.fault == ""
    assert report.first_divergence is None
    assert report.ok, report.outputs


@pytest.mark.parametrize("cores", [1, 2, 4, 8])
@pytest.mark.parametrize("resident", [True, False])
def test_cores_and_memory_change_no_value(cores: int, resident: bool) -> None:
    alone = softmax(cores=1, resident=False)
    many = softmax(cores=cores, resident=resident)
    assert torch.equal(
        execute(alone.sketch.program(), alone.inputs)["y"], execute(many.sketch.program(), many.inputs)["y"]
    )


def test_a_k_split_in_other_numbers_of_parts_is_still_right() -> None:
    for parts in (1, 2, 4):
        assert judge(matmul(k_split=parts)).ok


def test_infinity_and_nan_equal_themselves_and_nothing_else() -> None:
    case = CASES["divided_by_zero"]()
    assert judge(case).agreement is Agreement.EQUAL
    finite = torch.tensor([[65504.0, torch.nan, 0.5]]).half()
    found = judge(Case(case.sketch, case.inputs, (finite, case.outputs[1]))).outputs[0].comparison
    assert (found.agreement, found.beyond, found.first, found.got) == (Agreement.CORRUPTED, 1, (0, 0), "inf")


@pytest.mark.parametrize("lanes", [32, 64, 128])
def test_a_bool_tensor_in_any_width(lanes: int) -> None:
    assert judge(compared(lanes)).agreement is Agreement.EQUAL


def long_contraction() -> Case:
    return matmul(m=1, k=32768, n=64)


def test_a_long_contraction_in_f16_is_rounding_or_better() -> None:
    case = long_contraction()
    exact = torch.matmul(case.inputs["x"].double(), case.inputs["w"].double())
    assert float((case.outputs[0] - exact).abs().max()) > 0.005, "a flat tolerance would have flagged it"
    report = judge(case)
    assert report.ok
    assert report.outputs[0].comparison.cosine == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("make", [long_contraction, softmax, matmul])
def test_one_per_cent_everywhere_is_corrupted(make: object) -> None:
    assert callable(make)
    case = make()
    wrong = Case(case.sketch, case.inputs, (case.outputs[0] * 1.01,))
    report = judge(wrong)
    assert report.outputs[0].comparison.agreement is Agreement.CORRUPTED
    assert report.first_divergence is None, "every step did what it should: PyTorch computes something else"
    assert not report.ok


@pytest.mark.parametrize("make", [long_contraction, softmax, matmul])
def test_one_per_cent_of_the_elements_wrong_is_corrupted(make: object) -> None:
    assert callable(make)
    case = make()
    flat = case.outputs[0].clone().flatten()
    places = torch.arange(7, flat.numel(), 100)
    flat[places] += torch.where(flat[places] < 0, -1, 1) * flat.abs().max() / 8
    found = judge(Case(case.sketch, case.inputs, (flat.reshape(case.outputs[0].shape),))).outputs[0].comparison
    assert found.agreement is Agreement.CORRUPTED
    assert found.beyond == len(places)
    width = case.outputs[0].shape[1]
    assert found.first == (7 // width, 7 % width)
    assert not found.unrelated


def test_another_computation_is_called_unrelated() -> None:
    case = matmul()
    other = torch.randn(case.outputs[0].shape, generator=torch.Generator().manual_seed(9)).half() * 16
    report = judge(Case(case.sketch, case.inputs, (other,)))
    assert report.outputs[0].comparison.unrelated
    assert abs(report.outputs[0].comparison.cosine) < 0.1
    assert any("unrelated" in line for line in describe(report))


def test_a_wrong_integer_is_corrupted_however_small_the_error() -> None:
    case = CASES["integers"]()
    wrong = case.outputs[0].clone()
    wrong[3, 29] += 1
    found = judge(Case(case.sketch, case.inputs, (wrong, case.outputs[1]))).outputs[0].comparison
    assert (found.agreement, found.beyond, found.first) == (Agreement.CORRUPTED, 1, (3, 29))


def test_the_report_reads_like_a_verdict() -> None:
    lines = describe(judge(softmax()))
    assert lines[-1].startswith("sketch on 4 cores, poison on: ")
    assert lines[0].startswith("y f16[8,150]: ")


def test_inputs_that_do_not_fit_are_refused() -> None:
    case = matmul()
    with pytest.raises(InputError, match="it has no value"):
        judge(Case(case.sketch, {"x": case.inputs["x"]}, case.outputs))
    with pytest.raises(InputError, match=r"its shape is \(3,\)"):
        judge(Case(case.sketch, {**case.inputs, "w": torch.zeros(3)}, case.outputs))
    with pytest.raises(InputError, match="output y: PyTorch returns nothing under this name"):
        judge(Case(case.sketch, case.inputs, ()))
    with pytest.raises(InputError, match=r"PyTorch returns shape \(2,\)"):
        judge(Case(case.sketch, case.inputs, (torch.zeros(2),)))


def test_a_run_reports_its_steps_and_can_be_stopped_between_them() -> None:
    case = softmax()
    seen: list[tuple[float, str]] = []
    program = case.sketch.program()
    with pytest.raises(StoppedError):
        verify(
            program,
            case.inputs,
            case.expected,
            progress=lambda share, name: seen.append((share, name)),
            stopped=lambda: len(seen) == 2,
        )
    assert seen == [(0, "max"), (0.2, "sub")]
    with pytest.raises(StoppedError):
        execute(program, case.inputs, stopped=lambda: True)
