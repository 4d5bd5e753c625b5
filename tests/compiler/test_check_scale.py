"""The checker at the size of real models: cost follows the number of different structures, not elements or layers."""

import time

from compiler.check import check
from compiler.loops import BufferKind, LoopOp, OpKind
from compiler.plan import Plan, Slot
from compiler.problem import Problem
from tests.compiler.tiny import buffer, failed, graph_input, naive_plan, op, placed, program, split, spyre

LAYERS, BLOCKS, POINTWISE = 40, 7, 8
ROWS, HIDDEN = 128, 4096
SLOT_BYTES = ROWS // 32 * HIDDEN * 2


def decoder() -> tuple[Problem, list[LoopOp]]:
    """40 layers of 7 matmuls, each followed by 8 pointwise ops on [128, 4096]: 2,520 steps."""
    x = graph_input("x", ROWS, HIDDEN)
    buffers, ops, last = [x], [], x
    sizes = {"s": ROWS, "n": HIDDEN, "k": HIDDEN}
    for layer in range(LAYERS):
        for block in range(BLOCKS):
            name = f"layers.{layer}.{block}"
            weight = buffer(f"{name}.weight", HIDDEN, HIDDEN, kind=BufferKind.PARAMETER)
            product = buffer(f"{name}.product", ROWS, HIDDEN)
            reads = [(last, "sk"), (weight, "kn")]
            ops.append(op(f"{name}/matmul", "snK", sizes, reads, (product, "sn"), OpKind.MATMUL, "sum"))
            buffers += [weight, product]
            last = product
            for number in range(POINTWISE):
                result = buffer(f"{name}.{number}", ROWS, HIDDEN)
                ops.append(op(f"{name}/add{number}", "sn", sizes, [(last, "sn"), (x, "sn")], (result, "sn")))
                buffers.append(result)
                last = result
    return Problem(program(buffers, ops, last), spyre(32)), ops


def resident(problem: Problem, ops: list[LoopOp]) -> Plan:
    """By rows on all cores, every value but the output in LX, four addresses in turn."""
    plan = naive_plan(problem, split(s=(32, ROWS // 32)))
    slots = {
        one.write.buffer: Slot(number % 4 * SLOT_BYTES, SLOT_BYTES, number, number + 1)
        for number, one in enumerate(ops[:-1])
    }
    return placed(plan, **slots)


def test_forty_layers_in_seconds() -> None:
    problem, ops = decoder()
    plan = resident(problem, ops)
    started = time.perf_counter()
    verdicts = check(problem, plan)
    seconds = time.perf_counter() - started
    assert failed(verdicts) == {}
    assert len(ops) == 2520
    assert seconds < 10, f"{seconds:.1f} s"


def test_one_wrong_layer_is_found() -> None:
    problem, ops = decoder()
    plan = resident(problem, ops)
    wrong = placed(plan, **{"layers.31.4.2": Slot(0, SLOT_BYTES, 0, 2519)})
    found = failed(check(problem, wrong))
    assert list(found) == ["overlap"]
    assert "layers.31.4.2" in found["overlap"]
    assert "more" in found["overlap"]


def test_huge_matmul_is_not_enumerated() -> None:
    a, b, y = graph_input("a", 8192, 32768), graph_input("b", 32768, 4096), buffer("y", 8192, 4096)
    sizes = {"m": 8192, "k": 32768, "n": 4096}
    multiply = op("multiply", "mnK", sizes, [(a, "mk"), (b, "kn")], (y, "mn"), OpKind.MATMUL, "sum")
    problem = Problem(program([a, b, y], [multiply], y), spyre(32))
    plan = naive_plan(problem, split(k=(2, 16384), m=(16, 512)))
    started = time.perf_counter()
    assert failed(check(problem, plan)) == {}
    assert time.perf_counter() - started < 2
