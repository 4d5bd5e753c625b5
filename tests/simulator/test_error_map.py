"""Error maps: where a result is wrong, by element, stick and core, against errors put there by hand."""

import json
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from compiler.codec import structure, unstructure
from simulator.error_map import CELLS, HOST, MOST, NO_NUMBER, STICKS, ErrorMap, cell_of, worst
from simulator.functional.heat import Places, error_map, places_of_output, places_of_step
from simulator.functional.verify import verify
from simulator.report import Agreement, VerifyReport, describe
from tests.simulator.programs import CASES, Case, matmul, scattered, softmax, sorted_on_host
from tests.simulator.test_broken_programs import restep


def unknown(shape: tuple[int, ...]) -> Places:
    """One stick, nobody's."""
    still = torch.zeros([1] * len(shape), dtype=torch.int64).numpy()
    return Places((1,), still, still + HOST)


def wrong_at(case: Case, *places: tuple[int, ...], by: float = 1.0) -> VerifyReport:
    """The verdict if PyTorch's result were otherwise at some places."""
    other = case.outputs[0].clone()
    for place in places:
        other[place] += by
    return verify(case.sketch.program(), case.inputs, {**case.expected, case.sketch.outputs[0]: other})


def errors_of(report: VerifyReport) -> ErrorMap:
    assert report.outputs[0].errors is not None
    return report.outputs[0].errors


@pytest.mark.parametrize("size", [1, 7, 63, 64, 65, 100, 128, 1000])
def test_cells_share_a_dim_evenly_and_in_order(size: int) -> None:
    cells = [cell_of(place, size) for place in range(size)]
    assert cells == sorted(cells)
    assert set(cells) == set(range(min(size, CELLS)))
    counts = [cells.count(cell) for cell in set(cells)]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("shape", [(), (5,), (100, 130), (3, 50, 7), (1, 1)])
