"""Listings: every line knows what it speaks of, names in it are links, and cores that do the same are folded."""

import json
from dataclasses import replace

import numpy as np
import pytest

from compiler.emit import FORMATS
from compiler.text.document import to_text
from spyre_studio.failure import Failure
from spyre_studio.listing import NOWHERE, Listing, linked, merged
from spyre_studio.listing_folds import Folding
from spyre_studio.listing_kinds import kind_of, kinds, listing_of, tried
from spyre_studio.listing_links import Link, Names, Subject, links_of, quoted_links
from spyre_studio.listing_shape import shape_of
from spyre_studio.listing_text import Text
from spyre_studio.views.text_folded import folded_words
from tests.programs import attention
from tests.spyre_studio.moves import moved
from tests.spyre_studio.plans import compiled

OP = Subject("op", "exp")
BUFFER = Subject("buffer", "exp")
NAMES = Names({"sum", "k@d1", "layers.0/exp", "scores"}, {"k", "q", "sum", "k@d1", "scores", "a b"})


def at(listing: Listing, part: str) -> int:
    return next(number for number in range(len(listing)) if part in listing.text.line(number))


def subject_of(listing: Listing, part: str) -> Subject | None:
    return listing.subject_of(at(listing, part))


def told(line: str, names: Names = NAMES) -> list[str]:
    """The links of a line as `op exp`, each checked against the letters that it covers."""
    links = links_of(line, names)
    for link in links:
        covered = line[link.start : link.end]
        assert covered in (link.subject.name, f"{link.subject.name}#1"), covered
    return [f"{link.subject.kind} {link.subject.name}" for link in links]


@pytest.mark.parametrize("key", ["plan", "program", "loops"])
def test_the_text_is_that_of_the_value(key: str) -> None:
    compilation = compiled(program=attention(2, 64, 64))
    values = {"plan": compilation.plan, "program": compilation.program, "loops": compilation.problem.program}
    listing = listing_of(compilation, key)
    assert listing.text.whole == to_text(values[key])
    assert listing.text.lines(0, len(listing)) + "\n" == to_text(values[key])


def test_every_export_that_is_no_listing_anyway_is_a_kind() -> None:
    keys = [row.key for row in kinds()]
    assert keys[:3] == ["plan", "program", "loops"]
    assert set(keys[3:]) == {name for name, row in FORMATS.items() if not row.folder and not name.endswith("-text")}
    assert not kind_of("plan-json").ours


def test_decisions_are_those_of_their_op_or_buffer() -> None:
    listing = listing_of(compiled(program=attention(2, 64, 64)), "plan")
    assert subject_of(listing, "layout exp ") == BUFFER
    assert subject_of(listing, "divide exp ") == OP
    assert subject_of(listing, "place exp ") == BUFFER
    assert subject_of(listing, 'why "division:exp"') == OP
    assert subject_of(listing, 'why "layout:q"') == Subject("buffer", "q")
    assert listing.subject_of(0) is None, "the head speaks of the plan as a whole"
    assert subject_of(listing, "  kernel ") is None, "a kernel is no op"


def test_slices_belong_to_their_step_and_to_their_core() -> None:
    listing = listing_of(compiled(program=attention(2, 64, 64)), "program")
    first = listing.line_of("scores", None)
    assert listing.text.line(first).endswith(" scores")
    owned = listing.owned(Subject("op", "scores"))
    assert owned[0] == first
    assert [listing.core_of(int(line)) for line in owned[4:]] == list(range(32))
    box = at(listing, "    box core 3 ")
    owner = listing.subject_of(box)
    assert owner is not None
    assert (owner.kind, listing.core_of(box)) == ("buffer", 3)
    seven = listing.of_core(7)
    assert all(" core 7 " in listing.text.line(int(line)) for line in seven)
    assert len(seven) == listing.text.whole.count(" core 7 ")
    assert len(listing.of_core(7, owned)) == 1


def test_names_are_found_where_they_are_named() -> None:
    listing = listing_of(compiled(program=attention(2, 64, 64)), "program")
    for subject, lines in listing.named.items():
        assert all(subject.name in listing.text.line(int(line)) for line in lines)
    readers = [listing.text.line(int(line)) for line in listing.places(BUFFER)]
    assert sum(line.startswith("  op ") for line in readers) == 3, "exp, sum and div"
    assert listing.places(Subject("op", "nobody")) is NOWHERE
    assert listing.owned(Subject("op", "nobody")) is NOWHERE
    assert listing.line_of("nobody", None) == -1


@pytest.mark.parametrize(
    ("line", "links"),
    [
        ("  op sum  reduction sum  (k:64 reduced)  q[64*k] -> sum[k]", ["op sum", "buffer q", "buffer sum"]),
        ("  edit k@d1  restickify  k to k@d1  before scores  for (scores, sum#1)",
         ["op k@d1", "buffer k", "buffer k@d1", "op scores", "op scores", "op sum"]),
        ("  place sum  lx 0 + 4096  steps 3..4  in place of scores", ["buffer sum", "buffer scores"]),
        ("  kernel sum  (k@d1, scores)", ["op k@d1", "op scores"]),
        ("  step 3 sum  masked (k)", ["op sum"]),
        ("  output out0 = scores [2,64]  strides [64,1]  offset 0", ["buffer scores"]),
        ('  layout "a b"  sparse  [1]', ["buffer a b"]),
        ('  why "layout:sum"  "keeps the sum of k; copied by k@d1."', ["buffer sum", "op k@d1"]),
        ('  pin "division:sum"  honoured  ""', ["op sum"]),
        ("  divide zzz  1 core", []),
        ("    layout sticks of dim 2  [1]", []),
        ("    body  %0 load 0 f16; %1 sum %0", []),
        ("      + divide sum  k 4 x 16", ["op sum"]),
        ("    of layers.0/exp", ["op layers.0/exp"]),
        ("", []),
    ],
)  # fmt: skip
def test_links_follow_the_grammar_of_a_line(line: str, links: list[str]) -> None:
    assert told(line) == links


