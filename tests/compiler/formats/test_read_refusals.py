"""Spoiled files: each is refused with one sentence that says what, why and what to do; none is ever run."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from compiler.errors import InputError
from compiler.read.kernel_folder import read_programs
from tests.compiler.formats.kernel_files import softmax_kernel, wrapper, write_kernel
from tests.compiler.formats.spoiled import SPOILED, Spoil


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The sound folder of a softmax; what is made of it may be large and is removed at once."""
    yield write_kernel(tmp_path / "kernel", softmax_kernel())
    shutil.rmtree(tmp_path)


def test_what_is_spoiled_was_sound(folder: Path, tmp_path: Path) -> None:
    assert read_programs(folder).findings == ()
    (tmp_path / "a.py").write_text(wrapper(), "utf-8")
    assert [op.op for op in read_programs(tmp_path / "a.py").kernels[0].ops()] == ["add"]


@pytest.mark.parametrize(("spoil", "words"), SPOILED.values(), ids=SPOILED)
def test_a_spoiled_file_is_refused_with_one_sentence(folder: Path, spoil: Spoil, words: tuple[str, ...]) -> None:
    path = spoil(folder)
    with pytest.raises(InputError) as caught:
        read_programs(path)
    sentence = caught.value.sentence
    assert [word for word in words if word not in sentence] == [], sentence
    assert sentence.endswith(f"; {caught.value.remedy}.")
    assert ". " not in sentence
    assert len(sentence) < 600
