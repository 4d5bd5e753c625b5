"""What a plan makes of equal modules: times together and each, and which are planned in another way than most."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.division import Division
from compiler.plan import ReasonCode, Slot, Spilled
from spyre_studio.repeat_facts import Block, RunFacts
from spyre_studio.repeats import Run
from spyre_studio.views.graph_model import planned
from tests.spyre_studio.large import stack
from tests.spyre_studio.plans import compiled

LAYERS = 4


@pytest.fixture(scope="module")
def plan() -> Compilation:
    return compiled(program=stack(LAYERS))


def facts(compilation: Compilation) -> RunFacts:
    (found,) = planned(compilation).run_facts.values()
    return found


def divided(compilation: Compilation, *ops: str) -> Compilation:
    """The same plan with these ops on one core."""
    divisions = compilation.plan.divisions | {op: Division() for op in ops}
    return replace(compilation, plan=replace(compilation.plan, divisions=frozendict(divisions)))


def op_of(compilation: Compilation, layer: int) -> str:
    inside = [op for op in compilation.problem.program.ops if op.origin.module == f"layers.{layer}.mlp"]
    return next(op.name for op in inside if compilation.plan.divisions[op.name].cores > 1)


def test_times_add_up(plan: Compilation) -> None:
    found = facts(plan)
    assert [block.path for block in found.blocks] == [f"{place}" for place in _paths(plan)]
    assert found.total_us == pytest.approx(sum(cost.total_us for cost in plan.cost.steps))
    low, high = found.range_us
    assert low == min(block.us for block in found.blocks) <= high == max(block.us for block in found.blocks)


def _paths(plan: Compilation) -> tuple[str, ...]:
    (run,) = planned(plan).graph.runs
    return run.members


def test_blocks_that_are_divided_differently_are_named(plan: Compilation) -> None:
    before = {block.path: "divided" in block.differs for block in facts(plan).blocks}
    assert not any(before.values())
    changed = facts(divided(plan, op_of(plan, 2)))
    odd = [block.path for block in changed.blocks if "divided" in block.differs]
    assert odd == [_paths(plan)[2]]
    assert f"1 of {LAYERS} divided differently: 2" in changed.sentences()
    assert _paths(plan)[2] in changed.different


def test_most_blocks_are_the_rule(plan: Compilation) -> None:
    most = facts(divided(plan, *(op_of(plan, layer) for layer in (0, 1, 3))))
    assert [block.path for block in most.blocks if "divided" in block.differs] == [_paths(plan)[2]]


def test_places_count_but_addresses_do_not(plan: Compilation) -> None:
    written = next(op for op in plan.problem.program.ops if op.name == op_of(plan, 1)).write.buffer
    spilled = plan.plan.placement | {written: Spilled(ReasonCode.PINNED, "")}
    changed = facts(replace(plan, plan=replace(plan.plan, placement=frozendict(spilled))))
    before = {block.path for block in facts(plan).blocks if "placed" in block.differs}
    after = {block.path for block in changed.blocks if "placed" in block.differs}
    assert after ^ before == {_paths(plan)[1]}
    moved = frozendict(
        (name, replace(place, address=place.address + 128) if isinstance(place, Slot) else place)
        for name, place in plan.plan.placement.items()
    )
    elsewhere = facts(replace(plan, plan=replace(plan.plan, placement=moved)))
    assert [block.differs for block in elsewhere.blocks] == [block.differs for block in facts(plan).blocks]


def test_words_join_neighbours_and_stop_in_time() -> None:
    run = Run("layers", tuple(f"layers.{place}" for place in range(40)))
    odd = {0, 17, 18, 19, 39}
    blocks = tuple(Block(path, 1.0, ("divided",) if place in odd else ()) for place, path in enumerate(run.members))
    assert RunFacts(run, blocks).sentences() == ("5 of 40 divided differently: 0, 17–19, 39",)
    every_other = tuple(Block(path, 1.0, ("moved",) if place % 2 else ()) for place, path in enumerate(run.members))
    (told,) = RunFacts(run, every_other).sentences()
    assert told == "20 of 40 moved differently: 1, 3, 5, 7, 9, 11 and 14 more"


def test_some_of_the_blocks_alone() -> None:
    run = Run("layers", tuple(f"layers.{place}" for place in range(4)))
    whole = RunFacts(run, tuple(Block(path, float(place + 1), ()) for place, path in enumerate(run.members)))
    part = whole.of(run.members[1:3])
    assert (part.total_us, part.range_us) == (5.0, (2.0, 3.0))
    assert part.different == ()
