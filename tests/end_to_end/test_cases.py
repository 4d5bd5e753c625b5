"""Failures users of other tools met: each case is right on every core count, or refused before anything is made."""

from __future__ import annotations

import re

import numpy as np
import pytest

from compiler.errors import StudioError
from compiler.frontend.capture import capture_program, trace
from compiler.loops import ModelSource
from compiler.pipelines import PIPELINES
from compiler.plan import ReasonCode, Slot, Spilled
from compiler.solvers.table import SOLVERS
from simulator.functional.verify import verify
from simulator.report import Agreement
from tests.casebook import CASES
from tests.end_to_end.harness import compiled, model, verified

RIGHT = [name for name in CASES if name not in ("C41", "C42")]
CORES = (1, 3, 4, 32)


@pytest.mark.parametrize("cores", CORES)
@pytest.mark.parametrize("name", RIGHT)
def test_numbers_are_right_on_any_number_of_cores(name: str, cores: int) -> None:
    compilation = compiled(name, cores)
    assert compilation.ok
    report = verified(name, compilation)
    assert report.fault == ""
    assert report.ok, report


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["C01", "C04", "C12", "C29", "C30"])
def test_the_solver_changes_no_value(name: str, solver: str) -> None:
    pipeline = PIPELINES["staged"].replace("solver=best-fit", f"solver={solver}")
    assert f"solver={solver}" in pipeline
    compilation = compiled(name, 32, pipeline=pipeline)
    assert compilation.ok
    assert verified(name, compilation).ok


@pytest.mark.parametrize("cores", [4, 32])
def test_c01_a_value_of_one_core_is_not_read_on_chip_by_many(cores: int) -> None:
    plan = compiled("C01", cores).plan
    one_core = [name for name, division in plan.divisions.items() if division.cores == 1]
    spread = [name for name, division in plan.divisions.items() if division.cores == cores]
    assert one_core
    assert spread
    scale = next(
        place for name, place in plan.placement.items() if name.startswith("cast") and isinstance(place, Spilled)
    )
    assert scale.code is ReasonCode.DIVISION_MISMATCH
    assert "core" in scale.detail


@pytest.mark.parametrize(("rows", "most"), [("C04", 3), ("C04-31", 1), ("C04-32", 1), ("C04-64", 2)])
def test_c04_every_row_is_exactly_half(rows: str, most: int) -> None:
    compilation = compiled(rows, 32)
    report = verified(rows, compilation)
    assert [output.comparison.agreement for output in report.outputs] == [Agreement.EQUAL]
    mean = compilation.program.kernels[0].ops[0]
    assert max(high - low for part in mean.slices for low, high in part.ranges[:1]) == most


def test_c05_a_value_alive_across_an_opaque_operator_stays_off_chip() -> None:
    compilation = compiled("C05", 4)
    across = [
        name
        for name, place in compilation.plan.placement.items()
        if isinstance(place, Spilled) and place.code is ReasonCode.ACROSS_OPAQUE
    ]
    assert across
    assert [len(kernel.steps) for kernel in compilation.plan.kernels if "opaque" in kernel.steps[0]] == [1]


def test_c12_a_mean_of_nine_zeros_is_zero() -> None:
    output = next(iter(model("C12-zero")[1].outputs.values()))
    assert not output.any()
    assert verified("C12-zero", compiled("C12-zero", 4)).agreement is Agreement.EQUAL


def test_c12_the_lanes_beyond_nine_are_masked() -> None:
    reduction = next(op for op in compiled("C12", 1).program.kernels[0].ops if op.op.reduction_loops)
    assert reduction.masked == (reduction.op.reduction_loops[0].name,)


def test_c18_strided_rows_keep_their_offset() -> None:
    output = next(iter(model("C18")[1].outputs.values()))
    assert output[:, 0].tolist() == [2, 6, 10, 14]
    assert verified("C18", compiled("C18", 4)).agreement is Agreement.EQUAL


def test_c29_a_shared_weight_is_read_without_its_batches() -> None:
    program = model("C29")[0].program
    products = [op for op in program.ops if op.kind == "matmul"]
    assert len(products) == 2
    assert all(op.kind == "matmul" for op in program.ops), "nothing is expanded or copied"


def test_c30_keys_and_values_are_read_once_per_group() -> None:
    captured, _ = model("C30")
    program = captured.program
    heads = 2
    for op in program.ops:
        for access in op.reads:
            if access.buffer in ("inputs_1", "inputs_2"):
                assert program.buffer_map[access.buffer].shape[1] == heads
                assert op.kind == "matmul"
                group = [
                    loop for loop in op.output_loops if loop.extent == 4 and not access.index.coefficient(loop.name)
                ]
                assert group, "the four query heads of a group share one read"


@pytest.mark.parametrize("cores", CORES)
def test_c31_rounding_of_a_long_contraction_is_told_from_one_per_cent(cores: int) -> None:
    """PyTorch's own sum in float16 is off by more than a flat tolerance of 0.005 would allow."""
    compilation, numbers = compiled("C31", cores), model("C31")[1]
    assert max(op.op.reduction_loops[0].extent for kernel in compilation.program.kernels for op in kernel.ops) == 32768
    assert verified("C31", compilation).ok
    for factor in (0.99, 1.01):
        off = {name: (value * factor).to(value.dtype) for name, value in numbers.outputs.items()}
        report = verify(compilation.program, numbers.inputs, off)
        assert report.agreement is Agreement.CORRUPTED
        assert report.first_divergence is None, "the device did what it should"
        assert report.outputs[0].errors is not None


def test_c41_complex_numbers_are_refused_by_name() -> None:
    module, inputs = CASES["C42"]()
    with pytest.raises(StudioError, match=re.escape("complex64")):
        capture_program(trace(module, inputs, {}), "C42", ModelSource("C42"))


def test_no_two_live_ranges_overlap_and_all_end_within_the_budget() -> None:
    compilation = compiled("C30", 4)
    slots = {name: place for name, place in compilation.plan.placement.items() if isinstance(place, Slot)}
    assert slots
    assert max(slot.address + slot.size_bytes for slot in slots.values()) <= compilation.problem.device.lx_budget_bytes
    steps = max(slot.last_step for slot in slots.values()) + 1
    for step in range(steps):
        alive = sorted(
            (slot.address, slot.address + slot.size_bytes)
            for slot in slots.values()
            if slot.first_step <= step < slot.last_step
        )
        ends = np.array([end for _, end in alive[:-1]])
        starts = np.array([start for start, _ in alive[1:]])
        assert (ends <= starts).all()


def test_a_result_that_is_returned_twice_has_two_names() -> None:
    program = model("twice")[0].program
    assert [view.name for view in program.outputs] == ["output.0", "output.1", "output.2"]
    assert program.outputs[0].buffer == program.outputs[1].buffer
