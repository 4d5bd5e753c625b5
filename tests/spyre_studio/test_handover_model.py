"""Handovers: who lacks what between a writer and a reader, against sets of elements."""

from itertools import product as points

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.loops import LoopProgram
from compiler.pins import Pins
from spyre_studio.derived import schedule_of
from spyre_studio.division_model import splits_of
from spyre_studio.handover_model import MOST, Pair, handovers_of, users_of
from spyre_studio.slice_map import SliceMap
from tests.programs import attention, chain, product, softmax
from tests.sketch import Sketch
from tests.spyre_studio.plans import compiled


def planned(program: LoopProgram, **pins: dict[str, int]) -> Compilation:
    """A plan with these divisions pinned."""
    division = frozendict((op, frozendict(factors)) for op, factors in pins.items())
    return compiled(program=program, pins=Pins(division=division))


def elements(slices: SliceMap, core: int) -> set[tuple[int, ...]]:
    """Host coordinates of the part of a core."""
    if core >= slices.cores:
        return set()
    pairs = zip(slices.low[core].tolist(), slices.high[core].tolist(), strict=True)
    return set(points(*(range(low, high) for low, high in pairs)))


def pair_of(compilation: Compilation, op: str) -> Pair:
    found = handovers_of(compilation, op)
    assert len(found.apart) == 1
    return found.apart[0]


def test_what_matches_is_no_pair() -> None:
    compilation = planned(chain(64, 128), neg={"i": 8}, relu={"i": 8})
    found = handovers_of(compilation, "relu")
    assert (found.count, found.apart) == (1, ())


@pytest.mark.parametrize("reader", [{"i": 4, "j": 2}, {"j": 2}, {"i": 4}, {"i": 16}])
def test_what_a_core_lacks_is_what_it_reads_and_does_not_hold(reader: dict[str, int]) -> None:
    compilation = planned(chain(64, 128), neg={"i": 8}, relu=reader)
    pair = pair_of(compilation, "relu")
    assert (pair.buffer, pair.writer, pair.reader) == ("neg", "neg", "relu")
    for core, lack in enumerate(pair.lacking):
        missing = elements(pair.needed, core) - elements(pair.held, core)
        assert lack == len(missing)
        low, high = pair.own_part(core)
        own = set(points(*(range(first, end) for first, end in zip(low, high, strict=True))))
        assert own == elements(pair.needed, core) & elements(pair.held, core)


def test_a_pair_is_found_from_both_ends() -> None:
    compilation = planned(chain(64, 128), neg={"i": 8}, relu={"i": 4})
    assert pair_of(compilation, "neg").key == pair_of(compilation, "relu").key


def test_partial_sums_are_held_by_nobody_but_the_last() -> None:
    sketch = Sketch("sums")
    value = sketch.matmul(sketch.input("x", 64, 256), sketch.input("y", 256, 128), "dot")
    sketch.output(sketch.apply("neg", value))
    compilation = planned(sketch.program(), dot={"k": 4, "i": 2}, neg={"i": 2})
    pair = pair_of(compilation, "neg")
    assert pair.unfinished == {0, 1, 2, 4, 5, 6}
    assert pair.lacking == (32 * 128, 32 * 128)
    assert "holds partial sums only" in pair.core_words(0)
    assert pair.held_part(0) == ([0, 0], [0, 0])
    assert pair.held_part(3) == ([0, 0], [32, 128])


def test_a_draft_stands_in_for_the_division_of_the_plan() -> None:
    compilation = planned(chain(64, 128), neg={"i": 8}, relu={"i": 4})
    splits = splits_of(compilation, "relu")
    assert splits is not None
    assert handovers_of(compilation, "relu", splits.division({"i": 8})).apart == ()
    assert len(handovers_of(compilation, "relu", splits.division({"i": 2})).apart) == 1


def test_words_say_how_much_is_elsewhere() -> None:
    compilation = planned(chain(64, 128), neg={"i": 2}, relu={"j": 2})
    pair = pair_of(compilation, "relu")
    assert pair.words() == "2 of 2 cores lack data: 50 % of what is read lies elsewhere"
    assert pair.core_words(1) == "core 1 holds [32:64], reads [:, 64:128]: lacks 2,048 elements"
    assert pair.core_words(7) == "core 7 does not run relu"
    more = pair_of(planned(chain(64, 128), neg={"i": 2}, relu={"i": 4}), "relu")
    assert more.words().startswith("3 of 4 cores lack data")


def test_holding_more_than_is_read_is_said_as_such() -> None:
    compilation = planned(chain(64, 128), neg={}, relu={"i": 2})
    division = compilation.plan.divisions["neg"]
    if division.cores == 1:
        words = pair_of(compilation, "relu").words()
        assert words.startswith("1 of 2 cores lack data")


def test_users_of_every_buffer_are_known_in_order() -> None:
    compilation = compiled(program=attention(2, 64, 64))
    users = users_of(compilation)
    steps = [step.name for step in schedule_of(compilation).steps]
    for writers, readers in users.values():
        for found in (writers, readers):
            places = [steps.index(step.name) for step in found]
            assert places == sorted(places)
    assert users["q"][0] == ()
    assert [step.name for step in users["exp"][1]] == ["sum", "truediv"]


def test_a_buffer_that_everybody_reads_does_not_hold_up_the_window() -> None:
    sketch = Sketch("hub")
    value = sketch.apply("neg", sketch.input("x", 64, 128))
    sketch.output(*(sketch.apply("relu", value) for _ in range(MOST + 8)))
    names = ["relu", *(f"relu_{number}" for number in range(1, MOST + 8))]
    compilation = planned(sketch.program(), neg={"i": 8}, **{name: {"i": 4} for name in names})
    found = handovers_of(compilation, "neg")
    assert found.count == MOST + 8
    assert len(found.apart) == MOST


def test_inputs_have_no_writer() -> None:
    compilation = compiled(program=product(64, 128, 256))
    assert handovers_of(compilation, "matmul").count == 0
    assert handovers_of(compiled(program=softmax(64, 128)), "sub").count == 2, "max before it, exp behind it"
