"""Exported examples run on the interpreter, on 4 cores and on 32, and compute what PyTorch does."""

from __future__ import annotations

import pytest

from tests.simulator.ktir.exported import EXAMPLES, MOVED, SUMMED, exported


@pytest.mark.parametrize("cores", [4, 32])
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_computes_what_pytorch_does(name: str, cores: int) -> None:
    example = exported(name, cores)
    example.judge(example.run())


def test_a_relayout_goes_over_the_ring() -> None:
    moved = exported("mismatch", 4, MOVED)
    assert "construct_distributed_memory_view" in moved.text
    moved.judge(moved.run())


def test_partial_sums_of_several_cores_are_added_up() -> None:
    summed = exported("mlp", 4, SUMMED)
    assert any("inter_tile_reduce" in line and "tensor<1xf32>" not in line for line in summed.text.splitlines())
    summed.judge(summed.run())
