"""The text form of links: what is file and what is place, encoding, and what a link cannot hold."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyre_studio.deep_link import Link, Place, from_anywhere, print_link, read_link


@pytest.fixture
def plan(tmp_path: Path) -> str:
    path = tmp_path / "plan.json"
    path.write_text("{}", encoding="utf-8")
    return str(path)


def test_every_part(plan: str) -> None:
    link = read_link(f"{plan}#op=layers.0/exp&core=7&step=12&view=timeline&buffer=exp%20out")
    assert link == Link(plan, Place("layers.0/exp", "exp out", 7, 12, "timeline"))


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("softmax#core=3", "softmax"),
        ("softmax?rows=8#core=3", "softmax?rows=8"),
        ("gone/model.py:make#core=3", "gone/model.py:make"),
        ("gone.pt2?N=64#core=3", "gone.pt2?N=64"),
        ("gone.spyre#CORE=3", "gone.spyre"),
    ],
)
def test_models_examples_and_projects(text: str, spec: str) -> None:
    assert read_link(text) == Link(spec, Place(core=3))


def test_a_file_that_exists_wins(tmp_path: Path) -> None:
    odd = tmp_path / "plan.json#op=exp"
    odd.write_text("{}", encoding="utf-8")
    assert read_link(str(odd)) == Link(str(odd))
    assert read_link(f"{odd}#op=sum") == Link(str(odd), Place(op="sum"))
    (tmp_path / "plan.json").write_text("{}", encoding="utf-8")
    assert read_link(f"{tmp_path}/plan.json#op=sum") == Link(f"{tmp_path}/plan.json", Place(op="sum"))


def test_a_model_whose_file_has_a_number_sign(tmp_path: Path) -> None:
    (tmp_path / "m#1.py").write_text("", encoding="utf-8")
    (tmp_path / "m").mkdir()
    for spec in (f"{tmp_path}/m#1.py:make", f"{tmp_path}/m#1.py:make?n=4"):
        assert read_link(spec) == Link(spec)
        assert read_link(f"{spec}#core=1") == Link(spec, Place(core=1))


def test_a_number_sign_that_no_part_follows_belongs_to_the_name() -> None:
    assert read_link("notes#2.json") == Link("notes#2.json")
    assert read_link("#op=exp") == Link("#op=exp")
    assert read_link("") == Link("")
    assert read_link("a\0b#op=exp") == Link("a\0b", Place(op="exp"))


def test_what_a_link_cannot_hold_is_kept_as_written_and_the_rest_counts(plan: str) -> None:
    link = read_link(f"{plan}#colour=red&op=exp&core=-1&step=x&view=&%FF=1&buffer=%FF&nothing")
    assert link.place == Place(op="exp")
    assert link.unknown == ("colour=red", "core=-1", "step=x", "view=", "%FF=1", "buffer=%FF", "nothing")
    assert read_link(f"{plan}#").unknown == ()
    assert len(read_link(f"{plan}#{'x' * 500}").unknown[0]) == 60
    assert read_link(f"{plan}#core=²").unknown == ("core=²",), "a digit that is no number"


def test_the_last_of_a_part_given_twice_counts(plan: str) -> None:
    assert read_link(f"{plan}#core=1&core=2").place == Place(core=2)


def test_names_stay_readable_and_signs_of_the_form_are_encoded() -> None:
    link = Link("plan.json", Place("layers.0/attn:exp", "a#b&c=d%e f", 0, 3, "graph"))
    assert print_link(link) == "plan.json#op=layers.0/attn:exp&buffer=a%23b%26c%3Dd%25e%20f&core=0&step=3&view=graph"
    assert print_link(Link("plan.json")) == "plan.json"


names = st.none() | st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
numbers = st.none() | st.integers(0, 10**6)


@settings(max_examples=200, deadline=None)
@given(st.builds(Place, names, names, numbers, numbers, names))
def test_what_is_written_is_read_again(place: Place) -> None:
    assert read_link(print_link(Link("softmax", place))) == Link("softmax", place)


def test_a_link_holds_from_any_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert from_anywhere("plan.json") == str(tmp_path / "plan.json")
    assert from_anywhere("model.py:make?n=2") == str(tmp_path / "model.py:make?n=2")
    assert from_anywhere("softmax") == "softmax"
    assert from_anywhere("") == ""
