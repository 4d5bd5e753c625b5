"""Tensors for tests of the stick view: layouts of every kind, and models of them that no plan made.

Owns the list of cases.  Refuses plans: those are in `plans`.
"""

from math import prod

import numpy as np

from compiler.dtypes import DType
from compiler.layout import Arrangement, StickLayout, stick_layout
from compiler.loops import BufferKind
from compiler.program import DeviceTensor, Memory
from spyre_studio.stick_model import Owners, StickModel

Shape = tuple[int, ...]
Case = tuple[Shape, Shape | None, int, Arrangement, tuple[tuple[int, int], ...]]

STANDARD, TO_F32, TO_F16 = Arrangement.STANDARD, Arrangement.F16_TO_F32, Arrangement.F32_TO_F16

# shape, dim order, lanes, arrangement, dims that are filled up
CASES: list[Case] = [
    ((3, 7, 150), None, 64, STANDARD, ()),
    ((3, 7, 150), (2, 0, 1), 64, STANDARD, ()),
    ((5, 100, 3), (0, 2, 1), 64, STANDARD, ()),
    ((3, 70), (1, 0), 32, STANDARD, ()),
    ((512,), None, 64, STANDARD, ()),
    ((40,), (0, -1), 64, STANDARD, ()),
    ((6, 1), None, 64, STANDARD, ()),
    ((6, 7), (0, 1, -1), 64, STANDARD, ()),
    ((2, 1, 130), None, 64, STANDARD, ()),
    ((4, 130), None, 32, TO_F32, ()),
    ((4, 20), None, 32, TO_F32, ()),
    ((130, 4), (1, 0), 32, TO_F32, ()),
    ((4, 130), None, 64, TO_F16, ()),
    ((130, 4), (1, 0), 64, TO_F16, ()),
    ((70, 130), None, 64, STANDARD, ((0, 128),)),
    ((70, 130), (1, 0), 64, STANDARD, ((1, 192),)),
    ((2, 9, 70), None, 64, STANDARD, ((0, 3), (1, 16))),
    ((3, 4, 70), (-2, 0, 1, 2), 64, STANDARD, ()),
    ((2, 2, 2, 2, 70), None, 64, STANDARD, ()),
    ((), None, 64, STANDARD, ()),
]


def dense(shape: Shape) -> Shape:
    """Strides of a tensor without gaps."""
    return tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))


def layout_of(case: Case) -> StickLayout:
    """The layout of a case."""
    shape, order, lanes, arrangement, padding = case
    return stick_layout(shape, dense(shape), lanes, order, arrangement, padding)


def model_of(layout: StickLayout, shape: Shape, strides: Shape | None = None) -> StickModel:
    """A tensor in device memory at 4096 that the host fills."""
    strides = strides or dense(shape)
    tensor = DeviceTensor("t", DType.F16, BufferKind.INPUT, shape, strides, layout, Memory.HBM, 4096)
    return StickModel(tensor, Owners.none(len(layout.device_size)))


def rows_model(rows: int, columns: int, cores: int) -> StickModel:
    """A matrix of which every core wrote as many rows."""
    shape = (rows, columns)
    layout = stick_layout(shape, dense(shape), 64)
    outer, each = layout.device_size[0], rows // cores
    start = np.array([(0, core * each, 0) for core in range(cores)], np.int64)
    size = np.array([(outer, each, 64)] * cores, np.int64)
    return StickModel(model_of(layout, shape).tensor, Owners(tuple(range(cores)), start, size))
