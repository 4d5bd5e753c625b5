"""The graph of the decoder stack as it is captured and planned: blocks alike, folded into one, and no edge crosses."""

from compiler.frontend.load import load
from spyre_studio.repeats import Run
from spyre_studio.views.graph_groups import everything, first_opened
from spyre_studio.views.graph_layout import layout_graph
from spyre_studio.views.graph_levels import deeper
from spyre_studio.views.graph_model import planned
from tests.spyre_studio.plans import compiled


def test_four_layers_have_no_crossings_however_far_they_are_open() -> None:
    made = compiled(program=load("decoder_stack?layers=4&sequence=64").program)
    model = planned(made)
    layers = tuple(f"layers.{layer}" for layer in range(4))
    assert model.graph.runs == (Run("layers", layers),)
    opened = first_opened(model.graph)
    first = layout_graph(model.graph, opened)
    assert first.blocks == {"layers": layers}
    levels = [opened, frozenset({"layers", "layers.2"}), frozenset[str]()]
    while deeper(model.graph, levels[-1]) != levels[-1]:
        levels.append(deeper(model.graph, levels[-1]))
    assert levels[-1] == everything(model.graph)
    assert [layout_graph(model.graph, level).crossings for level in levels] == [0] * len(levels)
