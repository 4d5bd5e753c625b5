"""Copies of views and cuts of loops, one by one: shapes, indices, and what has none."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from compiler.dtypes import DType
from compiler.loop_cuts import LoopCut, cut_op, cuts_of
from compiler.loops import Access, Index, IndexValue, LoopOp, LoopProgram, Origin, Role, Term
from compiler.view_copies import Form, ViewCopy, view_copy
from tests.programs import reshaped, transposed
from tests.random_draft import View
from tests.sketch import Sketch


def reader(view: View, sketch: Sketch) -> LoopProgram:
    """The view negated."""
    sketch.output(sketch.apply("neg", view))
    return sketch.program()


def copied(program: LoopProgram, form: Form, op: int = -1, number: int = 0, along: str = "") -> ViewCopy | None:
    read = program.ops[op].reads[number]
    return view_copy(program.ops[op], number, program.buffer_map[read.buffer], form, along)


def shape_of(copy: ViewCopy | None) -> tuple[int, ...] | None:
    return copy.shape if copy else None


def flat(index: Index, op: LoopOp) -> list[int]:
    """Every offset of an index, in order of the op's loops."""
    grids = np.meshgrid(*(np.arange(loop.extent) for loop in op.loops), indexing="ij")
    values = dict(zip(op.extents, grids, strict=True))
    return [int(value) for value in np.broadcast_to(index.evaluate(values), grids[0].shape).ravel()]


def heads() -> LoopProgram:
    sketch = Sketch()
    return reader(transposed(reshaped(sketch.input("x", 6, 12), 6, 4, 3), 0, 1), sketch)


def test_what_is_read_has_a_dim_per_loop() -> None:
    program = heads()
    copy = copied(program, Form.READ)
    assert copy is not None
    assert (copy.shape, copy.strides, copy.elements) == ((4, 6, 3), (18, 3, 1), 72)
    assert copy.source == program.ops[0].reads[0].index
    assert copy.read == copy.target


def test_a_reader_finds_in_the_copy_what_it_read() -> None:
    program = heads()
    op = program.ops[0]
    for form in (Form.READ, Form.WHOLE):
        copy = copied(program, form)
        assert copy is not None
        moved = dict(
            zip(
                flat(copy.target, copy.op("copy", op.origin)),
                flat(copy.source, copy.op("copy", op.origin)),
                strict=True,
            )
        )
        assert [moved[place] for place in flat(copy.read, op)] == flat(op.reads[0].index, op)


def test_the_whole_buffer_has_more_dims_and_is_stored_as_it_was() -> None:
    copy = copied(heads(), Form.WHOLE)
    assert copy is not None
    assert (copy.shape, copy.strides) == ((6, 4, 3), (12, 3, 1))
    assert copy.source == copy.target
    assert [loop.extent for loop in copy.loops] == [6, 4, 3]


def moves(copy: ViewCopy) -> dict[int, int]:
    """Offset in the copy -> offset in what it is made of in the end."""
    op = copy.op("copy", Origin())
    found = dict(zip(flat(copy.target, op), flat(copy.source, op), strict=True))
    before = moves(copy.before) if copy.before else {}
    return {place: before.get(source, source) for place, source in found.items()}


def cut_off() -> dict[str, View]:
    """Views of which more than one dim starts late, by what is special about them."""
    x = Sketch().input("x", 7, 6, 9)
    return {
        "starts": x.sliced(0, 1, 5, 1).sliced(2, 3, 9, 1),
        "every third": x.sliced(0, 1, 7, 2).sliced(2, 2, 9, 3),
        "one of": x.sliced(0, 1, 2, 1).sliced(1, 2, 4, 1).sliced(2, 3, 9, 1),
        "turned": x.sliced(1, 1, 5, 1).sliced(2, 3, 9, 1).permuted((2, 0, 1)),
        "backwards": replace(x.sliced(2, 3, 9, 1), strides=(-54, 9, 1), offset=6 * 54 + 3),
        "windows": replace(x, shape=(2, 4, 6, 9), strides=(108, 54, 9, 1)).sliced(3, 3, 9, 1),
    }


@pytest.mark.parametrize("form", [Form.TRIMMED, Form.THROUGH])
@pytest.mark.parametrize("name", cut_off())
def test_a_reader_finds_what_it_read_in_a_copy_that_is_whole_along_one_loop(name: str, form: Form) -> None:
    sketch = Sketch()
    sketch.input("x", 7, 6, 9)
    program = reader(cut_off()[name], sketch)
    op = program.ops[0]
    made = [copy for loop in op.loops if (copy := copied(program, form, along=loop.name)) is not None]
    assert made
    for copy in made:
        source = moves(copy)
        assert len(source) == math.prod(copy.shape)
        assert [source[place] for place in flat(copy.read, op)] == flat(op.reads[0].index, op)


