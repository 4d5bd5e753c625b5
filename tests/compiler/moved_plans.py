"""Plans with moves between device memory and LX and over the ring, by hand, each good as it stands.

Owns the programs and a short way to write such plans: addresses and bytes are given, lifetimes follow from the steps.
Refuses to damage them: that is what each test does for itself.
"""

from collections.abc import Callable, Mapping

from compiler.division import Division
from compiler.layout import StickLayout, stick_layout
from compiler.loops import BufferKind, OpKind
from compiler.plan import Edit, EditKind, Plan, Slot
from compiler.problem import Problem
from compiler.schedule import expand
from tests.compiler.tiny import (
    buffer,
    divided,
    graph_input,
    naive_plan,
    op,
    opaque,
    placed,
    program,
    split,
    spyre,
)
from tests.compiler.tiny_problems import ROW_BYTES, ROWS, chain

BY_ROWS, COPY_ROWS = split(i=(4, 16)), split(d0=(4, 16))
SQUARE, COPY_SQUARE = split(i=(2, 32), j=(2, 64)), split(d0=(2, 32), d1=(2, 64))
Built = tuple[Problem, Plan]


def ring(source: str, target: str, before: str, *readers: str, replicas: int = 1) -> Edit:
    """A relayout, for the step it stands before if no reader is named."""
    return Edit(target, EditKind.RELAYOUT, source, target, before, readers or (before,), replicas)


def clone_in(source: str, target: str, before: str, *readers: str, replicas: int = 1) -> Edit:
    """A copy into LX."""
    return Edit(target, EditKind.CLONE_IN, source, target, before, readers or (before,), replicas)


def clone_out(source: str, target: str, before: str, *readers: str) -> Edit:
    """A copy out of LX."""
    return Edit(target, EditKind.CLONE_OUT, source, target, before, readers or (before,))


def moved(
    problem: Problem,
    edits: tuple[Edit, ...],
    divisions: Mapping[str, Division],
    lx: Mapping[str, tuple[int, int]],
    layouts: Mapping[str, StickLayout] | None = None,
) -> Plan:
    """Divisions by step, address and bytes of what is in LX for as long as it is used; the rest as in a naive plan."""
    given = dict(layouts or {})
    given |= {edit.target: given[edit.source] for edit in edits if edit.source in given and edit.target not in given}
    plan = divided(naive_plan(problem, None, given, edits), **divisions)
    return placed(plan, **{name: living(problem, plan, name, *place) for name, place in lx.items()})


def living(problem: Problem, plan: Plan, name: str, address: int, size: int, in_place_of: str = "") -> Slot:
    """A slot from the first to the last step that uses a buffer."""
    uses = [
        step.number
        for step in expand(problem.program, plan).steps
        if name in {access.buffer for access in (*step.op.reads, *step.op.writes)}
    ]
    return Slot(address, size, uses[0], uses[-1], in_place_of)


def turned() -> Built:
    """The chain: a by rows, over the ring into squares for to_b."""
    problem = chain()
    divisions = {"to_a": BY_ROWS, "ring": COPY_SQUARE, "to_b": SQUARE, "to_y": SQUARE}
    edit = Edit("ring", EditKind.RELAYOUT, "a", "a@ring", "to_b", ("to_b",))
    return problem, moved(problem, (edit,), divisions, {"a": (0, ROW_BYTES), "a@ring": (ROW_BYTES, ROW_BYTES)})


