"""What tests of order-dims share: programs with batched products, the passes run on them, and a slow second opinion.

Owns `ordered` and `priced`, which adds up what a plan's orders take without any code of the search.  Refuses to search.
"""

import math
from collections import Counter

from compiler.contractions import roles_of
from compiler.cost.batching import batched_rate, contraction_us
from compiler.cost.requests import copy_us
from compiler.device import Device
from compiler.dtypes import DType
from compiler.layout import StickLayout
from compiler.loops import Buffer, LoopOp, LoopProgram, OpKind
from compiler.passes.order_dims import OrderDims
from compiler.pins import Pins
from compiler.plan import EditKind, Plan
from compiler.schedule import Schedule, expand
from compiler.spaces import space_of
from tests.compiler.layout_cases import solved
from tests.programs import problem_of, transposed
from tests.random_draft import View
from tests.sketch import Sketch


def ordered(program: LoopProgram, rule: str = "search", pins: Pins | None = None) -> Plan:
    """Layouts, restickifies and orders of a program."""
    return OrderDims(rule)(problem_of(program, pins), solved(program, pins))


def priced(program: LoopProgram, plan: Plan) -> int:
    """Nanoseconds of all contractions by their rates or their traffic, whichever takes longer, and of all copies that
    only reorder or fill up."""
    device, schedule, total = problem_of(program).device, expand(program, plan), 0
    for step in schedule.steps:
        if step.op.kind in (OpKind.MATMUL, OpKind.CONV):
            total += contraction_ns(step.op, schedule, plan, device)
        elif step.edit and step.edit.kind is not EditKind.RESTICKIFY:
            source, target = plan.layouts[step.edit.source], plan.layouts[step.edit.target]
            total += round(1000 * copy_us(device, schedule.buffers[step.edit.source], source, target))
    return total


def contraction_ns(op: LoopOp, schedule: Schedule, plan: Plan, device: Device) -> int:
    """A contraction below the sustained rate ends 1 ns after its traffic at the earliest."""
    roles = roles_of(space_of(op, schedule, plan.layouts))
    rates = (
        device.number("sustained_mac_per_ns_core"),
        batched_rate(device, op, roles, schedule.buffers, plan.layouts),
    )
    best, ns = (round(1000 * contraction_us(op, rate, device.cores)) for rate in rates)
    touched = {access.buffer for access in (*op.reads, *op.writes)}
    sent = sum(stick_bytes(schedule.buffers[name], plan.layouts[name], device) for name in touched)
    return max(ns, round(sent / device.number("hbm_one_way_bytes_per_ns")) + (ns > best))


def stick_bytes(buffer: Buffer, layout: StickLayout, device: Device) -> int:
    """Bytes of the sticks that hold a buffer, without zeros that are only there for other buffers."""
    size = buffer.shape[layout.stick_dim] if layout.stick_dim >= 0 else 1
    return buffer.elements // size * math.ceil(size / layout.elements_per_stick) * device.stick_bytes


def orders(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Dim orders that are not those of the host."""
    return {
        name: layout.dim_order
        for name, layout in plan.layouts.items()
        if list(layout.dim_order) != _host(layout.dim_order)
    }


def _host(order: tuple[int, ...]) -> list[int]:
    return [*sorted(order[:-1]), *order[-1:]]


def kinds(plan: Plan) -> Counter[EditKind]:
    """How many edits there are of each kind."""
    return Counter(edit.kind for edit in plan.edits)


def products(sketch: Sketch, x: View, count: int, columns: int = 512) -> View:
    """The sum of `count` products of x [M, K] with weights of their own."""
    weights = [sketch.parameter(f"w{number}", x.shape[-1], columns) for number in range(count)]
    total = sketch.matmul(x, weights[0])
    for weight in weights[1:]:
        total = sketch.apply("add", total, sketch.matmul(x, weight))
    return total


def scores(sketch: Sketch, q: View, k: View) -> View:
    """q k^T per batch."""
    return sketch.matmul(q, transposed(k, len(k.shape) - 2, len(k.shape) - 1), "scores")


def computed(heads: int = 4, length: int = 512, depth: int = 512) -> LoopProgram:
    """q k^T of computed q and k, then one more step on the result; depth 64 would hide behind its traffic."""
    sketch = Sketch("computed")
    q, k = (sketch.apply("relu", sketch.apply("neg", sketch.input(name, heads, length, depth))) for name in "qk")
    sketch.output(sketch.apply("exp", scores(sketch, q, k)))
    return sketch.program()


def embedding(kind: str, rows: int = 1000, width: int = 128) -> LoopProgram:
    """Rows of a table picked by an index."""
    sketch = Sketch("embedding")
    table = sketch.parameter("table", rows, width) if kind == "parameter" else sketch.input("table", rows, width)
    table = sketch.apply("neg", table) if kind == "computed" else table
    sketch.output(sketch.apply("relu", sketch.rows_of(table, sketch.input("chosen", 40, dtype=DType.I64))))
    return sketch.program()
