"""A sample of what `nightly` does: every small model, planned in two of the ways, each on another number of cores."""

from __future__ import annotations

import pytest

from tests.end_to_end.harness import compiled, verified
from tests.end_to_end.nightly import CORES, NAMES, REFUSED, WAYS, fault_of

LARGE = frozenset({"decoder", "convnet"})
"""Models that take long to execute; `test_examples` has them."""
SMALL = tuple(name for name in NAMES if name not in REFUSED | LARGE)
TWO = tuple(
    (name, way, CORES[(place + turn) % len(CORES)])
    for turn in range(2)
    for place, name in enumerate(SMALL)
    for way in (tuple(WAYS)[(3 * place + 5 * turn) % len(WAYS)],)
)


@pytest.mark.parametrize(("name", "way", "cores"), TWO)
def test_a_model_is_right_in_every_way(name: str, way: str, cores: int) -> None:
    compilation = compiled(name, cores, pipeline=WAYS[way].replace("seconds=2.0", "seconds=0.5"))
    assert fault_of(compilation, verified(name, compilation)) == ""


def test_all_ways_and_cores_are_in_the_sample() -> None:
    assert {way for _, way, _ in TWO} == set(WAYS)
    assert {cores for _, _, cores in TWO} == set(CORES)
    assert {name for name, _, _ in TWO} == set(SMALL)
    assert {name.partition(",")[0] for name in WAYS} == {"staged", "staged with moves", "searched", "co-optimized"}
