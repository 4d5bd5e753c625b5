"""Counts in sentences: a noun and a verb in the number of what is counted, wherever people read it."""

import numpy as np
import pytest

from compiler.coordinates import Boxes
from compiler.counts import counted, singular, verb
from compiler.errors import InputError
from compiler.explain_copy import explain_copy
from compiler.explain_op import explain_op
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.plan import EditKind
from compiler.problem import Problem
from compiler.relayouts import ring_fault
from tests.compiler.joint.drawn_programs import GRAPH, spec
from tests.compiler.tiny import spyre
from tests.programs import attention, softmax


def test_counts_and_verbs() -> None:
    assert [counted(count, "copy", "copies") for count in (0, 1, 2, 2048)] == [
        "0 copies",
        "1 copy",
        "2 copies",
        "2,048 copies",
    ]
    assert (counted(1, "core"), counted(3, "core")) == ("1 core", "3 cores")
    assert (verb(1, "read"), verb(2, "read"), verb(("a",), "are", "is"), verb((), "do", "does")) == (
        "reads",
        "read",
        "is",
        "do",
    )
    assert (singular("layouts"), singular("placement")) == ("layout", "placement")


def boxes(cores: int) -> Boxes:
    start = np.arange(cores, dtype=np.int64)[:, None] * (8 // cores)
    return Boxes(start, np.full_like(start, 8 // cores), np.ones(cores, dtype=np.bool_), 2)


def test_one_core_is_not_several() -> None:
    layout = compile_problem(GRAPH, Problem(softmax(), spyre(4))).plan.layouts["x"]
    assert ring_fault(spyre(4), layout, boxes(2), boxes(1), False).startswith("the reader uses 1 core, the writer 2:")
    assert ring_fault(spyre(4), layout, boxes(4), boxes(2), False).startswith("the reader uses 2 cores, the writer 4:")
    with pytest.raises(InputError) as caught:
        spyre(1).with_cores(2)
    assert " has 1 core; use 1 to 1" in caught.value.sentence


def test_the_log_counts_one_of_a_kind() -> None:
    found = compile_problem(GRAPH, Problem(softmax(), spyre(1)))
    told = [line for record in found.log for line in record.decided]
    assert "1 kernel" in told
    assert "5 divisions" in told
    assert not any(line.startswith("1 ") and line.endswith("s") for line in told), told


# Copies


@pytest.mark.parametrize("pipeline", [spec("greedy", 5.0), PIPELINES["staged"].replace("moves=no", "moves=yes")])
def test_a_copy_says_who_made_it_for_whom_and_what_it_spares(pipeline: str) -> None:
    found = compile_problem(GRAPH, Problem(attention(), spyre(32)), pipeline=pipeline)
    moved = {edit.kind: edit for edit in found.plan.edits if edit.kind in (EditKind.RELAYOUT, EditKind.CLONE_IN)}
    assert moved
    who = "co-optimize" if "co-optimize" in pipeline else "place-scratchpad"
    for edit in moved.values():
        words = explain_copy(found, edit)
        assert words.startswith(f"{who} made it for {edit.readers[0]}"), words
        assert edit.source in words
        spared = float(words.partition("the plan would take ")[2].partition(" µs more")[0].replace(",", ""))
        assert spared > 0
        told = explain_op(found, edit.name)
        assert f"  copy       {words}\n" in told
        assert "no reason is recorded" not in told
        if len(edit.readers) == 1 and EditKind.RELAYOUT is edit.kind:
            assert f"{edit.readers[0]} reads " in found.plan.reasons[f"edit:{edit.name}"]


def test_a_copy_to_other_sticks_says_why_it_is_needed() -> None:
    found = compile_problem(GRAPH, Problem(attention(), spyre(32)))
    edit = next(edit for edit in found.plan.edits if edit.kind is EditKind.RESTICKIFY)
    words = explain_copy(found, edit)
    assert words == f"insert-restickify made it for {edit.readers[0]}: {found.plan.reasons[f'edit:{edit.name}']}"
    assert f"  copy       {words}\n" in explain_op(found, edit.name)
    assert "  copy " not in explain_op(found, found.problem.program.ops[0].name)
