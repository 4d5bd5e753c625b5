"""KTIR files come back as the plans that they were written from, and what was changed in them is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.emit import ready
from compiler.emit.ktir_document import MARK
from compiler.import_log import Disagreement
from compiler.read.imported import imported
from compiler.read.kernel_folder import ReadKernels, read_programs
from compiler.read.ktir_document import read_ktir_document
from tests.compiler.formats.exported import example
from tests.compiler.formats.imports import divisions, kernels, layouts, moves, places, steps_of, violations

EXAMPLES = ("softmax", "mlp", "attention", "rmsnorm", "decoder", "mismatch")
PLANS = [*((name, "staged") for name in EXAMPLES), *((name, "co-optimized") for name in ("softmax", "mismatch"))]


def document(name: str, pipeline: str = "staged", spelling: str = "new", cores: int = 0) -> str:
    made = ready(example(name, pipeline=pipeline, cores=cores), "ktir", {"spelling": spelling})
    return "".join(part.text for part in made.parts(partial=True))


def read(folder: Path, text: str) -> ReadKernels:
    (folder / "any.name").write_text(text, "utf-8")
    return read_programs(folder / "any.name")


@pytest.mark.parametrize(("name", "pipeline"), PLANS)
@pytest.mark.parametrize("spelling", ["new", "old"])
def test_a_plan_comes_back(tmp_path: Path, name: str, pipeline: str, spelling: str) -> None:
    ours = example(name, pipeline=pipeline)
    found = read(tmp_path, document(name, pipeline, spelling))
    assert (found.name, found.findings, found.cores) == (name, (), ours.plan.cores)
    theirs = imported(found.kernels, found.name, ours.problem.device).compilation
    assert not violations(theirs)
    assert [step.name for step in steps_of(theirs)] == [step.name for step in steps_of(ours)]
    for alike in (moves, divisions, layouts, places, kernels):
        assert alike(theirs) == alike(ours)
    assert theirs.cost.total_us == pytest.approx(ours.cost.total_us, rel=1e-12)


def test_what_a_partial_export_leaves_out_is_in_neither_half(tmp_path: Path) -> None:
    found = read(tmp_path, document("convnet"))
    assert found.findings == ()
    ops = [op.output.name for kernel in found.kernels for op in kernel.ops()]
    assert "stem.norm.batch_norm/mul" in " ".join(ops)
    assert not [name for name in ops if name.endswith(".conv")]


def test_another_way_of_writing_the_same_is_no_difference() -> None:
    text = document("softmax", cores=4)
    code, mark, specs = text.partition(MARK)
    other = re.sub(r"//[^\n]*", "// ...", re.sub(r"\n +", "\n\n\t", code))
    other = re.sub(r"%v(\d+)", r"%value\1_of", other)
    assert other != code
    assert read_ktir_document(f"// by hand\n{other}{mark}{specs}", "a file")[1] == ()


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ("%c7 = arith.constant 131072 : index", "%c7 = arith.constant 0 : index", "line 10 of kernel0 is not what"),
        ("grid = [4]", "grid = [8]", "line 2: arguments or grid of kernel0 are not those"),
        ("@kernel0(", "@kernel1(", "there is no function kernel0"),
        ("arith.maximumf %in, %out", "arith.minimumf %in, %out", "line 29 of kernel0 is not what"),
        ("= arith.subf %v31, %v41", "= arith.subf %v41, %v31", "line 66 of kernel0 is not what"),
        ("    return\n", "    %more = arith.constant 3 : index\n    return\n", "line 159 of kernel0 is not what"),
    ],
)
def test_what_was_changed_in_the_code_is_found(before: str, after: str, wanted: str) -> None:
    text = document("softmax", cores=4)
    assert before in text
    _, found = read_ktir_document(text.replace(before, after, 1), "a file")
    assert wanted in found[0]
    assert all(isinstance(one, Disagreement) for one in found)


def test_what_was_changed_in_the_specifications_is_found() -> None:
    text = document("softmax", cores=4)
    _, found = read_ktir_document(text.replace('"allocation": {"lx": 0}', '"allocation": {"lx": 128}'), "a file")
    assert len(found) == 1
    assert "is not what its op specifications say" in found[0]
