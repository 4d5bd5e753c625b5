"""Steps by hand whose work is known: each a builder of a Program.

Owns shapes and divisions; the numbers they must come to stand in the tests.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.device import Device, load_device
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import LoopProgram
from compiler.materialize import materialize
from compiler.plan import Edit
from compiler.program import Program
from simulator.timing.work import Operand, OpWork
from simulator.timing.work_of import work_of
from tests.moved_plans import ring, with_moves
from tests.simulator.sketch import Sketch as Steps
from tests.simulator.sketch import at, buffer, contraction, given, loops, split
from tests.sketch import Sketch


def spyre(cores: int = 32) -> Device:
    """A Spyre with some of its cores."""
    return load_device("spyre").with_cores(cores)


def planned(
    program: LoopProgram,
    divisions: Mapping[str, Division],
    cores: int,
    edits: tuple[Edit, ...] = (),
    lx: Mapping[str, int] | None = None,
) -> Program:
    """The compiled program with these decisions in place of its own; all that is not in `lx` is in device memory."""
    made, plan = with_moves(program, divisions, edits, lx or {}, cores)
    return materialize(made.problem, plan)


def work(program: Program, device: Device | None = None) -> dict[str, OpWork]:
    """The work of a program's steps by name."""
    return {one.name: one for one in work_of(program, device or spyre(program.cores))}


def operand(step: OpWork, tensor: str, write: bool = False) -> Operand:
    """The access of a step to a tensor."""
    (found,) = (one for one in step.operands if one.tensor == tensor and one.write is write)
    return found


def negated(division: Division, cores: int, shape: tuple[int, ...] = (8, 256, 512)) -> OpWork:
    """-x, 2,097,152 B by default, in device memory before and after."""
    sketch = Sketch("negated")
    sketch.output(sketch.apply("neg", sketch.input("x", *shape)))
    return work(planned(sketch.program(), {"neg": division}, cores))["neg"]


def carried(writer: Division, mover: Division, reader: Division, replicas: int = 1) -> OpWork:
    """The relayout between neg and relu of [8, 256, 512] on eight cores."""
    sketch = Sketch("carried")
    sketch.output(sketch.apply("relu", sketch.apply("neg", sketch.input("x", 8, 256, 512))))
    divisions = {"neg": writer, "neg@ring": mover, "relu": reader}
    edits, lx = (ring("neg", "relu", replicas=replicas),), {"neg": 0, "neg@ring": 262144}
    return work(planned(sketch.program(), divisions, 8, edits, lx))["neg@ring"]


def multiplied(
    m: int,
    k: int,
    n: int,
    division: Division | None = None,
    layouts: Mapping[str, StickLayout] | None = None,
    device: Device | None = None,
) -> OpWork:
    """x[m, k] @ w[k, n] in device memory."""
    nest = loops("k", m=m, n=n, k=k)
    steps = Steps(
        buffers=(given("x", (m, k)), given("w", (k, n)), buffer("y", (m, n))),
        ops=(contraction("mm", nest, at("x", m=k, k=1), at("w", k=n, n=1), at("y", m=n, n=1)),),
        outputs=("y",),
        divisions={"mm": division or split()},
        layouts=layouts or {},
    )
    return work(steps.program(), device)["mm"]


def batched(
    b: int,
    m: int,
    k: int,
    n: int,
    division: Division | None = None,
    layouts: Mapping[str, StickLayout] | None = None,
    flat: bool = False,
) -> OpWork:
    """x[b, m, k] @ w[b, k, n] in device memory; w[k, n] for all batches if `flat`."""
    nest = loops("k", b=b, m=m, n=n, k=k)
    right = given("w", (k, n) if flat else (b, k, n))
    read = at("w", k=n, n=1) if flat else at("w", b=k * n, k=n, n=1)
    product = contraction("mm", nest, at("x", b=m * k, m=k, k=1), read, at("y", b=m * n, m=n, n=1))
    steps = Steps(
        buffers=(given("x", (b, m, k)), right, buffer("y", (b, m, n))),
        ops=(product,),
        outputs=("y",),
        divisions={"mm": division or split()},
        layouts=layouts or {},
    )
    return work(steps.program())["mm"]
