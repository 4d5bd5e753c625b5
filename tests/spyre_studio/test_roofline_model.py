"""The roofline's numbers: operations, intensity, rates and roofs, against the price of the plan."""

import math
from dataclasses import replace

import numpy as np
import pytest

from compiler.device import load_device
from compiler.price import StepCost
from spyre_studio.occupancy import KINDS
from spyre_studio.roofline_model import REDUCTIONS, left_out, roofline_of, roofs_of, short_number
from tests.programs import attention, chain, product, softmax
from tests.sketch import Sketch
from tests.spyre_studio.plans import compiled


def test_a_matmul_counts_its_multiply_accumulates() -> None:
    compilation = compiled(program=product(64, 128, 256))
    data = roofline_of(compilation)
    cost = compilation.cost.steps[0]
    assert data.operations.tolist() == [64 * 128 * 256]
    assert data.bytes.tolist() == [cost.hbm_bytes]
    assert data.intensity[0] == pytest.approx(64 * 128 * 256 / cost.hbm_bytes)
    assert data.rate[0] == pytest.approx(64 * 128 * 256 / cost.total_us / 1000)
    assert KINDS[data.kinds[0]] == "matmul"


def test_a_reduction_counts_what_it_folds_and_pointwise_ops_their_primitives() -> None:
    data = roofline_of(compiled(program=softmax(64, 128)))
    assert [data.operations[data.places[name]] for name in ("max", "sub", "sum")] == [64 * 128] * 3
    sketch = Sketch("plain")
    sketch.output(sketch.apply("neg", sketch.input("x", 64, 64)))
    assert roofline_of(compiled(program=sketch.program())).operations.tolist() == [64 * 64]


def test_copies_and_casts_compute_nothing() -> None:
    compilation = compiled(program=attention(2, 128, 64))
    data = roofline_of(compilation)
    copies = [data.places[edit.name] for edit in compilation.plan.edits]
    assert copies
    assert (data.operations[copies] == 0).all()
    assert not set(copies) & set(data.drawn.tolist())
    assert data.moves == len(copies)


def test_roofs_are_those_of_the_device() -> None:
    device = load_device("spyre")
    roofs = {(roof.title, roof.sloped): roof for roof in roofs_of(device)}
    assert roofs["memory", True].rate == 150
    assert roofs["peak", True].rate == pytest.approx(204.8)
    assert roofs["matrix units", False].rate == 1140 * 32
    assert roofs["peak", False].rate == pytest.approx(1536 * 32)
    assert roofs[REDUCTIONS, False].rate == 48
    assert "fitted" in roofs["memory", True].source
    assert roofs["memory", True].at(2.0) == 300
    assert roofs["matrix units", False].at(2.0) == 36480
    fewer = {(roof.title, roof.sloped): roof for roof in roofs_of(device.with_cores(8))}
    assert fewer["matrix units", False].rate == 1140 * 8
    assert fewer["memory", True].rate == 150


@pytest.mark.parametrize("program", [attention(2, 128, 64), softmax(256, 512), product(512, 512, 512), chain(64, 4096)])
def test_nothing_is_above_what_is_allowed(program) -> None:  # type: ignore[no-untyped-def]
    data = roofline_of(compiled(program=program))
    for place in data.drawn.tolist():
        assert 0 < data.share(place) <= 1.35, "the planner's peak is above the sustained rate by that much"


def test_steps_that_are_hidden_are_counted_not_drawn() -> None:
    data = roofline_of(compiled(program=softmax(512, 1024)))
    assert data.timeless + len(data.drawn) + data.moves >= len(data.names)
    assert "no time of their own" in left_out(data) or not data.timeless
    hidden = next(place for place in range(len(data.names)) if data.us[place] <= 0)
    assert "hides it" in data.words(hidden)
    assert data.bound(hidden) == ""


def test_without_traffic_the_intensity_is_infinite() -> None:
    compilation = compiled(program=product(64, 128, 256))
    cost = compilation.cost.steps[0]
    inside = replace(cost, read_bytes=0, write_bytes=0)
    data = roofline_of(replace(compilation, cost=replace(compilation.cost, steps=(inside,))))
    assert math.isinf(data.intensity[0])
    assert data.drawn.tolist() == [0]
    assert "nothing moved" in data.words(0)
    assert data.allowed[0] == 36480


def test_what_bounds_a_step_is_the_longer_side() -> None:
    compilation = compiled(program=product(64, 128, 256))

    def with_times(compute: float, memory: float) -> str:
        cost = StepCost("matmul", max(compute, memory), compute, memory, 0.0, 10, 10, ())
        return roofline_of(replace(compilation, cost=replace(compilation.cost, steps=(cost,)))).bound(0)

    assert with_times(3.0, 2.0) == "compute"
    assert with_times(2.0, 3.0) == "memory"


def test_a_step_in_words() -> None:
    data = roofline_of(compiled(program=product(64, 128, 256)))
    words = data.words(0)
    assert words.startswith("2.1 M MAC, ")
    assert "% of what is allowed" in words
    assert words.endswith(f"bound by {data.bound(0)}.")


@pytest.mark.parametrize(("value", "text"), [(16.8e6, "16.8 M"), (1200, "1.2 k"), (48, "48"), (0.25, "0.25"), (0, "0")])
def test_short_numbers(value: float, text: str) -> None:
    assert short_number(value) == text


def test_arrays_are_in_the_order_of_the_schedule() -> None:
    compilation = compiled(program=attention(2, 128, 64))
    data = roofline_of(compilation)
    assert data.names == tuple(cost.step for cost in compilation.cost.steps)
    assert np.array_equal(data.us, [cost.total_us for cost in compilation.cost.steps])
