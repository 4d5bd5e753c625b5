"""The lessons as the command runs them, on models captured in this process; the README has what they print."""

from __future__ import annotations

from functools import cache

import pytest

from compiler.captured import Captured
from compiler.device import load_device
from compiler.frontend.load import load
from spyre_studio.lessons import LESSONS, failures, learn, table_of
from spyre_studio.lessons_bench import LessonBench
from spyre_studio.lessons_values import Learnt, Row
from spyre_studio.reporter import Reporter, Silent
from tests.source_tree import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMES = [lesson.name for lesson in LESSONS]


def captured(spec: str, _reporter: Reporter) -> Captured:
    return load(spec)


@cache
def learnt(name: str) -> Learnt:
    (lesson,) = (one for one in LESSONS if one.name == name)
    return learn(lesson, LessonBench(Silent(), captured))


def row(name: str, measure: str) -> Row:
    (found,) = (one for one in learnt(name).rows if one.measure == measure)
    return found


def number(value: float | None) -> float:
    assert value is not None
    return value


@pytest.mark.parametrize("name", NAMES)
def test_what_has_to_come_out_does(name: str) -> None:
    assert learnt(name).held
    assert failures([learnt(name)]) == ()


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_has_the_lesson_as_printed(name: str) -> None:
    assert table_of(learnt(name)) in README


def test_the_ladder_moves_the_published_bytes() -> None:
    rows = [one for one in learnt("softmax").rows if one.exact]
    size, vector = 512 * 1024, 1024
    assert [one.simulated.value for one in rows] == [2 * (8 * size + 4 * vector), 16 * size, 6 * size, 4 * size]
    assert [one.simulated.text for one in rows] == ["8MN + 4N", "8MN", "3MN", "2MN"]
    assert [one.predicted.text for one in rows] == ["7MN + 4N", "7MN", "2MN", "2MN"], "one input is charged once"


def test_the_relayout_takes_half_of_the_price_away() -> None:
    assert row("relayout", "without a relayout").predicted.value == pytest.approx(80.0, abs=0.01)
    assert row("relayout", "with a relayout").predicted.value == pytest.approx(41.136, abs=0.001)
    assert row("relayout", "the relayout alone").predicted.value == pytest.approx(1.1364, abs=1e-4)
    simulated = [number(one.simulated.value) for one in learnt("relayout").rows]
    assert simulated[1] < 0.5 * simulated[0]


def test_orders_are_worth_what_was_published() -> None:
    kernel = number(row("orders", "kernel time, size 1024").simulated.value)
    assert -0.69 <= kernel <= -0.29
    product = row("orders", "the product alone, size 2048")
    device = load_device("spyre")
    most = device.number("sustained_mac_per_ns_core") / device.number("batched_mac_per_ns_core")
    assert 5 < number(product.predicted.value) <= number(product.simulated.value) <= most + 0.01


def test_matrix_units_gain_from_splits_that_fit() -> None:
    used = row("mlp", "utilisation of matrix units")
    assert 0.7 < number(used.simulated.value) < 0.85
    assert -0.3 < number(row("mlp", "kernel time").simulated.value) < -0.1
    assert number(row("mlp", "products forced to M 32").predicted.value) > 2


def test_attention_converges_in_lx() -> None:
    assert row("attention", "products and softmax").predicted.text == "batch 4 x M 8"
    assert row("attention", "scores held in LX").simulated.text == "7 of 7"
