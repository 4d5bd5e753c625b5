"""Comparison: figures, the tolerance rule, and the words of a report."""

import json
import math
from dataclasses import replace

import pytest
import torch

from compiler.codec import structure, unstructure
from compiler.dtypes import DType
from compiler.loops import Apply, Load
from simulator.functional.compare import compare
from simulator.functional.tolerance import Noise, Size, noise_of, tolerance
from simulator.report import Agreement, Comparison, OutputReport, StepReport, VerifyReport, describe
from tests.simulator.sketch import at, contraction, loops, pointwise, reduction, unary

F16 = DType.F16
ONE = Noise(1e-6, 0.0)
NEST = loops(i=4, j=64)
X, Y = at("x", i=64, j=1), at("y", i=64, j=1)


def test_one_rounding_to_f16_has_the_tolerance_of_pointwise_ops() -> None:
    found = tolerance(noise_of(unary("exp", "exp", NEST, X, Y, F16), (), F16), F16, Size(3.0, 1.0))
    assert found.absolute == pytest.approx(1e-3, rel=1e-3)
    assert found.relative == pytest.approx(2e-3)


def test_the_tolerance_follows_the_size_of_small_results() -> None:
    small = tolerance(ONE, F16, Size(1e-3, 1e-3))
    assert small.absolute == pytest.approx(1e-6, rel=0.1)
    assert tolerance(ONE, F16, Size(0.0, 0.0)).absolute == 2.0**-24, "one step of the smallest numbers"


def test_what_was_added_up_counts_where_little_is_left_of_it() -> None:
    left = tolerance(ONE, F16, Size(1e-6, 1e-6), added=20.0)
    assert left.absolute == pytest.approx(1e-3, rel=1e-3)
    assert left.norm == pytest.approx(1e-4, rel=1e-2)


def test_noise_adds_in_squares_along_a_chain() -> None:
    exp = unary("exp", "exp", NEST, X, Y, F16)
    noise = Noise()
    for _ in range(9):
        noise = noise_of(exp, [noise, Noise()], F16)
    assert math.sqrt(noise.own) == pytest.approx(3e-3)


def test_exact_ops_add_no_noise() -> None:
    for name in ("neg", "relu", "maximum"):
        assert noise_of(unary(name, name, NEST, X, Y, F16), [ONE], F16) == ONE
    copy = pointwise("copy", NEST, (X,), Y, (Load(0, F16),))
    assert noise_of(copy, [], F16) == Noise()
    assert (
        noise_of(pointwise("i", NEST, (X,), Y, (Load(0, DType.I32), Apply("add", (0, 0), DType.I32))), [], DType.I32)
        == Noise()
    )


def test_a_contraction_spreads_the_noise_of_its_operands() -> None:
    nest = loops("k", m=1, n=64, k=32768)
    product = contraction("mm", nest, at("x", k=1), at("w", k=64, n=1), at("y", n=1))
    exact = noise_of(product, [Noise(), Noise()], F16)
    assert math.sqrt(exact.own) == pytest.approx(1e-3)
    assert math.sqrt(exact.spread) == pytest.approx(math.sqrt(32768) * 2**-23)
    noisy = noise_of(product, [ONE, Noise()], F16)
    assert math.sqrt(noisy.spread) == pytest.approx(1e-3, rel=1e-3)
    assert math.sqrt(noisy.own) == pytest.approx(math.sqrt(2) * 1e-3)


def test_a_maximum_spreads_nothing() -> None:
    largest = reduction("max", "max", loops("j", i=4, j=64), X, at("y", i=1), DType.F32)
    assert noise_of(largest, [ONE], DType.F32).spread == 0.0


def test_integers_have_no_tolerance() -> None:
    assert tolerance(Noise(1.0, 1.0), DType.I32, Size(5.0, 5.0)).absolute == 0.0


def test_figures() -> None:
    want = torch.tensor([[1.0, 2.0, -4.0, 0.0]] * 4)
    got = want.clone()
    got[1, 2], got[3, 3] = -5.0, 0.25
    found = compare(got, want, DType.F32, Noise(1e-12, 0.0))
    assert (found.elements, found.differing, found.beyond) == (16, 2, 2)
    assert (found.max_abs, found.max_relative) == (1.0, 0.25)
    assert found.rms == pytest.approx(math.sqrt((1 + 0.0625) / 16))
    assert found.first == (1, 2)
    assert (found.got, found.want) == ("-5", "-4")
    assert found.agreement is Agreement.CORRUPTED
    assert 0.9 < found.cosine < 1