def test_other_texts_link_whole_strings_and_names_that_no_word_is() -> None:
    found = quoted_links('{"name": "sum", "of": "the sum of k", "at": layers.0/exp}', NAMES)
    assert [link.subject.name for link in found] == ["sum", "layers.0/exp"]
    assert found[0] == Link(10, 13, Subject("op", "sum"))


def test_quoted_names_with_escapes_and_broken_quotes_are_harmless() -> None:
    names = Names(frozenset(), frozenset({'a"b'}))
    assert links_of('  layout "a\\"b"  x', names)[0].subject.name == 'a"b'
    assert links_of('  layout "a\\q"  x', names) == ()
    assert links_of('  why "layout:', names) == ()


def test_cores_that_do_the_same_are_folded_and_the_line_says_so() -> None:
    listing = listing_of(compiled(program=attention(2, 64, 64)), "program")
    folding = Folding(listing.folds, len(listing))
    line = listing.line_of("scores", None) + 4
    assert folding.is_closed(line)
    assert not folding.is_visible(line + 1)
    words = folded_words(listing, listing.folds.headed_by(line))
    assert words == "… 31 cores like core 0, 31 lines"


def cores(work: list[int]) -> Listing:
    """A step on as many cores, which do the same where the numbers are equal."""
    text = "device-program p\n  kernel k\n  step 0 sum\n"
    text += "".join(f"    core {core}  (0..{kind})\n" for core, kind in enumerate(work))
    return linked(text, NAMES, np.array(work))


def test_a_core_that_does_something_else_stays_in_view() -> None:
    listing = cores([8] * 11 + [4])
    folding = Folding(listing.folds, len(listing))
    assert folding.visible.tolist() == [0, 1, 2, 3, 14]
    assert folded_words(listing, listing.folds.headed_by(3)) == "… 10 cores like core 0, 10 lines"


def test_cores_that_take_turns_are_one_block() -> None:
    listing = cores([1, 2] * 6)
    fold = listing.folds.headed_by(3)
    assert bool(listing.folds.at_first[fold])
    assert folded_words(listing, fold) == "… 11 cores, 5 like core 0, 6 like core 1, 11 lines"
    many = cores(list(range(1, 13)))
    assert folded_words(many, many.folds.headed_by(3)) == "… 11 cores, 12 kinds of work, 11 lines"


def test_blocks_say_what_they_hold() -> None:
    listing = listing_of(compiled(program=attention(2, 64, 64)), "program")
    kernel = listing.folds.headed_by(at(listing, "  kernel "))
    assert folded_words(listing, kernel).startswith("… 8 steps, ")
    plan = listing_of(compiled(program=attention(2, 64, 64)), "plan")
    layouts = plan.folds.headed_by(1)
    assert folded_words(plan, layouts) == "… 10 more layouts"
    places = plan.folds.headed_by(at(plan, "  spill q"))
    assert folded_words(plan, places).endswith(" more placements"), "spilled or placed, both say where it lies"


def test_brackets_go_with_what_they_close() -> None:
    text = json.dumps({"layouts": {"sum": {"sizes": [1, 2, 3]}}}, indent=1)
    listing = linked(text, NAMES, ours=False)
    folding = Folding(listing.folds, len(listing))
    folding.turn(at(listing, '"sum"'), closed=True)
    shown = [listing.text.line(int(line)).strip() for line in folding.visible]
    assert shown == ["{", '"layouts": {', '"sum": {', "}", "}"]
    assert listing.subject_of(at(listing, '"sizes"')) == Subject("op", "sum")


def test_long_texts_of_others_are_folded_where_they_are_deep() -> None:
    listing = listing_of(compiled(program=attention(2, 64, 64)), "plan-json")
    folding = Folding(listing.folds, len(listing))
    assert len(folding.visible) < len(listing) / 2
    assert listing.line_of("exp", None) >= 0


def test_moves_are_ops_and_their_targets_buffers() -> None:
    plan = listing_of(moved(), "plan")
    line = at(plan, "  edit x@in")
    assert [link.subject.kind for link in plan.links(line)][:3] == ["op", "buffer", "buffer"]


def test_texts_of_other_letters_and_of_none() -> None:
    assert len(Text.of("")) == 0
    assert Text.of("").lines(0, 0) == ""
    text = Text.of("  µs\n  core 12  é\nend")
    assert [text.line(number) for number in range(3)] == ["  µs", "  core 12  é", "end"]
    assert text.line_at(4) == 0
    assert text.line_at(5) == 1
    shape = shape_of(text)
    assert list(shape.core) == [-1, 12, -1]
    assert list(shape.depth) == [1, 1, 0]
    empty = linked("", NAMES)
    assert len(empty) == len(empty.folds) == 0
    assert list(merged(np.array([3, 1]), np.array([1]))) == [1, 3]


def test_a_plan_that_cannot_be_exported_is_a_failure() -> None:
    whole = compiled()
    broken = replace(whole, verdicts=(replace(whole.verdicts[0], ok=False, violations=("it is wrong",)),))
    found = tried(broken, "plan-json")
    assert isinstance(found, Failure)
    assert "it is wrong" in found.why
