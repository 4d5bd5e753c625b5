"""SDSC form: the sizes, orders, scales and strides that a SuperDSC file writes about one op.

Owns labels of dims, padding to sticks, layout classes, back gaps and masks (facts 3.2, 3.4).  Refuses ops with more
dims than there are labels and arguments that no device form describes: `UnsaidError` says which.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from frozendict import frozendict

from compiler.emit.unsaid import UnsaidError
from compiler.formats.device_form import DeviceForm, device_form
from compiler.formats.opspec import CONTRACTIONS, OpSpec, TensorArg

_MATMUL_LABELS: Final = ("ki", "kj", "y", "x", "mb", "out", "in")
_LABELS: Final = ("mb", "x", "y", "i", "j", "ki", "kj")
_CLASSES: Final[frozendict[bool, tuple[str, ...]]] = frozendict(
    {True: ("INPUT", "KERNEL", "OUTPUT"), False: ("OUTPUT", "KERNEL", "INPUT", "KERNEL_IDX")}
)
_PADDED_EVERYWHERE: Final = frozenset(
    {"ReStickifyOpHBM", "dl16tofp32", "fp32todl16", "fp8todl16", "qfp8ch", "qfp8wt", *CONTRACTIONS}
)
PRESENT, ABSENT, ABSENT_STICK = 1, -1, -2


@dataclass(frozen=True, slots=True)
class TensorForm:
    """One tensor: dims in its own layout order, innermost first; scale, size of the whole dim and gap by label."""

    arg: TensorArg
    form: DeviceForm
    order: tuple[str, ...]
    stick: str
    scales: frozendict[str, int]
    strides: frozendict[str, int]
    offset: int
    gaps: frozendict[str, int]
    layout: str = ""

    @property
    def own_stick(self) -> bool:
        """True if the tensor has elements along its sticks."""
        return bool(self.form.lane)

    @property
    def word_bytes(self) -> int:
        """Bytes of an element."""
        return self.arg.word_bytes


@dataclass(frozen=True, slots=True)
class LayoutClass:
    """Tensors that share a label: order of dims, stick, elements of a stick."""

    label: str
    order: tuple[str, ...]
    stick: str
    lanes: int


@dataclass(frozen=True, slots=True)
class SdscForm:
    """An op: extents with padding and slices by label, in order of the iteration; tensors; masks."""

    spec: OpSpec
    labels: frozendict[str, str]
    extents: frozendict[str, int]
    slices: frozendict[str, int]
    tensors: tuple[TensorForm, ...]
    classes: tuple[LayoutClass, ...]
    masks: frozendict[str, tuple[int, int]]
    core_slices: tuple[frozendict[str, int], ...]
    function: str = ""

    @property
    def cores(self) -> int:
        """Cores that work on it."""
        return len(self.core_slices)

    def layout_of(self, tensor: TensorForm) -> LayoutClass:
        """The class of a tensor's layout."""
        return next(each for each in self.classes if each.label == tensor.layout)


def sdsc_form(spec: OpSpec) -> SdscForm:
    """The form of an op; UnsaidError where the format has no words."""
    return _Maker(spec).made()


@dataclass(slots=True)
class _Tensor:
    """A tensor while it is worked on."""

    arg: TensorArg
    form: DeviceForm
    own: list[str]
    added: list[str] = field(default_factory=list)
    stick: str = ""

    @property
    def order(self) -> tuple[str, ...]:
        return (*self.own, *self.added)


