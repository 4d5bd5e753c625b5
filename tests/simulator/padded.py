"""Programs whose contractions end within a stick, so that something has to be filled up with zeros.

Owns the cases and how a test looks at places that no element of a tensor has.
"""

import math
from dataclasses import replace

import torch
from torch import Tensor

from compiler.division import Division
from compiler.dtypes import DType
from compiler.layout import StickLayout, stick_layout
from compiler.loops import Access, Gather, Index, Load, Loop, LoopOp, OpKind, Origin, Term
from compiler.program import DeviceTensor, Program
from simulator.functional.address import AccessMap, access_map
from simulator.functional.execute import Execution
from simulator.functional.memory import HOST, Spot
from simulator.functional.space import Space
from simulator.functional.verify import verify
from simulator.report import VerifyReport
from tests.simulator.programs import Case, random, whole_sticks
from tests.simulator.sketch import (
    LANES,
    Sketch,
    at,
    binary,
    buffer,
    contraction,
    dense,
    given,
    loops,
    pointwise,
    split,
)

F16, F32, BF16 = DType.F16, DType.F32, DType.BF16


def judge(case: Case, program: Program | None = None, *, poison: bool = True) -> VerifyReport:
    return verify(program or case.sketch.program(), case.inputs, case.expected, poison=poison)


def layout(
    shape: tuple[int, ...], order: tuple[int, ...] | None = None, *padding: tuple[int, int], lanes: int = 64
) -> StickLayout:
    return stick_layout(shape, dense(shape), lanes, order, padding=padding)


def with_layout(case: Case, name: str, made: StickLayout) -> Case:
    """The case with one buffer laid out otherwise; addresses follow."""
    return replace(case, sketch=replace(case.sketch, layouts={**case.sketch.layouts, name: made}))


def _places(tensor: DeviceTensor) -> tuple[DeviceTensor, AccessMap, Space]:
    """A tensor that has one element per place of another one, padding included, and a walk over its device dims."""
    size = tensor.layout.device_size
    flat = replace(tensor, shape=size, strides=dense(size), layout=layout((math.prod(size),)))
    nest = tuple(Loop(f"d{dim}", extent) for dim, extent in enumerate(size))
    index = at(tensor.name, **{f"d{dim}": step for dim, step in enumerate(dense(size))}).index
    return flat, access_map(index, nest, flat.layout), Space(nest, tuple((0, extent) for extent in size))


def raw(execution: Execution, name: str) -> Tensor:
    """All elements of a tensor of device memory, padding included, in the shape of its device dims."""
    flat, where, space = _places(execution.tensors[name])
    spot = Spot(flat, HOST, "test")
    return execution.memories.read(spot, execution.memories.block(spot, where, space)).reshape(flat.shape)


def put(execution: Execution, name: str, place: tuple[int, ...], value: float) -> None:
    """Write one element at device coordinates of a tensor of device memory."""
    flat, where, space = _places(execution.tensors[name])
    spot = Spot(flat, HOST, "test", write=True)
    single = replace(space, ranges=tuple((each, each + 1) for each in place))
    execution.memories.write(spot, execution.memories.block(spot, where, single), torch.full([1] * len(place), value))


def batched(order: tuple[int, ...] | None = None, dtype: DType = F16, division: Division | None = None) -> Case:
    """[3, 10, 70] times a weight [3, 70, 96] whose K is filled up to whole sticks."""
    kind = {F16: torch.float16, F32: torch.float32, BF16: torch.bfloat16}[dtype]
    lanes = LANES[dtype.device_bytes]
    x, w = random(3, 10, 70, dtype=kind), random(3, 70, 96, seed=1, dtype=kind)
    nest = loops("k", b=3, m=10, n=96, k=70)
    made = stick_layout(w.shape, dense((3, 70, 96)), lanes, order, padding=((1, whole_sticks(70, lanes)),))
    op = contraction(
        "mm", nest, at("x", b=700, m=70, k=1), at("w", b=6720, k=96, n=1), at("y", b=960, m=96, n=1), dtype
    )
    sketch = Sketch(
        buffers=(given("x", (3, 10, 70), dtype), given("w", (3, 70, 96), dtype), buffer("y", (3, 10, 96), dtype)),
        ops=(op,),
        outputs=("y",),
        divisions={"mm": division} if division else {},
        layouts={"w": made},
    )
    return Case(sketch, {"x": x, "w": w}, (x @ w,))


