"""Bundled captures: the same as fresh ones, and used for nothing but what they were made of.

After a change of the front end or of an example: `python -m resources.models.build`.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
from functools import cache
from pathlib import Path

import grimp
import pytest

from compiler import bundled
from compiler.bundled import bundled_capture, file_of, write_bundled
from compiler.captured import Captured
from compiler.frontend.bundle import SOURCES
from compiler.frontend.load import load, notes
from compiler.frontend.specs import digest
from resources.examples import Example, example, examples
from tests.source_tree import ROOT

REBUILD = "the front end or the example has changed: run `python -m resources.models.build`"


@cache
def softmax() -> Captured:
    return load("softmax")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of its own, with its capture beside it."""
    known = example("softmax")
    assert known is not None
    copy = tmp_path / known.archive.name
    copy.write_bytes(known.archive.read_bytes())
    write_bundled(copy, softmax(), ("compiler/frontend/load.py", "compiler/loops.py"))
    return copy


@pytest.mark.parametrize("one", examples(), ids=lambda one: one.name)
def test_what_is_bundled_is_what_capture_makes(one: Example) -> None:
    assert bundled_capture(one.archive, digest(one.archive)) == load(one.name), REBUILD
    assert notes(one.name) == ()


def test_a_capture_depends_on_every_source_that_makes_it() -> None:
    graph = grimp.build_graph("compiler", "resources")
    made_by = graph.find_upstream_modules("compiler.frontend.load")
    named = {name.removesuffix(".py").replace("/", ".") for name in SOURCES}
    assert {module for module in made_by if module.startswith("compiler.")} <= named
    for one in examples():
        head = gzip.decompress(file_of(one.archive).read_bytes()).partition(b"\n")[0]
        assert all(name.encode() in head for name in SOURCES), REBUILD


def test_a_capture_is_small() -> None:
    assert all(file_of(one.archive).stat().st_size < 8_000 for one in examples())


def test_a_capture_is_read_without_torch() -> None:
    code = (
        "import sys; from compiler.bundled import bundled_capture; from resources.examples import example;"
        "from compiler.frontend.specs import digest; one = example('softmax').archive;"
        "assert bundled_capture(one, digest(one)) and 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_another_archive_has_no_capture(archive: Path) -> None:
    assert bundled_capture(archive, digest(archive)) is not None
    assert bundled_capture(archive, "0" * 64) is None
    assert bundled_capture(archive.with_name("other.pt2"), digest(archive)) is None


def test_another_torch_captures_anew(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "version", lambda _name: "2.13.0+other.build")
    assert bundled_capture(archive, digest(archive)) is not None
    monkeypatch.setattr(bundled, "version", lambda _name: "2.13.1")
    assert bundled_capture(archive, digest(archive)) is None


def test_other_sources_capture_anew(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compiler/frontend/load.py", "compiler/loops.py"):
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    monkeypatch.setattr(bundled, "_ROOT", tmp_path)
    assert bundled_capture(archive, digest(archive)) is not None
    (tmp_path / "compiler/loops.py").write_text("# another\n")
    assert bundled_capture(archive, digest(archive)) is None
    (tmp_path / "compiler/loops.py").unlink()
    assert bundled_capture(archive, digest(archive)) is None


@pytest.mark.parametrize("text", ["", "[]\n", "{}\n{}", "7\n", '{"sources":7}\n', '{"sources":[7]}\n', "\x00"])
def test_a_damaged_capture_is_no_matter(archive: Path, text: str) -> None:
    file_of(archive).write_bytes(gzip.compress(text.encode()))
    assert bundled_capture(archive, digest(archive)) is None
    file_of(archive).write_bytes(text.encode())
    assert bundled_capture(archive, digest(archive)) is None


def test_a_capture_with_a_good_head_and_another_document_is_not_used(archive: Path) -> None:
    head, _, document = gzip.decompress(file_of(archive).read_bytes()).partition(b"\n")
    for broken in (b"", b"{}", document[:-9], document.replace(b'"model"', b'"plan"', 1)):
        file_of(archive).write_bytes(gzip.compress(head + b"\n" + broken))
        assert bundled_capture(archive, digest(archive)) is None
    whole = gzip.compress(head + b"\n" + document)
    for broken in (whole[:-20], whole[:40] + b"\0" * 40 + whole[80:]):
        file_of(archive).write_bytes(broken)
        assert bundled_capture(archive, digest(archive)) is None
    assert bundled_capture(archive, digest(archive)) is None
