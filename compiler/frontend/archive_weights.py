"""Parameters, buffers and constants of an archive: described by JSON, stored as raw bytes.

Owns the descriptions (always read) and the bytes (read only when somebody asks for numbers).  Refuses every payload
that is a pickle; a tensor that reaches over the end of its bytes; and the byte order of other machines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch
from frozendict import frozendict
from torch._export.serde import schema

from compiler.frontend.archive_checks import object_fault
from compiler.frontend.archive_error import ArchiveError, quoted
from compiler.frontend.archive_names import check_path
from compiler.frontend.archive_schema import decode
from compiler.frontend.archive_tensors import check_tensor, dtype_of, extent, sizes_of, strides_of
from compiler.frontend.archive_zip import Members

FOLDERS = frozendict({"weights": "data/weights/", "constants": "data/constants/"})
PAYLOAD_BYTES = 1 << 40
_PAYLOAD = re.compile(r"(?:weight|tensor)_\d{1,9}")


@dataclass(frozen=True, slots=True)
class Payload:
    """A stored tensor: the member with its bytes, its description, and whether it is a parameter."""

    member: str
    meta: schema.TensorMeta
    is_parameter: bool


Payloads = frozendict[str, Payload]


def payloads_of(members: Members, model: str, group: str) -> Payloads:
    """The stored tensors of a group, "weights" or "constants", by their dotted paths."""
    name = f"{FOLDERS[group]}{model}_{group}_config.json"
    config = decode(schema.PayloadConfig, members.json(name))
    return frozendict((path, _payload(path, record, FOLDERS[group], members)) for path, record in config.config.items())


def _payload(path: str, record: schema.PayloadMeta, folder: str, members: Members) -> Payload:
    check_path(path)
    if record.use_pickle or record.tensor_meta is None:
        raise object_fault(path)
    if not _PAYLOAD.fullmatch(record.path_name):
        raise ArchiveError(f"the bytes of {path} would lie in {quoted(record.path_name)}, where torch stores none")
    check_tensor(path, record.tensor_meta)
    member = folder + record.path_name
    stored = members.size(member)
    if stored and stored < extent(record.tensor_meta) * dtype_of(record.tensor_meta).itemsize:
        raise ArchiveError(f"its part {member} is too short for {path}")
    return Payload(member, record.tensor_meta, record.is_param)


def fake_tensors(payloads: Payloads) -> dict[str, torch.Tensor]:
    """Tensors of the described shapes; call it under a fake tensor mode, so that none takes memory."""
    return {path: _as_declared(_empty(payload.meta), payload) for path, payload in payloads.items()}


def real_tensors(payloads: Payloads, members: Members) -> dict[str, torch.Tensor]:
    """The tensors whose bytes are stored.  Tensors that share bytes in the archive share storage here too."""
    if "byteorder" in members and members.read("byteorder", 16) != b"little":
        raise ArchiveError("its weights are stored in big-endian order", "save it again on a little-endian machine")
    storages: dict[str, bytearray] = {}
    found: dict[str, torch.Tensor] = {}
    for path, payload in payloads.items():
        if not extent(payload.meta):
            found[path] = _as_declared(_empty(payload.meta), payload)
        elif members.size(payload.member):
            if payload.member not in storages:
                storages[payload.member] = bytearray(members.read(payload.member, PAYLOAD_BYTES))
            found[path] = _as_declared(_view(storages[payload.member], payload.meta), payload)
    return found


def _empty(meta: schema.TensorMeta) -> torch.Tensor:
    return torch.empty_strided(sizes_of(meta), strides_of(meta), dtype=dtype_of(meta), device="cpu")


def _view(storage: bytearray, meta: schema.TensorMeta) -> torch.Tensor:
    dtype = dtype_of(meta)
    whole = torch.frombuffer(storage, dtype=dtype, count=len(storage) // dtype.itemsize)
    return whole.as_strided(sizes_of(meta), strides_of(meta), meta.storage_offset.as_int)


def _as_declared(tensor: torch.Tensor, payload: Payload) -> torch.Tensor:
    return torch.nn.Parameter(tensor, requires_grad=False) if payload.is_parameter else tensor
