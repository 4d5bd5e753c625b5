"""Text form of a Plan: one line per decision with its reason, the listing that `show` prints and goldens compare."""

from __future__ import annotations

from frozendict import frozendict

from compiler.division import Division, Split
from compiler.layout import Arrangement, StickLayout
from compiler.pins import PinState, PinStatus
from compiler.plan import Claim, Edit, EditKind, Kernel, Placement, Plan, ReasonCode, Slot, Spilled
from compiler.text.cursor import Cursor, Lines, bracket, quote, quote_name
from compiler.text.loops_text import read_enum


def print_plan(plan: Plan) -> str:
    """The listing of a Plan."""
    target = f"device {quote_name(plan.device)}  cores {plan.cores}  pipeline {quote(plan.pipeline)}"
    lines = [f"plan {quote_name(plan.model)}  {target}"]
    for name, layout in plan.layouts.items():
        lines.append(f"  layout {quote_name(name)}  {print_layout(layout)}")
    lines += [_print_edit(edit) for edit in plan.edits]
    for name, division in plan.divisions.items():
        lines.append(f"  divide {quote_name(name)}  {print_division(division)}")
    for name, place in plan.placement.items():
        lines.append(_print_placement(name, place))
    for kernel in plan.kernels:
        lines.append(f"  kernel {quote_name(kernel.name)}  ({', '.join(map(quote_name, kernel.steps))})")
    for key, reason in plan.reasons.items():
        lines.append(f"  why {quote(key)}  {quote(reason)}")
    for key, status in plan.pins.items():
        lines.append(f"  pin {quote(key)}  {status.state}  {quote(status.detail)}")
    lines += [_print_claim(key, claim) for key, claim in plan.claims.items()]
    return "\n".join(lines) + "\n"


def print_layout(layout: StickLayout) -> str:
    """`sticks of dim 1  [16,512,64]  strides [64,1024,1]  order [0,1]  standard`, then `padded (0 512)` for dims that
    are filled up with zeros."""
    sticks = "sparse" if layout.sparse else f"sticks of dim {layout.stick_dim}"
    sizes = f"{bracket(layout.device_size)}  strides {bracket(layout.stride_map)}  order {bracket(layout.dim_order)}"
    padded = ", ".join(f"{dim} {size}" for dim, size in layout.padding)
    return f"{sticks}  {sizes}  {layout.arrangement}" + (f"  padded ({padded})" if padded else "")


def read_layout(cursor: Cursor) -> StickLayout:
    """Inverse of `print_layout`."""
    if not cursor.word("sparse"):
        for word in ("sticks", "of", "dim"):
            cursor.expect(word)
        cursor.whole()
    device_size = cursor.wholes()
    cursor.expect("strides")
    stride_map = cursor.wholes()
    cursor.expect("order")
    dim_order = cursor.wholes()
    arrangement = read_enum(cursor, Arrangement)
    padding: tuple[tuple[int, int], ...] = ()
    if cursor.word("padded"):
        cursor.expect("(")
        padding = cursor.until(")", lambda: (cursor.whole(), cursor.whole()))
    return StickLayout(device_size, stride_map, dim_order, arrangement, padding)


def print_division(division: Division) -> str:
    """`m 8 x 64, n 4 x 256` (factor x iterations per core, fastest first), or `1 core`."""
    splits = ", ".join(f"{quote_name(split.loop)} {split.factor} x {split.step}" for split in division.splits)
    return splits or "1 core"


def read_division(cursor: Cursor) -> Division:
    """Inverse of `print_division`."""
    if cursor.take("1 core"):
        return Division()
    splits = [_read_split(cursor)]
    while cursor.take(","):
        splits.append(_read_split(cursor))
    return Division(tuple(splits))


def read_plan(lines: Lines) -> Plan:
    """Inverse of `print_plan`."""
    head = lines.cursor()
    head.expect("plan")
    model = head.name()
    head.expect("device")
    device = head.name()
    head.expect("cores")
    cores = head.whole()
    head.expect("pipeline")
    pipeline = head.string()
    head.end()
    parts = _Parts()
    while lines.starts(*_Parts.WORDS):
        cursor = lines.cursor()
        parts.read(cursor)
        cursor.end()
    return Plan(
        model,
        device,
        cores,
        pipeline,
        frozendict(parts.layouts),
        tuple(parts.edits),
        frozendict(parts.divisions),
        frozendict(parts.placement),
        tuple(parts.kernels),
        frozendict(parts.reasons),
        frozendict(parts.pins),
        frozendict(parts.claims),
    )


