"""The work of steps over the ring: walks by the published figures, and who sends what to whom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from compiler.division import Division
from compiler.errors import InputError
from compiler.program import CoreBox
from simulator.timing.work import OpWork, Way
from simulator.timing.work_of import work_of
from tests.moved_plans import ring
from tests.simulator.sketch import split
from tests.simulator.timing.work_cases import carried, operand, planned, spyre
from tests.sketch import Sketch

ROWS, READER = split(d1=(8, 32)), split(j=(8, 32))


def parts(step: OpWork) -> dict[tuple[int, int], int]:
    """(source, target) -> bytes."""
    assert step.fragments is not None
    ends = zip(step.fragments.source.tolist(), step.fragments.target.tolist(), strict=True)
    return dict(zip(ends, step.fragments.bytes.tolist(), strict=True))


@pytest.mark.parametrize(
    ("writer", "ns"),
    [
        (split(j=(4, 64), l=(2, 256)), 1136.4),
        (split(i=(4, 2), j=(2, 128)), 8777.8),
        (split(j=(2, 128), l=(4, 128)), 2774.6),
    ],
)
def test_the_published_relayouts_of_two_mebibytes_on_eight_cores(writer: Division, ns: float) -> None:
    step = carried(writer, ROWS, READER)
    assert step.ring_ns == pytest.approx([ns] * 8, abs=0.05)
    assert operand(step, "neg").way is Way.RING
    assert operand(step, "neg@ring", write=True).way is Way.LX
    sent = parts(step)
    assert step.stages[0].bytes.tolist() == [sum(sent.get((a, b), 0) for a in range(8)) for b in range(8)]
    assert operand(step, "neg").bytes.tolist() == step.stages[0].bytes.tolist(), "what a core holds is not sent to it"
    assert operand(step, "neg@ring", write=True).bytes.tolist() == [262_144] * 8
    assert (step.read_ns == 0).all()
    assert (step.write_ns == 0).all()
    assert (step.floor_ns == 0).all()
    assert step.unit == "ring"
    assert [(one.unit, one.level) for one in step.stages] == [("ring", 1)]
    assert step.stages[0].busy.tolist() == step.ring_ns.tolist()


def test_the_smallest_runs_end_at_eight_slices() -> None:
    assert carried(split(i=(8, 1)), ROWS, READER).ring_ns == pytest.approx([25_583.7] * 8, abs=0.05)


def test_every_core_takes_what_it_holds_from_itself() -> None:
    found = parts(carried(split(j=(4, 64), l=(2, 256)), ROWS, READER))
    half = 131_072
    for target in range(8):
        senders = [source for source, to in found if to == target]
        mine = {target // 2, target // 2 + 4} - {target}
        assert senders == sorted(mine), "rows of 64 lie on two cores, half the columns each"
    assert set(found.values()) == {half}
    assert len(found) == 14, "cores 0 and 7 hold half of what they want"


def test_the_lowest_core_that_holds_a_part_sends_it() -> None:
    sketch = Sketch("scaled")
    x, f = sketch.input("x", 64, 128), sketch.input("f", 128)
    sketch.output(sketch.apply("mul", x, sketch.apply("neg", f)))
    divisions = {
        "neg": split(i=(2, 64)),
        "neg@ring": split(replica=(4, 1), d0=(2, 64)),
        "mul": split(i=(4, 16), j=(2, 64)),
    }
    lx = {"neg": 0, "neg@ring": 128}
    program = planned(sketch.program(), divisions, 8, (ring("neg", "mul", replicas=4),), lx)
    step = work_of(program, spyre(8))[1]
    assert parts(step) == {**{(0, core): 128 for core in (1, 2, 3)}, **{(1, core): 128 for core in (4, 5, 6, 7)}}
    source = program.tensor_map["neg"]
    doubled = (*(replace(box, core=box.core + 4) for box in source.boxes), *source.boxes)
    held = tuple(replace(one, boxes=doubled) if one.name == "neg" else one for one in program.tensors)
    found = parts(work_of(replace(program, tensors=held), spyre(8))[1])
    assert found == {(0, 1): 128, (0, 2): 128, (0, 3): 128, (1, 4): 128, (1, 6): 128, (1, 7): 128}, "4 and 5 hold some"


def test_a_part_that_nobody_holds_is_refused() -> None:
    sketch = Sketch("lost")
    sketch.output(sketch.apply("relu", sketch.apply("neg", sketch.input("x", 8, 16, 128))))
    divisions = {"neg": split(l=(2, 64)), "neg@ring": split(d1=(4, 4), d2=(2, 64)), "relu": split(j=(4, 4), l=(2, 64))}
    program = planned(sketch.program(), divisions, 8, (ring("neg", "relu"),), {"neg": 0, "neg@ring": 16384})
    broken = tuple(replace(one, boxes=one.boxes[:1]) if one.name == "neg" else one for one in program.tensors)
    with pytest.raises(InputError, match=r"step neg@ring: core .* reads a part of neg .* that no core holds"):
        work_of(replace(program, tensors=broken), spyre(8))
    bare = tuple(replace(one, boxes=()) if one.name == "neg" else one for one in program.tensors)
    with pytest.raises(InputError, match="no core holds neg in its scratchpad"):
        work_of(replace(program, tensors=bare), spyre(8))


def test_boxes_that_overlap_are_sent_once() -> None:
    sketch = Sketch("overlapping")
    sketch.output(sketch.apply("relu", sketch.apply("neg", sketch.input("x", 8, 16, 128))))
    divisions = {"neg": split(l=(2, 64)), "neg@ring": split(d1=(8, 2)), "relu": split(j=(8, 2))}
    program = planned(sketch.program(), divisions, 8, (ring("neg", "relu"),), {"neg": 0, "neg@ring": 16384})
    source = program.tensor_map["neg"]
    size = source.layout.device_size
    wider = CoreBox(0, (0,) * len(size), size)
    boxes = (wider, *(box for box in source.boxes if box.core != 0))
    kept = tuple(replace(one, boxes=boxes) if one.name == "neg" else one for one in program.tensors)
    found = parts(work_of(replace(program, tensors=kept), spyre(8))[1])
    mine = int(np.prod(size)) * 2 // 8
    assert {target: found.get((0, target), 0) for target in range(1, 8)} == {
        1: mine // 2,
        **dict.fromkeys(range(2, 8), mine),
    }
    assert sum(found.values()) == 7 * mine - mine // 2
