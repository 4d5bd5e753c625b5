"""Addresses in SuperDSC files: an access that begins inside of a buffer says so, in LX as well."""

from __future__ import annotations

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.emit.op_specs import op_specs
from compiler.emit.sdsc_address import Numbering, block_bytes
from compiler.emit.sdsc_form import sdsc_form
from compiler.emit.unsaid import UnsaidError
from compiler.formats.expression import Expression, parse_expression
from compiler.formats.opspec import Dimension, OpSpec, Place, Room, TensorArg
from tests.compiler.formats.exported import example

HBM = Place(Room.HBM, 0)


def pieces() -> list[OpSpec]:
    """Copies into the second half of a buffer in LX, as concatenations make them."""
    ops = op_specs(example("decoder")).kernels[0].ops()
    return [op for op in ops if op.output.place.room is Room.LX and " + 1" in str(op.output.coordinates[2])]


def test_a_piece_of_a_buffer_in_lx_has_an_address_of_its_own() -> None:
    """Rows of 128 sticks are shared out over 32 cores: the second stick of a row lies 128 B behind the first."""
    found = pieces()
    assert len(found) == 2
    for op in found:
        form = sdsc_form(op)
        assert block_bytes(form, form.tensors[-1]) == 128
        texts = Numbering().number(form).texts[-1]
        assert set(texts) == {str(op.output.place.at + 128)}
        assert block_bytes(form, form.tensors[0]) == 0


def test_the_stride_of_a_block_is_that_of_one_core() -> None:
    """With the dim that is ahead outside of the one that is shared out, a step is as long as the part of one core."""
    op = pieces()[0]
    size, coordinates = op.output.device_size, op.output.coordinates
    turned = replace(
        op.output,
        device_size=(size[2], size[1], size[0], *size[3:]),
        coordinates=(coordinates[2], coordinates[1], coordinates[0], *coordinates[3:]),
    )
    form = sdsc_form(replace(op, args=(*op.args[:-1], turned)))
    cores = op.cores
    assert cores == 32
    assert block_bytes(form, form.tensors[-1]) == size[1] // cores * size[0] * 128


def test_a_start_inside_of_a_dim_that_cores_share_out_has_no_words() -> None:
    op = pieces()[0]
    dims = tuple(replace(dim, slices=2 if dim.symbol == "c2" else 1) for dim in op.iteration)
    wide = tuple(replace(dim, extent=128) if dim.symbol == "c2" else dim for dim in dims)
    output = replace(op.output, device_size=(8, 128, 4, 1, 64))
    form = sdsc_form(replace(op, iteration=wide, args=(*op.args[:-1], output), constants=frozendict()))
    with pytest.raises(UnsaidError, match="begins inside of a dim that cores share out"):
        Numbering().number(form)


def test_an_op_without_loops_is_named_and_padding_takes_slices_away() -> None:
    op = pieces()[0]
    with pytest.raises(UnsaidError, match="it has no loops"):
        sdsc_form(replace(op, iteration=(), args=()))
    swap = OpSpec(
        "ReStickifyOpHBM",
        False,
        (Dimension("c0", 100, 4), Dimension("c1", 128, 2)),
        (
            TensorArg(True, 0, "SEN169_FP16", (2, 100, 64), _walk("c1", "c0"), HBM),
            TensorArg(False, 1, "SEN169_FP16", (2, 128, 64), _walk("c0", "c1"), Place(Room.HBM, 1)),
        ),
    )
    form = sdsc_form(swap)
    assert form.slices == {"mb": 1, "out": 2}
    assert form.cores == 2
    assert [dict(core) for core in form.core_slices] == [{"mb": 0, "out": 0}, {"mb": 0, "out": 1}]


def _walk(stick: str, row: str) -> tuple[Expression, ...]:
    return tuple(map(parse_expression, (f"floor({stick}/64)", row, f"Mod({stick}, 64)")))
