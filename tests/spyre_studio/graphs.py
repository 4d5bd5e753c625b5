"""Graphs that layout tests share: decoder blocks as a front end would name them, and seeded random ones."""

import numpy as np

from spyre_studio.views.graph_groups import GraphInput


class GraphMaker:
    """Nodes in schedule order, each with a module and the nodes it reads."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.modules: list[str] = []
        self.edges: list[tuple[int, int]] = []
        self.constants: list[bool] = []

    def node(self, name: str, module: str, *reads: int, constant: bool = False) -> int:
        """Append a node and return its number."""
        place = len(self.names)
        self.names.append(name)
        self.modules.append(module)
        self.constants.append(constant)
        self.edges.extend((source, place) for source in reads)
        return place

    def graph(self) -> GraphInput:
        """The value that the layout takes."""
        return GraphInput.of(self.modules, np.array(self.edges, np.intp).reshape(-1, 2), np.array(self.constants, bool))


def decoder(blocks: int) -> GraphMaker:
    """`blocks` transformer blocks of 26 nodes, with a mask and rope tables that every block reads."""
    made = GraphMaker()
    mask, cos, sin = (made.node(name, "", constant=True) for name in ("mask", "cos", "sin"))
    last = made.node("embed", "")
    for block in range(blocks):
        last = _block(made, f"layers.{block}", last, mask, (cos, sin))
    made.node("lm_head", "", last)
    return made


def _block(made: GraphMaker, path: str, last: int, mask: int, rope: tuple[int, int]) -> int:
    attention = _attention(made, f"{path}.attn", _norm(made, f"{path}.input_norm", last), mask, rope)
    middle = made.node("add", path, attention, last)
    normed = made.node("norm", f"{path}.post_norm", middle)
    gate, up = (made.node(name, f"{path}.mlp", normed) for name in ("gate", "up"))
    silu = made.node("silu", f"{path}.mlp", gate)
    product = made.node("mul", f"{path}.mlp", silu, up)
    return made.node("add", path, made.node("down", f"{path}.mlp", product), middle)


def _norm(made: GraphMaker, path: str, value: int) -> int:
    mean = made.node("mean", path, value)
    return made.node("mul", path, value, made.node("rsqrt", path, mean))


def _attention(made: GraphMaker, path: str, value: int, mask: int, rope: tuple[int, int]) -> int:
    query, key, context = (made.node(name, path, value) for name in ("q", "k", "v"))
    turned = made.node("rope q", f"{path}.rope", query, *rope)
    moved = made.node("restickify", path, made.node("rope k", f"{path}.rope", key, *rope))
    scores = made.node("add mask", path, made.node("scores", path, turned, moved), mask)
    largest = made.node("max", f"{path}.softmax", scores)
    power = made.node("exp", f"{path}.softmax", made.node("sub", f"{path}.softmax", scores, largest))
    weights = made.node("div", f"{path}.softmax", power, made.node("sum", f"{path}.softmax", power))
    return made.node("o", path, made.node("context", path, weights, context))


def random_graph(nodes: int, width: int, seed: int) -> GraphMaker:
    """A random graph without modules; every node reads one to three of the nodes a little before it."""
    rng = np.random.default_rng(seed)
    made = GraphMaker()
    for place in range(nodes):
        near = range(max(0, place - 2 * width), max(0, place - place % width))
        reads = rng.choice(near, min(len(near), int(rng.integers(1, 4))), replace=False).tolist() if near else []
        made.node(f"n{place}", "", *reads)
    return made
