"""Provenance: source lines and operators of kernels out of a `spyre_provenance.json` sidecar.

Owns schema version 1 and every check that its readers make (facts 5.3): references resolve, ids are the digests of what
they name, the status is what follows from the rest.  Refuses unknown keys, and says in which of the three ways a file
is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.handles import handle_id
from compiler.formats.opspec import DebugHandle
from compiler.formats.provenance_ids import compile_id, occurrence_id
from compiler.read.handles import DEEPEST_HANDLE, read_source
from compiler.read.plain import REMEDY, Node

SCHEMA: Final = 1
_VERSION, _SHAPE, _MEANING = "unsupported-schema-version", "schema-validation-failure", "semantic-validation-failure"
_TOP: Final = frozenset(
    {
        "schemaVersion",
        "eventKey",
        "mergeGeneration",
        "status",
        "handles",
        "kernelIdentities",
        "kernelOccurrences",
        "upstreamProjections",
    }
)
_OPTIONAL: Final = frozenset({"diagnostics"})
_HANDLE: Final = frozenset({"id", "source", "aten_op", "ir_chain", "fused_from", "transform_history"})
_MOST_PARTS: Final = 10_000
_EVENT_KEY: Final = {
    "version": 1,
    "algorithm": "sha256-prefix-80-base32-lower",
    "width": 16,
    "stepAttribution": "bundle",
}


@dataclass(frozen=True, slots=True)
class Identity:
    """A kernel by its key: the handle of each op by its place, operators, and the name that profilers show."""

    key: str
    handles: tuple[tuple[tuple[int, ...], str], ...]
    aten_ops: tuple[str, ...]
    event_name: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Handles by id, kernels by key, and the keys of kernels by their names in each compilation."""

    handles: frozendict[str, DebugHandle]
    identities: frozendict[str, Identity]
    kernels: frozendict[str, tuple[tuple[str, str], ...]]
    status: str

    def handles_of(self, kernel: str) -> frozendict[tuple[int, ...], DebugHandle]:
        """The handles of a kernel's ops by their place in it; empty for a kernel that the sidecar does not know."""
        keys = {key for pairs in self.kernels.values() for name, key in pairs if name == kernel}
        bound = self.identities[min(keys)].handles if keys else ()
        return frozendict((place, self.handles[handle]) for place, handle in bound)


def read_provenance(data: object, origin: str) -> Provenance:
    """The sidecar; InputError with one sentence that begins with the way in which it is wrong."""
    return _Reader(Node.of(data, origin), origin).read()


