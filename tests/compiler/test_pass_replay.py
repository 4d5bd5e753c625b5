"""What each pass decided: found again without the last pass, and told in words where it cannot be known."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.errors import StoppedError
from compiler.pass_replay import AGAIN, RESOLVED, UNKNOWN_BEFORE, recorded, replay
from compiler.pass_story import INPUTS, Decision, PassStep, plan_changes
from compiler.pins import Pins
from compiler.pipeline import PASSES, compile_problem, kept_of, parse_pipeline
from compiler.plan import Plan
from compiler.resolve import resolve
from compiler.schedule import expand
from compiler.text.plan_text import print_plan
from compiler.watch import Watch
from tests.programs import attention
from tests.spyre_studio.plans import compiled, divided


def lines_after(steps: tuple[PassStep, ...]) -> set[str]:
    """The decisions that are left when the changes of all passes are made one after the other."""
    lines: set[str] = set()
    for step in steps:
        for change in step.changes:
            assert not change.before or change.before in lines, "only what is there can be taken away"
            lines.discard(change.before)
            lines.add(change.after)
    return lines - {""}


@pytest.fixture
def staged() -> Compilation:
    return compiled(program=attention(2, 64, 64), cores=4)


@pytest.fixture
def joint() -> Compilation:
    return compiled(program=attention(2, 64, 64), cores=4, pipeline="co-optimized")


@pytest.mark.parametrize("pipeline", ["staged", "searched", "co-optimized"])
def test_the_changes_of_all_passes_make_the_plan(pipeline: str) -> None:
    whole = compiled(program=attention(2, 64, 64), cores=4, pipeline=pipeline)
    story = replay(whole, None, Watch())
    assert story.notes == (AGAIN,)
    assert [step.spec for step in story.steps] == [record.spec for record in whole.log]
    assert all(step.known for step in story.steps)
    assert lines_after(story.steps) == {line.strip() for line in print_plan(whole.plan).splitlines()[1:]}


def test_the_last_pass_is_not_run_again(staged: Compilation, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> Plan:
        raise AssertionError("the last pass was run")

    monkeypatch.setattr(PASSES["place-scratchpad"], "__call__", never)
    story = replay(staged, None, Watch())
    assert story.steps[-1].known
    assert story.steps[-1].added > 0


def test_changes_are_grouped_by_op_in_the_order_of_the_schedule(staged: Compilation) -> None:
    first = replay(staged, None, Watch()).steps[0]
    groups = list(dict.fromkeys(change.op for change in first.changes))
    assert groups == [INPUTS, "scores", "max", "sub", "exp", "sum", "truediv", "context", ""]
    assert (first.added, first.changed, first.removed) == (len(first.changes), 0, 0)


def test_a_changed_decision_has_both_ends(joint: Compilation) -> None:
    last = replay(joint, None, Watch()).steps[-1]
    change = next(one for one in last.changes if one.op == "scores" and one.after.startswith("divide"))
    assert change.before.startswith("divide scores  j 4")
    assert change.after != change.before
    assert last.changed >= 1
    assert last.added + last.changed + last.removed == len(last.changes)


def test_a_log_of_another_version_is_told_and_nothing_untrue_is_shown(staged: Compilation) -> None:
    first = replace(staged.log[0], decided=("12 layouts", *staged.log[0].decided[1:]))
    story = replay(replace(staged, log=(first, *staged.log[1:])), None, Watch())
    assert not any(step.known or step.changes for step in story.steps)
    assert "assign-layouts decides '10 layouts' where the log has '12 layouts'" in story.notes[0]
    assert story.steps[0].decided[0] == "12 layouts", "the log is shown as it is"


def test_a_plan_that_the_passes_do_not_lead_to_is_told(staged: Compilation) -> None:
    layouts = dict(staged.plan.layouts)
    layouts["q"] = replace(layouts["q"], stride_map=(*layouts["q"].stride_map[:-1], 7))
    story = replay(replace(staged, plan=replace(staged.plan, layouts=frozendict(layouts))), None, Watch())
    assert not any(step.known for step in story.steps)
    assert "leave '11 layouts' to it, of which its log has 'nothing'" in story.notes[0]


def test_a_log_that_is_not_of_the_pipeline_and_a_pipeline_that_is_none(staged: Compilation) -> None:
    short = replay(replace(staged, log=staged.log[:3]), None, Watch())
    assert "its log is not that of its pipeline" in short.notes[0]
    assert len(short.steps) == 3
    lost = replay(replace(staged, plan=replace(staged.plan, pipeline="no-such-pass")), None, Watch())
    assert "there is no such pass" in lost.notes[0]


@pytest.mark.usefixtures("short_as_long")
def test_a_re_solve_is_told_against_the_plan_before(joint: Compilation) -> None:
    made = resolve(joint, divided("exp", j=2), Watch(previous=joint.plan))
    assert made is not None
    story = replay(made, joint, Watch())
    assert story.notes == (RESOLVED,)
    *passes, against = story.steps
    assert not any(step.known for step in passes)
    assert against.known
    assert any(change.op == "exp" and change.after.startswith("divide exp  j 2") for change in against.changes)
    assert against.decided == kept_of(joint.plan, made.plan)
    assert "why" in " ".join(change.after for change in against.changes)


@pytest.mark.usefixtures("short_as_long")
@pytest.mark.parametrize("known", [False, True], ids=["none", "another"])
def test_a_re_solve_of_which_the_plan_before_is_gone_says_so(joint: Compilation, known: bool) -> None:
    made = resolve(joint, divided("exp", j=2), Watch(previous=joint.plan))
    assert made is not None
    other = compiled(program=attention(2, 64, 64), cores=2) if known else None
    story = replay(made, other, Watch())
    assert story.notes == (RESOLVED, UNKNOWN_BEFORE)
    assert not any(step.changes for step in story.steps)


def test_a_plan_compiled_anew_beside_another_tells_both(staged: Compilation) -> None:
    pins = divided("exp", j=2)
    problem = replace(staged.problem, pins=pins)
    made = compile_problem(staged.graph, problem, previous=staged.plan)
    story = replay(made, staged, Watch())
    assert story.notes == (AGAIN,)
    assert story.steps[-1].spec == "against the plan before"
    assert story.steps[-1].known
    assert lines_after(story.steps[:-1]) == {line.strip() for line in print_plan(made.plan).splitlines()[1:]}


def test_it_can_be_cancelled_and_tells_how_far_it_is(staged: Compilation) -> None:
    told: list[tuple[float, str]] = []
    replay(staged, None, Watch(progress=lambda share, phase: told.append((share, phase))))
    names = [one.name for one in parse_pipeline(staged.plan.pipeline)]
    assert [phase for _, phase in told] == [*names[:-1], "differences"]
    assert [share for share, _ in told] == sorted(share for share, _ in told)
    with pytest.raises(StoppedError):
        replay(staged, None, Watch(cancelled=lambda: True))


def test_the_log_alone(staged: Compilation) -> None:
    story = recorded(staged)
    assert story.notes == ()
    assert [(step.spec, step.decided) for step in story.steps] == [(one.spec, one.decided) for one in staged.log]


def test_changes_of_equal_plans_are_none_and_pins_are_of_their_op(staged: Compilation) -> None:
    schedule = expand(staged.problem.program, staged.plan)
    assert plan_changes(staged.plan, staged.plan, schedule) == ()
    pinned = compiled(Pins(placement=frozendict(exp="hbm")), 4, attention(2, 64, 64))
    story = replay(pinned, None, Watch())
    found = [change for step in story.steps for change in step.changes if change.after.startswith("pin ")]
    assert found == [Decision("exp", "", found[0].after)]
