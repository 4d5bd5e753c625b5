"""Wrapper source: kernels out of an `output_code.py` with OpSpec literals, read by its syntax tree.

Owns the calls of `.sdsc(...)` and the fields of their literals; fields without a place in a specification are kept as
`extra`.  Refuses what breaks a rule of facts 2.3, in one sentence with the line; nothing is ever run.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.opspec import (
    DebugHandle,
    Dimension,
    KernelSpec,
    LoopSpec,
    OpSpec,
    Place,
    Room,
    Source,
    TensorArg,
    WorkDivision,
)
from compiler.read.handles import DEEPEST_HANDLE
from compiler.read.plain import REMEDY
from compiler.read.sdsc_frame import MOST_CORES
from compiler.read.spec_limits import DEEPEST_BODY, broken_limit
from compiler.read.wrapper_literals import Made, called, literal

LARGEST: Final = 8 * 1024 * 1024
"""Characters of a wrapper."""
_ROOMS: Final = frozenset(room.value for room in Room)
_OP_FIELDS: Final = frozenset({"op", "is_reduction", "iteration_space", "args", "debug_handle"})
_ARG_FIELDS: Final = frozenset(
    {
        *("is_input", "arg_index", "device_dtype", "device_size", "device_coordinates", "allocation"),
        *("element_arrangement", "name", "work_division"),
    }
)


@dataclass(frozen=True, slots=True)
class WrittenKernel:
    """A kernel and the variable that holds it in the wrapper ('' if none does)."""

    variable: str
    spec: KernelSpec


def parse_wrapper(text: str, origin: str) -> ast.Module:
    """The syntax tree of a wrapper; InputError for what is none."""
    if len(text) > LARGEST:
        raise InputError(origin, f"it has {len(text):,} characters; {LARGEST:,} are read", REMEDY)
    if ".sdsc" not in text:
        raise _no_kernel(origin)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about spellings in a file that is not ours
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        raise InputError(f"{origin}, line {line}", "it is not Python that can be read", REMEDY) from None


def written_kernels(tree: ast.Module, origin: str) -> tuple[WrittenKernel, ...]:
    """All kernels of a wrapper with their variables, in the order in which they are written."""
    variables = {
        id(node.value): node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sdsc"
    ]
    if not calls:
        raise _no_kernel(origin)
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    return tuple(WrittenKernel(variables.get(id(call), ""), _kernel(call, origin)) for call in calls)


def _no_kernel(origin: str) -> InputError:
    return InputError(origin, "it makes no kernel: there is no call of .sdsc(...)", REMEDY)


def _kernel(call: ast.Call, origin: str) -> KernelSpec:
    made = Made(
        called(call),
        tuple(literal(each, origin) for each in call.args),
        {each.arg: literal(each.value, origin) for each in call.keywords if each.arg},
        origin,
        call.lineno,
    )
    if len(made.given) < 2 or not isinstance(made.given[1], list):
        raise made.fault("a kernel has a name and a list of ops")
    parts = tuple(_parts(made.given[1], made))
    if not parts:
        raise made.fault("a kernel has at least one op")
    pool = made.integer("pool_size", 2) if made.get("pool_size", 2) is not None else 0
    if pool < 0:
        raise made.fault(f"its pool has {pool} bytes")
    return KernelSpec(made.text("name", 0), parts, pool_bytes=pool)


def _parts(items: list[object], parent: Made, depth: int = 0) -> Iterator[OpSpec | LoopSpec]:
    for made in items:
        if not isinstance(made, Made) or made.name not in ("OpSpec", "LoopSpec", "UnimplementedOp"):
            raise parent.fault("an op is an OpSpec or a LoopSpec")
        if made.name == "UnimplementedOp":
            raise made.fault(f"the op {made.text('op', 0)} was not implemented when it was written")
        if made.name == "LoopSpec":
            yield _loop(made, depth)
        elif made.items("args", 3) and made.mapping("iteration_space", 2):
            yield _op(made)


def _loop(made: Made, depth: int) -> LoopSpec:
    if depth > DEEPEST_BODY:
        raise made.fault(f"it is more than {DEEPEST_BODY} loops deep")
    count, body = made.integer("count", 0), tuple(_parts(made.items("body", 1), made, depth + 1))
    if count < 1 or not body:
        raise made.fault("a loop repeats at least one op at least once")
    return LoopSpec(count, body)


def _op(made: Made) -> OpSpec:
    constants, extra = _constants(made), made.rest(_OP_FIELDS)
    if set(made.mapping("op_info")) <= {"constants"}:
        extra.pop("op_info", None)
    spec = OpSpec(
        made.text("op", 0),
        made.truth("is_reduction", 1),
        _iteration(made),
        tuple(_tensor(each, made) for each in made.items("args", 3)),
        constants,
        _handle(made.get("debug_handle")),
        extra=frozendict(extra),
    )
    rule = broken_limit(spec)
    if rule:
        raise made.fault(f"{spec.op}: {rule}")
    return spec


def _iteration(made: Made) -> tuple[Dimension, ...]:
    found = []
    for name, pair in made.mapping("iteration_space", 2).items():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise made.fault(f"{name} has no pair of extent and slices")
        found.append(
            Dimension(name, made.whole(pair[0], f"extent of {name}"), made.whole(pair[1], f"slices of {name}"))
        )
    return tuple(found)


def _constants(made: Made) -> frozendict[str, float]:
    given = made.mapping("op_info").get("constants") or {}
    if not isinstance(given, dict):
        raise made.fault("constants are no dict")
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise made.fault(f"the constant {name} is no finite number")
    return frozendict((name, float(value)) for name, value in given.items())


def _tensor(made: object, parent: Made) -> TensorArg:
    if not isinstance(made, Made) or made.name != "TensorArg":
        raise parent.fault("an argument is a TensorArg")
    allocation = made.mapping("allocation", 5)
    if len(allocation) != 1 or next(iter(allocation)) not in _ROOMS:
        raise made.fault("an allocation is one of hbm, lx and hbm_pool")
    number = made.integer("arg_index", 1, -1)
    room, given = next(iter(allocation.items()))
    at = made.whole(given, "allocation")
    if room == Room.HBM and number >= 0:
        at = number  # an absolute address of older files says no more than the number
    coordinates = [made.expression(each, "a coordinate") for each in made.items("device_coordinates", 4)]
    return TensorArg(
        made.truth("is_input", 0),
        number,
        made.text("device_dtype", 2),
        made.sizes("device_size", 3),
        tuple(coordinates),
        Place(Room(room), at),
        made.text("element_arrangement", default="STANDARD"),
        made.text("name", default="") if made.get("name") is not None else "",
        _division(made.get("work_division"), made),
        frozendict(made.rest(_ARG_FIELDS)),
    )


def _division(made: object, parent: Made) -> WorkDivision | None:
    if made is None:
        return None
    if not isinstance(made, Made) or made.name != "TensorWorkDivision":
        raise parent.fault("a work division is a TensorWorkDivision")
    counts = {name: made.whole(each, name) for name, each in made.mapping("work_slices", 0).items()}
    cores = math.prod(counts.values())
    if min(counts.values(), default=1) < 1 or cores > MOST_CORES:
        raise made.fault(f"a work division has no slices, or more than {MOST_CORES:,} cores")
    owners = made.mapping("core_id_to_work_slice", 1)
    places = {name: made.expression(each, name) for name, each in owners.items()}
    strange = sorted(name for each in places.values() for name in each.symbols if name != "core_id")
    if strange:
        raise made.fault(f"a slice depends on {strange[0]}, not on core_id alone")
    of_core = tuple(
        frozendict((name, each.value({"core_id": core})) for name, each in places.items()) for core in range(cores)
    )
    return WorkDivision(frozendict(counts), of_core)


def _handle(made: object, depth: int = 0) -> DebugHandle | None:
    if not isinstance(made, Made) or made.name != "DebugHandle":
        return None
    if depth > DEEPEST_HANDLE:
        raise made.fault(f"it is made of handles more than {DEEPEST_HANDLE} levels deep")
    place, source = made.get("source"), None
    if isinstance(place, Made):
        keys = ("start_line", "start_col", "end_line", "end_col")
        lines = [place.integer(key, at, 0) for at, key in enumerate(keys, 1)]
        source = Source(place.text("file", 0), lines[0], lines[1], lines[2], lines[3])
    parts = (_handle(each, depth + 1) for each in made.items("fused_from"))
    return DebugHandle(
        source,
        made.text("aten_op") if made.get("aten_op") is not None else None,
        tuple(map(str, made.items("ir_chain"))),
        tuple(one for one in parts if one is not None),
    )