def test_a_trimmed_copy_holds_what_is_read_of_the_other_dims() -> None:
    sketch = Sketch()
    program = reader(sketch.input("x", 7, 6, 9).sliced(0, 1, 7, 2).sliced(2, 3, 9, 1), sketch)
    shapes = [shape_of(copied(program, Form.TRIMMED, along=loop.name)) for loop in program.ops[0].loops]
    assert shapes == [(7, 6, 6), (3, 6, 6), (3, 6, 9)]
    through = copied(program, Form.THROUGH, along=program.ops[0].loops[2].name)
    assert through is not None
    assert (through.shape, through.elements) == ((3, 6, 6), 108 + 162)


def test_a_trimmed_copy_of_a_masked_read_is_what_lies_within_the_mask() -> None:
    sketch = Sketch()
    program = reader(sketch.pad(sketch.input("x", 6, 12).sliced(0, 2, 6, 1).sliced(1, 5, 12, 1), 33, 0), sketch)
    found = copied(program, Form.TRIMMED, 0, along="i")
    assert found is not None
    assert (found.shape, found.source.offset) == ((6, 7), 5)
    assert found.read.offset == 2 * 7 - 33


def test_rows_chosen_by_data_are_chosen_from_a_trimmed_copy() -> None:
    sketch = Sketch()
    table, chosen = sketch.input("table", 9, 12).sliced(1, 3, 12, 1), sketch.input("chosen", 5, dtype=DType.I64)
    sketch.output(sketch.rows_of(table, chosen))
    found = copied(sketch.program(), Form.TRIMMED, number=1, along="i")
    assert found is not None
    assert found.shape == (9, 9)
    assert [(gather.coefficient, gather.size) for gather in found.read.gathers] == [(9, 9)]


def test_every_second_element_lies_in_a_dim_of_its_own() -> None:
    sketch = Sketch()
    program = reader(sketch.input("x", 1, 8, 6).sliced(1, 1, 8, 2), sketch)
    assert copied(program, Form.WHOLE) is None
    assert shape_of(copied(program, Form.SPACED)) == (4, 2, 6)


def test_dims_are_cut_more_than_once() -> None:
    sketch = Sketch()
    parts = replace(sketch.input("x", 5, 24), shape=(5, 2, 4, 3), strides=(24, 12, 3, 1))
    assert shape_of(copied(reader(parts, sketch), Form.WHOLE)) == (5, 2, 4, 3)


@pytest.mark.parametrize(
    "strides",
    [(12, 2, 1), (12, 5, 1)],
    ids=["overlapping windows", "pieces that do not fill the dim"],
)
def test_what_does_not_fall_apart_is_not_cut(strides: tuple[int, int, int]) -> None:
    sketch = Sketch()
    view = replace(sketch.input("x", 5, 12), shape=(5, 2, 3), strides=strides)
    assert copied(reader(view, sketch), Form.WHOLE) is None


def test_what_is_walked_dim_by_dim_has_no_copy() -> None:
    sketch = Sketch()
    program = reader(transposed(sketch.input("x", 6, 12)), sketch)
    assert not any(copied(program, form) for form in Form)


def test_a_masked_read_is_not_copied_alone() -> None:
    sketch = Sketch()
    program = reader(sketch.pad(sketch.input("x", 6, 12), 3, 0), sketch)
    assert program.ops[0].masked(0)
    assert copied(program, Form.READ, 0) is None


def test_rows_chosen_by_data_are_not_copied_alone() -> None:
    sketch = Sketch()
    table, chosen = reshaped(sketch.input("table", 9, 12), 9, 4, 3), sketch.input("chosen", 5, dtype=DType.I64)
    sketch.output(sketch.rows_of(table, chosen))
    program = sketch.program()
    assert copied(program, Form.READ, number=1) is None
    assert shape_of(copied(program, Form.WHOLE, number=1)) == (9, 4, 3)


def test_no_copy_has_more_dims_than_a_layout() -> None:
    sketch = Sketch()
    view = replace(sketch.input("x", 128), shape=(2,) * 7, strides=(64, 32, 16, 8, 4, 2, 1))
    program = reader(view, sketch)
    assert not any(copied(program, form) for form in Form)


