"""Kernels of a sum, softmax, a product, an MLP and attention on 4 cores: specifications, bundles and first files."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.emit import export, ready
from compiler.frontend.capture import capture_program, trace
from compiler.loops import ModelSource
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from tests.compiler.formats.exported import example
from tests.compiler.formats.test_ktir_goldens import Add, Matmul

Golden = Callable[[str, str], None]
MADE = {"add": (Add(), (512, 1024), (512, 1024)), "matmul": (Matmul(), (512, 1024), (1024, 256))}


def compiled(name: str) -> Compilation:
    """A plan for 4 cores."""
    if name not in MADE:
        return example(name, cores=4)
    module, *shapes = MADE[name]
    inputs = tuple(torch.zeros(shape, dtype=torch.float16) for shape in shapes)
    captured = capture_program(trace(module, inputs, {}), name, ModelSource(name))
    problem = Problem(captured.program, load_device("spyre").with_cores(4), Pins())
    return compile_problem(captured.graph, problem, pipeline="staged")


def files(made: Compilation, bundle: str = "native") -> dict[str, str]:
    """All files of the kernels."""
    found: dict[str, str] = {}
    for part in ready(made, "kernels", {"bundle": bundle}).parts():
        found[part.path] = found.get(part.path, "") + part.text
    return found


@pytest.mark.parametrize("name", [*MADE, "softmax", "mlp", "attention"])
def test_specifications_and_bundles(name: str, golden: Golden) -> None:
    made = compiled(name)
    golden(f"kernels/{name}.json", export(made, "opspec-json"))
    golden(f"kernels/{name}.mlir", files(made)["kernel0/bundle.mlir"])


@pytest.mark.parametrize("name", [*MADE])
def test_files_of_one_op(name: str, golden: Golden) -> None:
    found = files(compiled(name))
    assert "kernel0/sdsc_1.json" not in found
    golden(f"kernels/{name}_sdsc.json", found["kernel0/sdsc_0.json"] + "\n")
    golden(f"kernels/{name}_launch.json", found["kernel0/spyreCodeDir/launch_spec.json"])


def test_a_bundle_for_tools_that_do_not_know_the_dialect(golden: Golden) -> None:
    text = files(compiled("matmul"), "generic")["kernel0/bundle.mlir"]
    golden("kernels/matmul_generic.mlir", text)
    assert '"sdscbundle.sdsc_execute"(' in text
