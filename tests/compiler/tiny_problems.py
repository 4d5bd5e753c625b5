"""The problems that the checker's tests start from, with one good plan each where that takes more than the defaults.

Refuses to corrupt anything: that is what each test does for itself.
"""

from compiler.check import check
from compiler.loops import OpKind
from compiler.plan import Plan
from compiler.problem import Problem
from tests.compiler.tiny import (
    buffer,
    copy,
    failed,
    graph_input,
    layout_of,
    naive_plan,
    op,
    placed,
    program,
    slot,
    split,
    spyre,
)

ROWS = {"i": 64, "j": 128}
ROW_BYTES = 16 * 2 * 128  # 16 rows of two sticks on each of four cores


def chain() -> Problem:
    """x -> neg -> a -> neg -> b -> neg -> y, all [64, 128], on four cores."""
    x = graph_input("x", 64, 128)
    a, b, y = (buffer(name, 64, 128) for name in "aby")
    ops = [
        op(f"to_{name.name}", "ij", ROWS, [(source, "ij")], (name, "ij")) for source, name in ((x, a), (a, b), (b, y))
    ]
    return Problem(program([x, a, b, y], ops, y), spyre(4))


def resident_chain() -> tuple[Problem, Plan]:
    """The chain on 4 cores by rows; a and b in LX, b in the place of a."""
    problem = chain()
    plan = naive_plan(problem, split(i=(4, 16)))
    return problem, placed(plan, a=slot(0, ROW_BYTES, 0, 1), b=slot(0, ROW_BYTES, 1, 2, "a"))


def product(m: int = 128, n: int = 256, k: int = 192) -> Problem:
    """y[m, n] = a[m, k] b[k, n], then z = -y."""
    a, b = graph_input("a", m, k), graph_input("b", k, n)
    y, z = buffer("y", m, n), buffer("z", m, n)
    extents = {"m": m, "n": n, "k": k}
    multiply = op("multiply", "mnK", extents, [(a, "mk"), (b, "kn")], (y, "mn"), OpKind.MATMUL, "sum")
    negate = op("negate", "mn", extents, [(y, "mn")], (z, "mn"))
    return Problem(program([a, b, y, z], [multiply, negate], z), spyre(4))


def normed() -> Problem:
    """m[i] = sum of x[i, j]; y[i, j] = x[i, j] + m[i]."""
    x, m, y = graph_input("x", 64, 128), buffer("m", 64, 1), buffer("y", 64, 128)
    total = op("total", "iJ", ROWS, [(x, "ij")], (m, "i."), OpKind.REDUCTION, "sum")
    spread = op("spread", "ij", ROWS, [(x, "ij"), (m, "i.")], (y, "ij"))
    return Problem(program([x, m, y], [total, spread], y), spyre(4))


def turned(rows: int = 128, columns: int = 64) -> Problem:
    """y[i, j] = x[i, j] + w[j, i]: one of the two must be copied into sticks the other way round."""
    x, w, y = graph_input("x", rows, columns), graph_input("w", columns, rows), buffer("y", rows, columns)
    extents = {"i": rows, "j": columns}
    add = op("add", "ij", extents, [(x, "ij"), (w, "ji")], (y, "ij"))
    return Problem(program([x, w, y], [add], y), spyre(4))


def turned_plan(problem: Problem) -> Plan:
    w = problem.program.buffer_map["w"]
    return naive_plan(problem, layouts={"w2": layout_of(w, (1, 0))}, edits=(copy("turn", "w", "w2", "add"),))


def only(problem: Problem, plan: Plan, name: str) -> str:
    """The sentences of the single verdict that fails, which must be this one."""
    found = failed(check(problem, plan))
    assert list(found) == [name], found
    return found[name]


def among(problem: Problem, plan: Plan, name: str) -> str:
    """The sentences of this verdict, which fails, perhaps along with others."""
    found = failed(check(problem, plan))
    assert name in found, found
    return found[name]
