"""Moves by hand: right ones change no bit, and the simulator alone finds what is wrong with the others."""

import json
import math
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from frozendict import frozendict

from compiler.codec import from_json, to_json
from compiler.division import Division, Split
from compiler.layout import stick_layout
from compiler.materialize import materialize
from compiler.plan import Edit, Slot
from compiler.program import CoreBox, DeviceOp, DeviceTensor, Memory, Program
from compiler.text.document import to_text
from simulator.errors import DeviceError
from simulator.functional.address import access_map
from simulator.functional.execute import Execution
from simulator.functional.memory import Memories, Spot
from simulator.functional.ring import fetch
from simulator.functional.space import whole
from simulator.functional.uncertainty import Uncertainty
from simulator.report import Agreement, VerifyReport
from tests.moved_plans import clone_in
from tests.simulator.move_cases import CASES, evicted, on_the_host, product, read_twice, scaled, shown_and_read, turned
from tests.simulator.moved import Moved, numbers
from tests.simulator.sketch import at, buffer, loops, split, unary
from tests.sketch import Sketch

ROUNDED = ("summed", "product")


@pytest.mark.parametrize("poison", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_moves_change_no_bit(name: str, poison: bool) -> None:
    report = CASES[name]().judge(poison=poison)
    assert report.fault == ""
    assert report.first_divergence is None
    assert report.ok, report.outputs
    assert report.agreement is Agreement.EQUAL or name in ROUNDED


@pytest.mark.parametrize("name", CASES)
def test_every_copy_is_compared_with_its_source(name: str) -> None:
    case = CASES[name]()
    reports = {step.step: step for step in case.judge().steps}
    for edit in case.edits:
        assert reports[edit.name].comparison.agreement is Agreement.EQUAL
        assert reports[edit.name].buffer == edit.target


def test_all_replicas_are_compared() -> None:
    (moved,) = [step for step in scaled().judge().steps if step.step == "neg@ring"]
    assert moved.comparison.elements == 4 * 128


@pytest.mark.parametrize("name", ROUNDED)
def test_copies_round_nothing(name: str) -> None:
    """How far rounding may move a result is the same with and without them."""
    case = CASES[name]()
    moved, plain = (Uncertainty(each.program(), case.inputs) for each in (case, replace(case, edits=(), lx={})))
    (view,) = case.program().outputs
    found, expected = moved.of(view), plain.of(view)
    assert found is not None
    assert expected is not None
    assert torch.equal(found, expected)


def drawn(rng: random.Random, shape: tuple[int, ...], names: str) -> Division:
    """Up to eight cores, whole sticks along the last dim; shares may be uneven."""
    splits: list[Split] = []
    for place in rng.sample(range(len(shape)), len(shape)):
        unit = 64 if place == len(shape) - 1 else 1
        room = 8 // math.prod(split.factor for split in splits)
        step = -(-shape[place] // rng.randint(1, room) // unit) * unit
        if step < shape[place]:
            splits.append(Split(names[place], -(-shape[place] // step), step))
    return Division(tuple(splits))


@pytest.mark.parametrize("seed", range(30))
def test_any_picture_into_any_other(seed: int) -> None:
    rng = random.Random(seed)
    shape = (rng.randint(2, 6), rng.randint(2, 9), rng.choice((64, 150, 256, 330)))
    reader = drawn(rng, shape, "ijl")
    copied = Division(tuple(replace(each, loop=f"d{'ijl'.index(each.loop)}") for each in reader.splits))
    report = turned(shape, drawn(rng, shape, "ijl"), copied, reader).judge()
    assert report.fault == ""
    assert report.agreement is Agreement.EQUAL


# What the program says


def op_of(program: Program, name: str) -> DeviceOp:
    """A step by its name."""
    return next(op for kernel in program.kernels for op in kernel.ops if op.name == name)


def test_an_older_document_without_the_word_still_opens() -> None:
    program = product().program()
    document = json.loads(to_json(program))
    for kernel in document["value"]["kernels"]:
        for op in kernel["ops"]:
            del op["ring"]
    assert from_json(Program, json.dumps(document)) == program


def test_the_listing_says_which_steps_go_over_the_ring() -> None:
    text = to_text(turned().program())
    assert text.count("over the ring") == 1
    assert "step 1 neg@ring  over the ring" in text


@pytest.mark.parametrize("name", CASES)
def test_only_relayouts_read_over_the_ring(name: str) -> None:
    case = CASES[name]()
    program = case.program()
    over = {op.name for kernel in program.kernels for op in kernel.ops if op.ring}
    assert over == {edit.name for edit in case.edits if edit.kind == "relayout"}


def test_replicas_are_equal_boxes_on_several_cores() -> None:
    boxes = product().program().tensor_map["w@in"].boxes
    assert [box.core for box in boxes] == list(range(8))
    parts = {(box.start, box.size) for box in boxes}
    assert len(parts) == 2
    assert {(box.start, box.size) for box in boxes[:4]} == {(boxes[0].start, boxes[0].size)}


def test_cores_that_pass_their_sums_on_hold_nothing() -> None:
    assert [box.core for box in CASES["summed"]().program().tensor_map["mm"].boxes] == [3, 7]


def test_the_host_reads_an_output_from_its_clone() -> None:
    program = shown_and_read().program()
    assert [view.buffer for view in program.outputs] == ["neg@out", "relu"]
    assert program.tensor_map["neg@out"].memory is Memory.HBM
    assert program.tensor_map["neg"].memory is Memory.LX


# Who sends what

ROWS = buffer("a", (4, 64))


def held(*owners: tuple[int, int, int]) -> DeviceTensor:
    """[4, 64] in LX, with (core, first row, rows) per owner."""
    layout = stick_layout(ROWS.shape, ROWS.strides, 64)
    boxes = tuple(CoreBox(core, (0, first, 0), (1, rows, 64)) for core, first, rows in owners)
    return DeviceTensor("a", ROWS.dtype, ROWS.kind, ROWS.shape, ROWS.strides, layout, Memory.LX, 128, boxes)


def sent(tensor: DeviceTensor, core: int) -> list[float]:
    """The rows a core fetches when every core holds its own number in all its elements."""
    memories = Memories(128, 1024, poison=True)
    memories.born(tensor)
    op = unary("copy", "identity", loops(i=4, j=64), at("a", i=64, j=1), at("b", i=64, j=1), ROWS.dtype)
    where = access_map(op.reads[0].index, op.loops, tensor.layout)
    for box in tensor.boxes:
        first, rows = box.start[1], box.size[1]
        part = replace(whole(op), ranges=((first, first + rows), (0, 64)))
        spot = Spot(tensor, box.core, "fill", write=True)
        memories.write(spot, memories.block(spot, where, part), torch.full((rows, 64), float(box.core)))
    found = fetch(memories, Spot(tensor, core, "copy"), where, whole(op))
    assert found.shape == (4, 64)
    assert (found == found[:, :1]).all()
    return [float(value) for value in found[:, 0]]


def test_a_core_takes_from_itself_first_and_then_from_the_lowest() -> None:
    tensor = held((5, 0, 2), (1, 0, 4), (3, 1, 2))
    assert sent(tensor, 5) == [5.0, 5.0, 1.0, 1.0]
    assert sent(tensor, 3) == [1.0, 3.0, 3.0, 1.0]
    assert sent(tensor, 7) == [1.0] * 4


def test_what_nobody_holds_cannot_be_sent() -> None:
    with pytest.raises(DeviceError, match=r"step copy: core 2 wants device element \[0,3,0\] of a over the ring"):
        sent(held((0, 0, 2), (1, 2, 1)), 2)


# Wrong plans


def with_placement(case: Moved, **places: int) -> Program:
    """The program with other addresses of buffers in LX."""
    problem, plan = case.plan()
    placement = dict(plan.placement)
    for name, address in places.items():
        slot = placement[name]
        assert isinstance(slot, Slot)
        placement[name] = replace(slot, address=address)
    return materialize(problem, replace(plan, placement=frozendict(placement)))


def with_edit(case: Moved, change: Callable[[Edit], Edit]) -> Moved:
    return replace(case, edits=tuple(map(change, case.edits)))


def wrong_step(report: VerifyReport) -> str:
    assert report.fault == ""
    assert not report.ok
    return report.first_divergence.step if report.first_divergence else ""


@pytest.mark.parametrize(
    ("mover", "core"),
    [
        (split(d0=(4, 2)), 1),
        (split(d1=(8, 32)), 0),
        (split(d2=(8, 64)), 0),
        (split(d0=(4, 2), d2=(2, 256)), 0),
        (split(d2=(2, 256), d0=(4, 2)), 0),
    ],
    ids=str,
)
def test_a_relayout_into_a_picture_that_is_not_the_readers(mover: Division, core: int) -> None:
    case = turned()
    wrong = replace(case, divisions={**case.divisions, "neg@ring": mover})
    assert wrong.judge().fault.startswith(f"step relu: LX read outside what core {core} holds of neg@ring")


def test_a_relayout_with_the_splits_in_another_order() -> None:
    case = CASES["permuted"]()
    wrong = replace(case, divisions={**case.divisions, "neg@ring": split(d0=(4, 1), d2=(2, 64))})
    assert wrong.judge().fault.startswith("step relu: LX read outside what core 1 holds of neg@ring")


@pytest.mark.parametrize("poison", [True, False])
@pytest.mark.parametrize("address", [0, 128, 131072, 262016])
def test_source_and_target_of_a_relayout_share_bytes(address: int, poison: bool) -> None:
    case = turned()
    report = case.judge(with_placement(case, **{"neg@ring": address}), poison=poison)
    assert wrong_step(report) == "neg@ring", "they are alive at the same time"
    assert case.judge(with_placement(case, **{"neg@ring": 262144}), poison=poison).ok


@pytest.mark.parametrize("poison", [True, False])
@pytest.mark.parametrize("name", ["turned", "read_twice", "product"])
def test_a_copy_that_is_made_after_its_reader(name: str, poison: bool) -> None:
    case = CASES[name]()
    late = with_edit(case, lambda edit: replace(edit, before=""))
    report = late.judge(poison=poison)
    assert report.fault == ""
    assert not report.ok


def test_an_output_without_its_clone() -> None:
    case = replace(shown_and_read(), edits=())
    assert "the host cannot read neg, which is in LX" in case.judge().fault
    forgotten = with_edit(shown_and_read(), lambda edit: replace(edit, readers=()))
    assert "the host cannot read neg, which is in LX" in forgotten.judge().fault


def test_a_clone_of_an_output_that_is_made_too_early() -> None:
    early = with_edit(shown_and_read(), lambda edit: replace(edit, before="neg"))
    assert not early.judge().ok


def test_a_host_op_sees_no_lx() -> None:
    case = on_the_host()
    unread = replace(case, edits=case.edits[1:])
    assert "the host cannot read neg, which is in LX" in unread.judge().fault


def test_an_evicted_buffer_that_is_read_where_it_was() -> None:
    case = evicted()
    stays = with_edit(case, lambda edit: replace(edit, readers=()))
    assert wrong_step(stays.judge()) == "add", "square has taken its place"
    assert replace(stays, lx={**stays.lx, "neg": 4096}).judge().ok


def test_an_evicted_buffer_that_is_read_where_it_went() -> None:
    case = replace(evicted(), edits=evicted().edits[:1])
    assert [read.buffer for read in op_of(case.program(), "add").op.reads] == ["neg_1", "neg@out"]
    assert case.judge().agreement is Agreement.EQUAL


def test_a_reload_into_a_place_that_is_in_use() -> None:
    case = evicted()
    assert wrong_step(case.judge(with_placement(case, **{"neg@out@in": 1024}))) == "add"


def filled_up() -> Moved:
    """The right operand of a product in LX, filled up with zeros to 128 rows."""
    sketch = Sketch("filled_up")
    sketch.output(sketch.matmul(sketch.input("x", 64, 100), sketch.parameter("w", 100, 128), name="mm"))
    values = {"x": numbers(64, 100), "w": numbers(100, 128, seed=1)}
    divisions = {"w@in": split(replica=(4, 1), d1=(2, 64)), "mm": split(i=(4, 16), j=(2, 64))}
    edits = (clone_in("w", "mm", replicas=4),)
    return Moved(sketch.program(), values, {"out0": values["x"] @ values["w"]}, divisions, edits, {edits[0].target: 0})


def test_zeros_that_no_core_holds_cannot_be_copied() -> None:
    assert filled_up().judge().fault.startswith("step w@in: LX write outside what core 0 holds of w@in")


def test_zeros_go_where_a_core_holds_the_room_for_them() -> None:
    case = filled_up()

    def with_room(tensor: DeviceTensor) -> DeviceTensor:
        rows = tensor.layout.device_size[1]
        boxes = (replace(box, size=(box.size[0], rows, box.size[2])) for box in tensor.boxes)
        return replace(tensor, boxes=tuple(boxes))

    program = replace(retensor(case.program(), "w@in", with_room), lx_bytes=1 << 15)
    report = case.judge(program)
    assert report.fault == ""
    assert report.ok
    assert {step.step: step.comparison.agreement for step in report.steps}["w@in"] is Agreement.EQUAL


def test_a_core_that_copies_nothing() -> None:
    program = product().program()
    wrong = restep(program, "w@in", lambda op: replace(op, slices=op.slices[:-1]))
    assert wrong_step(product().judge(wrong)) == "w@in"


def test_replicas_that_do_not_reach_all_readers() -> None:
    case = product()
    fewer = {**case.divisions, "w@in": split(replica=(2, 2), d1=(2, 64))}
    report = replace(case, divisions=fewer).judge()
    assert report.fault.startswith("step mm: LX read outside what core 2 holds of w@in")


# Wrong programs


def restep(program: Program, name: str, change: Callable[[DeviceOp], DeviceOp]) -> Program:
    """The program with one step changed."""
    kernels = tuple(
        replace(kernel, ops=tuple(change(op) if op.name == name else op for op in kernel.ops))
        for kernel in program.kernels
    )
    return replace(program, kernels=kernels)


def retensor(program: Program, name: str, change: Callable[[DeviceTensor], DeviceTensor]) -> Program:
    """The program with one tensor changed."""
    return replace(program, tensors=tuple(change(each) if each.name == name else each for each in program.tensors))


def test_without_the_ring_no_core_sees_the_lx_of_another() -> None:
    case = turned()
    program = restep(case.program(), "neg@ring", lambda op: replace(op, ring=False))
    assert case.judge(program).fault.startswith("step neg@ring: LX read outside what core 0 holds of neg")


def test_the_ring_ends_at_device_memory() -> None:
    case = read_twice()
    program = restep(case.program(), "x@in", lambda op: replace(op, ring=True))
    assert case.judge(program).fault.startswith("step x@in: it reads x over the ring, which is in device memory")


def test_a_part_that_no_core_holds() -> None:
    case = turned()
    program = retensor(case.program(), "neg", lambda tensor: replace(tensor, boxes=tensor.boxes[:-1]))
    assert "LX write outside what core 7 holds of neg" in case.judge(program).fault
    short = restep(program, "neg", lambda op: replace(op, slices=op.slices[:-1]))
    assert case.judge(short).fault.startswith("step neg@ring: core 0 wants device element [0,7,0,0] of neg over the")


def test_a_part_that_its_core_did_not_write() -> None:
    case = turned()
    program = restep(case.program(), "neg", lambda op: replace(op, slices=op.slices[:-1]))
    report = case.judge(program)
    assert wrong_step(report) == "neg"


@pytest.mark.parametrize("name", ["relu", "mm"])
def test_only_copies_go_over_the_ring(name: str) -> None:
    case = turned() if name == "relu" else product()
    program = restep(case.program(), name, lambda op: replace(op, ring=True))
    assert case.judge(program).fault.startswith(f"step {name}: it reads over the ring, which carries plain copies only")


def test_a_dead_source_leaves_poison_behind() -> None:
    case = turned((8, 16, 512))
    execution = Execution(case.program(), case.inputs)
    execution.run()
    execution.run(lambda op: None)
    source = execution.tensors["neg"]
    spot = Spot(source, 0, "test")
    op = execution.steps[0].op
    first = replace(whole(op), ranges=((0, 8), (0, 16), (0, 64)))
    where = access_map(op.write.index, op.loops, source.layout)
    assert execution.memories.read(spot, execution.memories.block(spot, where, first)).isnan().all()