def test_an_error_everywhere_within_the_tolerance_of_one_element_is_still_corrupted() -> None:
    want = torch.linspace(1, 2, 1000)
    noise = Noise(1e-5, 0.0)
    shifted = compare(want * 1.005, want, F16, noise)
    assert (shifted.beyond, shifted.agreement) == (0, Agreement.CORRUPTED)
    assert shifted.first == (0,)
    wobble = torch.where(torch.arange(1000) % 50 == 0, 1.005, 1.0)
    assert compare(want * wobble, want, F16, noise).agreement is Agreement.ROUNDING


def test_scalars_and_empty_tensors() -> None:
    one = torch.tensor(1.0)
    assert compare(one, one, DType.F32, ONE).agreement is Agreement.EQUAL
    assert compare(one, one * 2, DType.F32, ONE).first == ()
    empty = torch.zeros(0, 3)
    assert compare(empty, empty, DType.F32, ONE).agreement is Agreement.EQUAL


def test_nan_where_a_number_should_be_counts_as_beyond() -> None:
    want = torch.ones(32)
    got = want.clone()
    got[5] = math.nan
    found = compare(got, want, F16, ONE)
    assert (found.beyond, found.first, found.got, found.want) == (1, (5,), "nan", "1")
    assert not found.unrelated
    everywhere = compare(torch.full((32,), math.nan), want, F16, ONE)
    assert everywhere.unrelated
    assert everywhere.max_abs == 0.0


def test_both_zero_have_the_same_direction() -> None:
    zero = torch.zeros(20)
    got = zero.clone()
    got[0] = 1e-9
    assert compare(zero, -zero, F16, ONE).cosine == 1.0
    assert compare(got, zero, F16, ONE).agreement is Agreement.ROUNDING


GOOD = compare(torch.ones(4), torch.ones(4), F16, ONE)
BAD = compare(torch.zeros(4), torch.ones(4), F16, ONE)
ROUNDED = replace(GOOD, agreement=Agreement.ROUNDING, differing=1, max_abs=5e-4, max_relative=16.6, first=(0,))
OUTPUT = OutputReport("y", "y", F16, (4,), GOOD)
REPORT = VerifyReport("m", "spyre", 4, True, (OUTPUT,), (StepReport("s0", "y", "m.py:3", GOOD),), "", 0.5)


def agreement_of(comparison: Comparison) -> Agreement:
    return replace(REPORT, outputs=(OUTPUT, replace(OUTPUT, comparison=comparison))).agreement


def test_the_worst_comparison_decides() -> None:
    assert REPORT.agreement is Agreement.EQUAL
    assert agreement_of(replace(GOOD, agreement=Agreement.ROUNDING)) is Agreement.ROUNDING
    assert agreement_of(BAD) is Agreement.CORRUPTED
    assert replace(REPORT, outputs=()).ok
    assert not replace(REPORT, fault="stopped").ok
    wrong = replace(REPORT, steps=(*REPORT.steps, StepReport("s1", "z", "", BAD), StepReport("s2", "z", "", BAD)))
    assert wrong.first_divergence == wrong.steps[1]
    assert not wrong.ok


def test_reports_as_lines() -> None:
    assert describe(REPORT) == (
        "y f16[4]: equal, all 4 elements equal",
        "m on 4 cores, poison on: equal (0.5 s)",
    )
    near = replace(REPORT, outputs=(replace(OUTPUT, comparison=ROUNDED),))
    assert describe(near)[0] == "y f16[4]: rounding, 1 of 4 elements differ, by 0.0005 at most", "nothing alarming"
    figures = "max |d| 1, relative 1, cosine 0.000000; 4 of 4 beyond rounding; [0] is 0, not 1"
    wrong = replace(REPORT, poison=False, fault="it stopped", steps=(StepReport("s1", "z", "m.py:7", BAD),))
    assert describe(wrong)[1:] == (
        f"first divergence: step s1 (m.py:7) writes z: {figures}",
        "it stopped",
        "m on 4 cores, poison off: corrupted (0.5 s)",
    )


def test_reports_survive_being_written_down() -> None:
    wrong = replace(REPORT, steps=(StepReport("s1", "z", "", BAD),))
    written = json.loads(json.dumps(unstructure(wrong), allow_nan=False))
    assert structure(VerifyReport, written, "a report") == wrong
