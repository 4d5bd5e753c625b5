"""Where results are written: files whole, links and devices kept, and bad places refused before the work."""

import os
import threading
from pathlib import Path

import pytest

from compiler.errors import InputError
from spyre_studio.output_file import check_output, is_stdout, write_output, write_whole


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to(file)
    for text in ("one", "two"):  # the first makes the file that the link names
        check_output(str(link))
        write_whole(link, text)
        assert link.is_symlink()
        assert file.read_text() == text


def test_a_device_stays_one(tmp_path: Path) -> None:
    link = tmp_path / "null"
    link.symlink_to(os.devnull)
    check_output(str(link))
    write_whole(link, "text")
    assert link.is_symlink()
    assert Path(os.devnull).is_char_device()


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_output(str(pipe))
    writer = threading.Thread(target=write_whole, args=(pipe, "text"))
    writer.start()
    assert pipe.read_text() == "text"
    writer.join()
    assert pipe.is_fifo()


def test_a_file_keeps_its_permissions_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    path.touch(mode=0o600)
    check_output(str(path))
    write_whole(path, "half a pair: \udcff")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes() == b"half a pair: \\udcff"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("", "the name of the file to write is empty"),
        (".", "it is a folder"),
        ("file/x", "is a file, and no folder"),
        ("file/x/y", "is a file, and no folder"),
        ("none/x", "there is no folder"),
        ("loop", "cannot be written"),
        ("n" * 300, "cannot be written (File name too long)"),
        ("null\0", "cannot be written"),
        ("file", "it is read by this command"),
        ("link", "it is read by this command"),
    ],
)
def test_bad_places_are_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("kept")
    Path("link").symlink_to("file")
    Path("loop").symlink_to("loop")
    before = sorted(Path().iterdir())
    with pytest.raises(InputError) as caught:
        check_output(place, tmp_path / "file", tmp_path / "none")
    assert words in caught.value.sentence
    assert sorted(Path().iterdir()) == before
    assert Path("file").read_text() == "kept"


def test_stdout_by_any_name(capfd: pytest.CaptureFixture[str]) -> None:
    assert is_stdout("/dev/stdout")
    assert not is_stdout("/dev/stderr")
    for place in ("-", "/dev/stdout"):
        check_output(place)
        write_output(place, "text\n")
        assert capfd.readouterr().out == "text\n"
