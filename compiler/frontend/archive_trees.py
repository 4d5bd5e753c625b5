"""How a model's arguments and results nest: tree descriptions rebuilt from known containers only.

torch's own reader of these descriptions imports whatever module a dictionary key or a default factory names.  Here
tuples, lists and dictionaries with plain keys stay; any other container (a named tuple, a data class) becomes a tuple
of the same leaves, which changes nothing in the graph.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from frozendict import frozendict

from compiler.frontend.archive_error import ArchiveError

PROTOCOL = 1
DEPTH = 50
_TUPLE = "builtins.tuple"
_LISTS = frozendict(
    {"builtins.list": "builtins.list", "torch.fx.immutable_collections.immutable_list": "builtins.list"}
)
_DICTS = frozendict(
    {
        "builtins.dict": "builtins.dict",
        "collections.OrderedDict": "builtins.dict",
        "torch.fx.immutable_collections.immutable_dict": "builtins.dict",
    }
)


@dataclass(frozen=True, slots=True)
class Tree:
    """A rebuilt description: its JSON text and its number of leaves."""

    text: str
    leaves: int


def plain_tree(text: str) -> Tree:
    """The description in `text` with plain containers; ArchiveError if it is not one."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArchiveError("the description of the model's arguments is not valid JSON") from error
    if not isinstance(document, list) or len(document) != 2 or document[0] != PROTOCOL:
        raise ArchiveError("the description of the model's arguments has an unknown form")
    node, leaves = _node(document[1], 0)
    return Tree(json.dumps([PROTOCOL, node]), leaves)


def _node(data: object, depth: int) -> tuple[dict[str, object], int]:
    if depth > DEPTH:
        raise ArchiveError("the model's arguments are nested too deeply")
    if not isinstance(data, dict) or not isinstance(data.get("children_spec"), list):
        raise ArchiveError("the description of the model's arguments has an unknown form")
    kind, context, specs = data.get("type"), data.get("context"), data["children_spec"]
    if kind is None and context is None and not specs:
        return {"type": None, "context": None, "children_spec": []}, 1
    children = [_node(spec, depth + 1) for spec in specs]
    plain_kind, plain_context = _container(kind, context, len(children))
    node: dict[str, object] = {
        "type": plain_kind,
        "context": plain_context,
        "children_spec": [child for child, _ in children],
    }
    return node, sum(leaves for _, leaves in children)


def _container(kind: object, context: object, count: int) -> tuple[str, str]:
    if isinstance(kind, str) and kind in _LISTS:
        return _LISTS[kind], "null"
    keys = _keys(context)
    if isinstance(kind, str) and kind in _DICTS and keys is not None and len(keys) == count:
        return _DICTS[kind], json.dumps(keys)
    return _TUPLE, "null"


def _keys(context: object) -> list[str] | None:
    try:
        keys = json.loads(context) if isinstance(context, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys) or len(set(keys)) != len(keys):
        return None
    return keys
