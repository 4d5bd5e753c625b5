"""Short names of steps and buffers, as the graph has them."""

import pytest

from spyre_studio.derived import schedule_of
from spyre_studio.short_names import _last, short_names
from tests.programs import attention
from tests.spyre_studio.plans import DEFAULT_ORDERS, compiled


def test_copies_are_named_by_what_they_copy() -> None:
    compilation = compiled(program=attention(4, 512, 64), pipeline=DEFAULT_ORDERS)
    names = short_names(compilation)
    assert names.step("k@d1") == "restickify of k"
    assert names.buffer("k@d1") == "k@d1"
    assert names.buffer("exp") == names.step("exp") == "exp"
    assert names.step("nothing") == "nothing"


def test_everything_has_a_name() -> None:
    compilation = compiled(program=attention(2, 128, 64))
    names, schedule = short_names(compilation), schedule_of(compilation)
    assert set(names.steps) == {step.name for step in schedule.steps}
    assert set(names.buffers) == set(schedule.buffers)
    assert all(names.buffers.values())


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("layers.0.attn.softmax/exp", "exp"),
        ("self_attn.rotary_emb.add.2", "add.2"),
        ("self_attn.rotary_emb.add.2@d2", "add.2@d2"),
        ("x", "x"),
        ("7", "7"),
    ],
)
def test_the_last_part_of_a_name(name: str, short: str) -> None:
    assert _last(name) == short