class _Maker:
    def __init__(self, spec: OpSpec) -> None:
        self.spec, self.matmul = spec, spec.op in CONTRACTIONS
        self.labels = _labels(spec, self.matmul)
        self.extents = {self.labels[dim.symbol]: dim.extent for dim in spec.iteration}
        self.slices = {self.labels[dim.symbol]: dim.slices for dim in spec.iteration}
        self.tensors = [self._tensor(arg) for arg in spec.args]
        self.reference = self.tensors[0 if spec.is_reduction and not self.matmul else -1]
        self.padding: dict[str, int] = {}

    def made(self) -> SdscForm:
        self._round_contracted()
        self._fill_orders()
        forms = [self._finished(tensor) for tensor in self.tensors]
        self._pad(forms)
        forms = [self._with_strides(tensor, form) for tensor, form in zip(self.tensors, forms, strict=True)]
        classes, named = self._classes(forms)
        masks = self._masks(named)
        cut = self._cut()
        cores = tuple(
            frozendict((self.labels[name], place) for name, place in self._core(cut, core).items())
            for core in range(cut.cores)
        )
        return SdscForm(
            self.spec,
            frozendict(self.labels),
            frozendict(self.extents),
            frozendict(self.slices),
            tuple(named),
            tuple(classes),
            frozendict(masks),
            cores,
            self._function(named),
        )

    def _cut(self) -> OpSpec:
        """The op as it is cut: dims that padding makes whole are not (facts 3.4)."""
        dims = tuple(replace(dim, slices=self.slices[self.labels[dim.symbol]]) for dim in self.spec.iteration)
        fastest = tuple(dim.symbol for dim in self.spec.rounds if self.slices[self.labels[dim.symbol]] > 1)
        return replace(self.spec, iteration=dims, fastest=fastest)

    def _core(self, spec: OpSpec, core: int) -> Mapping[str, int]:
        """The slices of a core; a contracted dim that goes round first stands first."""
        found, rounds = spec.slices_of(core), spec.rounds
        if self.matmul and rounds and rounds[0] == spec.iteration[-1]:
            first = rounds[0].symbol
            return {first: found[first], **{name: place for name, place in found.items() if name != first}}
        return found

    # Orders

    def _tensor(self, arg: TensorArg) -> _Tensor:
        form = device_form(arg, self.spec.extents)
        if form is None:
            raise UnsaidError(f"how it walks {arg.name or 'an argument'} is not one symbol per device dim")
        order: list[str] = []
        lane = self.labels.get(form.lane, "")
        for dim in reversed(form.dims):
            name = self.labels.get(dim.symbol, "") or lane
            if name and name not in order:
                order.append(name)
        if lane and lane not in order:
            order.append(lane)
        return _Tensor(arg, form, order, stick=lane)

    def _round_contracted(self) -> None:
        """A contracted dim is rounded up to whole sticks before anything else."""
        if not self.matmul or len(self.tensors) < 3:
            return
        output = set(self.tensors[-1].own)
        for name in self.tensors[1].own:
            if name != self.tensors[1].stick and name not in output:
                self.extents[name] = _rounded(self.extents[name], self.tensors[0].form.lanes)

    def _fill_orders(self) -> None:
        reference = self.reference
        if not self.matmul:
            for tensor in self.tensors:
                tensor.added = [name for name in reference.own if name not in tensor.own]
        if reference.stick:
            return
        free = next((name for name in _LABELS[len(self.spec.iteration) :] if name not in self.extents), None)
        if free is None:
            raise UnsaidError("there is no label left for its sticks")
        self.extents[free], self.slices[free] = reference.form.lanes, 1
        for tensor in self.tensors:
            tensor.stick = free
            (tensor.own if tensor is reference else tensor.added).append(free)

    def _finished(self, tensor: _Tensor) -> TensorForm:
        scales = dict.fromkeys(tensor.own, PRESENT)
        for name in tensor.added:
            whole = not tensor.form.lane and name == self.reference.stick
            scales[name] = ABSENT_STICK if whole else ABSENT
        stick = tensor.stick or self.reference.stick
        empty = frozendict[str, int]()
        return TensorForm(tensor.arg, tensor.form, tensor.order, stick, frozendict(scales), empty, 0, empty)

    # Padding, strides, gaps

    def _pad(self, forms: list[TensorForm]) -> None:
        first = forms[0] if self.spec.is_reduction else forms[-1]
        for form in forms if self.spec.op in _PADDED_EVERYWHERE else [first]:
            if form.stick in self.extents and form.scales.get(form.stick) == PRESENT:
                whole = _rounded(self.extents[form.stick], form.form.lanes)
                if whole > self.extents[form.stick]:
                    self.padding[form.stick] = whole - self.extents[form.stick]
                    self.extents[form.stick] = whole
        for name in self.padding if self.spec.op == "ReStickifyOpHBM" else ():
            self.slices[name] = 1

    def _with_strides(self, tensor: _Tensor, form: TensorForm) -> TensorForm:
        sizes = form.form.sizes
        strides, gaps, offset = dict[str, int](), dict[str, int](), 0
        for name in form.order:
            place = self._place(form, name)
            if place is None:
                strides[name] = math.prod(sizes[-(len(tensor.own) + 2) :])
                continue
            inner = math.prod(sizes[place + 1 :])
            lanes = form.form.lanes if name == form.stick and form.form.lane else 1
            device = sizes[place] * lanes
            wanted = _rounded(self.extents[name], lanes)
            whole = sizes[place] * inner
            if device > wanted:
                gaps[name] = device - wanted
                whole = whole // device * wanted
            elif device < wanted and self.spec.op == "ReStickifyOpHBM":
                gaps[name] = wanted - device
            offset += form.form.dims[place].ahead * inner
            strides[name] = whole
        for dim, inner in _fixed(form.form):
            offset += dim * inner
        return TensorForm(
            form.arg,
            form.form,
            form.order,
            form.stick,
            form.scales,
            frozendict(strides),
            offset,
            frozendict(gaps),
        )

    def _place(self, form: TensorForm, name: str) -> int | None:
        """Which device dim a label walks; that of whole sticks for the stick's own label."""
        for place, dim in enumerate(form.form.dims):
            if dim.symbol and self.labels[dim.symbol] == name:
                return place
        return None

    # Classes and masks

    def _classes(self, forms: list[TensorForm]) -> tuple[list[LayoutClass], list[TensorForm]]:
        free = iter(_CLASSES[self.matmul])
        classes: list[LayoutClass] = []
        named: list[TensorForm] = []
        for form in forms:
            found = next((each for each in classes if _alike(each, form)), None)
            if found is None:
                label = next(free, None)
                if label is None:
                    raise UnsaidError("its tensors have more layouts than the format has labels")
                found = LayoutClass(label, form.order, form.stick, form.form.lanes)
                classes.append(found)
            named.append(_labelled(form, found.label))
        return classes, named

    def _masks(self, forms: list[TensorForm]) -> dict[str, tuple[int, int]]:
        output = forms[-1]
        return {
            name: (self.extents[name] - pad, pad)
            for name, pad in self.padding.items()
            if self.spec.op == "exp" or output.scales.get(name) == ABSENT_STICK
        }

    def _function(self, forms: list[TensorForm]) -> str:
        """The name of the op function; folds that leave the stick alone have a name of their own."""
        if not self.spec.is_reduction or self.matmul:
            return self.spec.op
        across = any(scale == ABSENT_STICK for scale in forms[-1].scales.values())
        return self.spec.op if across else f"{self.spec.op}nonstick"