def turned_back() -> Built:
    """a by rows, into squares for to_b and back into rows for to_y, which adds up a and b."""
    x, a, b, y = graph_input("x", 64, 128), *(buffer(name, 64, 128) for name in "aby")
    ops = [
        op("to_a", "ij", ROWS, [(x, "ij")], (a, "ij")),
        op("to_b", "ij", ROWS, [(a, "ij")], (b, "ij")),
        op("to_y", "ij", ROWS, [(a, "ij"), (b, "ij")], (y, "ij")),
    ]
    problem = Problem(program([x, a, b, y], ops, y), spyre(4))
    edits = (ring("a", "there", "to_b", "to_b", "to_y"), ring("there", "back", "to_y"))
    divisions = {"to_a": BY_ROWS, "there": COPY_SQUARE, "to_b": SQUARE, "back": COPY_ROWS, "to_y": BY_ROWS}
    lx = {"a": (0, ROW_BYTES), "there": (ROW_BYTES, ROW_BYTES), "back": (0, ROW_BYTES)}
    return problem, moved(problem, edits, divisions, lx)


def loaded() -> Built:
    """The chain: x by rows into LX, a in its place; y in LX, and out at the end."""
    problem = chain()
    edits = (clone_in("x", "x@in", "to_a"), clone_out("y", "y@out", "", "output:out0"))
    divisions = {**dict.fromkeys(("to_a", "to_b", "to_y"), BY_ROWS), **dict.fromkeys(("x@in", "y@out"), COPY_ROWS)}
    plan = moved(problem, edits, divisions, {"x@in": (0, ROW_BYTES), "y": (ROW_BYTES, ROW_BYTES)})
    return problem, placed(plan, a=living(problem, plan, "a", 0, ROW_BYTES, "x@in"))


def evicted() -> Built:
    """a goes out while b and c take its place, and comes back for y = a + c."""
    x, a, b, c, y = graph_input("x", 64, 128), *(buffer(name, 64, 128) for name in "abcy")
    ops = [op(f"to_{out.name}", "ij", ROWS, [(source, "ij")], (out, "ij")) for source, out in ((x, a), (a, b), (b, c))]
    ops.append(op("to_y", "ij", ROWS, [(a, "ij"), (c, "ij")], (y, "ij")))
    problem = Problem(program([x, a, b, c, y], ops, y), spyre(4))
    edits = (clone_out("a", "a@out", "to_c", "to_y"), clone_in("a@out", "a@in", "to_y"))
    divisions = {one.name: BY_ROWS for one in ops} | {"a@out": COPY_ROWS, "a@in": COPY_ROWS}
    lx = {"a": (0, ROW_BYTES), "b": (ROW_BYTES, ROW_BYTES), "c": (0, ROW_BYTES), "a@in": (ROW_BYTES, ROW_BYTES)}
    return problem, moved(problem, edits, divisions, lx)


def bracketed() -> Built:
    """a out before the host uses it and in again behind it; b, which the host makes, in for both of its readers."""
    x, a, b, y = graph_input("x", 64, 128), *(buffer(name, 64, 128) for name in "aby")
    ops = [
        op("to_a", "ij", ROWS, [(x, "ij")], (a, "ij")),
        opaque("scan", a, b),
        op("to_y", "ij", ROWS, [(a, "ij"), (b, "ij")], (y, "ij")),
    ]
    problem = Problem(program([x, a, b, y], ops, y), spyre(4))
    edits = (
        clone_out("a", "a@out", "scan", "scan", "to_y"),
        clone_in("a@out", "a@in", "to_y"),
        clone_in("b", "b@in", "to_y"),
    )
    divisions = {"to_a": BY_ROWS, "to_y": BY_ROWS, **dict.fromkeys(("a@out", "a@in", "b@in"), COPY_ROWS)}
    lx = {"a": (0, ROW_BYTES), "a@in": (0, ROW_BYTES), "b@in": (ROW_BYTES, ROW_BYTES)}
    return problem, moved(problem, edits, divisions, lx)