def test_an_error_is_in_the_cell_of_its_element(shape: tuple[int, ...]) -> None:
    want = torch.zeros(shape)
    columns = shape[-1] if shape else 1
    for number in {0, want.numel() // 2, want.numel() - 1}:
        got = want.clone()
        got.view(-1)[number] = -0.5
        errors = error_map(got, want, torch.full(shape, 0.25, dtype=torch.float64), unknown(shape))
        assert (errors.rows, errors.columns) == (want.numel() // columns, columns)
        assert len(errors.absolute) == min(CELLS, errors.rows)
        assert {len(row) for row in errors.absolute} == {min(CELLS, columns)}
        row, column = cell_of(number // columns, errors.rows), cell_of(number % columns, columns)
        assert (errors.absolute[row][column], errors.deviations[row][column]) == (0.5, 2.0)
        assert sum(map(sum, errors.absolute)) == 0.5, "nowhere else"


def test_what_is_no_number_counts_as_much_as_can_be() -> None:
    got, want = torch.tensor([torch.nan, torch.inf, 1.0, torch.nan]), torch.tensor([1.0, 1.0, 1.0, torch.nan])
    errors = error_map(got, want, torch.ones(4, dtype=torch.float64), unknown((4,)))
    assert errors.absolute == ((NO_NUMBER, NO_NUMBER, 0.0, 0.0),)
    assert errors.deviations == ((MOST, MOST, 0.0, 0.0),)
    assert "NaN or infinity" in worst(errors)
    exact = error_map(torch.tensor([2]), torch.tensor([1]), None, unknown((1,)))
    assert exact.deviations == ((MOST,),), "nothing is rounded, so nothing explains it"


def test_an_error_names_its_core_and_its_stick() -> None:
    """8 rows of 150 on four cores: row 5 is the third core's, column 70 in the second of three sticks."""
    report = wrong_at(softmax(), (5, 70))
    errors = errors_of(report)
    assert [each.core for each in errors.cores] == [0, 1, 2, 3]
    assert [each.beyond for each in errors.cores] == [0, 0, 1, 0]
    assert {each.elements for each in errors.cores} == {300}
    assert errors.worst_core is errors.cores[2]
    assert errors.worst_stick is not None
    assert (errors.worst_stick.stick, errors.worst_stick.beyond, errors.worst_stick.elements) == ((1, 5), 1, 64)
    assert errors.worst_stick.max_abs == pytest.approx(1.0, abs=0.01)
    (line,) = [line for line in describe(report) if line.startswith("  worst: ")]
    assert line.startswith("  worst: core 2, 1 of its 300 elements beyond rounding, max |d| 1; stick [1,5], 1 of 64, ")


def test_the_core_of_a_chain_that_writes_is_the_last() -> None:
    report = wrong_at(matmul(), (31, 127), by=50.0)
    slices = matmul().sketch.program().kernels[0].ops[0].slices
    writers = [part.core for part in slices if part.pass_to < 0]
    assert [each.core for each in errors_of(report).cores] == sorted(writers)
    assert errors_of(report).worst_core is not None


@pytest.mark.parametrize("name", CASES)
def test_every_element_of_an_output_has_a_stick_and_a_core(name: str) -> None:
    program = CASES[name]().sketch.program()
    tensors = program.tensor_map
    for view in program.outputs:
        places = places_of_output(program, view)
        shape = torch.zeros(view.shape)
        sticks = torch.from_numpy(places.stick).broadcast_to(shape.shape)
        cores = torch.from_numpy(places.core.copy()).broadcast_to(shape.shape)
        assert places.grid == tensors[view.buffer].layout.device_size[:-1]
        assert 0 <= int(sticks.min()) <= int(sticks.max()) < tensors[view.buffer].layout.sticks
        assert int(cores.max()) < program.cores
        steps = [op for kernel in program.kernels for op in kernel.ops]
        known = all(each.op.call is None and not each.op.write.index.gathers for each in steps)
        assert int(cores.min()) >= 0 or not known


def test_what_the_host_wrote_or_a_scatter_found_is_nobodys() -> None:
    for case in (sorted_on_host(), scattered()):
        program = case.sketch.program()
        steps = [op for kernel in program.kernels for op in kernel.ops]
        step = next(each for each in steps if each.op.call or each.op.write.index.gathers)
        places = places_of_step(program, step, 0)
        assert (places.core.max() == HOST) == (step.op.call is not None)


def test_equal_results_have_no_map_and_rounded_ones_one_without_alarm() -> None:
    exact, rounded = CASES["strided"](), softmax()
    report = verify(exact.sketch.program(), exact.inputs, exact.expected)
    assert report.agreement is Agreement.EQUAL
    assert report.outputs[0].errors is None
    near = {"y": torch.softmax(rounded.inputs["x"].float(), -1).half()}
    report = verify(rounded.sketch.program(), rounded.inputs, near)
    assert report.agreement is Agreement.ROUNDING
    assert errors_of(report).worst_core is not None
    assert sum(each.beyond for each in errors_of(report).cores) == 0
    assert not [line for line in describe(report) if "worst" in line]


def test_only_the_first_wrong_step_has_a_map() -> None:
    case = softmax(resident=False)
    short = restep(case.sketch.program(), "exp", lambda op: replace(op, slices=op.slices[:-1]))
    both = restep(short, "div", lambda op: replace(op, slices=op.slices[:-1]))
    report = verify(both, case.inputs, case.expected)
    assert [step.step for step in report.steps if step.errors] == ["exp"]
    errors = next(step.errors for step in report.steps if step.errors)
    assert errors.worst_core is not None
    assert (errors.worst_core.core, errors.worst_core.beyond) == (HOST, 300)
    assert "  worst: what no core wrote, 300 of its 300 elements beyond rounding" in "\n".join(describe(report))


def test_a_map_is_of_bounded_size_and_round_trips() -> None:
    shape = (300, 5, 400)
    want = torch.zeros(shape)
    sticks = torch.arange(300 * 5 * 400).reshape(shape) // 64
    places = Places((9375,), sticks.numpy(), (sticks % 32).numpy())
    errors = error_map(want + 1.0, want, None, places)
    assert (len(errors.sticks), errors.sticks_differing, len(errors.cores)) == (STICKS, 9375, 32)
    assert [each.stick for each in errors.sticks] == [(number,) for number in range(STICKS)], "equals in order"
    plain = json.loads(json.dumps(unstructure(errors), allow_nan=False))
    assert structure(ErrorMap, plain, "a map") == errors


def test_worse_sticks_come_first() -> None:
    got: Tensor = torch.zeros(4, 64)
    got[1, :3], got[3, 0], got[2, :9] = 1.0, 50.0, 0.5
    places = Places((4,), torch.arange(4)[:, None].numpy(), torch.zeros(1, 1, dtype=torch.int64).numpy())
    errors = error_map(got, torch.zeros(4, 64), torch.full((4, 64), 0.1, dtype=torch.float64), places)
    assert [(each.stick, each.beyond, each.differing) for each in errors.sticks] == [
        ((1,), 3, 3),
        ((3,), 1, 1),
        ((2,), 0, 9),
    ]


def test_a_whole_report_round_trips() -> None:
    report = wrong_at(softmax(), (0, 0))
    plain = json.loads(json.dumps(unstructure(report), allow_nan=False))
    assert structure(VerifyReport, plain, "a report") == report