class _Parts:
    """What the lines of a plan have said so far."""

    WORDS = ("layout", "edit", "divide", "place", "spill", "kernel", "why", "pin", "claim")

    def __init__(self) -> None:
        self.layouts: dict[str, StickLayout] = {}
        self.edits: list[Edit] = []
        self.divisions: dict[str, Division] = {}
        self.placement: dict[str, Placement] = {}
        self.kernels: list[Kernel] = []
        self.reasons: dict[str, str] = {}
        self.pins: dict[str, PinStatus] = {}
        self.claims: dict[str, Claim] = {}

    def read(self, cursor: Cursor) -> None:
        """Read one line."""
        word = next(word for word in self.WORDS if cursor.word(word))
        if word == "edit":
            self.edits.append(_read_edit(cursor))
            return
        if word == "kernel":
            self.kernels.append(_read_kernel(cursor))
            return
        key = cursor.string() if word in ("why", "pin", "claim") else cursor.name()
        if word == "layout":
            self.layouts[key] = read_layout(cursor)
        elif word == "divide":
            self.divisions[key] = read_division(cursor)
        elif word == "place":
            self.placement[key] = _read_slot(cursor)
        elif word == "spill":
            self.placement[key] = Spilled(read_enum(cursor, ReasonCode), cursor.string())
        elif word == "why":
            self.reasons[key] = cursor.string()
        elif word == "claim":
            self.claims[key] = _read_claim(cursor)
        else:
            self.pins[key] = PinStatus(read_enum(cursor, PinState), cursor.string())


def _print_claim(key: str, claim: Claim) -> str:
    figures = f"objective {claim.objective}  bound {claim.bound}  states {claim.states}"
    return f"  claim {quote(key)}  {quote_name(claim.method)}  {quote_name(claim.unit)}  {figures}"


def _read_claim(cursor: Cursor) -> Claim:
    method, unit = cursor.name(), cursor.name()
    figures = []
    for word in ("objective", "bound", "states"):
        cursor.expect(word)
        figures.append(cursor.whole())
    return Claim(method, unit, *figures)


def _print_edit(edit: Edit) -> str:
    move = f"{quote_name(edit.source)} to {quote_name(edit.target)}  before {quote_name(edit.before)}"
    times = f"  replicas {edit.replicas}" if edit.replicas != 1 else ""
    readers = ", ".join(map(quote_name, edit.readers))
    return f"  edit {quote_name(edit.name)}  {edit.kind}  {move}  for ({readers}){times}"


def _read_edit(cursor: Cursor) -> Edit:
    name = cursor.name()
    kind = read_enum(cursor, EditKind)
    source = cursor.name()
    cursor.expect("to")
    target = cursor.name()
    cursor.expect("before")
    before = cursor.name()
    cursor.expect("for")
    cursor.expect("(")
    readers = cursor.until(")", cursor.name)
    return Edit(name, kind, source, target, before, readers, cursor.whole() if cursor.word("replicas") else 1)


def _print_placement(name: str, place: Placement) -> str:
    if isinstance(place, Spilled):
        return f"  spill {quote_name(name)}  {place.code}  {quote(place.detail)}"
    where = f"lx {place.address} + {place.size_bytes}  steps {place.first_step}..{place.last_step}"
    parent = f"  in place of {quote_name(place.in_place_of)}" if place.in_place_of else ""
    return f"  place {quote_name(name)}  {where}{parent}"


def _read_slot(cursor: Cursor) -> Slot:
    cursor.expect("lx")
    address = cursor.whole()
    cursor.expect("+")
    size = cursor.whole()
    cursor.expect("steps")
    first = cursor.whole()
    cursor.expect("..")
    last = cursor.whole()
    parent = ""
    if cursor.word("in"):
        cursor.expect("place")
        cursor.expect("of")
        parent = cursor.name()
    return Slot(address, size, first, last, parent)


def _read_split(cursor: Cursor) -> Split:
    loop = cursor.name()
    factor = cursor.whole()
    cursor.expect("x")
    return Split(loop, factor, cursor.whole())


def _read_kernel(cursor: Cursor) -> Kernel:
    name = cursor.name()
    cursor.expect("(")
    return Kernel(name, cursor.until(")", cursor.name))
