"""Listings: every line knows what it speaks of, nested lines belong to the line above them."""

import pytest

from compiler.text.document import to_text
from spyre_studio.listing import Listing, ListingKind, Subject, linked, listing_of
from tests.programs import attention
from tests.spyre_studio.plans import compiled


def subject_of(listing: Listing, part: str) -> Subject | None:
    number = next(number for number, line in enumerate(listing.lines) if part in line)
    return listing.subjects[number]


@pytest.mark.parametrize("kind", ["plan", "program", "loops"])
def test_the_text_is_that_of_the_value(kind: ListingKind) -> None:
    compilation = compiled(program=attention(2, 64, 64))
    values = {"plan": compilation.plan, "program": compilation.program, "loops": compilation.problem.program}
    listing = listing_of(compilation, kind)
    assert "\n".join(listing.lines) + "\n" == to_text(values[kind])
    assert len(listing.subjects) == len(listing.lines)


def test_decisions_are_those_of_their_op_or_buffer() -> None:
    listing = listing_of(compiled(program=attention(2, 64, 64)), "plan")
    assert subject_of(listing, "layout exp ") == Subject("buffer", "exp")
    assert subject_of(listing, "divide exp ") == Subject("op", "exp")
    assert subject_of(listing, "place exp ") == Subject("buffer", "exp")
    assert subject_of(listing, 'why "division:exp"') == Subject("op", "exp")
    assert subject_of(listing, 'why "layout:q"') == Subject("buffer", "q")
    assert listing.subjects[0] is None, "the head speaks of the plan as a whole"


def test_slices_belong_to_their_step() -> None:
    listing = listing_of(compiled(program=attention(2, 64, 64)), "program")
    first = listing.line_of("scores", None)
    assert "scores" in listing.lines[first]
    following = [listing.subjects[number] for number in range(first, first + 5)]
    assert following == [Subject("op", "scores")] * 5
    assert any("core 0" in line for line in listing.lines[first : first + 5])
    boxes = next(number for number, line in enumerate(listing.lines) if line.startswith("    box"))
    owner = listing.subjects[boxes]
    assert owner is not None
    assert owner.kind == "buffer"


def test_quoted_names_are_found_and_unknown_ones_are_nothing() -> None:
    text = 'plan p\n  layout "a b"  sparse\n  divide zzz  1 core\n'
    listing = linked(text, {"a b"}, {"a b"})
    assert listing.subjects == (None, Subject("buffer", "a b"), None)
    assert listing.line_of(None, "a b") == 1
    assert listing.line_of("zzz", None) == -1
