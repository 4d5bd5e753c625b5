"""Every value round-trips through its text and its JSON form; broken documents end in one sentence."""

from __future__ import annotations

import json

import hypothesis.strategies as st
import pytest
from frozendict import frozendict
from hypothesis import given

from compiler.codec import KINDS, VERSION, from_json, to_json
from compiler.errors import InputError
from compiler.layout import stick_layout
from compiler.pins import Pins
from compiler.plan import Plan, ReasonCode, Slot, Spilled
from compiler.text.document import from_text, to_text
from tests.compiler.strategies import VALUES

PLAN = Plan(
    "m",
    "spyre",
    32,
    "staged",
    layouts=frozendict(x=stick_layout((4, 128), (128, 1), 64)),
    placement=frozendict(x=Slot(0, 512, 0, 1), y=Spilled(ReasonCode.CAPACITY, "needs 5 bytes more")),
)


def test_every_kind_has_a_strategy() -> None:
    assert VALUES.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_json_round_trips(kind: str, data: st.DataObject) -> None:
    value = data.draw(VALUES[kind])
    again: object = from_json(KINDS[kind], to_json(value))
    assert again == value
    assert to_json(again) == to_json(value)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_text_round_trips(kind: str, data: st.DataObject) -> None:
    value = data.draw(VALUES[kind])
    again: object = from_text(KINDS[kind], to_text(value))
    assert again == value
    assert to_text(again) == to_text(value)


def broken(change: object) -> str:
    document = json.loads(to_json(PLAN))
    change(document)  # type: ignore[operator]
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(version=VERSION + 1), f"format version {VERSION + 1}, this one reads up to {VERSION}"),
        (lambda d: d.update(version=0), "versions start at 1"),
        (lambda d: d.update(version="1"), "versions start at 1"),
        (lambda d: d.update(kind="pins"), "it holds a pins, not a plan"),
        (lambda d: d.update(kind="zebra"), "unknown kind"),
        (lambda d: d["value"].pop("cores"), "required field missing @ value.cores"),
        (lambda d: d["value"].update(extra=1), "extra fields found (extra)"),
        (lambda d: d["value"].update(cores="32"), "expected int @ value.cores"),
        (lambda d: d["value"]["placement"]["x"].update({"is": "floating"}), "value.placement"),
        (lambda d: d["value"].update(edits={}), "value.edits"),
        (lambda d: d["value"].update(kernels="x" * 1_000_000), "value.kernels"),
        (lambda d: d["value"]["layouts"]["x"].update(device_size="128"), "value.layouts"),
        (lambda d: d.update(value=3), "an object"),
    ],
)
def test_a_document_that_does_not_fit_is_refused_by_name(change: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        from_json(Plan, broken(change), "plan.json")
    assert words in caught.value.sentence
    assert caught.value.sentence.startswith("plan.json: ")
    assert "\n" not in caught.value.sentence


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"kind": "plan"}', "\x00\x01", "[" * 100_000])
def test_text_that_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"JSON"):
        from_json(Plan, text, "plan.json")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("  divide op m 8 x", "line 2: expected a whole number, found 'the end of the line'"),
        ("  place x lx here", "expected a whole number, found 'here'"),
        ("  spill x because", "expected one of graph-input"),
        ("  banana x", "expected the end of the listing"),
        ('  pin "division:a" perhaps ""', "expected one of honoured, adjusted, refused"),
    ],
)
def test_a_listing_that_does_not_parse_names_line_and_token(line: str, words: str) -> None:
    head = 'plan m  device spyre  cores 32  pipeline "staged"\n'
    with pytest.raises(InputError) as caught:
        from_text(Plan, head + line + "\n")
    assert words in caught.value.sentence


def test_a_listing_may_have_comments_and_blank_lines() -> None:
    text = "# my pins\n\npins\n  divide attn/bmm (m 8, n 4)  \n\n"
    assert from_text(Pins, text) == Pins(division=frozendict({"attn/bmm": frozendict(m=8, n=4)}))


def test_the_plan_listing(golden: object) -> None:
    golden("plan.txt", to_text(PLAN))  # type: ignore[operator]
