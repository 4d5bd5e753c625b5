"""Imported forms: element type, host shape and layout of every tensor of the files, and how each op walks it.

Owns the choice between what a file says of the host and what its device sizes tell, and arrangements that a file leaves
out.  Refuses tensors that an op walks beyond their end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from frozendict import frozendict

from compiler.dtypes import BY_TORCH_NAME, DType
from compiler.errors import InputError
from compiler.formats.expression import Expression, Symbol
from compiler.formats.opspec import KernelArgument, OpSpec, TensorArg
from compiler.layout import Arrangement
from compiler.loops import BufferKind
from compiler.read.import_bodies import COPIES, PRODUCTS, RESTICKIFY, result_type
from compiler.read.import_coordinates import host_coordinates, reach, refactored, regular_sizes
from compiler.read.import_flow import Act, Tensor
from compiler.read.import_host import HostForm, derived_form, found_layout, likely_strides
from compiler.read.plain import REMEDY

_ARRANGEMENTS: Final[frozendict[str, Arrangement]] = frozendict(
    {
        **{each.name: each for each in Arrangement},
        "DL16_TO_FP32": Arrangement.F16_TO_F32,
        "FP32_TO_DL16": Arrangement.F32_TO_F16,
    }
)
_BEFORE_CASTS: Final = frozendict({"dl16tofp32": Arrangement.F32_TO_F16, "fp32todl16": Arrangement.F16_TO_F32})
"""What a copy that only rearranges makes, by the cast that reads it."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a tensor is to the host."""

    dtype: DType
    host: HostForm
    kind: BufferKind


