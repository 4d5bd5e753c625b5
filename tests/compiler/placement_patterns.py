"""The published allocation patterns: ops over buffers, a plan that a person found, and the traffic it leaves.

Owns the patterns P1 to P7, what of each is offered to a solver, and the measure: the sizes of all buffers that ops
touch outside LX.  A buffer that nothing writes or nothing reads is not offered.  P4 and P5 write a buffer a second
time: the plan there throws it out and loads it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiler.device import load_device
from compiler.solvers.eviction import Evicted
from compiler.solvers.placement import PlacementProblem
from compiler.solvers.request import Request
from compiler.solvers.stays import Kept

LX = load_device("spyre").lx_budget_bytes
STICK = load_device("spyre").stick_bytes

Op = tuple[tuple[str, ...], str]
Plan = dict[str, int]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Ops as (inputs, output); `plan` gives constant addresses, `good` is the traffic of the plan (bytes)."""

    name: str
    sizes: dict[str, int]
    ops: tuple[Op, ...]
    good: int
    plan: Plan = field(default_factory=dict)
    peak: int = 0

    @property
    def problem(self) -> PlacementProblem:
        """What a solver is asked."""
        written, read = {output for _, output in self.ops}, {name for inputs, _ in self.ops for name in inputs}
        offered = [name for name in self.sizes if name in written & read]
        return PlacementProblem(tuple(self._request(name) for name in offered), LX, STICK)

    @property
    def kept(self) -> dict[str, Kept]:
        """How each buffer may be given up; a use that writes a buffer without reading it needs nothing of before."""
        return {one.name: self._kept(one) for one in self.problem.requests}

    def _kept(self, one: Request) -> Kept:
        ops = [self.ops[use] for use in one.uses]
        saves = tuple((*inputs, output).count(one.name) * one.size for inputs, output in ops)
        anew = {use for use, (inputs, _) in zip(one.uses, ops, strict=True) if one.name not in inputs}
        return Kept(saves, one.size, frozenset(anew))

    def traffic_of(self, evicted: Evicted) -> int:
        """Bytes of all accesses to buffers that are not in LX at that op."""
        return sum(
            self.sizes[name]
            for step, (inputs, output) in enumerate(self.ops)
            for name in (*inputs, output)
            if not evicted.holds(name, step)
        )

    def traffic(self, placed: Mapping[str, int]) -> int:
        """Bytes of all accesses to buffers that are not in LX."""
        touched = (name for inputs, output in self.ops for name in (*inputs, output))
        return sum(self.sizes[name] for name in touched if name not in placed)

    def _uses(self, name: str) -> tuple[int, ...]:
        return tuple(step for step, (inputs, output) in enumerate(self.ops) if name in (*inputs, output))

    def _request(self, name: str) -> Request:
        uses = self._uses(name)
        accesses = sum((*inputs, output).count(name) for inputs, output in self.ops)
        inputs = self.ops[uses[0]][0]
        parents = tuple(one for one in inputs if self._dies(one, uses[0]) and self.sizes[one] == self.sizes[name])
        return Request(name, self.sizes[name], uses, parents, computed=True, worth=accesses * self.sizes[name])

    def _dies(self, name: str, step: int) -> bool:
        return self._uses(name)[-1] == step and any(output == name for _, output in self.ops)


def down(size: int) -> int:
    """Whole sticks."""
    return size // STICK * STICK


