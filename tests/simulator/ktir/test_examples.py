"""Exported examples run on the interpreter, on 4 cores and on 32, and compute what PyTorch does; on the public
interpreter too, where there is one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.pins import Pins
from simulator.ktir.memory import Array
from tests.simulator.ktir.exported import EXAMPLES, MOVED, SUMMED, Exported, exported
from tests.simulator.ktir.outside import PYTHON, run_in_device_memory, run_in_lx

Runner = Callable[[Exported, Path], dict[str, Array]]


def ours(example: Exported, _folder: Path) -> dict[str, Array]:
    """The outputs on our own interpreter."""
    return example.run()


OUTSIDE: dict[str, Runner] = {"outside": run_in_device_memory, "outside, LX": run_in_lx} if PYTHON else {}
RUNNERS: dict[str, Runner] = {"ours": ours, **OUTSIDE}
IN_F16 = ("softmax", "mlp", "attention", "mismatch")
"""What these keep in LX is all f16."""
CASES = [
    (name, cores, runner)
    for name in EXAMPLES
    for cores in (4, 32)
    for runner in RUNNERS
    if name in IN_F16 or RUNNERS[runner] is not run_in_lx
]


@pytest.mark.parametrize(("name", "cores", "runner"), CASES)
def test_an_example_computes_what_pytorch_does(name: str, cores: int, runner: str, tmp_path: Path) -> None:
    example = exported(name, cores)
    example.judge(RUNNERS[runner](example, tmp_path))


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize(
    ("name", "pins", "sign"),
    [
        ("mismatch", MOVED, "construct_distributed_memory_view"),
        ("mlp", SUMMED, "yield_reduced"),
    ],
    ids=["relayout", "partial sums"],
)
def test_what_cores_hand_each_other_is_right(name: str, pins: Pins, sign: str, runner: str, tmp_path: Path) -> None:
    example = exported(name, 4, pins)
    assert any(sign in line and "tensor<1xf32>" not in line for line in example.text.splitlines())
    example.judge(RUNNERS[runner](example, tmp_path))
