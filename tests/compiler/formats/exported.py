"""Examples of the product, compiled once for all tests of formats; as captured they need no PyTorch."""

from __future__ import annotations

import hashlib
from functools import cache

from compiler.bundled import bundled_capture
from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from resources.examples import example as known


@cache
def example(name: str, device: str = "spyre", cores: int = 0, pipeline: str = "staged") -> Compilation:
    """An example on a device, with its own number of cores unless another one is given."""
    one = known(name)
    assert one is not None
    captured = bundled_capture(one.archive, hashlib.sha256(one.archive.read_bytes()).hexdigest())
    assert captured is not None, "python -m resources.models.build"
    target = load_device(device)
    problem = Problem(captured.program, target.with_cores(cores) if cores else target, Pins())
    return compile_problem(captured.graph, problem, pipeline=pipeline)
