"""The models of the casebook run, can be exported, and have the values that their notes promise."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from compiler.errors import UnsupportedError
from compiler.frontend.archive import read_archive
from tests.casebook import CASES

REFUSED = {"C05": "casebook::opaque", "C41": "casebook::opaque", "C42": "complex64"}


@pytest.mark.parametrize("name", CASES)
def test_cases_are_read_back_or_refused_by_name(name: str, tmp_path: Path) -> None:
    module, inputs = CASES[name]()
    path = tmp_path / f"{name}.pt2"
    torch.export.save(torch.export.export(module, inputs), path)
    if name in REFUSED:
        with pytest.raises(UnsupportedError, match=REFUSED[name]):
            read_archive(path)
        return
    program = read_archive(path)
    expected = module(*inputs)
    results = [spec.arg.name for spec in program.graph_signature.output_specs]
    values = {node.name: node.meta["val"] for node in program.graph.nodes if node.name in results}
    tensors = expected if isinstance(expected, tuple) else (expected,)
    assert [(tuple(values[n].shape), values[n].dtype) for n in results] == [(tuple(t.shape), t.dtype) for t in tensors]


def test_values_are_those_of_the_notes() -> None:
    def result(name: str) -> object:
        module, inputs = CASES[name]()
        return module(*inputs)

    def tensor(name: str) -> torch.Tensor:
        value = result(name)
        assert isinstance(value, torch.Tensor)
        return value

    assert all((tensor(name) == 0.5).all() for name in ("C04", "C04-31", "C04-32", "C04-64"))
    assert tensor("C18")[:, 0].tolist() == [2, 6, 10, 14]
    assert not tensor("C12-zero").any()
    assert tensor("C24").item() == -3
    quotient, counts = CASES["C32"]()[0](*CASES["C32"]()[1])
    assert set(quotient.flatten().tolist()) == {math.inf}
    assert set(counts.flatten().tolist()) == {64}