class _Reader:
    def __init__(self, node: Node, origin: str) -> None:
        self.node, self.origin = node, origin
        self.parts: dict[str, int] = {}

    def fault(self, kind: str, why: str) -> InputError:
        return InputError(self.origin, f"{kind}: {why}", REMEDY)

    def read(self) -> Provenance:
        version = self.node.integer("schemaVersion")
        if version != SCHEMA:
            raise self.fault(_VERSION, f"it is of schema version {version}, this program reads {SCHEMA}")
        self._closed(self.node, _TOP, _OPTIONAL)
        if self.node.node("eventKey").data != _EVENT_KEY:
            raise self.fault(_SHAPE, "its event keys are of another kind")
        self.node.integer("mergeGeneration", least=1)
        handles = self._handles()
        identities = self._identities(handles)
        kernels = self._projections(identities)
        self._occurrences(identities, kernels)
        return Provenance(handles, identities, kernels, self._status())

    def _closed(self, node: Node, keys: frozenset[str], optional: frozenset[str] = frozenset()) -> None:
        missing, strange = sorted(keys - set(node.data)), sorted(set(node.data) - keys - optional)
        if missing or strange:
            what = f"{node.at(missing[0])} is missing" if missing else f"{node.at(strange[0])} is not known"
            raise self.fault(_SHAPE, what)

    def _handles(self) -> frozendict[str, DebugHandle]:
        table = self.node.node("handles")
        nodes = {key: table.node(key) for key in table.data}
        for node in nodes.values():
            self._closed(node, _HANDLE)
        made: dict[str, DebugHandle] = {}
        for key in nodes:
            self._made(key, nodes, made, 0)
        return frozendict(made)

    def _made(self, key: str, nodes: Mapping[str, Node], made: dict[str, DebugHandle], depth: int) -> DebugHandle:
        if key in made:
            return made[key]
        if key not in nodes:
            raise self.fault(_MEANING, f"handle {key} is named and not there")
        if depth > DEEPEST_HANDLE:
            raise self.fault(_MEANING, f"handle {key} is made of itself, or of too many others")
        node = nodes[key]
        fused = tuple(self._made(each, nodes, made, depth + 1) for each in node.texts("fused_from"))
        aten = node.text("aten_op") if node.has("aten_op") else None
        handle = DebugHandle(read_source(node), aten, node.texts("ir_chain"), fused)
        self.parts[key] = 1 + sum(self.parts[each] for each in node.texts("fused_from"))
        if self.parts[key] > _MOST_PARTS:
            raise self.fault(_MEANING, f"handle {key} is made of more than {_MOST_PARTS:,} others")
        if node.text("id") != key or handle_id(handle) != key:
            raise self.fault(_MEANING, f"handle {key} is not the digest of what it says")
        made[key] = handle
        return handle

    def _identities(self, handles: Mapping[str, DebugHandle]) -> frozendict[str, Identity]:
        table = self.node.node("kernelIdentities")
        found = {}
        for key in table.data:
            node = table.node(key)
            self._closed(node, frozenset({"directHandleIds", "specHandleBindings", "atenOps", "eventNameBase"}))
            bound = tuple(
                (each.integers("specPath", 0), each.text("handleId")) for each in node.nodes("specHandleBindings")
            )
            strange = [handle for _, handle in bound if handle not in handles]
            if strange:
                raise self.fault(_MEANING, f"handle {strange[0]} of kernel {key} is not there")
            if list(node.texts("directHandleIds")) != list(dict.fromkeys(handle for _, handle in bound)):
                raise self.fault(_MEANING, f"the handles of kernel {key} are not those of its ops")
            found[key] = Identity(key, bound, node.texts("atenOps"), node.text("eventNameBase"))
        return frozendict(found)

    def _projections(self, identities: Mapping[str, Identity]) -> frozendict[str, tuple[tuple[str, str], ...]]:
        table = self.node.node("upstreamProjections")
        found = {}
        for key in table.data:
            kernels = tuple(
                (each.text("compilerKernelName"), each.text("identityKey")) for each in table.node(key).nodes("kernels")
            )
            if any(identity not in identities for _, identity in kernels):
                raise self.fault(_MEANING, f"compilation {key[:12]} names a kernel that is not there")
            if compile_id(kernels) != key:
                raise self.fault(_MEANING, f"compilation {key[:12]} is not the digest of its kernels")
            found[key] = kernels
        return frozendict(found)

    def _occurrences(
        self, identities: Mapping[str, Identity], kernels: Mapping[str, tuple[tuple[str, str], ...]]
    ) -> None:
        table = self.node.node("kernelOccurrences")
        for key in table.data:
            node = table.node(key)
            whole, name, identity = (node.text(word) for word in ("compileId", "compilerKernelName", "identityKey"))
            if identity not in identities or whole not in kernels:
                raise self.fault(_MEANING, f"occurrence {key[:12]} names what is not there")
            if occurrence_id(whole, name, identity) != key:
                raise self.fault(_MEANING, f"occurrence {key[:12]} is not the digest of what it names")
            for each in node.nodes("registrations"):
                each.integer("ordinal", least=1)

    def _status(self) -> str:
        status = self.node.text("status")
        joins = self.node.node("upstreamProjections")
        whole = all(joins.node(key).data.get("upstreamJoin") == "ok" for key in joins.data)
        complete = whole and not self.node.data.get("diagnostics")
        if status != ("complete" if complete else "partial"):
            raise self.fault(_MEANING, f"it says that it is {status}, which does not follow from the rest")
        return status
