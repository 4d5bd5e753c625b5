"""Op specifications as JSON: kernels with their ops, one to one, expressions as text.

Owns the envelope `{"format": "spyre-opspec", "version": 1}`, the keys and their order.  Refuses to leave anything out:
what was read with a specification and is known to nobody is written again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from compiler.formats.handles import plain_handle
from compiler.formats.json_value import Json
from compiler.formats.opspec import (
    KernelArgument,
    KernelSpec,
    LoopSpec,
    OpSpec,
    TensorArg,
    WorkDivision,
)

FORMAT, VERSION = "spyre-opspec", 1


def opspec_lines(kernels: Sequence[KernelSpec], name: str, cores: int = 0) -> Iterator[str]:
    """The document in parts, one op to a line, so that it can be written while it is made; `cores` that the kernels may
    use, 0 where nobody knows."""
    known = f' "cores": {cores},\n' if cores else ""
    head = f' "format": "{FORMAT}",\n "version": {VERSION},\n "model": {json.dumps(name)},\n{known}'
    yield f'{{\n{head} "kernels": [\n'
    for number, kernel in enumerate(kernels):
        yield from _kernel_lines(kernel, last=number == len(kernels) - 1)
    yield " ]\n}\n"


def _kernel_lines(kernel: KernelSpec, *, last: bool) -> Iterator[str]:
    head = {"name": kernel.name, "pool_bytes": kernel.pool_bytes}
    yield f"  {json.dumps(head)[:-1]},\n"
    yield from _rows("arguments", map(plain_argument, kernel.arguments))
    yield ",\n"
    yield from _rows("body", map(plain_part, kernel.body))
    yield "}\n" if last else "},\n"


def _rows(key: str, rows: Iterable[Json]) -> Iterator[str]:
    yield f'   "{key}": [\n'
    before = ""
    for row in rows:
        yield f"{before}    {json.dumps(row, ensure_ascii=False)}"
        before = ",\n"
    yield "\n   ]"


def plain_argument(argument: KernelArgument) -> dict[str, Json]:
    """An argument of a kernel as JSON data."""
    return {
        "number": argument.number,
        "name": argument.name,
        "is_input": argument.is_input,
        "shape": list(argument.shape),
        "strides": list(argument.strides),
        "dtype": argument.dtype,
        "device_size": list(argument.device_size),
        "stride_map": list(argument.stride_map),
        "device_dtype": argument.device_dtype,
        "element_arrangement": argument.arrangement,
    }


def plain_part(part: OpSpec | LoopSpec) -> dict[str, Json]:
    """An op or a loop as JSON data."""
    if isinstance(part, LoopSpec):
        return {"count": part.count, "body": [plain_part(one) for one in part.body]}
    plain: dict[str, Json] = {
        "op": part.op,
        "is_reduction": part.is_reduction,
        "iteration_space": {dim.symbol: [dim.extent, dim.slices] for dim in part.iteration},
        "args": [plain_tensor(arg) for arg in part.args],
    }
    if part.constants:
        plain["op_info"] = {"constants": dict(part.constants)}
    if part.fastest:
        plain["core_order"] = list(part.fastest)
    if part.handle is not None:
        plain["debug_handle"] = plain_handle(part.handle)
    return plain | {key: json.loads(text) for key, text in part.extra.items()}


def plain_tensor(arg: TensorArg) -> dict[str, Json]:
    """An argument of an op as JSON data."""
    plain: dict[str, Json] = {
        "is_input": arg.is_input,
        "arg_index": arg.argument,
        "device_dtype": arg.device_dtype,
        "device_size": list(arg.device_size),
        "device_coordinates": [str(each) for each in arg.coordinates],
        "allocation": {arg.place.room.value: arg.place.at},
    }
    if arg.name:
        plain["name"] = arg.name
    if arg.arrangement != "STANDARD":
        plain["element_arrangement"] = arg.arrangement
    if arg.division is not None:
        plain["work_division"] = plain_division(arg.division)
    return plain | {key: json.loads(text) for key, text in arg.extra.items()}


def plain_division(division: WorkDivision) -> dict[str, Json]:
    """Who holds which slice, as JSON data."""
    return {"work_slices": dict(division.slices), "core_slices": [dict(each) for each in division.of_core]}
