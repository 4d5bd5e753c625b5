"""Model specs: what each way to name a model means, told without torch."""

from pathlib import Path

import pytest

from compiler.errors import InputError
from resources.examples import example
from spyre_studio.model_spec import SpecKind, read_spec
from tests.spyre_studio.plans import write_model


def archive() -> Path:
    found = example("softmax")
    assert found is not None
    return found.archive


def test_examples() -> None:
    spec = read_spec("softmax")
    assert (spec.kind, spec.text, spec.path) == (SpecKind.ARCHIVE, "softmax", archive())


@pytest.mark.parametrize("text", ["decoder_stack", "decoder_stack?layers=2", "decoder?sequence=64"])
def test_scripts_with_parameters(text: str) -> None:
    spec = read_spec(text)
    assert (spec.kind, spec.text) == (SpecKind.CODE, text)


def test_paths_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.pt2").write_bytes(archive().read_bytes())
    (tmp_path / "m.py").write_text("")
    write_model(tmp_path)
    assert read_spec("m.pt2").full == str(tmp_path / "m.pt2")
    assert read_spec("m.pt2?s0=64&s1=2").sizes == (("s0", 64), ("s1", 2))
    assert read_spec("m.pt2?s0=64").full == f"{tmp_path / 'm.pt2'}?s0=64"
    assert read_spec("m.py:build?layers=2").text == f"{tmp_path / 'm.py'}:build?layers=2"
    assert read_spec("tiny.json").kind is SpecKind.DOCUMENT


def test_a_full_spec_reads_as_itself(tmp_path: Path) -> None:
    (tmp_path / "m.pt2").write_bytes(archive().read_bytes())
    spec = read_spec(f"{tmp_path / 'm.pt2'}?s0=64")
    assert read_spec(spec.full) == spec


def test_a_question_mark_may_be_part_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "what?.pt2"
    path.write_bytes(archive().read_bytes())
    assert read_spec(str(path)).path == path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nosuch", "the examples are softmax"),
        ("nosuch.pt2", "there is no such file"),
        ("nosuch.py:factory", "there is no file"),
        ("m.pt2?s0", "'s0=' is not a size"),
        ("m.pt2?s0=-1", "'s0=-1' is not a size"),
        ("m.pt2?&", "'&' is not a size"),
        ("m.pt2?s0=4&s0=5", "the size s0 is given twice"),
        ("weights.bin", "of no known kind"),
        ("", "its name is empty"),
    ],
)
def test_what_is_no_model(text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.pt2").write_bytes(archive().read_bytes())
    (tmp_path / "weights.bin").write_bytes(b"\x00\x01\x02\x03")
    with pytest.raises(InputError) as caught:
        read_spec(text)
    assert words in caught.value.sentence
