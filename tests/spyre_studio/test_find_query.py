"""What is typed to find something: words, filters, shapes, patterns, and sentences for mistakes."""

import pytest

from compiler.compilation import Compilation
from spyre_studio.find_query import HELP, read_query
from spyre_studio.finder import Entry, found_in, matching, of_modules
from tests.programs import attention
from tests.spyre_studio.plans import compiled

MATMUL = Entry("op", "attn.q/matmul", "matmul · m 8 · n 4", "op matmul aten.mm", (1, 128, 1024), (("m", 8), ("n", 4)))
EXP = Entry("op", "softmax/exp", "pointwise", "op pointwise aten.exp", (4, 128), (), False)
MOVE = Entry("move", "softmax/exp@d1", "restickify", "move restickify", (4, 128), (("b1", 2),), True)
HELD = Entry("buffer", "softmax/exp", "f16[4,128] · LX 2 KiB", "buffer computed f16", (4, 128), None, False)
AWAY = Entry(
    "buffer", "attn.q/matmul", "f16[1,128,1024]", "buffer computed f16", (1, 128, 1024), None, True, "capacity no room"
)
EVERY = (MATMUL, EXP, MOVE, HELD, AWAY)


def found(text: str) -> list[Entry]:
    return list(matching(EVERY, text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", EVERY),
        ("softmax", (EXP, MOVE, HELD)),
        ("softmax restickify", (MOVE,)),
        ("SOFTMAX exp nothing", ()),
        ("kind:matmul", (MATMUL,)),
        ("KIND:matmul", (MATMUL,)),
        ("kind:aten.exp", (EXP,)),
        ("kind:move", (MOVE,)),
        ("kind:buffer", (HELD, AWAY)),
        ("split:", (MATMUL, MOVE)),
        ("split:m", (MATMUL,)),
        ("split:m8", (MATMUL,)),
        ("split:m=8", (MATMUL,)),
        ("split:4", (MATMUL,)),
        ("split:m4", ()),
        ("split:b1", (MOVE,)),
        ("split:b12", (MOVE,)),
        ("split:none", (EXP,)),
        ("spilled:", (MOVE, AWAY)),
        ("spilled:yes", (MOVE, AWAY)),
        ("spilled:no", (EXP, HELD)),
        ("reason:capacity", (AWAY,)),
        ("reason:", (AWAY,)),
        ("reason:pinned", ()),
        ("shape:128x1024", (MATMUL, AWAY)),
        ("shape:[128,1024]", (MATMUL, AWAY)),
        ("128x1024", (MATMUL, AWAY)),
        ("1x*x1024", (MATMUL, AWAY)),
        ("128×1024", (MATMUL, AWAY)),
        ("128x4", ()),
        ("shape:4", (EXP, MOVE, HELD)),
        ("/^softmax.exp$/", (EXP, HELD)),
        ("/EXP/ spilled:no kind:op", (EXP,)),
        ("/exp@d. ?/", (MOVE,)),
    ],
)
def test_what_is_meant(text: str, expected: tuple[Entry, ...]) -> None:
    assert sorted(found(text), key=EVERY.index) == list(expected)


def test_names_that_begin_with_the_word_come_first() -> None:
    assert found("matmul")[0] in {MATMUL, AWAY}
    behind = Entry("op", "layers.exp2", "", "op")
    first = Entry("op", "exp/sum", "", "op")
    assert matching((Entry("op", "softexp", "", "op"), behind, first), "exp")[:2] == (behind, first)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/(/", "/(/ is not a pattern yet"),
        ("/[a-/ exp", "is not a pattern yet"),
        ("shape:axb", "shape:axb is not a shape"),
        ("shape:", "is not a shape"),
        (f"/{'a' * 201}/", "200 characters at most"),
    ],
)
def test_a_mistake_is_told_in_a_sentence_and_finds_nothing(text: str, words: str) -> None:
    query = read_query(text)
    assert words in query.mistake
    assert query.mistake.endswith(".")
    assert found(text) == []


@pytest.mark.parametrize("text", ["/open", "a/b", "unknown:thing", "/", "//", "kind", "4x"])
def test_what_is_no_filter_is_a_word(text: str) -> None:
    assert not read_query(text).mistake
    assert read_query(text).first == text


def test_the_help_line_teaches_what_works() -> None:
    for part in HELP.split(" · "):
        assert not read_query(part).mistake
        assert not read_query(part).first, part


@pytest.fixture(scope="module")
def plan() -> Compilation:
    return compiled(program=attention(2, 64, 64))


def test_entries_of_a_plan_can_be_filtered(plan: Compilation) -> None:
    every = found_in(plan)
    kinds = {entry.name for entry in matching(every, "kind:matmul")}
    assert kinds == {op.name for op in plan.problem.program.ops if str(op.kind) == "matmul"}
    spilled = {entry.name for entry in matching(every, "spilled: kind:buffer")}
    assert spilled == {name for name, place in plan.plan.placement.items() if hasattr(place, "code")}
    inputs = {entry.name for entry in matching(every, "reason:graph-input kind:buffer")}
    assert "q" in inputs
    assert inputs == {entry.name for entry in matching(every, "/.*/ kind:buffer reason:input")}
    assert matching(every, "split:none") or all(entry.splits != () for entry in every)


def test_modules_can_be_found() -> None:
    modules = of_modules(("", "layers", "layers.0"), (12, 11, 5))
    assert [entry.name for entry in matching(modules, "kind:module")] == ["layers", "layers.0"]
    assert modules[1].note == "module · 5 ops"
