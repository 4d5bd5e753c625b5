"""The bundled examples as loop programs: listings, stability, and that nothing else is started."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace

import pytest
from torch._inductor import lowering
from torch._inductor.ops_handler import DefaultHandler

from compiler.captured import Captured
from compiler.codec import from_json, to_json
from compiler.frontend.load import load
from compiler.graph import ModelGraph
from compiler.loops import LoopProgram, ModelSource, OpKind
from compiler.text.document import from_text, to_text
from resources.examples import NAMES, example


@pytest.mark.parametrize("name", NAMES)
def test_listing(name: str, golden: Callable[[str, str], None]) -> None:
    """The text of the program; and the archive and the script of an example are the same model."""
    captured = load(name)
    plain = replace(captured.program, source=ModelSource(name))
    golden(f"frontend/{name}.txt", to_text(captured.graph) + "\n" + to_text(plain))
    known = example(name)
    assert known is not None
    script = load(f"{known.script}:factory")
    assert script.program.name == name
    assert replace(script.program, source=ModelSource(name)) == plain
    assert from_text(LoopProgram, to_text(plain)) == plain
    assert from_text(ModelGraph, to_text(captured.graph)) == captured.graph
    assert from_json(Captured, to_json(captured)) == captured


def test_capturing_again_gives_the_same_and_leaves_no_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names hold no counters of a run, Inductor's tables are put back, and no compiler is started."""

    def refuse(*arguments: object, **keywords: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    tables = dict(lowering.lowerings)
    first, second = load("decoder"), load("decoder")
    assert first == second
    assert dict(lowering.lowerings) == tables
    assert not hasattr(DefaultHandler, "silu")


def test_source_names_the_spec_and_its_file() -> None:
    source = load("softmax?rows=64").program.source
    assert source.spec == "softmax?rows=64"
    assert len(source.digest) == 64


def test_a_stack_of_blocks_takes_no_memory_for_weights() -> None:
    """Two of the forty blocks, at full width: 0.9 GB of weights that are never made."""
    program = load("decoder_stack?layers=2&sequence=64").program
    weights = sum(buffer.elements * buffer.dtype.host_bytes for buffer in program.buffers if "weight" in buffer.name)
    assert weights > 6e8
    layers = [
        [op.name.partition(".1.")[2] or op.name.partition(".0.")[2] for op in program.ops if f".{n}." in op.name]
        for n in (0, 1)
    ]
    assert layers[0] == layers[1]
    assert all(op.kind is not OpKind.OPAQUE for op in program.ops)
