"""Kernels as the wrapper source that torch-spyre would write for them (facts 2.4), for tests of its reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiler.formats.opspec import (
    DebugHandle,
    KernelArgument,
    KernelSpec,
    LoopSpec,
    OpSpec,
    Room,
    Source,
    TensorArg,
    WorkDivision,
)


def wrapper_text(kernels: Sequence[KernelSpec]) -> str:
    """A whole wrapper: kernels, allocations and launches in order; tensors have the names of the arguments."""
    return "\n".join([*_head(kernels), *_body(kernels), ""])


def _head(kernels: Sequence[KernelSpec]) -> Iterator[str]:
    yield "import torch"
    yield "from torch_spyre import async_compile"
    for number, kernel in enumerate(kernels):
        parts = ", ".join(map(_part, kernel.body))
        pool = f", pool_size={kernel.pool_bytes}" if kernel.pool_bytes else ""
        yield f"k{number} = async_compile.sdsc({kernel.name!r}, [{parts}]{pool})"


def _body(kernels: Sequence[KernelSpec]) -> Iterator[str]:
    names = {argument.name: f"t{n}" for n, argument in enumerate(_arguments(kernels))}
    made = {names[each.name] for kernel in kernels for each in kernel.arguments if not each.is_input}
    yield "def call(args):"
    for argument in _arguments(kernels):
        name = names[argument.name]
        if name not in made:
            yield f"    assert_size_stride({name}, {argument.shape}, {argument.strides})"
        yield f"    {name} = spyre_empty_with_layout({_sizes(argument)}, torch.{argument.dtype}, {_layout(argument)})"
    for number, kernel in enumerate(kernels):
        given = ", ".join(names[argument.name] for argument in kernel.arguments)
        pool = "pool, " if kernel.pool_bytes else ""
        yield f"    k{number}.run({pool}{given}, stream=stream0)"
    yield f"    return ({', '.join(sorted(made))},)"


def tensor_names(kernels: Sequence[KernelSpec]) -> dict[str, str]:
    """The names that tensors have in the wrapper, by those of the arguments."""
    return {argument.name: f"t{n}" for n, argument in enumerate(_arguments(kernels))}


def _arguments(kernels: Sequence[KernelSpec]) -> list[KernelArgument]:
    return list({each.name: each for kernel in kernels for each in kernel.arguments}.values())


def _sizes(argument: KernelArgument) -> str:
    return f"{argument.shape}, {argument.strides}"


def _layout(argument: KernelArgument) -> str:
    size, strides = list(argument.device_size), list(argument.stride_map)
    words = f"device_size={size}, stride_map={strides}, device_dtype=DataFormats.{argument.device_dtype}"
    return f"SpyreTensorLayout({words}, element_arrangement=ElementArrangement.{argument.arrangement})"


def _part(part: OpSpec | LoopSpec) -> str:
    if isinstance(part, LoopSpec):
        return f"LoopSpec(count=sympify('{part.count}'), body=[{', '.join(map(_part, part.body))}])"
    space = ", ".join(f"sympify('{dim.symbol}'): (sympify('{dim.extent}'), {dim.slices})" for dim in part.iteration)
    info = {"constants": dict(part.constants)} if part.constants else {}
    handle = f", debug_handle={_handle(part.handle)}" if part.handle else ""
    return (
        f"OpSpec(op={part.op!r}, is_reduction={part.is_reduction}, iteration_space={{{space}}}, op_info={info}, "
        f"symbolic_dim_bounds={{}}, args=[{', '.join(map(_tensor, part.args))}]{handle})"
    )


def _tensor(arg: TensorArg) -> str:
    walked = ", ".join(f"sympify('{each}')" for each in arg.coordinates)
    at = arg.argument if arg.place.room is Room.HBM else arg.place.at
    words = [
        f"is_input={arg.is_input}, arg_index={arg.argument}, device_dtype=DataFormats.{arg.device_dtype}",
        f"device_size={list(arg.device_size)}, device_coordinates=[{walked}]",
        f"allocation={{'{arg.place.room.value}': {at}}}",
        f"element_arrangement=ElementArrangement.{arg.arrangement}",
    ]
    if arg.division:
        words.append(f"work_division={_division(arg.division)}")
    return f"TensorArg({', '.join(words)})"


def _division(division: WorkDivision) -> str:
    """Slices as mixed radix of the core, the first symbol slowest: what the sketches below are divided by."""
    places, inner = [], 1
    for name, count in reversed(division.slices.items()):
        places.append(f"sympify('{name}'): sympify('Mod(floor(core_id/{inner}), {count})')")
        inner *= count
    slices = ", ".join(f"sympify('{name}'): {count}" for name, count in division.slices.items())
    return f"TensorWorkDivision(work_slices={{{slices}}}, core_id_to_work_slice={{{', '.join(places)}}})"


def _handle(handle: DebugHandle) -> str:
    parts = ", ".join(map(_handle, handle.fused_from))
    source = _source(handle.source) if handle.source else "None"
    return (
        f"DebugHandle(id='1', source={source}, aten_op={handle.aten_op!r}, ir_chain={list(handle.ir_chain)}, "
        f"fused_from=[{parts}], transform_history=[])"
    )


def _source(source: Source) -> str:
    lines = f"start_line={source.start_line}, start_col={source.start_col}"
    return f"SourceLoc(file={source.file!r}, {lines}, end_line={source.end_line}, end_col={source.end_col})"
