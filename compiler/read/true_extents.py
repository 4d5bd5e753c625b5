"""True extents: sizes without padding of the ops of a kernel, from the host shapes of its arguments.

SuperDSC files hold extents that are rounded up to sticks.  Owns the way back: a dim of an argument whose host shape is
known has the size that the host gives it, and buffers that stay in the kernel hand it on.  Refuses dims that an access
covers in part, and sizes that are not what rounding up makes of the host's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from compiler.formats.expression import Expression, Floor, Mod, Symbol
from compiler.formats.opspec import KernelArgument, KernelSpec, LoopSpec, OpSpec, Place, Room, TensorArg


def with_true_extents(kernel: KernelSpec) -> KernelSpec:
    """The kernel with extents as the host knows them, wherever they follow from its arguments."""
    ops = list(kernel.ops())
    arguments = {argument.number: argument for argument in kernel.arguments}
    found: list[dict[str, int]] = [_of_arguments(op, arguments) for op in ops]
    for numbers in (range(len(ops)), reversed(range(len(ops)))):
        held: dict[tuple[Place, int], _Held] = {}
        for number in numbers:
            _hand_on(ops[number], found[number], held)
    renewed = iter([_renewed(op, extents) for op, extents in zip(ops, found, strict=True)])
    return replace(kernel, body=_body(kernel.body, renewed))


@dataclass(frozen=True, slots=True)
class _Held:
    """The extent with and without padding of a device dim of a buffer in the kernel."""

    padded: int
    true: int


def _of_arguments(op: OpSpec, arguments: Mapping[int, KernelArgument]) -> dict[str, int]:
    found: dict[str, int] = {}
    for arg in op.args:
        argument = arguments.get(arg.argument) if arg.place.room is Room.HBM else None
        stick = _stick(arg)
        if argument is None or stick is None or not argument.stride_map or -1 in argument.shape:
            continue
        strides = zip(argument.shape, argument.strides, strict=False)
        sizes = [size for size, stride in strides if stride == argument.stride_map[-1]]
        extent, lanes = op.extents.get(stick, 0), arg.lanes
        size = max(sizes, default=0)
        if 0 < size < extent == -(-size // lanes) * lanes:
            found[stick] = size
    return found


def _stick(arg: TensorArg) -> str | None:
    """The symbol that walks whole sticks from their beginning, over all of them."""
    match arg.coordinates[-1]:
        case Expression(0, ((Mod(Expression(0, ((Symbol(name), 1),)), by), 1),)) if by == arg.lanes:
            outer = Expression(0, ((Floor(Expression(0, ((Symbol(name), 1),)), by), 1),))
            return name if outer in arg.coordinates or _short(arg, name) else None
    return None


def _short(arg: TensorArg, name: str) -> bool:
    """True if there is but one stick along the symbol."""
    return all(name not in each.symbols for each in arg.coordinates[:-1])


def _hand_on(op: OpSpec, extents: dict[str, int], held: dict[tuple[Place, int], _Held]) -> None:
    """Extents from buffers to an op, and from the op to its buffers."""
    for arg in op.args:
        for dim, symbol in _walks(arg):
            known = held.get((arg.place, dim))
            if known is not None and known.padded == op.extents.get(symbol):
                extents.setdefault(symbol, known.true)
    for arg in op.args:
        for dim, symbol in _walks(arg):
            padded = op.extents.get(symbol, 0)
            held[arg.place, dim] = _Held(padded, extents.get(symbol, padded))


def _walks(arg: TensorArg) -> Iterator[tuple[int, str]]:
    """Device dims of a buffer in the kernel that one symbol walks, in elements or in sticks."""
    if arg.place.room is Room.HBM:
        return
    for dim, coordinate in enumerate(arg.coordinates[:-1]):
        match coordinate:
            case Expression(0, ((Symbol(name), 1),)) | Expression(
                0, ((Floor(Expression(0, ((Symbol(name), 1),))), 1),)
            ):
                yield dim, name


def _renewed(op: OpSpec, extents: Mapping[str, int]) -> OpSpec:
    dims = tuple(replace(dim, extent=min(dim.extent, extents.get(dim.symbol, dim.extent))) for dim in op.iteration)
    return replace(op, iteration=dims)


def _body(body: tuple[OpSpec | LoopSpec, ...], renewed: Iterator[OpSpec]) -> tuple[OpSpec | LoopSpec, ...]:
    return tuple(
        replace(part, body=_body(part.body, renewed)) if isinstance(part, LoopSpec) else next(renewed) for part in body
    )
