"""What is the same as an op or a buffer, and pins for all of it."""

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.pins import Pins
from compiler.plan import Slot
from spyre_studio.alike import alike_buffers, alike_ops, place_of
from spyre_studio.alike_pins import alike_buffer, alike_op, unpin_words, unpinned_alike
from spyre_studio.pin_change import describe
from spyre_studio.pin_tables import with_layout, with_placement, with_relayout
from tests.programs import attention
from tests.spyre_studio.blocks import blocks
from tests.spyre_studio.plans import compiled, divided

GATES = tuple(f"layers.{number}.mlp.gate" for number in range(3))


@pytest.fixture(scope="module")
def plan() -> Compilation:
    return compiled(program=blocks())


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("layers.12.mlp.gate", "layers.#.mlp.gate"),
        ("layers.1.sdpa/matmul.2", "layers.#.sdpa/matmul.#"),
        ("block_2.conv1d", "block_2.conv1d"),
        ("3/4", "#/#"),
    ],
)
def test_a_place_has_no_numbers_of_blocks(name: str, place: str) -> None:
    assert place_of(name) == place


def test_the_same_place_of_every_block_is_meant() -> None:
    program = blocks()
    assert alike_ops(program, "layers.1.mlp.gate") == GATES, "up and down have the same shape, and are not meant"
    assert alike_ops(program, "layers.0.mlp.silu") == tuple(f"layers.{number}.mlp.silu" for number in range(3))


def test_where_no_block_repeats_all_that_are_the_same_are_meant() -> None:
    assert alike_ops(blocks(), "head.neg") == ("head.neg", "tail.neg")
    assert alike_ops(blocks(1), "layers.0.mlp.gate") == tuple(f"layers.0.mlp.{name}" for name in ("gate", "up", "down"))


def test_another_size_body_or_kind_is_not_the_same() -> None:
    program = attention()
    for op in program.ops:
        assert alike_ops(program, op.name) == (op.name,)
    assert alike_ops(program, "nosuch") == ()


def test_buffers_are_the_same_where_their_ops_are() -> None:
    program = blocks()
    written = program.op_map["layers.2.mlp.silu"].write.buffer
    found = alike_buffers(program, written)
    assert found == tuple(program.op_map[f"layers.{number}.mlp.silu"].write.buffer for number in range(3))
    weights = tuple(f"layers.{number}.mlp.up.weight" for number in range(3))
    assert alike_buffers(program, weights[1]) == weights
    assert alike_buffers(program, "x") == ("x",)
    assert alike_buffers(program, "nosuch") == ()


def test_all_alike_get_the_factors_of_the_pin_the_candidate_or_the_plan(plan: Compilation) -> None:
    chosen = alike_op(plan, Pins(), GATES[0], {"m": 4})
    assert chosen is not None
    assert chosen.words == "Pin 3 ops like this"
    assert dict(chosen.after.division) == dict.fromkeys(GATES, frozendict(m=4))
    pinned = alike_op(plan, divided(GATES[1], n=2), GATES[1])
    assert pinned is not None
    assert set(pinned.after.division.values()) == {frozendict(n=2)}
    free = alike_op(plan, Pins(), GATES[2])
    assert free is not None
    assert set(free.after.division.values()) == {plan.plan.divisions[GATES[2]].factors}
    assert alike_op(compiled(program=attention()), Pins(), "scores") is None


def test_buffers_get_all_pins_of_the_one_they_are_like(plan: Compilation) -> None:
    names = [f"layers.{number}.mlp.silu" for number in range(3)]
    buffers = [plan.problem.program.op_map[name].write.buffer for name in names]
    pins = with_relayout(with_layout(with_placement(Pins(), buffers[0], "lx"), buffers[0], 1), buffers[0], "none")
    found = alike_buffer(plan, pins, buffers[0])
    assert found is not None
    assert found.words == "Pin 3 buffers like this"
    for buffer in buffers:
        assert found.after.placement[buffer] == "lx"
        assert found.after.layout[buffer] == 1
        assert found.after.relayout[buffer] == "none"
    free = alike_buffer(plan, Pins(), buffers[0])
    assert free is not None
    here = "lx" if isinstance(plan.plan.placement[buffers[0]], Slot) else "hbm"
    assert set(free.after.placement.values()) == {here}
    assert alike_buffer(plan, Pins(), "x") is None


def test_everything_alike_is_unpinned_in_one_go(plan: Compilation) -> None:
    found = alike_op(plan, divided("head.neg", i=2), GATES[0], {"m": 4})
    assert found is not None
    count, after = unpinned_alike(plan, found.after, GATES[2])
    assert (count, after) == (3, divided("head.neg", i=2))
    assert unpin_words(count) == "Unpin everything like this (3 pins)"
    assert unpinned_alike(plan, after, GATES[0]) == (0, after)


def test_a_step_of_undo_says_how_many(plan: Compilation) -> None:
    found = alike_op(plan, Pins(), GATES[0], {"m": 4})
    assert found is not None
    assert describe(Pins(), found.after) == "Pin division of 3 ops"
    assert describe(found.after, divided("head.neg", i=2)) == "Change pins"
    more = with_placement(found.after, "x", "hbm")
    assert describe(more, with_placement(Pins(), "x", "hbm")) == "Unpin division of 3 ops"
    assert describe(found.after, Pins()) == "Remove all pins"
