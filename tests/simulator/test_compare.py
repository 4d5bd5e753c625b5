"""Comparison: figures, the rule of deviations, and the words of a report."""

import json
import math
import sys
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from compiler.codec import structure, unstructure
from compiler.dtypes import DType
from simulator.functional.compare import compare
from simulator.functional.deviation import Moves
from simulator.report import Agreement, Comparison, OutputReport, StepReport, Tolerance, VerifyReport, describe

F16 = DType.F16


def judged(got: Tensor, want: Tensor, moves: Moves | float = 1e-3) -> Comparison:
    """The comparison where rounding moves each element by so much."""
    return compare(got, want, lambda: torch.tensor(moves) if isinstance(moves, float) else moves)


def test_how_far_rounding_goes_is_asked_only_where_there_is_a_difference() -> None:
    def never() -> Moves:
        raise AssertionError

    assert compare(torch.ones(3), torch.ones(3), never).agreement is Agreement.EQUAL


def test_an_element_may_be_off_by_six_deviations() -> None:
    want = torch.zeros(1000)
    got = want.clone()
    got[7] = 0.0059
    assert judged(got, want).agreement is Agreement.ROUNDING
    got[7] = 0.0061
    found = judged(got, want)
    assert (found.agreement, found.beyond, found.first) == (Agreement.CORRUPTED, 1, (7,))
    assert found.tolerance.element == pytest.approx(0.006)


def test_every_element_is_judged_by_its_own_deviation() -> None:
    want = torch.tensor([1.0, 1.0])
    found = judged(want + 0.01, want, torch.tensor([0.1, 1e-4]))
    assert (found.beyond, found.first) == (1, (1,))


def test_what_is_not_rounded_has_no_tolerance() -> None:
    want = torch.arange(5)
    found = judged(torch.tensor([0, 1, 2, 3, 5]), want, None)
    assert (found.agreement, found.beyond, found.first, found.tolerance.element) == (Agreement.CORRUPTED, 1, (4,), 0.0)


@pytest.mark.parametrize(("count", "most"), [(1, 6.0), (4, 4.0), (16, 3.0), (10000, 2.04)])
def test_few_elements_may_be_as_far_off_together_as_one_alone(count: int, most: float) -> None:
    want = torch.ones(count)
    within, beyond = (judged(want + 1e-3 * most * factor, want) for factor in (0.98, 1.02))
    assert within.tolerance.most_together == pytest.approx(most)
    assert within.agreement is Agreement.ROUNDING
    assert beyond.agreement is Agreement.CORRUPTED


def test_figures() -> None:
    want = torch.tensor([[1.0, 2.0, -4.0, 0.0]] * 4)
    got = want.clone()
    got[1, 2], got[3, 3] = -5.0, 0.25
    found = judged(got, want, 1e-6)
    assert (found.elements, found.differing, found.beyond) == (16, 2, 2)
    assert (found.max_abs, found.max_relative) == (1.0, 0.25)
    assert found.rms == pytest.approx(math.sqrt((1 + 0.0625) / 16))
    assert found.first == (1, 2)
    assert (found.got, found.want) == ("-5", "-4")
    assert found.agreement is Agreement.CORRUPTED
    assert 0.9 < found.cosine < 1


def test_an_error_everywhere_within_the_tolerance_of_one_element_is_still_corrupted() -> None:
    want = torch.linspace(1, 2, 1000)
    moves = want * 1e-3
    shifted = judged(want * 1.005, want, moves)
    assert (shifted.beyond, shifted.agreement) == (0, Agreement.CORRUPTED)
    assert shifted.first == (0,)
    assert shifted.tolerance.together == pytest.approx(5.0, rel=1e-3)
    wobble = torch.where(torch.arange(1000) % 50 == 0, 1.005, 1.0)
    assert judged(want * wobble, want, moves).agreement is Agreement.ROUNDING


def test_scalars_and_empty_tensors() -> None:
    one = torch.tensor(1.0)
    assert judged(one, one).agreement is Agreement.EQUAL
    assert judged(one, one * 2).first == ()
    empty = torch.zeros(0, 3)
    assert judged(empty, empty).agreement is Agreement.EQUAL


def test_nan_where_a_number_should_be_counts_as_beyond() -> None:
    want = torch.ones(32)
    got = want.clone()
    got[5] = math.nan
    found = judged(got, want)
    assert (found.beyond, found.first, found.got, found.want) == (1, (5,), "nan", "1")
    assert not found.unrelated
    everywhere = judged(torch.full((32,), math.nan), want)
    assert everywhere.unrelated
    assert everywhere.max_abs == 0.0


def test_both_zero_have_the_same_direction() -> None:
    zero = torch.zeros(20)
    got = zero.clone()
    got[0] = 1e-9
    assert judged(zero, -zero).cosine == 1.0
    assert judged(got, zero).agreement is Agreement.ROUNDING


GOOD = judged(torch.ones(4), torch.ones(4))
BAD = judged(torch.zeros(4), torch.ones(4))
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
    named = replace(REPORT, inputs="inputs of the factory")
    assert describe(named)[1] == "m on 4 cores, poison on, inputs of the factory: equal (0.5 s)"
    near = replace(REPORT, outputs=(replace(OUTPUT, comparison=ROUNDED),))
    assert describe(near)[0] == "y f16[4]: rounding, 1 of 4 elements differs, by 0.0005 at most", "nothing alarming"
    figures = (
        "max |d| 1, relative 1, cosine 0.000000; 4 of 4 beyond rounding; [0] is 0, not 1, where rounding explains 0.006"
    )
    wrong = replace(REPORT, poison=False, fault="it stopped", steps=(StepReport("s1", "z", "m.py:7", BAD),))
    assert describe(wrong)[1:] == (
        f"first divergence: step s1 (m.py:7) writes z: {figures}",
        "it stopped",
        "m on 4 cores, poison off: corrupted (0.5 s)",
    )


def of_output(comparison: Comparison) -> str:
    return describe(replace(REPORT, outputs=(replace(OUTPUT, comparison=comparison),)))[0]


def test_a_verdict_says_what_was_exceeded() -> None:
    whole = judged(torch.arange(3), torch.arange(3) + 1, None)
    assert of_output(whole).endswith("3 of 3 beyond rounding; [0] is 0, not 1, where nothing is rounded")
    together = judged(torch.ones(10000) * 1.005, torch.ones(10000))
    assert (together.beyond, together.agreement) == (0, Agreement.CORRUPTED)
    assert of_output(together).endswith(
        "; no element is beyond rounding by itself, but all together are off by 5 deviations where rounding explains "
        "2.04; [0] is 1.005, not 1"
    )


def test_a_value_that_may_be_anything_agrees_with_anything_finite_or_not() -> None:
    anything = torch.tensor([math.inf, 0.0])
    found = judged(torch.tensor([math.inf, 1.0]), torch.tensor([3.0, 1.0]), anything)
    assert found.agreement is Agreement.ROUNDING
    assert found.tolerance == Tolerance(sys.float_info.max, 0.0, 0.0)
    json.dumps(unstructure(found), allow_nan=False)


def test_reports_survive_being_written_down() -> None:
    wrong = replace(REPORT, steps=(StepReport("s1", "z", "", BAD),))
    written = json.loads(json.dumps(unstructure(wrong), allow_nan=False))
    assert structure(VerifyReport, written, "a report") == wrong
