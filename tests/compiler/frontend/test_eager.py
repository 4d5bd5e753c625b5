"""The reference: PyTorch's own numbers under the names of the loop program and of the graph."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from compiler.errors import InputError
from compiler.frontend.eager import reference, run
from compiler.frontend.load import load
from resources.examples import NAMES
from tests.compiler.frontend.lowered import noise, numbers, results, traced

SCRIPT = """
import torch
from torch import nn

def given():
    torch.manual_seed(7)
    x = torch.zeros(33, 64)
    x[:, :32] = 1
    return nn.Linear(64, 2), (x,)

def shapes():
    return nn.Linear(64, 2), (torch.empty(33, 64, device="meta"),)
"""

HUGE = """
import torch

def huge():
    return torch.nn.Linear(1 << 20, 1 << 20, bias=False, dtype=torch.float16), (torch.zeros(1, 1 << 20).half(),)
"""


@pytest.mark.parametrize("name", NAMES)
def test_loop_nests_of_the_examples_compute_the_reference(name: str) -> None:
    program = load(name).program
    known = reference(name, seed=1)
    found = results(program, dict(known.inputs))
    assert found.keys() == known.outputs.keys()
    for output, value in found.items():
        size = float(known.outputs[output].float().abs().mean())
        torch.testing.assert_close(value, known.outputs[output], rtol=2e-3, atol=1e-2 * size)
        assert 1e-4 < size < 1e4


def test_numbers_depend_on_the_seed_alone() -> None:
    first, again, other = (reference("rmsnorm", seed).inputs["x"] for seed in (3, 3, 4))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_calls_are_kept_by_their_names_in_the_graph() -> None:
    known = reference("mlp", keep_nodes=True)
    graph = load("mlp").graph
    assert known.nodes.keys() == {node.name for node in graph.nodes}
    for node in graph.nodes:
        assert [tuple(value.shape) for value in known.nodes[node.name]] == [type_.shape for type_ in node.types]
    assert torch.equal(known.nodes[graph.outputs[0]][0], known.outputs["output"])
    assert reference("mlp").nodes == {}


def test_a_factory_gives_its_own_numbers(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(SCRIPT, encoding="utf-8")
    given = reference(f"{path}:given")
    assert given.inputs["input"][:, :32].eq(1).all()
    torch.manual_seed(7)
    torch.testing.assert_close(given.inputs["weight"], nn.Linear(64, 2).weight.detach(), rtol=0, atol=0)
    random = reference(f"{path}:shapes")
    assert 0.9 < float(random.inputs["input"].std()) < 1.1


def test_a_seed_draws_the_inputs_of_a_factory_and_keeps_its_weights(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(SCRIPT, encoding="utf-8")
    own, drawn, again, other = (reference(f"{path}:given", seed) for seed in (None, 3, 3, 4))
    assert torch.equal(drawn.inputs["input"], again.inputs["input"])
    assert not torch.equal(drawn.inputs["input"], other.inputs["input"])
    assert drawn.inputs["input"].shape == own.inputs["input"].shape
    assert torch.equal(drawn.inputs["weight"], own.inputs["weight"])
    assert not torch.equal(drawn.outputs["output"], other.outputs["output"])
    origins = ["inputs of the factory", "inputs drawn with seed 3", "inputs drawn with seed 4"]
    assert [own.origin, again.origin, other.origin] == origins
    assert reference(f"{path}:shapes").origin == "inputs drawn with seed 0", "it returns no numbers"
    assert reference("rmsnorm").origin == "inputs drawn with seed 0"


def test_archives_give_the_weights_they_hold() -> None:
    variance = reference("convnet").inputs["stem.norm.running_var"]
    assert torch.equal(variance, reference("convnet", seed=5).inputs["stem.norm.running_var"])
    assert float(variance.min()) >= 0.5


def test_random_numbers_are_of_a_sensible_size() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(20, 64)
            self.norm = nn.LayerNorm(64)
            self.wide = nn.Linear(64, 256)

        def forward(self, token: Tensor, place: Tensor, keep: Tensor, count: Tensor) -> Tensor:
            rows = self.table(token.view(-1)) + embedding(place.to(torch.int64), self.table.weight[:7])
            rows = self.wide(self.norm(rows))
            return torch.masked_fill(rows, keep[:, None], 0.0) + count

    program = traced(Model(), numbers(20, 200), numbers(7, 200).int(), noise(200) > 0, numbers(2, 200, 1))
    found = run(program, {}, seed=0).inputs
    assert 0 <= int(found["token"].min()) < int(found["token"].max()) == 19
    assert int(found["place"].max()) == 6
    assert found["place"].dtype is torch.int32
    assert 0 < float(found["keep"].float().mean()) < 1
    assert int(found["count"].max()) == 1
    assert 0.1 < float(found["wide.weight"].std()) * 8 / 1 < 1.2
    assert float((found["norm.weight"] - 1).abs().max()) < 0.5
    assert float(found["norm.bias"].abs().max()) < 0.5


def test_updates_in_place_leave_the_inputs_as_they_were() -> None:
    def model(x: Tensor) -> Tensor:
        return x.add_(1).sum()

    start = noise(3, 4)
    known = run(traced(model, start.clone()), {"inputs_0": start}, seed=0)
    assert torch.equal(known.inputs["inputs_0"], start)
    assert torch.equal(known.outputs["inputs_0.updated"], start + 1)


def test_models_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(HUGE, encoding="utf-8")
    with pytest.raises(InputError, match=r"its inputs and weights take 2048.0 GiB, and at most 8 GiB are computed"):
        reference(f"{path}:huge")
