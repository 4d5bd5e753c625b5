"""Equal modules: found by what they do, whatever they are called, and only next to each other."""

from dataclasses import replace

import pytest

from compiler.dtypes import DType
from compiler.loops import LoopOp, LoopProgram, Origin
from spyre_studio import repeats
from spyre_studio.repeats import LEAST, Run, runs_of, title_of
from tests.sketch import Sketch
from tests.spyre_studio.large import OPS_PER_LAYER, stack


def grouped(program: LoopProgram) -> dict[str, str]:
    return {op.name: op.origin.module for op in program.ops}


def blocks(*kinds: str, length: int = 64) -> tuple[LoopProgram, dict[str, str]]:
    """One block after the other, each of two ops; the letter says which ops."""
    sketch, groups = Sketch("blocks"), dict[str, str]()
    value = sketch.input("x", length, 64)
    for place, kind in enumerate(kinds):
        first, second = {"a": ("neg", "relu"), "b": ("relu", "neg"), "c": ("exp", "exp")}[kind]
        value = sketch.apply(second, sketch.apply(first, value))
        for op in sketch.ops[len(groups) :]:
            groups[op.name] = f"net.{place}"
    sketch.output(value)
    return sketch.program(), groups


def test_layers_of_a_stack_are_one_run() -> None:
    program = stack(5)
    runs = runs_of(program, grouped(program))
    assert runs == (Run("layers", tuple(f"layers.{layer}" for layer in range(5))),)
    assert runs[0].title == "layers 0–4"
    assert runs[0].key == "layers.0"


def test_two_alike_are_no_run() -> None:
    program = stack(LEAST - 1)
    assert runs_of(program, grouped(program)) == ()


@pytest.mark.parametrize(
    ("kinds", "members"),
    [
        ("aaab", [(0, 1, 2)]),
        ("abbbb", [(1, 2, 3, 4)]),
        ("aaabbb", [(0, 1, 2), (3, 4, 5)]),
        ("ababab", []),
        ("aabaa", []),
        ("aaabaaa", [(0, 1, 2), (4, 5, 6)]),
    ],
)
def test_runs_end_where_blocks_differ(kinds: str, members: list[tuple[int, ...]]) -> None:
    found = runs_of(*blocks(*kinds))
    assert [run.members for run in found] == [tuple(f"net.{place}" for place in run) for run in members]


def test_an_op_between_two_blocks_ends_a_run() -> None:
    program, groups = blocks(*"aaaaaa")
    assert len(runs_of(program, groups)[0].members) == 6
    loose = {op.name: "net" if number in {4, 5} else groups[op.name] for number, op in enumerate(program.ops)}
    assert [len(run.members) for run in runs_of(program, loose)] == [3]


def changed(op: LoopOp, extent: int) -> LoopOp:
    return replace(op, loops=tuple(replace(loop, extent=extent) for loop in op.loops))


def test_another_shape_dtype_or_edge_makes_another_block() -> None:
    program, groups = blocks(*"aaa")
    assert runs_of(program, groups)
    last = program.ops[-1]
    reshaped = replace(program, ops=(*program.ops[:-1], changed(last, 32)))
    assert runs_of(reshaped, groups) == ()
    written = program.buffer_map[last.write.buffer]
    buffers = tuple(replace(one, dtype=_other(one.dtype)) if one is written else one for one in program.buffers)
    assert runs_of(replace(program, buffers=buffers), groups) == ()
    skipping = replace(last, reads=(replace(last.reads[0], buffer=program.ops[-3].write.buffer),))
    assert runs_of(replace(program, ops=(*program.ops[:-1], skipping)), groups) == ()


def _other(dtype: DType) -> DType:
    return next(one for one in DType if one is not dtype)


def test_the_modules_within_count_too() -> None:
    program, groups = blocks(*"aaa")
    inner = groups | {program.ops[-1].name: "net.2.inner"}
    assert runs_of(program, inner) == ()


def test_names_do_not_count() -> None:
    program, groups = blocks(*"aaa")
    named = {name: path.replace("net.1", "net.middle") for name, path in groups.items()}
    (run,) = runs_of(program, named)
    assert run.members == ("net.0", "net.middle", "net.2")


def test_runs_within_blocks_of_a_run() -> None:
    program = stack(3)
    groups = {}
    for number, op in enumerate(program.ops):
        layer, place = divmod(number, OPS_PER_LAYER)
        groups[op.name] = f"layers.{layer}" + (f".part.{place}" if place < 4 else "")
    found = runs_of(program, groups)
    assert Run("layers", ("layers.0", "layers.1", "layers.2")) in found
    assert all(run.parent in {"layers", "layers.0.part", "layers.1.part", "layers.2.part"} for run in found)


def test_no_modules_no_runs() -> None:
    program = stack(4)
    flat = replace(program, ops=tuple(replace(op, origin=Origin()) for op in program.ops))
    assert runs_of(flat, grouped(flat)) == ()
    assert runs_of(program, {}) == ()


@pytest.mark.parametrize(
    ("members", "title"),
    [
        (("layers.0", "layers.1"), "layers 0–1"),
        (("model.layers.3", "model.layers.9"), "layers 3–9"),
        (("0", "4"), "0–4"),
        (("net.first", "net.last"), "first – last"),
        (("layers.7",), "layers.7"),
        (("net.only",), "only"),
    ],
)
def test_titles(members: tuple[str, ...], title: str) -> None:
    assert title_of(members) == title


def test_every_op_is_looked_at_once_per_module_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linear: accesses are read as often as modules lie around them, however many layers there are."""
    seen: list[str] = []
    real = repeats._Reader._work

    def counting(self: repeats._Reader, op: LoopOp) -> int:
        seen.append(op.name)
        return real(self, op)

    monkeypatch.setattr(repeats._Reader, "_work", counting)
    counts = []
    for layers in (4, 8):
        seen.clear()
        runs_of(stack(layers), grouped(stack(layers)))
        counts.append(len(seen))
    assert counts[1] == 2 * counts[0]
