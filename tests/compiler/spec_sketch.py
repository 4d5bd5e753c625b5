"""Op specifications as they are written in a line or two, for tests of the formats."""

from __future__ import annotations

from compiler.formats.expression import parse_expression
from compiler.formats.opspec import Dimension, KernelSpec, OpSpec, Place, Room, TensorArg

FP16 = "SEN169_FP16"


def tensor(size: str, coordinates: str, place: str, *, output: bool = False, dtype: str = FP16) -> TensorArg:
    """`tensor("16 512 64", "floor(c1/64); c0; Mod(c1, 64)", "hbm 0")`."""
    room, at = place.split()
    spot = Place(Room(room), int(at))
    walked = tuple(parse_expression(text) for text in coordinates.split(";"))
    number = spot.at if spot.room is Room.HBM else -1
    return TensorArg(not output, number, dtype, tuple(map(int, size.split())), walked, spot)


def spec(op: str, iteration: str, *args: TensorArg, reduction: bool = False) -> OpSpec:
    """`spec("add", "c0 512/32, c1 1024", ...)`."""
    dims = []
    for part in iteration.split(", "):
        name, extent = part.split()
        whole, _, slices = extent.partition("/")
        dims.append(Dimension(name, int(whole), int(slices or 1)))
    return OpSpec(op, reduction, tuple(dims), args)


ROWS = ("16 512 64", "floor(c1/64); c0; Mod(c1, 64)")
COLUMN = ("1 512 64", "0; c0; 0")


def add() -> OpSpec:
    """[512, 1024] fp16, 32 slices of rows."""
    tensors = (tensor(*ROWS, "hbm 0"), tensor(*ROWS, "hbm 1"), tensor(*ROWS, "hbm 2", output=True))
    return spec("add", "c0 512/32, c1 1024", *tensors)


def softmax() -> KernelSpec:
    """[512, 1024] over the last dim, with a copy of the input in LX."""
    rows, column = "c0 512/32, c1 1024", "lx 0"
    block = tensor(*ROWS, "lx 2048")
    body = (
        spec("identity", rows, tensor(*ROWS, "hbm 0"), tensor(*ROWS, "lx 2048", output=True)),
        spec("max", rows, block, tensor(*COLUMN, column, output=True), reduction=True),
        spec("sub", rows, block, tensor(*COLUMN, column), tensor(*ROWS, "lx 2048", output=True)),
        spec("exp", rows, block, tensor(*ROWS, "lx 2048", output=True)),
        spec("sum", rows, block, tensor(*COLUMN, column, output=True), reduction=True),
        spec("realdiv", rows, block, tensor(*COLUMN, column), tensor(*ROWS, "hbm 1", output=True)),
    )
    return KernelSpec("sdsc_fused_softmax_0", body)


def matmul(slices: str = "c0 512/16, c1 256/2, c2 1024") -> OpSpec:
    """[512, 1024] x [1024, 256]."""
    return spec(
        "batchmatmul",
        slices,
        tensor("16 512 64", "floor(c2/64); c0; Mod(c2, 64)", "hbm 0"),
        tensor("4 1024 64", "floor(c1/64); c2; Mod(c1, 64)", "hbm 1"),
        tensor("4 512 64", "floor(c1/64); c0; Mod(c1, 64)", "hbm 2", output=True),
        reduction=True,
    )


def copied() -> OpSpec:
    """1024 fp16 values on one core, from device memory into LX."""
    size, walked = "16 64", "floor(c0/64); Mod(c0, 64)"
    return spec("identity", "c0 1024", tensor(size, walked, "hbm 0"), tensor(size, walked, "lx 0", output=True))