def fragmentation() -> Pattern:
    """P1: C finds room only if B lies at an end."""
    third = down(LX // 3)
    sizes = dict.fromkeys(("A_HBM", "A", "B", "D", "E"), third) | {"C": 2 * third}
    ops: tuple[Op, ...] = ((("A_HBM",), "A"), (("A",), "B"), (("A", "B"), "D"), (("B",), "C"), (("B", "C"), "E"))
    return Pattern("P1", sizes, ops, 1_625_088, {"B": 0, "A": third, "C": third})


def staircase(count: int = 7) -> Pattern:
    """P2: each A is a step larger than the last and dies, each B stays."""
    k = down(2 * LX // (count * (count + 3)))
    steps = range(1, count + 1)
    sizes = {f"{letter}{i}": i * k for i in steps for letter in ("A_HBM", "A", "B")}
    sizes |= {f"C{i}": k for i in range(1, count + 2)}
    last: Op = (tuple(f"B{i}" for i in steps), f"C{count + 1}")
    plan = {f"A{i}": 0 for i in steps} | {f"B{i}": (count + i * (i - 1) // 2) * k for i in steps}
    return Pattern("P2", sizes, (*(op for i in steps for op in _step(i)), last), 1_668_096, plan, 1_621_760)


def downward_staircase(count: int = 5) -> Pattern:
    """P3: a small Z comes first and stays, then each A is a step smaller than the last."""
    k = down(2 * LX // (4 + count * (count + 1)))
    steps = range(1, count + 1)
    sizes = {f"{letter}{i}": (count + 1 - i) * k for i in steps for letter in ("A_HBM", "A", "B")}
    sizes |= {"Z_HBM": k, "Z": k} | {f"C{i}": k for i in range(count + 2)}
    first: tuple[Op, ...] = ((("Z_HBM",), "Z"), (("Z",), "C0"))
    last: Op = (("Z", *(f"B{i}" for i in steps)), f"C{count + 1}")
    plan = {"Z": 0} | {f"A{i}": k for i in steps}
    plan |= {f"B{i}": ((count - i) * (count - i + 1) // 2 + 2) * k for i in steps}
    ops = (*first, *(op for i in steps for op in _step(i)), last)
    return Pattern("P3", sizes, ops, 2_196_224, plan, 1_623_296)


def _step(i: int) -> tuple[Op, ...]:
    return ((f"A_HBM{i}",), f"A{i}"), ((f"A{i}",), f"B{i}"), ((f"A{i}", f"B{i}"), f"C{i}")


def eviction() -> Pattern:
    """P4: A, then B, then A again, each as large as LX.  The plan loads A twice."""
    sizes = dict.fromkeys(("A_HBM", "B_HBM", "A", "B", *(f"C{i}" for i in range(6))), LX)
    users = ("A", "B", "A")
    ops: list[Op] = []
    for group, name in enumerate(users):
        ops += [((f"{name}_HBM",), name), ((name,), f"C{2 * group}"), ((name,), f"C{2 * group + 1}")]
    return Pattern("P4", sizes, tuple(ops), 9 * LX)


def eviction_and_move() -> Pattern:
    """P5: three A together, then each of them beside B, which leaves no room for the one in the middle."""
    third = down(LX // 3)
    groups = (("A0", "A1", "A2"), ("A0", "B"), ("A1", "B"), ("A2", "B"))
    sizes = {f"A{i}": third for i in range(3)} | {"B": 2 * third}
    ops: list[Op] = []
    for number, group in enumerate(groups):
        sizes |= {f"S{number}_HBM": third} | {f"C{number}_{turn}": third for turn in range(4)}
        ops += [((f"S{number}_HBM",), name) for name in group]
        ops += [(group, f"C{number}_{turn}") for turn in range(4)]
    return Pattern("P5", sizes, tuple(ops), (9 + 16) * third)


def grouped_attention(group: int = 8, width: int = 64, length: int = 16) -> Pattern:
    """P6: attention of grouped queries; two scores and a row of maxima fill LX but for 1,152 bytes."""
    rows = LX // (2 * width * length + group)
    q, k, scores, row = (down(rows * size) for size in (group * width, width, width * length, group))
    sizes = {"Q_HBM": q, "Q": q, "K_HBM": k, "K": k, "Q_K": scores, "m": row, "numerators": scores}
    sizes |= {"denominators": row, "scores": scores, "scores_HBM": scores, "V_HBM": k, "V": k, "output": q}
    ops: tuple[Op, ...] = (
        (("Q_HBM",), "Q"),
        (("K_HBM",), "K"),
        (("Q", "K"), "Q_K"),
        (("Q_K",), "m"),
        (("Q_K", "m"), "numerators"),
        (("numerators",), "denominators"),
        (("numerators", "denominators"), "scores"),
        (("scores",), "scores_HBM"),
        (("V_HBM",), "V"),
        (("scores", "V"), "output"),
        (("output",), "output_HBM"),
    )
    plan = {"Q": scores, "K": scores + q, "Q_K": 0, "m": scores, "numerators": scores + row, "denominators": scores}
    plan |= {"scores": 0, "V": scores, "output": scores + k}
    return Pattern("P6", sizes | {"output_HBM": q}, ops, 1_719_040, plan, 1_624_192)


TOKENS = (200, 150, 350, 25, 43)
HIDDEN, INNER, BATCHED, PICKED, BYTES = 512, 256, 4 * 96, 2, 2


def mixture_of_experts() -> Pattern:
    """P7: a hidden state that five experts read and add to in place, with the weights of each in device memory."""
    hidden, quality = BATCHED * HIDDEN * BYTES, BATCHED * len(TOKENS) * BYTES
    selector, top, lists = HIDDEN * len(TOKENS) * BYTES, BATCHED * PICKED * BYTES, 2 * quality
    sizes = {"hidden_HBM": hidden, "hidden": hidden, "selector_HBM": selector, "selector": selector}
    sizes |= {"qualities": quality, "top": top, "masked": quality, "weights": quality, "lists": lists}
    sizes["result_HBM"] = hidden
    ops: list[Op] = [
        (("hidden_HBM",), "hidden"),
        (("selector_HBM",), "selector"),
        (("hidden", "selector"), "qualities"),
        (("qualities",), "top"),
        (("qualities", "top"), "masked"),
        (("masked",), "weights"),
        (("top",), "lists"),
    ]
    tiles = hidden + quality + lists
    plan = {"hidden": 0, "qualities": hidden, "weights": hidden, "top": tiles}
    plan |= {"selector": hidden + quality, "masked": hidden + quality, "lists": hidden + quality}
    for i, tokens in enumerate(TOKENS):
        wide, narrow = tokens * HIDDEN * BYTES, tokens * INNER * BYTES
        sizes |= {f"M{n}_HBM{i}": HIDDEN * INNER * BYTES for n in (1, 2, 3)}
        sizes |= {f"bias1_{i}": INNER * BYTES, f"bias2_{i}": INNER * BYTES, f"bias3_{i}": HIDDEN * BYTES}
        sizes |= {f"picked{i}": wide, f"up{i}": narrow, f"gate{i}": narrow, f"out{i}": narrow, f"down{i}": wide}
        ops += _expert(i)
        plan |= {f"picked{i}": tiles, f"up{i}": tiles + wide, f"gate{i}": tiles + wide + narrow}
        plan |= {f"out{i}": tiles, f"down{i}": tiles + narrow}
    return Pattern("P7", sizes, (*ops, (("hidden",), "result_HBM")), 4_733_952, plan, 1_121_536)


def _expert(i: int) -> tuple[Op, ...]:
    return (
        (("hidden", "lists"), f"picked{i}"),
        ((f"picked{i}", f"M1_HBM{i}", f"bias1_{i}"), f"up{i}"),
        ((f"picked{i}", f"M2_HBM{i}", f"bias2_{i}"), f"gate{i}"),
        ((f"up{i}", f"gate{i}"), f"out{i}"),
        ((f"out{i}", f"M3_HBM{i}", f"bias3_{i}"), f"down{i}"),
        ((f"down{i}", "weights", "hidden", "lists"), "hidden"),
    )


KEPT_IN_PLACE = (fragmentation(), staircase(), downward_staircase(), grouped_attention(), mixture_of_experts())
EVICTING = (eviction(), eviction_and_move())
