"""Joint problems made by hand, of which one can say what is best.

Owns short words for tables: what an operand costs in device memory, which divisions there are, who reads what.  Refuses
chance: that is `random_joint`.  A byte takes a nanosecond, read or written; units of LX are bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from frozendict import frozendict

from compiler.plan import EditKind
from compiler.solvers.joint.problem import DEVICE, Bill, Choice, Copy, Item, JointProblem, Menu, Rates, Task

NANOSECOND_PER_BYTE = Rates(1.0, 0.0)
KILO = 1000  # bytes, and so a microsecond

Division = tuple[tuple[int, ...], float]
"""The views of what is read and, last, of what is written, and compute (us)."""


def menu(sizes: Sequence[int], divisions: Sequence[Division], writes: bool = True) -> Menu:
    """Divisions of a step with operands of these bytes; all that is not in LX is read, or written."""
    return Menu(tuple(Choice(views, tuple(_bills(sizes, us, writes))) for views, us in divisions))


def _bills(sizes: Sequence[int], compute_us: float, writes: bool) -> list[Bill]:
    found = []
    for mask in range(1 << len(sizes)):
        away = [0 if mask >> place & 1 else size for place, size in enumerate(sizes)]
        written = away.pop() if writes else 0
        found.append(Bill(compute_us=compute_us, read_bytes=sum(away), written_bytes=written))
    return found


@dataclass(frozen=True, slots=True)
class Made:
    """An item: who writes it (-1: it is an input), its bytes per core by view (none: never in LX)."""

    size: int
    writer: int
    feet: Mapping[int, int]
    copies: tuple[Copy, ...] = ()
    parents: tuple[int, ...] = ()
    output: bool = False
    pinned: str = ""


def problem(items: Sequence[Made], steps: Sequence[tuple[tuple[int, ...], Menu]], capacity: int) -> JointProblem:
    """Steps in order: what each reads and, last, what it writes (-1: nothing), and its menu."""
    tasks = []
    for number, (touched, divisions) in enumerate(steps):
        operands, writes = (touched, len(touched) - 1) if touched[-1] >= 0 else (touched[:-1], -1)
        tasks.append(Task(f"t{number}", operands, writes, divisions))
    made = tuple(_item(number, one, tasks) for number, one in enumerate(items))
    return JointProblem(tuple(tasks), made, capacity, 1, NANOSECOND_PER_BYTE)


def _item(number: int, one: Made, tasks: Sequence[Task]) -> Item:
    readers = tuple(at for at, task in enumerate(tasks) if number in task.operands and at != one.writer)
    out, feet = Bill(written_bytes=one.size), frozendict(one.feet)
    return Item(f"i{number}", one.size, one.writer, readers, feet, one.output, out, one.copies, one.parents, one.pinned)


def relayout(view: int, foot: int, readers: tuple[int, ...], us: float, starts: tuple[int, ...]) -> Copy:
    """A relayout before the first of its readers."""
    bills = frozendict((start, Bill(serial_us=us)) for start in starts)
    return Copy(EditKind.RELAYOUT, view, foot, readers[0], readers, bills)


def reload(view: int, foot: int, readers: tuple[int, ...], size: int) -> Copy:
    """A clone-in before the first of its readers."""
    return Copy(EditKind.CLONE_IN, view, foot, readers[0], readers, frozendict({DEVICE: Bill(read_bytes=size)}))


def forked() -> JointProblem:
    """x -> t0 -> a -> t1 -> b -> t2: t0 and t1 compute least by view 0, but t2 has only view 1, and bytes weigh more
    than both: best is view 1 everywhere, 12 us of compute and nothing moved."""
    size = 100 * KILO
    first = menu([size], [((0,), 1.0), ((1,), 5.0)])
    second = menu([size, size], [((0, 0), 1.0), ((1, 1), 6.0)])
    last = menu([size], [((1,), 1.0)], writes=False)
    feet = {0: 10, 1: 10}
    return problem([Made(size, 0, feet), Made(size, 1, feet)], [((0,), first), ((0, 1), second), ((1, -1), last)], 1000)


def rivals(capacity: int) -> JointProblem:
    """Two items of equal room alive at once, the second of twice the bytes; both fit into 200."""
    small, large = 10 * KILO, 20 * KILO
    steps = [
        ((0,), menu([small], [((0,), 0.0)])),
        ((1,), menu([large], [((0,), 0.0)])),
        ((1, -1), menu([large], [((0,), 0.0)], writes=False)),
        ((0, -1), menu([small], [((0,), 0.0)], writes=False)),
    ]
    return problem([Made(small, 0, {0: 100}), Made(large, 1, {0: 100})], steps, capacity)


def evicted() -> JointProblem:
    """`a` is read early and late, `b` fills LX between: best is to send `a` out and load it again for its two late
    readers, which pays as both find it then."""
    size, big = 10 * KILO, 100 * KILO
    read_a = menu([size], [((0,), 0.0)], writes=False)
    steps = [
        ((0,), menu([size], [((0,), 0.0)])),
        ((0, -1), read_a),
        ((1,), menu([big], [((0,), 0.0)])),
        ((1, -1), menu([big], [((0,), 0.0)], writes=False)),
        ((0, -1), read_a),
        ((0, -1), read_a),
        ((0, -1), read_a),
    ]
    back = reload(0, 60, (4, 5, 6), size)
    return problem([Made(size, 0, {0: 60}, (back,)), Made(big, 2, {0: 100})], steps, 100)


def chain(length: int, parents: bool) -> JointProblem:
    """A chain whose items each fill LX: all stay there only if each takes over the place of the one before."""
    size = 10 * KILO
    steps: list[tuple[tuple[int, ...], Menu]] = [((0,), menu([size], [((0,), 0.0)]))]
    steps += [((n - 1, n), menu([size, size], [((0, 0), 0.0)])) for n in range(1, length)]
    steps.append(((length - 1, -1), menu([size], [((0,), 0.0)], writes=False)))
    made = [Made(size, n, {0: 100}, parents=(n - 1,) if n and parents else ()) for n in range(length)]
    return problem(made, steps, 100)


def shared_ring(first_fits: bool) -> JointProblem:
    """`a` is left under view 0, three readers need view 1 (the first of them view 0 if it `fits`): one relayout for all
    is best, made before the first of the readers that it may serve."""
    size = 10 * KILO
    need = menu([size], [((1,), 0.0)], writes=False)
    first = menu([size], [((0,), 0.0)], writes=False) if first_fits else need
    steps = [((0,), menu([size], [((0,), 0.0)])), ((0, -1), first), ((0, -1), need), ((0, -1), need)]
    ring = relayout(1, 100, (1, 2, 3), 5.0, (0,))
    return problem([Made(size, 0, {0: 100}, (ring,))], steps, 1000)


def pinned(one: JointProblem, **pins: str) -> JointProblem:
    """The same with some items pinned, by name."""
    return replace(one, items=tuple(replace(item, pinned=pins.get(item.name, "")) for item in one.items))
