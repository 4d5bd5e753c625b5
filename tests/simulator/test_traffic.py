"""Traffic: what accesses of hand-written programs touch, counted from the places of their elements one by one."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
import torch

from compiler.loops import Access, Load, OpKind
from compiler.program import DeviceOp, DeviceTensor, Memory, Program
from simulator.functional.address import access_map
from simulator.functional.block import Indexed, Strided
from simulator.functional.execute import Execution
from simulator.functional.meter import sticks_of
from simulator.functional.space import Space
from simulator.functional.verify import verify
from simulator.traffic import StepTraffic, Way, moved, summary
from tests.simulator.move_cases import CASES as MOVES
from tests.simulator.programs import CASES, gathered, matmul, softmax
from tests.simulator.test_broken_programs import restep

STICK = 128


def measured(name: str) -> tuple[Program, tuple[StepTraffic, ...]]:
    """A program of either kind, and what it moves."""
    case = CASES[name]() if name in CASES else None
    program, inputs = (case.sketch.program(), case.inputs) if case else (MOVES[name]().program(), MOVES[name]().inputs)
    execution = Execution(program, inputs)
    for _ in execution.steps:
        execution.run()
    return program, execution.traffic


def row(traffic: Iterable[StepTraffic], step: str, operand: int, way: Way = Way.DEVICE_MEMORY) -> StepTraffic:
    (found,) = [each for each in traffic if (each.step, each.operand, each.way) == (step, operand, way)]
    return found


@pytest.mark.parametrize(
    "block",
    [
        Strided(70, (3, 40), (((3, 64),), ((40, 1),))),
        Strided(0, (5, 100), (((5, 100),), ((100, 1),))),
        Strided(3, (4, 2, 6), (((4, 128),), ((1, 0),), ((3, 4096), (2, 2)))),
        Strided(63, (1, 2), (((1, 0),), ((2, 1),))),
        Strided(0, (4, 4), (((4, 64),), ((4, 64),))),
        Strided(5, (7,), (((7, 0),),)),
    ],
)
@pytest.mark.parametrize("lanes", [32, 64, 128])
def test_sticks_of_a_strided_block_are_those_of_its_elements(block: Strided, lanes: int) -> None:
    places = torch.arange(20000)
    touched = np.unique(block.load(places).numpy() // lanes)
    assert np.array_equal(sticks_of(block, lanes), touched)


def test_sticks_of_scattered_places() -> None:
    places = torch.tensor([[200, 3], [64, 63]])
    assert sticks_of(Indexed(places, None), 64).tolist() == [0, 1, 3]


def plain(op: DeviceOp) -> bool:
    """True if every iteration of a step reads one element, on its own core, where its index says."""
    masked = any(isinstance(each, Load) and each.mask is not None for each in op.op.body)
    gathers = any(access.index.gathers for access in op.op.accesses)
    return op.op.kind is OpKind.POINTWISE and not op.ring and not masked and not gathers


def touched(tensor: DeviceTensor, op: DeviceOp, access: Access) -> dict[int, set[tuple[int, ...]]]:
    """The sticks that each core touches, by their coordinates."""
    found = {}
    loops = op.op.loops
    where = access_map(access.index, loops, tensor.layout)
    for part in op.slices:
        space = Space(loops, part.ranges)
        if not space.empty:
            coordinates = where.coordinates(space)
            found[part.core] = set(map(tuple, coordinates.reshape(len(coordinates), -1)[:-1].T.tolist()))
    return found


@pytest.mark.parametrize("name", sorted({*CASES, *MOVES} - {"matmul", "gathered", "scattered", "concatenated"}))
def test_a_step_moves_the_sticks_of_its_elements(name: str) -> None:
    program, traffic = measured(name)
    tensors, checked = program.tensor_map, 0
    for op in filter(plain, (op for kernel in program.kernels for op in kernel.ops)):
        for number, access in enumerate(op.op.reads):
            tensor = tensors[access.buffer]
            found = touched(tensor, op, access)
            way = Way.DEVICE_MEMORY if tensor.memory is Memory.HBM else Way.LX
            got = row(traffic, op.name, number, way)
            assert got.by_core == tuple((core, STICK * len(sticks)) for core, sticks in sorted(found.items()))
            assert got.delivered == STICK * sum(map(len, found.values()))
            together = STICK * len(set().union(*found.values()))
            assert got.distinct == (together if way is Way.DEVICE_MEMORY else got.delivered)
            assert not got.write
            checked += 1
    assert checked or name in ("integer_rows", "staggered_sum")


def test_a_matrix_read_by_several_cores_is_one_load_of_the_card() -> None:
    """[32, 256] x [256, 128], K in four and N in two: each core has its part of x and of w, y is written once."""
    traffic = measured("matmul")[1]
    x, w, y = (row(traffic, "mm", operand) for operand in (0, 1, -1))
    assert (x.delivered, x.distinct) == (2 * 32 * 256 * 2, 32 * 256 * 2), "both columns of cores read all of x"
    assert (w.delivered, w.distinct) == (256 * 128 * 2, 256 * 128 * 2)
    assert (y.delivered, y.write) == (32 * 128 * 2, True)
    assert {core for core, _ in x.by_core} == set(range(8))
    assert len(y.by_core) == 2, "the last cores of two chains"


def test_partial_sums_cross_the_ring_in_four_bytes_an_element() -> None:
    partial = row(measured("matmul")[1], "mm", -1, Way.RING)
    assert partial.delivered == partial.distinct == 2 * 3 * 32 * 64 * 4, "three hand-overs in each of two chains"
    assert moved(measured("softmax")[1], Way.RING) == 0


def test_what_a_core_holds_itself_does_not_cross_the_ring() -> None:
    """8 x 256 x 512 from columns to rows on eight cores: an eighth is there already."""
    program, traffic = measured("turned")
    whole = program.tensor_map["neg"].layout.size_bytes
    ring, sent = row(traffic, "neg@ring", 0, Way.RING), row(traffic, "neg@ring", 0, Way.LX)
    assert ring.delivered == ring.distinct == whole * 7 // 8
    assert ring.by_core == tuple((core, whole * 7 // 64) for core in range(8)), "by receiver"
    assert sent.delivered == whole, "read from LX, by whoever sends it"
    assert row(traffic, "neg@ring", -1, Way.LX).delivered == whole
    assert row(traffic, "neg@ring", -1, Way.LX).write


def test_a_part_that_several_cores_fetch_is_sent_to_each() -> None:
    ring = row(measured("scaled")[1], "neg@ring", 0, Way.RING)
    assert ring.delivered > ring.distinct > 0


def test_a_gather_moves_the_rows_it_finds() -> None:
    case = gathered()
    execution = Execution(case.sketch.program(), case.inputs)
    execution.run()
    (table,) = [each for each in execution.traffic if each.operand == 1]
    entries = case.sketch.program().tensor_map[table.buffer].layout
    assert 0 < table.distinct < entries.size_bytes, "not the whole table"


def test_an_opaque_call_moves_whole_tensors_to_and_from_the_host() -> None:
    program, traffic = measured("sorted_on_host")
    rows = [each for each in traffic if each.by_core[0][0] == -1]
    assert rows
    for each in rows:
        assert each.way is Way.DEVICE_MEMORY
        assert each.delivered == program.tensor_map[each.buffer].layout.size_bytes
    assert {each.write for each in rows} == {True, False}


def test_zeros_of_padding_are_written_too() -> None:
    traffic = measured("softmax")[1]
    assert row(traffic, "max", 0).delivered == 8 * 3 * STICK, "rows of 150 elements are three sticks"


def test_verify_reports_it_as_far_as_the_device_came() -> None:
    case = softmax()
    whole = verify(case.sketch.program(), case.inputs, case.expected).traffic
    assert whole == measured("softmax")[1]
    broken = restep(case.sketch.program(), "div", lambda op: replace(op, slices=op.slices[::-1][:2] * 2))
    report = verify(broken, case.inputs, case.expected)
    assert report.fault
    assert report.traffic == tuple(each for each in whole if each.step != "div")


def test_poison_moves_nothing() -> None:
    case = matmul(k=100, k_split=1)
    reports = [verify(case.sketch.program(), case.inputs, case.expected, poison=poison) for poison in (True, False)]
    assert reports[0].traffic == reports[1].traffic


def test_one_line_for_people() -> None:
    assert summary(measured("softmax")[1]).startswith("moved: device memory 6,144 B read, 3,072 B written; LX ")
