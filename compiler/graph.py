"""ModelGraph: the traced model as its author knows it.

Owns ATen calls with module path, source line, shapes and types.  Refuses to know loops, layouts or cores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from compiler.dtypes import DType


@dataclass(frozen=True, slots=True)
class TensorType:
    """Element type and shape (sizes in elements)."""

    dtype: DType
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    @property
    def elements(self) -> int:
        """Number of logical elements."""
        return math.prod(self.shape)


class InputKind(StrEnum):
    """What an input of the traced graph is to its author."""

    USER = "input"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class GraphInput:
    """One input of the graph; `path` is its dotted name in the module tree (parameters, buffers) or the argument
    name."""

    name: str
    kind: InputKind
    type: TensorType
    path: str


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One ATen call.  `inputs` name inputs or earlier nodes; scalars are kept as text in `attributes`."""

    name: str
    target: str
    inputs: tuple[str, ...]
    types: tuple[TensorType, ...]
    attributes: tuple[tuple[str, str], ...]
    module: str
    source: str


@dataclass(frozen=True, slots=True)
class ModelGraph:
    """The traced model: inputs, calls in trace order, names of the outputs."""

    name: str
    inputs: tuple[GraphInput, ...]
    nodes: tuple[GraphNode, ...]
    outputs: tuple[str, ...]