def test_copies_of_equal_reads_have_equal_keys() -> None:
    first, second = heads(), heads()
    renamed = replace(
        second.ops[0],
        loops=tuple(replace(loop, name=f"other {loop.name}") for loop in second.ops[0].loops),
        reads=tuple(
            Access(
                read.buffer,
                Index(
                    0, tuple(Term(term.coefficient, ((f"other {term.loops[0][0]}", 1),)) for term in read.index.terms)
                ),
            )
            for read in second.ops[0].reads
        ),
    )
    copy = view_copy(renamed, 0, second.buffer_map["x"], Form.READ)
    known = copied(first, Form.READ)
    assert copy is not None
    assert known is not None
    assert copy.key == known.key
    assert copy != known


# Cuts


def flattened(*shape: int, order: tuple[int, ...] = ()) -> LoopProgram:
    """A tensor as one dim; `order` lists its dims from the one that changes slowest."""
    sketch = Sketch()
    view = sketch.input("x", *shape)
    size = int(np.prod(shape))
    sketch.apply("neg", replace(view, shape=(size,), strides=(1,)))
    program = sketch.program()
    op = program.ops[0]
    terms, step = [], 1
    for dim in reversed(order or range(len(shape))):
        terms.append(Term(view.strides[dim], (("i", 1),), 0, step, shape[dim]))
        step *= shape[dim]
    return replace(program, ops=(replace(op, reads=(Access("x", Index(0, tuple(terms))),)),))


@pytest.mark.parametrize(
    ("shape", "order", "extents"),
    [((4, 6), (), (4, 6)), ((4, 6), (1, 0), (6, 4)), ((3, 4, 5), (2, 0, 1), (5, 3, 4)), ((1, 4, 1, 6), (), (4, 6))],
)
def test_a_loop_is_cut_where_dims_begin_again(
    shape: tuple[int, ...], order: tuple[int, ...], extents: tuple[int, ...]
) -> None:
    program = flattened(*shape, order=order)
    op = program.ops[0]
    (cut,) = cuts_of(op, program.buffer_map)
    assert cut == LoopCut("i", extents)
    made = cut_op(op, cut)
    assert made is not None
    assert [loop.extent for loop in made.loops] == list(extents)
    assert all(term.plain for access in (*made.reads, *made.writes) for term in access.index.terms)
    assert flat(made.reads[0].index, made) == flat(op.reads[0].index, op)
    assert flat(made.write.index, made) == flat(op.write.index, op)


def test_a_cut_reaches_index_values() -> None:
    program = flattened(4, 6)
    value = IndexValue(Index(5, (Term(2, (("i", 1),)),)), DType.I64)
    op = replace(program.ops[0], body=(*program.ops[0].body, value))
    made = cut_op(op, LoopCut("i", (4, 6)))
    assert made is not None
    cut = made.body[-1]
    assert isinstance(cut, IndexValue)
    assert flat(cut.index, made) == flat(value.index, op)


def test_an_index_with_other_pieces_bars_a_cut() -> None:
    program = flattened(4, 6)
    turned = Index(0, (Term(1, (("i", 1),), 0, 8), Term(3, (("i", 1),), 0, 1, 8)))
    op = replace(program.ops[0], writes=(Access("neg", turned),))
    assert cut_op(op, LoopCut("i", (4, 6))) is None
    tied = Index(0, (Term(1, (("i", 1), ("j", 1)), 0, 1, 8),))
    assert cut_op(replace(op, writes=(Access("neg", tied),)), LoopCut("i", (4, 6))) is None


def test_roles_stay() -> None:
    program = flattened(4, 6)
    op = replace(program.ops[0], loops=tuple(replace(loop, role=Role.REDUCTION) for loop in program.ops[0].loops))
    made = cut_op(op, LoopCut("i", (4, 6)))
    assert made is not None
    assert {loop.role for loop in made.loops} == {Role.REDUCTION}


def test_masked_ops_are_not_cut() -> None:
    sketch = Sketch()
    sketch.output(sketch.pad(replace(sketch.input("x", 4, 6), shape=(24,), strides=(1,)), 2, 0))
    program = sketch.program()
    assert list(cuts_of(program.ops[0], program.buffer_map)) == []


def test_names_that_exist_are_not_given_again() -> None:
    program = flattened(4, 6)
    op = replace(program.ops[0], loops=(*program.ops[0].loops, replace(program.ops[0].loops[0], name="i1", extent=2)))
    assert list(cuts_of(op, program.buffer_map)) == []
