"""JointProblem: which division every step gets, what lies in LX, and which moves bring it to its readers.

Owns the question as tables: steps with menus, what each division costs by who is in LX, and which views of a buffer it
leaves or needs.  A view says which core holds which part; two steps meet if their views are the same number.  Refuses
programs and layouts, which `compiler.joint` turns into these tables, and refuses to search.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from frozendict import frozendict

from compiler.plan import EditKind

NOWHERE = -1
"""The view of a step that leaves or needs no whole part on each core."""

HOME = -1
"""How a reader gets a buffer: out of LX, where the writer left it."""

DEVICE = -2
"""How a reader gets a buffer: out of device memory.  0 and above: out of that copy, which lies in LX."""


@dataclass(frozen=True, slots=True)
class Load:
    """A read of an input from outside, which a kernel loads once for all its readers.

    `operand` counts the operands of the task and, after them, its `inputs`.  The bytes that the task pays for move at
    `bytes_per_ns`, 0 for the common rate.
    """

    operand: int
    size_bytes: int
    delivery_us: float = 0.0
    burst_us: float = 0.0
    bytes_per_ns: float = 0.0


@dataclass(frozen=True, slots=True)
class Bill:
    """What a step adds to the sums of its kernel (see `price`): bytes at the common rate apart, loads apart."""

    compute_us: float = 0.0
    fused_us: float = 0.0
    memory_us: float = 0.0
    serial_us: float = 0.0
    read_bytes: int = 0
    written_bytes: int = 0
    loads: tuple[Load, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A division: its view of every operand, and a bill for each set of operands in LX (bit of the operand set)."""

    views: tuple[int, ...]
    bills: tuple[Bill, ...]

    def __post_init__(self) -> None:
        if len(self.bills) != 1 << len(self.views):
            raise ValueError(f"{len(self.views)} operands need {1 << len(self.views)} bills, not {len(self.bills)}")


@dataclass(frozen=True, eq=False)
class Menu:
    """The divisions of a step; steps of equal structure share one object."""

    choices: tuple[Choice, ...]

    @cached_property
    def by_view(self) -> tuple[frozendict[int, tuple[int, ...]], ...]:
        """For every operand: view -> choices that have it."""
        found: list[dict[int, list[int]]] = [{} for _ in self.choices[0].views]
        for number, choice in enumerate(self.choices):
            for operand, view in enumerate(choice.views):
                found[operand].setdefault(view, []).append(number)
        return tuple(frozendict((view, tuple(numbers)) for view, numbers in table.items()) for table in found)


@dataclass(frozen=True, slots=True)
class Task:
    """A step: the items that it reads and, last, the one that it writes (`writes` is its operand, -1 if none).

    `inputs` are further items that it loads and that never are in LX.
    """

    name: str
    operands: tuple[int, ...]
    writes: int
    menu: Menu
    kernel: int = 0
    inputs: tuple[int, ...] = ()

    @property
    def touched(self) -> tuple[int, ...]:
        """The items that its loads count."""
        return (*self.operands, *self.inputs)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of an item in LX under a `view` of `foot_bytes` per core, made right before a task.

    A relayout has a bill for every view of the writer that it can start from, a clone-in one under DEVICE; no bill has
    loads, as a copy pays alone for what it loads.  `readers` are the tasks that it may serve, none before `before`.
    """

    kind: EditKind
    view: int
    foot_bytes: int
    before: int
    readers: tuple[int, ...]
    bills: frozendict[int, Bill]
    replicas: int = 1


@dataclass(frozen=True, slots=True)
class Item:
    """A buffer.  `writer` is -1 for inputs, which are in device memory; `feet` are bytes per core by view as written,
    empty if it may not be in LX.  An output that is in LX is cloned out; `out` is the bill of a clone-out.

    `parents` are items whose place it may take over where they die in its writing task, under the same view.
    `pinned` is "lx" (one of its readers at least has to find it in LX), "hbm" or nothing; with `ring` one relayout at
    least has to be made.
    """

    name: str
    size_bytes: int
    writer: int
    readers: tuple[int, ...]
    feet: frozendict[int, int] = field(default_factory=frozendict)
    output: bool = False
    out: Bill = field(default_factory=Bill)
    copies: tuple[Copy, ...] = ()
    parents: tuple[int, ...] = ()
    pinned: str = ""
    ring: bool = False

    @property
    def held(self) -> bool:
        """True if it may not be put out of LX."""
        return self.ring or self.pinned == "lx"


@dataclass(frozen=True, slots=True)
class Tie:
    """Tasks that have to be cut alike; `cuts` has a number for every choice of each, equal where it cuts alike."""

    tasks: tuple[int, ...]
    cuts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Rates:
    """What turns bytes at the common rate into time."""

    bytes_per_ns: float
    turnaround_ns_per_byte: float

    def memory_us(self, read: float, written: float) -> float:
        """Time of the pooled traffic of a kernel."""
        return ((read + written) / self.bytes_per_ns + self.turnaround_ns_per_byte * min(read, written)) / 1000


@dataclass(frozen=True, eq=False)
class JointProblem:
    """Tasks in order, items, and an LX of `capacity` bytes per core with addresses at multiples of `alignment`.

    Twice a task's number plus one is its tick; moves right before it are at the tick before, a clone-out at the tick
    after its writer.  Of a part of a program, `base` is what the rest of each kernel adds to its sums, and `reserved`
    the bytes of LX that others take at the two ticks of each task (empty: none).  No task is in two of the `ties`.
    """

    tasks: tuple[Task, ...]
    items: tuple[Item, ...]
    capacity: int
    alignment: int
    rates: Rates
    base: frozendict[int, Bill] = field(default_factory=frozendict)
    reserved: tuple[int, ...] = ()
    ties: tuple[Tie, ...] = ()

    @cached_property
    def tied(self) -> frozendict[int, tuple[Tie, tuple[int, ...]]]:
        """For every task of a tie: the tie and the cuts of its own choices."""
        return frozendict(
            (task, (tie, cuts)) for tie in self.ties for task, cuts in zip(tie.tasks, tie.cuts, strict=True)
        )

    @cached_property
    def asking(self) -> tuple[int, ...]:
        """Items of which a pin asks something."""
        return tuple(number for number, item in enumerate(self.items) if item.pinned or item.ring)

    @cached_property
    def places(self) -> tuple[frozendict[int, int], ...]:
        """For every task: item -> its operand."""
        return tuple(frozendict((item, place) for place, item in enumerate(task.operands)) for task in self.tasks)

    @cached_property
    def kernels(self) -> tuple[int, ...]:
        """Numbers of the kernels, in order."""
        return tuple(dict.fromkeys(task.kernel for task in self.tasks))

    def height(self, size: int) -> int:
        """Units of `alignment` that bytes take."""
        return -(-size // self.alignment)


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision: a choice per task, and per item whether it lies in LX as written, whether it is cloned out, and how
    each of its readers is served (HOME, DEVICE, or the number of a copy)."""

    choices: tuple[int, ...]
    resident: tuple[bool, ...]
    out: tuple[bool, ...]
    served: tuple[tuple[int, ...], ...]

    def copies(self, item: int) -> tuple[int, ...]:
        """Numbers of the copies of an item that are made."""
        return tuple(sorted({way for way in self.served[item] if way >= 0}))