def _labels(spec: OpSpec, matmul: bool) -> dict[str, str]:
    symbols = [dim.symbol for dim in spec.iteration]
    if not symbols:
        raise UnsaidError("it has no loops")
    most = len(_MATMUL_LABELS) if matmul else len(_LABELS) + 1
    if len(symbols) > most:
        raise UnsaidError(f"it has {len(symbols)} loops; {most} have labels")
    names = _MATMUL_LABELS[-len(symbols) :] if matmul else (*_LABELS[: len(symbols) - 1], "out")
    return dict(zip(symbols, names, strict=True))


def _rounded(extent: int, lanes: int) -> int:
    return -(-extent // lanes) * lanes


def _fixed(form: DeviceForm) -> list[tuple[int, int]]:
    """Where dims that nothing walks stand, with the elements of one step."""
    sizes = form.sizes
    places = [(dim.ahead, math.prod(sizes[place + 1 :])) for place, dim in enumerate(form.dims) if not dim.symbol]
    return [*places, (form.lane_ahead, 1)]


def _alike(known: LayoutClass, form: TensorForm) -> bool:
    return known.stick == form.stick and known.lanes == form.form.lanes and set(known.order) == set(form.order)


def _labelled(form: TensorForm, label: str) -> TensorForm:
    return TensorForm(
        form.arg, form.form, form.order, form.stick, form.scales, form.strides, form.offset, form.gaps, label
    )