def sliced(last: float) -> Case:
    """The first 100 rows of 120, of which the last is what the test says."""
    x, w = random(32, 100), random(120, 64, seed=1)
    w[119] = last
    nest = loops("k", m=32, n=64, k=100)
    sketch = Sketch(
        buffers=(given("x", (32, 100)), given("w", (120, 64)), buffer("y", (32, 64))),
        ops=(contraction("mm", nest, at("x", m=100, k=1), at("w", k=64, n=1), at("y", m=64, n=1)),),
        outputs=("y",),
        layouts={"w": layout((120, 64), None, (0, 128))},
    )
    return Case(sketch, {"x": x, "w": w}, (x @ w[:100],))


def convolved() -> Case:
    """A convolution over 40 channels, which lie on the sticks of the image and are filled up in the weight."""
    x, w = random(2, 40, 12), random(5, 40, 3, seed=1)
    nest = loops("c t", b=2, o=5, p=10, c=40, t=3)
    reads = at("x", b=480, p=1, c=12, t=1), at("w", o=120, c=3, t=1)
    op = replace(contraction("conv", nest, *reads, at("y", b=50, o=10, p=1)), kind=OpKind.CONV)
    sketch = Sketch(
        buffers=(given("x", (2, 40, 12)), given("w", (5, 40, 3)), buffer("y", (2, 5, 10))),
        ops=(op,),
        outputs=("y",),
        divisions={"conv": split(b=(2, 1))},
        layouts={"x": layout((2, 40, 12), (0, 2, 1)), "w": layout((5, 40, 3), (1, 2, 0), (1, 64))},
    )
    return Case(sketch, {"x": x, "w": w}, (torch.conv1d(x.float(), w.float()).half(),))


def experts(made: StickLayout) -> Case:
    """x[e] times the weight of the expert that a number read from memory chooses."""
    x, w, chosen = random(3, 16, 70), random(4, 70, 64, seed=1), torch.tensor([2, 0, -1])
    nest = loops("k", e=3, m=16, n=64, k=70)
    matrix = Index(0, (Term(64, (("k", 1),)), Term(1, (("n", 1),))), (Gather(4480, 0, 4),))
    op = LoopOp(
        name="mm",
        kind=OpKind.MATMUL,
        combine="sum",
        loops=nest,
        reads=(at("c", e=1), at("x", e=1120, m=70, k=1), Access("w", matrix)),
        writes=(at("y", e=1024, m=64, n=1),),
        body=(Load(0, DType.I64), Load(1, F16), Load(2, F16)),
        results=(1, 2),
        origin=Origin(),
    )
    sketch = Sketch(
        buffers=(
            *(given("x", (3, 16, 70)), given("w", (4, 70, 64)), given("c", (3,), DType.I64)),
            buffer("y", (3, 16, 64)),
        ),
        ops=(op,),
        outputs=("y",),
        divisions={"mm": split(e=(3, 1))},
        layouts={"w": made},
    )
    return Case(sketch, {"x": x, "w": w, "c": chosen}, (x @ w[chosen],))


def copied(target: StickLayout, division: Division | None = None, cores: Division | None = None) -> Case:
    """x times an activation w + w that a copy fills up first."""
    x, w = random(32, 100), random(100, 150, seed=1)
    nest = loops(i=100, j=150)
    whole = {"i": 150, "j": 1}
    sketch = Sketch(
        buffers=(
            *(given("x", (32, 100)), given("w", (100, 150)), buffer("a", (100, 150)), buffer("p", (100, 150))),
            buffer("y", (32, 150)),
        ),
        ops=(
            binary("add", "add", nest, at("w", **whole), at("w", **whole), at("a", **whole)),
            pointwise("fill", loops(d0=100, d1=150), (at("a", d0=150, d1=1),), at("p", d0=150, d1=1), (Load(0, F16),)),
            contraction(
                "mm", loops("k", m=32, n=150, k=100), at("x", m=100, k=1), at("p", k=150, n=1), at("y", m=150, n=1)
            ),
        ),
        outputs=("y",),
        divisions={"fill": division or Division(), "mm": cores or Division()},
        layouts={"p": target},
    )
    return Case(sketch, {"x": x, "w": w}, (x @ (w + w),))
