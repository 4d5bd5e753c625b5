"""Views that no stick can follow: such models compile and agree with PyTorch, all others stay as they are."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from compiler.device import load_device
from compiler.errors import UnsupportedError
from compiler.unfold import unfold
from resources.examples import examples
from tests.casebook import CASES
from tests.end_to_end import view_factories
from tests.end_to_end.harness import compiled, model, verified

CORES = (1, 3, 4, 32)
REFUSED = ("heads_80_of_one_token",)
NAMES = [
    name
    for name, made in inspect.getmembers(view_factories, inspect.isfunction)
    if not inspect.signature(made).parameters and name not in REFUSED
]
UNCHANGED = [*(example.name for example in examples()), *(name for name in CASES if name not in ("C41", "C42"))]


def spec(name: str) -> str:
    return f"{Path(str(view_factories.__file__))}:{name}"


@pytest.mark.parametrize("cores", CORES)
@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_right_on_any_number_of_cores(name: str, cores: int) -> None:
    compilation = compiled(spec(name), cores)
    assert compilation.ok
    assert compilation.log[0].spec == "unfold"
    report = verified(spec(name), compilation)
    assert report.fault == ""
    assert report.ok, report.outputs


@pytest.mark.parametrize("name", REFUSED)
def test_one_row_of_odd_heads_is_refused_as_its_author_wrote_it(name: str) -> None:
    program = model(spec(name))[0].program
    with pytest.raises(UnsupportedError) as caught:
        compiled(spec(name), 4)
    assert caught.value.what.split(" ")[0] in program.op_map
    assert caught.value.remedy


@pytest.mark.parametrize("name", UNCHANGED)
def test_what_compiles_as_it_is_stays_as_it_is(name: str) -> None:
    program = model(name)[0].program
    assert unfold(program, load_device("spyre")) is program


def test_every_layer_has_its_copies_under_its_own_name() -> None:
    names = [op.name for op in compiled(spec("heads_80"), 4).problem.program.ops]
    assert "sdpa/matmul.2.parts.2.linear.add" in names
