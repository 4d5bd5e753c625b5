"""Pins files: read as written, and refused in one sentence where a pin could get lost."""

import os
from pathlib import Path

import pytest
from frozendict import frozendict
from hypothesis import given

from compiler.errors import InputError
from compiler.pins import Pins
from compiler.text.pins_text import print_pins
from spyre_studio import output_file, pins_file
from spyre_studio.pins_file import parse_pins, print_pins_file, read_pins_file, write_pins_file
from tests.compiler import strategies

FULL = Pins(
    division=frozendict(op=frozendict(m=8, n=4)),
    layout=frozendict(x=1),
    placement=frozendict(x="lx", y="hbm"),
    tiles=frozendict(op=frozendict(m=2)),
)


def test_a_file_round_trips(tmp_path: Path) -> None:
    path = tmp_path / "pins.json"
    write_pins_file(path, FULL)
    assert print_pins(read_pins_file(path)) == print_pins(FULL)
    assert list(tmp_path.iterdir()) == [path]


@given(strategies.pins.map(lambda pins: Pins(pins.division, pins.layout, frozendict(), pins.tiles)))
def test_any_pins_round_trip_in_their_order(pins: Pins) -> None:
    assert print_pins(parse_pins(print_pins_file(pins))) == print_pins(pins)


def test_tables_may_be_missing() -> None:
    assert parse_pins('{"version": 1}') == Pins()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "not a JSON object"),
        ('{"division": {}}', "it has no 'version'"),
        ('{"version": 2}', "version 2, and this one reads up to 1"),
        ('{"version": 0}', "versions start at 1"),
        ('{"version": "1"}', "versions start at 1"),
        ('{"version": true}', "versions start at 1"),
        ('{"version": 1, "placment": {}}', "unknown key 'placment', which may mean 'placement'"),
        ('{"version": 1, "zzz": {}}', "unknown key 'zzz';"),
        ('{"version": 1, "division": []}', "'division' is []"),
        ('{"version": 1, "division": {"op": 4}}', "the division of op is 4"),
        ('{"version": 1, "division": {"op": {"m": "8"}}}', 'the factor of m in the division of op is "8"'),
        ('{"version": 1, "division": {"op": {"m": true}}}', "the factor of m in the division of op is true"),
        ('{"version": 1, "division": {"op": {"m": 2, "m": 4}}}', "'m' appears twice"),
        ('{"version": 1, "layout": {"x": 1.5}}', "the layout of x is 1.5"),
        ('{"version": 1, "placement": {"x": "sram"}}', 'the placement of x is "sram"; write lx or hbm'),
    ],
)
def test_what_cannot_be_used_is_said(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_pins(text)
    assert words in caught.value.sentence


def test_older_versions_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = print_pins_file(FULL)
    monkeypatch.setattr(pins_file, "VERSION", 2)
    assert parse_pins(text) == FULL
    with pytest.raises(InputError, match=r"version 3, and this one reads up to 2.*update Spyre Studio"):
        parse_pins('{"version": 3}')


def test_a_failed_save_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pins.json"
    write_pins_file(path, FULL)

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output_file, "_put", full_disk)
    with pytest.raises(InputError, match="No space left on device"):
        write_pins_file(path, Pins())
    monkeypatch.undo()
    assert read_pins_file(path) == FULL
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00\x01"])
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "pins.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=f"pins file {path}"):
        read_pins_file(path)


def test_the_example_in_the_readme_is_read() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    pins = parse_pins(readme.partition("```json\n")[2].partition("```")[0])
    assert set(pins.keys) == {"division:matmul", "layout:mul", "placement:softmax/sum", "order:matmul"}


@pytest.mark.parametrize("number", [1 << 63, -(1 << 64), 10**30])
def test_a_number_beyond_64_bits_is_refused_when_it_is_read(number: int) -> None:
    """A plan that holds it could be written, but not opened again."""
    with pytest.raises(InputError, match="beyond 64 bits"):
        parse_pins(f'{{"version": 1, "division": {{"matmul": {{"m": {number}}}}}}}')


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pins.json"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="it is no file"):
        read_pins_file(pipe)
