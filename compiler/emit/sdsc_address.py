"""Addresses of a kernel: what a core reads where, as symbol ids that SuperDSC files and the bundle share.

Owns the numbering (facts 4.2): negative ids that run on through a kernel, one per distinct address of one tensor in one
file; a kernel argument that appears twice in a file shares its ids.  In LX an address is plain bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.emit.sdsc_form import PRESENT, SdscForm, TensorForm
from compiler.emit.unsaid import UnsaidError
from compiler.formats.opspec import Room


@dataclass(frozen=True, slots=True)
class Address:
    """`pool` or the kernel argument `number`; `start` bytes to where an access begins that is not at its beginning,
    and `beyond` bytes from there to what a core reads."""

    pool: bool
    number: int
    start: int
    beyond: int


@dataclass(frozen=True, slots=True)
class Numbered:
    """Of one file: the text of every tensor's address on every core, and ids with their addresses in order."""

    texts: tuple[tuple[str, ...], ...]
    ids: tuple[tuple[int, Address], ...]


@dataclass(slots=True)
class Numbering:
    """Goes through the files of one kernel."""

    last: int = 0

    def number(self, form: SdscForm) -> Numbered:
        """The ids of the next file."""
        mine: dict[Address, int] = {}
        texts = tuple(self._texts(form, tensor, mine) for tensor in form.tensors)
        shown: dict[int, Address] = {}
        by_id = {number: address for address, number in mine.items()}
        for row in texts:
            for text in row:
                if text.startswith("-"):
                    shown.setdefault(int(text), by_id[int(text)])
        return Numbered(texts, tuple(shown.items()))

    def _texts(self, form: SdscForm, tensor: TensorForm, mine: dict[Address, int]) -> tuple[str, ...]:
        place = tensor.arg.place
        if place.room is Room.LX:
            return (str(place.at + block_bytes(form, tensor)),) * form.cores
        if place.room is Room.HBM and Address(False, place.at, 0, 0) not in mine:
            self._id(Address(False, place.at, 0, 0), mine)  # the raw base always has an id, the first one
        start = tensor.offset * tensor.word_bytes
        found = []
        for core in range(form.cores):
            beyond = core_bytes(form, tensor, core)
            if place.room is Room.POOL:
                address = Address(True, 0, 0, place.at + start + beyond)
            else:
                address = Address(False, place.at, start, beyond)
            found.append(str(self._id(address, mine)))
        return tuple(found)

    def _id(self, address: Address, mine: dict[Address, int]) -> int:
        if address not in mine:
            self.last -= 1
            mine[address] = self.last
        return mine[address]


def block_bytes(form: SdscForm, tensor: TensorForm) -> int:
    """Bytes from the beginning of what a core holds of a tensor to where an access to it begins.

    UnsaidError where it begins inside of a dim that cores share out: it would be another address on every core.
    """
    slices = tensor.arg.division.slices if tensor.arg.division is not None else {}
    cut = {dim.symbol: slices.get(dim.symbol, dim.slices) for dim in form.spec.iteration}
    begins, step = tensor.form.lane_ahead, tensor.form.lanes
    for dim in reversed(tensor.form.dims):
        if dim.ahead and cut.get(dim.symbol, 1) > 1:
            raise UnsaidError("it begins inside of a dim that cores share out")
        begins += dim.ahead * step
        step *= -(-dim.size // cut.get(dim.symbol, 1))
    return begins * tensor.word_bytes


def core_bytes(form: SdscForm, tensor: TensorForm, core: int) -> int:
    """Bytes from where an access begins to what a core reads of it."""
    slices = form.core_slices[core]
    steps = (
        slices[name] * (tensor.strides[name] // form.slices[name])
        for name in form.slices
        if tensor.scales.get(name) == PRESENT and name in slices
    )
    return sum(steps) * tensor.word_bytes
