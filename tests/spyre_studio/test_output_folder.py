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


def test_an_export_takes_the_place_of_an_export(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", PARTS)
    write_folder(tmp_path / "out", (Part("other/sdsc_1.json", "[]"),))
    assert files(tmp_path / "out") == {"other/sdsc_1.json": "[]"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("strange", ["notes.txt", "k/mine.json", "sdsc_x.json", ".hidden"])
def test_somebodys_files_are_not_replaced(tmp_path: Path, strange: str) -> None:
    write_folder(tmp_path / "out", PARTS)
    (tmp_path / "out" / strange).write_text("mine", "utf-8")
    before = files(tmp_path)
    with pytest.raises(InputError, match=r"which no export wrote and would be lost; name a new folder"):
        write_folder(tmp_path / "out", PARTS)
    assert files(tmp_path) == before


def test_a_link_in_the_folder_is_somebodys(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "k").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="which no export wrote"):
        write_folder(tmp_path / "out", PARTS)


def test_what_fails_on_the_way_leaves_all_as_it_was(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", PARTS)
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
