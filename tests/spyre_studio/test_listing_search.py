"""Searching a listing: words, capitals, expressions, and a sentence for what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyre_studio import listing_search
from spyre_studio.listing_search import Query, Search, spans_in
from spyre_studio.listing_text import Text
from spyre_studio.typed_pattern import TooSlowError, typed_pattern

TEXT = Text.of("Exp one\nnothing\n  exp [1]\nexp\n\n")


def found(query: Query, text: Text = TEXT) -> list[int]:
    return [int(line) for line in Search(query).run(text)]


def test_words_are_found_in_any_case_unless_it_counts() -> None:
    assert found(Query("exp")) == [0, 2, 3]
    assert found(Query("EXP")) == [0, 2, 3]
    assert found(Query("exp", case=True)) == [2, 3]
    assert found(Query("[1]")) == [2], "words are no expression"
    assert found(Query("")) == []
    assert found(Query("zzz")) == []


def test_expressions_hold_within_lines() -> None:
    assert found(Query(r"^exp$", regex=True)) == [3]
    assert found(Query(r"e.p\s", regex=True)) == [0, 2], "a line has no newline of its own"
    assert found(Query(r"n[^x]*", regex=True)) == [0, 1]
    assert found(Query(r"z*", regex=True)) == [], "places without a letter are none"
    assert found(Query(r"x?$", regex=True)) == []


@pytest.mark.parametrize(("words", "part"), [("(", "missing )"), ("a[", "unterminated"), ("*", "nothing to repeat")])
def test_what_is_no_expression_is_told_in_a_sentence(words: str, part: str) -> None:
    query = Query(words, regex=True)
    assert query.fault.startswith("Not a regular expression: ")
    assert part in query.fault
    assert query.fault.endswith(".")
    assert found(query) == []
    assert Query(words).fault == ""


def test_a_search_that_nobody_waits_for_ends() -> None:
    search = Search(Query("exp"))
    search.stop.set()
    assert search.run(TEXT).tolist() == []


@given(
    st.lists(st.text(alphabet="ab \té", max_size=6), max_size=12),
    st.sampled_from(["a", "ab", "b+", r"a\s*b", "^a", "b$", "[^a]+", "a*", "é"]),
    st.integers(1, 9),
)
def test_pieces_make_no_difference(lines: list[str], words: str, piece: int) -> None:
    text = Text.of("".join(f"{line}\n" for line in lines))
    query = Query(words, regex=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listing_search, "_PIECE", piece)
        apart = found(query, text)
    expected = [number for number, line in enumerate(lines) if spans_in(query.pattern(), line)]
    assert apart == expected


def test_spans_are_those_of_the_letters() -> None:
    assert spans_in(typed_pattern("a+"), "baaca") == [(1, 3), (4, 5)]


def test_an_expression_that_would_take_for_ever_is_given_up() -> None:
    text = Text.of("one a\n" + "a" * 4000 + "\n")
    search = Search(Query(r"(a|aa)+ ?[bc]|one", regex=True), seconds=0.05)
    assert search.run(text).tolist() == [0], "what was found before"
    assert search.slow.is_set()
    quick = Search(Query(r"a+$", regex=True))
    assert (quick.run(text).tolist(), quick.slow.is_set()) == ([0, 1], False)
    assert spans_in(typed_pattern(r"(a|aa)+[bc]"), "a" * 4000) == [], "nor does painting wait"
    with pytest.raises(TooSlowError):
        typed_pattern("a").search("a", 0, 1, 0.0)
