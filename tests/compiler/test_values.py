"""Every value round-trips through its text and its JSON form; broken documents end in one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import hypothesis.strategies as st
import pytest
from frozendict import frozendict
from hypothesis import given

from compiler.codec import KINDS, VERSION, from_json, to_json
from compiler.dtypes import DType
from compiler.errors import InputError
from compiler.layout import stick_layout
from compiler.loops import BufferKind, LoopProgram, OpKind, Role
from compiler.pins import Pins
from compiler.plan import Plan, ReasonCode, Slot, Spilled
from compiler.text.document import from_text, to_text
from tests.compiler.strategies import VALUES
from tests.programs import softmax

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


def alike(left: object, right: object) -> bool:
    """Equal, and of the same classes all the way down: a word is equal to the enum member that stands for it."""
    if type(left) is not type(right):
        return False
    if is_dataclass(left) and not isinstance(left, type):
        return all(alike(getattr(left, item.name), getattr(right, item.name)) for item in fields(left))
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, frozendict) and isinstance(right, frozendict):
        return alike(tuple(left.items()), tuple(right.items()))
    return left == right


def test_a_word_is_not_alike_an_enum() -> None:
    assert frozendict(a=BufferKind.INPUT) == frozendict(a="input")
    assert not alike(BufferKind.INPUT, "input")
    assert not alike(frozendict(a=(BufferKind.INPUT,)), frozendict(a=("input",)))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_enums_come_back_as_enums(kind: str, data: st.DataObject) -> None:
    value = data.draw(VALUES[kind])
    again: object = from_json(KINDS[kind], to_json(value))
    assert alike(again, value)


def test_the_kind_of_a_buffer_is_a_buffer_kind() -> None:
    program = softmax(64, 128)
    again = from_json(LoopProgram, to_json(program))
    assert {type(buffer.kind) for buffer in again.buffers} == {BufferKind}
    assert {type(op.kind) for op in again.ops} == {OpKind}
    assert {type(loop.role) for op in again.ops for loop in op.loops} == {Role}
    assert {type(buffer.dtype) for buffer in again.buffers} == {DType}


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
        (lambda d: d["value"].update(cores="32"), '"32" is not a whole number @ value.cores'),
        (lambda d: d["value"]["placement"]["x"].update({"is": "floating"}), "value.placement"),
        (lambda d: d["value"].update(edits={}), "value.edits"),
        (lambda d: d["value"].update(kernels="x" * 1_000_000), "value.kernels"),
        (lambda d: d["value"]["layouts"]["x"].update(device_size="128"), "value.layouts"),
        (lambda d: d.update(value=3), "an object"),
        (lambda d: d.update(x=1), "it has an entry 'x' beside its value"),
        (lambda d: d.update(kind=["plan"]), "unknown kind"),
        (lambda d: d["value"].update(layouts=[]), "value.layouts"),
        (lambda d: d["value"].update(layouts=""), "value.layouts"),
        (lambda d: d["value"].update(layouts=None), "value.layouts"),
        (lambda d: d["value"].update(reasons=[["a", "b"]]), "value.reasons"),
        (lambda d: d["value"].update(pins=0), "value.pins"),
        (lambda d: d["value"].update(kernels=""), "value.kernels"),
        (lambda d: d["value"]["placement"]["x"].update({"is": ["slot"]}), "value.placement"),
        (lambda d: d["value"].update(cores=2**70), "a number beyond 64 bits @ value.cores"),
        (lambda d: d["value"].update(model="\ud800"), "half of a character (\\ud800)"),
        (lambda d: d["value"]["reasons"].update({"a\udfff": "b"}), "half of a character (\\udfff)"),
    ],
)
def test_a_document_that_does_not_fit_is_refused_by_name(change: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        from_json(Plan, broken(change), "plan.json")
    assert words in caught.value.sentence
    assert caught.value.sentence.startswith("plan.json: ")
    assert "\n" not in caught.value.sentence


def places(node: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a document, of lists the first entry."""
    yield path
    entries = node.items() if isinstance(node, dict) else enumerate(node[:1]) if isinstance(node, list) else ()
    for key, value in entries:
        yield from places(value, (*path, key))


def with_other(path: tuple[str | int, ...], other: object) -> str:
    document = json.loads(to_json(PLAN))
    node, last = document, ("value", *path)[-1]
    for key in ("value", *path)[:-1]:
        node = node[key]
    node[last] = other
    return json.dumps(document)


def refusal(text: str) -> str:
    try:
        from_json(Plan, text, "plan.json")
    except InputError as error:
        return error.sentence
    return ""


PYTHON = (
    "NoneType",
    "object has no",
    "unknown error",
    "None",
    "True",
    "tuple",
    "dict",
    "int |",
    "compiler.",
    "<",
    "str @",
)


@pytest.mark.parametrize("other", [None, True, 3, -1.5, "x", [], [3], {}, {"a": 1}], ids=repr)
def test_nothing_but_plain_words_whatever_stands_at_whatever_place(other: object) -> None:
    said = [refusal(with_other(path, other)) for path in places(json.loads(to_json(PLAN))["value"])]
    assert sum(map(bool, said)) > 10
    assert [one for one in said if any(word in one for word in PYTHON)] == []


def test_what_stands_where_something_else_belongs_is_shown() -> None:
    for path, other, words in (
        (("edits",), None, "null is not a list @ value.edits"),
        (("layouts",), [1], "[1] is not an object @ value.layouts"),
        (("placement", "x"), None, "null is not an object @ value.placement"),
        (("placement", "x", "is"), ["slot"], "[\"slot\"] as its 'is' is none of slot, spilled @ value.placement"),
    ):
        with pytest.raises(InputError) as caught:
            from_json(Plan, with_other(path, other), "plan.json")
        assert f"({words})" in caught.value.sentence


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
