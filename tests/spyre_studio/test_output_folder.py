"""Folders are written whole or not at all, and nobody's files are lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from compiler.emit.format import Part
from compiler.errors import InputError
from spyre_studio.output_folder import check_folder, write_folder

PARTS = (Part("k/sdsc_0.json", "{"), Part("k/sdsc_0.json", "}"), Part("k/bundle.mlir", "module {}\n"))


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}


def test_parts_of_a_file_follow_each_other(tmp_path: Path) -> None:
    assert write_folder(tmp_path / "out", PARTS) == 2
    assert files(tmp_path / "out") == {"k/sdsc_0.json": "{}", "k/bundle.mlir": "module {}\n"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert write_folder(tmp_path / "out", PARTS) == 2
    assert len(files(tmp_path / "out")) == 2


@pytest.mark.parametrize("held", ["notes.txt", "kernel0/sdsc_0.json", "bundle.mlir", ".hidden"])
def test_nothing_that_is_there_is_lost(tmp_path: Path, held: str) -> None:
    """Neither somebody's notes nor kernels that torch-spyre wrote, which have the names of ours."""
    (tmp_path / "out" / held).parent.mkdir(parents=True)
    (tmp_path / "out" / held).write_text("mine", "utf-8")
    before = files(tmp_path)
    with pytest.raises(InputError, match=r"the folder is not empty: it holds .*; name a new folder"):
        write_folder(tmp_path / "out", PARTS)
    assert files(tmp_path) == before


def test_what_fails_on_the_way_leaves_all_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    before = files(tmp_path)

    def broken() -> Iterator[Part]:
        yield PARTS[0]
        raise InputError("x", "it has no words", "use another")

    with pytest.raises(InputError, match="it has no words"):
        write_folder(tmp_path / "out", broken())
    with pytest.raises(InputError, match="it has no words"):
        write_folder(tmp_path / "new", broken())
    assert files(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(InputError, match="it is a file, and the export is a folder"):
        check_folder(tmp_path / "file")
    with pytest.raises(InputError, match=r"there is no folder .*none"):
        check_folder(tmp_path / "none" / "out")
    with pytest.raises(InputError, match="cannot be written"):
        check_folder(tmp_path / "a\0b")
    check_folder(tmp_path / "out")
    assert not (tmp_path / "out").exists()
