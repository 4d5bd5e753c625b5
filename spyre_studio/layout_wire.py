"""A graph layout on its way between worker and window: arrays as lists with their shape and type.

Owns both directions for the graph that goes out and the layout that comes back.  Refuses to lay anything out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from frozendict import frozendict

from compiler.errors import InputError
from spyre_studio.views.graph_groups import GraphInput
from spyre_studio.views.graph_layout import GraphLayout

_FIELDS = tuple(GraphLayout.__dataclass_fields__)
_ARRAY = {"type", "shape", "values"}
_KINDS = {"f": np.float64, "i": np.intp, "b": np.bool_}


def plain_graph(graph: GraphInput) -> dict[str, object]:
    """A graph as JSON data."""
    modules = [graph.tree.paths[group] for group in graph.tree.of_node.tolist()]
    return {"modules": modules, "edges": graph.edges.tolist(), "hubs": graph.hubs.tolist()}


def read_graph(plain: object) -> GraphInput:
    """Inverse of `plain_graph`; InputError if the parts do not fit together."""
    try:
        assert isinstance(plain, dict)
        edges = np.array(plain["edges"], np.intp).reshape(-1, 2)
        return GraphInput.of(plain["modules"], edges, np.array(plain["hubs"], np.bool_))
    except (AssertionError, KeyError, TypeError, ValueError) as error:
        raise InputError("the graph", f"it cannot be laid out ({error})", "open the model again") from error


def plain_layout(layout: GraphLayout) -> dict[str, object]:
    """A layout as JSON data."""
    return {name: _plain(getattr(layout, name)) for name in _FIELDS}


def read_layout(plain: object) -> GraphLayout:
    """Inverse of `plain_layout`."""
    if not isinstance(plain, dict) or set(plain) != set(_FIELDS):
        raise InputError("the answer of the worker", "it is no layout of a graph", "open the model again")
    fields: dict[str, Any] = {name: _value(plain[name]) for name in _FIELDS}
    return GraphLayout(**fields)


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return {"type": value.dtype.kind, "shape": list(value.shape), "values": value.ravel().tolist()}
    return value


def _value(plain: object) -> object:
    if isinstance(plain, dict) and set(plain) != _ARRAY:
        return frozendict((path, tuple(paths)) for path, paths in plain.items())
    if isinstance(plain, dict):
        return np.array(plain["values"], _KINDS[plain["type"]]).reshape(plain["shape"])
    return tuple(plain) if isinstance(plain, list) else plain