def spread() -> Built:
    """f by columns on two cores, over the ring to four: each part on the two that add it to their rows of x."""
    g, f, x, y = graph_input("g", 128), buffer("f", 128), graph_input("x", 64, 128), buffer("y", 64, 128)
    ops = [
        op("to_f", "j", {"j": 128}, [(g, "j")], (f, "j")),
        op("to_y", "ij", ROWS, [(x, "ij"), (f, "j")], (y, "ij")),
    ]
    problem = Problem(program([g, x, f, y], ops, y), spyre(4))
    divisions = {
        "to_f": split(j=(2, 64)),
        "f@ring": split(replica=(2, 1), d0=(2, 64)),
        "to_y": split(i=(2, 32), j=(2, 64)),
    }
    return problem, moved(
        problem, (ring("f", "f@ring", "to_y", replicas=2),), divisions, {"f": (0, 128), "f@ring": (128, 128)}
    )


def multiplied() -> Built:
    """y = a b with both in LX: rows of a on two cores each, columns of b on two others."""
    a, b = graph_input("a", 8, 64), buffer("b", 64, 128, kind=BufferKind.PARAMETER)
    y, extents = buffer("y", 8, 128), {"m": 8, "n": 128, "k": 64}
    multiply = op("multiply", "mnK", extents, [(a, "mk"), (b, "kn")], (y, "mn"), OpKind.MATMUL, "sum")
    problem = Problem(program([a, b, y], [multiply], y), spyre(4))
    edits = (clone_in("a", "a@in", "multiply", replicas=2), clone_in("b", "b@in", "multiply", replicas=2))
    divisions = {
        "multiply": split(m=(2, 4), n=(2, 64)),
        "a@in": split(d0=(2, 4), replica=(2, 1)),
        "b@in": split(replica=(2, 1), d1=(2, 64)),
    }
    size = 4 * 128
    return problem, moved(problem, edits, divisions, {"a@in": (0, size), "b@in": (size, 64 * 128)})


def gathered() -> Built:
    """a by rows on four cores, for a product that needs each half of its rows on two of them."""
    x, b = graph_input("x", 8, 64), graph_input("b", 64, 128)
    a, y = buffer("a", 8, 64), buffer("y", 8, 128)
    extents = {"m": 8, "n": 128, "k": 64}
    ops = [
        op("to_a", "mk", extents, [(x, "mk")], (a, "mk")),
        op("multiply", "mnK", extents, [(a, "mk"), (b, "kn")], (y, "mn"), OpKind.MATMUL, "sum"),
    ]
    problem = Problem(program([x, b, a, y], ops, y), spyre(4))
    divisions = {
        "to_a": split(m=(4, 2)),
        "a@ring": split(d0=(2, 4), replica=(2, 1)),
        "multiply": split(m=(2, 4), n=(2, 64)),
    }
    lx = {"a": (0, 256), "a@ring": (256, 512)}
    return problem, moved(problem, (ring("a", "a@ring", "multiply", replicas=2),), divisions, lx)


def tall(rows: int, columns: int, cores: int, writer: Division, copy: Division, reader: Division) -> Built:
    """a [rows, columns] from a writer over the ring to a reader, on so many cores."""
    extents = {"i": rows, "j": columns}
    x, a, y = graph_input("x", rows, columns), buffer("a", rows, columns), buffer("y", rows, columns)
    ops = [op("to_a", "ij", extents, [(x, "ij")], (a, "ij")), op("to_y", "ij", extents, [(a, "ij")], (y, "ij"))]
    problem = Problem(program([x, a, y], ops, y), spyre(cores))
    divisions = {"to_a": writer, "ring": copy, "to_y": reader}
    edit = Edit("ring", EditKind.RELAYOUT, "a", "a@ring", "to_y", ("to_y",))
    size = rows * -(-columns // 64) * 128
    lx = {"a": (0, size // writer.cores), "a@ring": (size // writer.cores, size // copy.cores)}
    return problem, moved(problem, (edit,), divisions, lx)


def sticks_of_rows() -> StickLayout:
    """[64, 128] with its sticks along the rows."""
    return stick_layout((64, 128), (128, 1), 64, (1, 0))


GOOD: dict[str, Callable[[], Built]] = {
    one.__name__: one for one in (turned, turned_back, loaded, evicted, bracketed, spread, multiplied, gathered)
}
