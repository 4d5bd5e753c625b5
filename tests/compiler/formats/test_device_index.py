"""Device index and form: the expressions lead where layouts put the elements, for random programs and the examples."""

from itertools import product

import numpy as np
import pytest

from compiler.dtypes import DType
from compiler.formats.device_form import DeviceForm, device_form
from compiler.formats.device_index import device_coordinates
from compiler.formats.expression import Expression, parse_expression
from compiler.formats.opspec import Place, Room, TensorArg
from compiler.layout import stick_layout
from compiler.loops import Access, Buffer, BufferKind, Index, Load, Loop, LoopOp, OpKind, Origin, Term

SYMBOLS = {"i": "c0", "j": "c1", "k": "c2"}


def _op(loops: tuple[Loop, ...], access: Access) -> LoopOp:
    write = Access("out", Index(0))
    return LoopOp("op", OpKind.POINTWISE, "", loops, (access,), (write,), (Load(0, DType.F16),), (0,), Origin())


CASES = [
    ((512, 1024), None, "1024*i + j"),
    ((512, 1024), (1, 0), "1024*i + j"),
    ((8, 128, 256), None, "32768*i + 256*j + k"),
    ((8, 16, 128), (2, 0, 1), "2048*i + 128*j + k"),
    ((1, 128, 1024), None, "1024*i + 128*j + k"),
    ((4, 128, 128), None, "128*j + 16384*i + k + 64"),
    ((128, 8, 128), None, "1024*i + j"),
    ((7, 100), None, "100*i + j"),
    ((64, 1), (0, -1), "i"),
]


@pytest.mark.parametrize(("shape", "order", "text"), CASES)
def test_coordinates_are_those_of_the_layout(shape: tuple[int, ...], order: tuple[int, ...] | None, text: str) -> None:
    strides = tuple(int(np.prod(shape[place + 1 :])) for place in range(len(shape)))
    buffer = Buffer("x", DType.F16, shape, strides, BufferKind.INPUT)
    layout = stick_layout(shape, strides, 64, order)
    index, extents = _index(text, shape)
    loops = tuple(Loop(name, extent) for name, extent in extents.items())
    access = Access("x", index)
    found = device_coordinates(_op(loops, access), access, buffer, layout, SYMBOLS)
    assert found is not None
    for point in _points(extents):
        offset = int(index.evaluate({name: np.asarray(value) for name, value in point.items()}))
        wanted = layout.coordinates(np.asarray([offset]))[:, 0].tolist()
        symbols = {SYMBOLS[name]: value for name, value in point.items()}
        assert [each.value(symbols) for each in found] == wanted


def _index(text: str, shape: tuple[int, ...]) -> tuple[Index, dict[str, int]]:
    expression = parse_expression(text)
    terms, extents = [], {}
    total = int(np.prod(shape))
    for name in sorted(expression.symbols):
        factor = expression.factor(name)
        terms.append(Term(factor, ((name, 1),)))
        extents[name] = max(1, min((total - expression.constant) // max(factor, 1), {"i": 4, "j": 8, "k": 64}[name]))
    return Index(expression.constant, tuple(terms)), extents


def _points(extents: dict[str, int]) -> list[dict[str, int]]:
    ends = [sorted({0, 1, extent // 2, extent - 1} & set(range(extent))) for extent in extents.values()]
    return [dict(zip(extents, point, strict=True)) for point in product(*ends)]


def _arg(size: tuple[int, ...], *texts: str) -> TensorArg:
    walked = tuple(map(parse_expression, texts))
    return TensorArg(True, 0, "SEN169_FP16", size, walked, Place(Room.HBM, 0))


@pytest.mark.parametrize(
    ("arg", "sizes", "symbols"),
    [
        (_arg((16, 512, 64), "floor(c1/64)", "c0", "Mod(c1, 64)"), (16, 512, 64), ("c1", "c0")),
        (_arg((128, 16, 1, 64), "c1", "2*c0 + floor(c2/64)", "0", "Mod(c2, 64)"), (128, 8, 2, 64), ("c1", "c0", "c2")),
        (_arg((8, 2, 64, 64), "floor(c1/4)", "Mod(c1, 4)", "c0", "Mod(c2, 64)"), None, ()),
        (_arg((2, 4, 64), "floor(c1/4)", "Mod(c1, 4)", "0"), (8, 64), ("c1",)),
        (_arg((1, 64), "0", "0"), (64,), ()),
    ],
)
def test_every_device_dim_has_one_symbol(
    arg: TensorArg, sizes: tuple[int, ...] | None, symbols: tuple[str, ...]
) -> None:
    found = device_form(arg, {"c0": 8, "c1": 8, "c2": 128})
    if sizes is None:
        assert found is None or len({dim.symbol for dim in found.dims}) == len(found.dims)
        return
    assert found is not None
    assert found.sizes == sizes
    assert tuple(dim.symbol for dim in found.dims if dim.symbol) == symbols


def test_the_form_is_the_same_memory() -> None:
    arg = _arg((128, 16, 1, 64), "c1", "2*c0 + floor(c2/64) + 1", "0", "Mod(c2, 64)")
    extents = {"c0": 7, "c1": 128, "c2": 64}
    form = device_form(arg, extents)
    assert form is not None
    for point in ({"c0": 0, "c1": 0, "c2": 0}, {"c0": 6, "c1": 127, "c2": 63}, {"c0": 3, "c1": 5, "c2": 17}):
        assert _flat(arg.device_size, arg.coordinates, point) == _of_form(form, point)


def _flat(size: tuple[int, ...], walked: tuple[Expression, ...], point: dict[str, int]) -> int:
    return int(np.ravel_multi_index([each.value(point) for each in walked], size))


def _of_form(form: DeviceForm, point: dict[str, int]) -> int:

    places = [dim.ahead + (point[dim.symbol] // dim.per if dim.symbol else 0) for dim in form.dims]
    lane = form.lane_ahead + (point[form.lane] % form.lanes if form.lane else 0)
    return int(np.ravel_multi_index([*places, lane], form.sizes))
