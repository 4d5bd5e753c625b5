"""Exported examples run on the interpreter, on 4 cores and on 32, and compute what PyTorch does."""

from __future__ import annotations

import pytest

from simulator.report import Agreement
from tests.end_to_end.harness import compiled, model
from tests.simulator.ktir.exported import EXAMPLES, exported, judged, run_text


@pytest.mark.parametrize("cores", [4, 32])
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_computes_what_pytorch_does(name: str, cores: int) -> None:
    module = exported(name, cores)
    assert not module.limits
    outputs = run_text(name, cores, module.text)
    for comparison in judged(compiled(name, cores), model(name)[1], outputs):
        assert comparison.agreement in (Agreement.EQUAL, Agreement.ROUNDING), comparison