class Forms:
    """Forms of tensors, in the order of their first use; `said`: the files tell arrangements."""

    def __init__(self, acts: Sequence[Act]) -> None:
        args = [arg for act in acts for spec in act.specs for arg in spec.args]
        self.said = any(arg.arrangement != "STANDARD" for arg in args)
        self.findings: list[str] = []
        self.known: dict[str, Form] = {}

    def of(self, tensor: Tensor) -> Form:
        """The form of a tensor, once the forms of all that was written before are known."""
        if tensor.name not in self.known:
            self.known[tensor.name] = self._given(tensor) if tensor.given else self._written(tensor)
        return self.known[tensor.name]

    def copied(self, tensor: Tensor, source: Tensor, host: HostForm) -> None:
        """A tensor is a copy of another one, in this layout."""
        self.known[tensor.name] = Form(self.of(source).dtype, host, BufferKind.COMPUTED)

    def walk(self, tensor: Tensor, spec: OpSpec, arg: TensorArg) -> tuple[Expression, ...] | None:
        """Host coordinates of an access; None if the file sees the tensor in another size."""
        host = self.of(tensor).host
        sizes = host.layout.device_size
        found = refactored(arg.device_size, arg.coordinates, sizes, spec.extents)
        if found is None:
            return None
        hosts = host_coordinates(found, host.layout, len(host.shape), spec.extents)
        ends = reach(hosts, spec.extents)
        for dim, (_, last) in enumerate(ends or ()):
            if last >= host.shape[dim]:
                raise _beyond(spec, tensor.name, f"dim {dim} of {host.shape[dim]}", last)
        return hosts

    def trimmed(self, act: Act) -> None:
        """Takes away iterations that a file has added to fill up sticks, as far as tensors tell that they are none."""
        spec = act.spec
        if len(act.specs) > 1 or len(act.reads) != len(spec.inputs):
            return
        real: dict[str, int] = {}
        for tensor, arg in zip((*act.reads, act.write), spec.args, strict=True):
            real.update(self._real_extents(tensor, spec, arg))
        if not real:
            return
        dims = tuple(replace(dim, extent=real.get(dim.symbol, dim.extent)) for dim in spec.iteration)
        made = replace(spec, iteration=dims)
        for tensor in {*act.reads, act.write}:
            tensor.uses = [(made if own is spec else own, arg) for own, arg in tensor.uses]
        act.specs = (made,)

    def _real_extents(self, tensor: Tensor, spec: OpSpec, arg: TensorArg) -> dict[str, int]:
        """Extents of symbols that walk beyond a tensor, but not beyond the stick that its last element is in."""
        known = self.known.get(tensor.name)
        host = known.host if known else self._said(tensor.argument, arg)
        sizes = host.layout.device_size if host else ()
        found = refactored(arg.device_size, arg.coordinates, sizes, spec.extents) if host else None
        if host is None or found is None:
            return {}
        hosts = host_coordinates(found, host.layout, len(host.shape), spec.extents)
        real = {}
        for size, one in zip(host.shape, hosts, strict=True):
            match one:
                case Expression(0, ((Symbol(name), 1),)):
                    whole = -(-size // arg.lanes) * arg.lanes
                    real.update({name: size} if size < spec.extents[name] <= whole else {})
        return real

    def _given(self, tensor: Tensor) -> Form:
        spec, arg = tensor.uses[0]
        argument = tensor.argument
        named = BY_TORCH_NAME.get(argument.dtype.removeprefix("torch.")) if argument else None
        dtype = named or result_type("", arg.device_dtype, ())
        host = self._said(argument, arg) or _derived(tensor, self._arrangement(spec, arg), whole=True)
        kind = BufferKind.INPUT if host.default else BufferKind.PARAMETER
        return Form(dtype, host, kind)

    def _written(self, tensor: Tensor) -> Form:
        act = tensor.writer
        assert act is not None  # every tensor that is not given has one
        spec, arg = tensor.uses[0]
        sources = [self.of(each) for each in act.reads]
        argument = tensor.argument or _fetched(tensor)
        named = BY_TORCH_NAME.get(argument.dtype.removeprefix("torch.")) if argument else None
        dtype = named or result_type(spec.op, arg.device_dtype, [each.dtype for each in sources])
        host = self._said(argument, arg) or _derived(tensor, self.arrangement_of(act), whole=False)
        return Form(dtype, host, BufferKind.COMPUTED)

    def _said(self, argument: KernelArgument | None, arg: TensorArg) -> HostForm | None:
        """What the kernel's argument says of the host; None if it says nothing, or nothing that fits."""
        if argument is None or not argument.stride_map or min(argument.shape, default=1) < 0:
            return None
        arrangement = _ARRANGEMENTS.get(argument.arrangement, Arrangement.STANDARD)
        shape = argument.shape
        sizes = argument.device_size
        for strides in likely_strides(shape, argument.strides):
            layout = found_layout(shape, strides, sizes, argument.stride_map, arrangement)
            if layout is not None:
                break
        else:
            what = f"argument {argument.number} ({argument.name or 'without a name'}) of shape {list(shape)}"
            device = " x ".join(map(str, sizes))
            self.findings.append(f"{what} is laid out as {device}, which is no stick layout of that shape")
            return None
        return HostForm(shape, strides, layout)

    def arrangement_of(self, act: Act) -> Arrangement:
        """How the elements of a result are arranged, which some files leave out."""
        spec, arg = act.spec, act.spec.output
        own = self._arrangement(spec, arg)
        if self.said or not arg.coordinates[-1].terms:
            return own
        sources = [self.of(tensor).host.layout.arrangement for tensor in act.reads]
        staggered = [each for each in sources if each is not Arrangement.STANDARD]
        if spec.op == "dl16tofp32":
            return Arrangement.STANDARD if staggered else Arrangement.F16_TO_F32
        if spec.op == "fp32todl16":
            return Arrangement.STANDARD if staggered else Arrangement.F32_TO_F16
        if spec.op == RESTICKIFY and not staggered and arg.coordinates == spec.args[0].coordinates:
            casts = {_BEFORE_CASTS.get(reader.spec.op) for reader in act.write.readers}
            return next(iter(casts)) or own if len(casts) == 1 else own
        return staggered[0] if staggered and spec.op not in PRODUCTS else own

    def _arrangement(self, spec: OpSpec, arg: TensorArg) -> Arrangement:
        if arg.arrangement not in _ARRANGEMENTS:
            note = f"{spec.op} has a tensor arranged {arg.arrangement}, which is shown as if its elements were in order"
            if note not in self.findings:
                self.findings.append(note)
        return _ARRANGEMENTS.get(arg.arrangement, Arrangement.STANDARD)


def _fetched(tensor: Tensor) -> KernelArgument | None:
    """The argument of the kernel that a copy fills with just this tensor."""
    mine = tensor.uses[0][1]
    for act in tensor.readers:
        if act.spec.op not in COPIES or act.write.argument is None or len(act.specs) > 1:
            continue
        source, target = act.spec.args[0], act.spec.output
        sizes = {source.device_size, target.device_size, mine.device_size}
        if len(sizes) == 1 and source.coordinates == target.coordinates and target.arrangement == mine.arrangement:
            return act.write.argument
    return None


def _derived(tensor: Tensor, arrangement: Arrangement, *, whole: bool) -> HostForm:
    """The host form that device sizes tell; `whole`: the tensor may have more columns than its readers use."""
    uses = [(spec, arg) for spec, arg in tensor.uses if arg.is_input is whole]
    lanes = [(spec, arg) for spec, arg in uses if arg.coordinates[-1].terms]
    _, model = (lanes or uses)[0]
    sizes = regular_sizes(model)
    count = sizes[max(len(sizes) - 3, 0)]
    if not lanes:
        return derived_form(sizes, 0, Arrangement.STANDARD)
    wide = derived_form(sizes, count * sizes[-1], Arrangement.STANDARD)
    columns = 1
    for spec, arg in uses:
        found = refactored(arg.device_size, arg.coordinates, sizes, spec.extents)
        if found is None:
            continue
        ends = reach(host_coordinates(found, wide.layout, len(wide.shape), spec.extents), spec.extents)
        columns = max(columns, ends[-1][1] + 1 if ends else 1)
        if columns > wide.shape[-1]:
            raise _beyond(spec, tensor.name, f"its {count} sticks of {sizes[-1]}", columns - 1)
    form = derived_form(sizes, columns, arrangement)
    return form if form.layout.device_size == sizes else derived_form(sizes, wide.shape[-1], arrangement)


def _beyond(spec: OpSpec, name: str, limit: str, value: int) -> InputError:
    return InputError(f"op {spec.op}", f"it reaches element {value:,} of {name}, beyond {limit}", REMEDY)
