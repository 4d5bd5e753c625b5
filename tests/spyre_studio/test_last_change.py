"""What the last change did, in a line: time, causes, and what became of the pins."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.diff import diff
from compiler.pins import Pins, PinState, PinStatus
from spyre_studio.last_change import _title, last_change
from spyre_studio.short_names import ShortNames
from spyre_studio.units import format_us
from tests.spyre_studio.blocks import blocks
from tests.spyre_studio.plans import compiled, divided


def with_status(whole: Compilation, **states: tuple[PinState, str]) -> Compilation:
    """The plan with other ends of its pins."""
    status = frozendict((f"division:{op}", PinStatus(*end)) for op, end in states.items())
    return replace(whole, plan=replace(whole.plan, pins=status))


def test_the_line_has_the_difference_of_compare_and_the_step_that_caused_it() -> None:
    before, after = compiled(), compiled(divided("sum", i=1))
    change = last_change(before, after)
    total = diff(before, after).total
    assert change.saving.startswith(f"{format_us(total.delta_us, signed=True)} (+")
    assert " → " in change.saving
    assert "sum " in change.saving
    assert (change.pins, change.tone) == ("1 pin: 1 honoured", "ok")
    back = last_change(after, before)
    assert back.saving.startswith(format_us(-total.delta_us, signed=True))
    assert back.pins == ""


def test_moves_that_came_are_counted() -> None:
    spec = "assign-layouts,insert-restickify,order-dims{rule=default},reduce-span,divide-matmul,divide-rest,"
    before = compiled(pipeline=f"{spec}place-scratchpad")
    after = compiled(divided("sum", i=4), pipeline=f"{spec}place-scratchpad{{moves=yes}}")
    added = sum(entry.added for entry in diff(before, after).edits)
    line = last_change(before, after).saving
    assert ("+" in line.partition(":")[2]) == bool(added)


def test_the_same_plan_is_called_that() -> None:
    assert last_change(compiled(), compiled()).saving == "the same plan"


def test_pins_that_were_not_kept_are_named_and_explained() -> None:
    pins = Pins(division=frozendict({op: frozendict(i=4) for op in ("max", "sub", "exp", "sum", "truediv")}))
    ends = dict.fromkeys(("max", "sub", "exp"), (PinState.HONOURED, ""))
    whole = compiled(pins)
    after = with_status(whole, **ends, sum=(PinState.ADJUSTED, "to i 2"), truediv=(PinState.ADJUSTED, "to i 1"))
    change = last_change(compiled(), after)
    assert change.pins == "5 pins: 3 honoured, 2 adjusted (sum, truediv)"
    assert change.tone == "warn"
    assert change.details == ("sum adjusted: to i 2", "truediv adjusted: to i 1")
    refused = with_status(whole, **dict.fromkeys(pins.division, (PinState.REFUSED, "7 does not divide")))
    bad = last_change(compiled(), refused)
    assert bad.pins == "5 pins: 5 refused (max, sub, exp and 2 more)"
    assert bad.tone == "bad"


def test_all_pins_are_told_as_everywhere_else() -> None:
    before, after = (
        compiled(divided("sum", i=4)),
        compiled(Pins(division=frozendict(sum=frozendict(i=4), max=frozendict(i=4)))),
    )
    assert last_change(before, after).pins == "2 pins: 2 honoured"
    refused = with_status(after, sum=(PinState.HONOURED, ""), max=(PinState.REFUSED, "no"))
    assert last_change(before, refused).pins == "2 pins: 1 honoured, 1 refused (max)"


@pytest.mark.parametrize(
    ("names", "title"),
    [
        ({"layers.2.mlp.gate/matmul": "gate"}, "gate"),
        ({"layers.2.mlp.gate/matmul": "gate", "layers.1.mlp.gate/matmul": "gate"}, "layers.2 gate"),
        ({"attn.sdpa/matmul": "matmul", "attn.out/matmul": "matmul"}, "attn.sdpa/matmul"),
    ],
)
def test_a_name_that_several_steps_have_gets_what_tells_them_apart(
    names: dict[str, str], title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ShortNames(frozendict(names), frozendict())
    monkeypatch.setattr("spyre_studio.last_change.short_names", lambda _plan: known)
    assert _title(next(iter(names)), compiled()) == title


def test_short_times_have_more_digits() -> None:
    line = last_change(compiled(program=blocks()), compiled(divided("layers.1.mlp.silu", i=1), program=blocks())).saving
    assert "layers.1.mlp.silu 0.0" in line
    assert " 0.0 " not in line
