"""Insights: what each kind finds in plans made for it, that it is silent in others, and what a remedy makes of pins."""

import json
from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.candidates import candidates
from compiler.compilation import Compilation, SolverStatus
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.plan import Slot
from spyre_studio.insight import LEAST_US, Basis, Insight, Remedy, Saving
from spyre_studio.insight_facts import NOTICE, Facts, family, grouped, spoken
from spyre_studio.insight_weighed import NOT_WEIGHED, Better, Trial, Weighed
from spyre_studio.insight_words import describe, document, saving_text, short_headline
from spyre_studio.insights import KINDS, best, insights
from spyre_studio.step_opinion import StepOpinion
from tests.programs import attention, chain, product, softmax
from tests.sketch import Sketch
from tests.spyre_studio.plans import compiled, divided


def kinds(compilation: Compilation, *, weighed: Weighed = NOT_WEIGHED) -> dict[str, list[Insight]]:
    found: dict[str, list[Insight]] = {}
    for one in insights(compilation, weighed=weighed):
        found.setdefault(one.kind, []).append(one)
    return found


def apart() -> LoopProgram:
    """A value that its writer leaves on other cores than its reader needs it on, if the reader is pinned so."""
    return chain(256, 512)


def test_every_kind_has_a_row_with_words() -> None:
    assert all(key == row.key and row.title and row.hint.endswith(".") for key, row in KINDS.items())


@pytest.mark.parametrize("program", [softmax(512, 1024), attention(), product(256, 512, 256), chain(64, 64)], ids=str)
def test_every_insight_is_a_sentence_with_figures_that_exist(program: LoopProgram) -> None:
    compilation = compiled(program=program)
    steps = {cost.step for cost in compilation.cost.steps}
    found = insights(compilation)
    assert len({one.key for one in found}) == len(found)
    for one in found:
        assert one.kind in KINDS
        assert one.sentence.endswith(".")
        assert one.name
        assert one.cost_us >= 0
        assert one.rough or one.cost_us <= compilation.cost.total_us * (1 + 1e-9)
        assert set(one.evidence.steps) <= steps
        assert len(set(one.evidence.steps)) == len(one.evidence.steps), "a step counts once"
        assert set(one.evidence.buffers) <= set(compilation.plan.layouts)
        assert one.remedies
    costs = [one.cost_us for one in found if not one.urgent]
    assert costs == sorted(costs, reverse=True)


def test_costly_steps_are_those_that_cost_most() -> None:
    compilation = compiled(program=attention())
    costs = {cost.step: cost.total_us for cost in compilation.cost.steps}
    told = kinds(compilation)["steps"]
    assert [one.evidence.steps[0] for one in told] == sorted(costs, key=lambda name: -costs[name])[: len(told)]
    for one in told:
        assert one.cost_us == pytest.approx(sum(costs[step] for step in one.evidence.steps))
        assert "bound by" in one.sentence


def test_equal_layers_are_one_finding() -> None:
    assert family("layers.12.mlp.up/matmul") == "layers.*.mlp.up/matmul"
    assert family("matmul.2") == "matmul.2"
    assert grouped(["a.0.x", "a.1.x", "b"], str) == {"a.*.x": ["a.0.x", "a.1.x"], "b": ["b"]}
    assert spoken(["a.0.x", "a.1.x"]) == "a.0.x and 1 like it"


def test_a_buffer_outside_is_told_with_its_reason_and_pinned_ones_are_freed() -> None:
    compilation = compiled(program=chain(1024, 1024), pins=Pins(placement=frozendict({"neg": "hbm"})))
    (one,) = kinds(compilation)["outside"]
    assert "neg is not in LX: pinned to device memory" in one.sentence
    assert one.cost_bytes == 2 * compilation.plan.layouts["neg"].size_bytes
    assert one.rough
    (remedy,) = one.remedies
    assert remedy.pins(compilation.problem.pins) == Pins()
    again = compiled(program=chain(1024, 1024), pins=remedy.pins(compilation.problem.pins))
    assert isinstance(again.plan.placement["neg"], Slot)


def test_buffers_apart_name_both_ends_and_offer_one_division() -> None:
    compilation = compiled(program=chain(1024, 1024), pins=divided("relu", j=16))
    (one,) = kinds(compilation)["outside"]
    assert "divided differently" in one.sentence
    words = [remedy.words for remedy in one.remedies]
    assert words[0] == "Let the reader follow: divide relu as neg"
    assert one.remedies[0].pins(compilation.problem.pins).same == {"relu": "neg"}
    assert "relu" not in one.remedies[0].pins(compilation.problem.pins).division, "one op has one division"


def test_idle_cores_are_told_with_the_reason() -> None:
    compilation = compiled(program=chain(3, 64))
    (one, *_) = kinds(compilation)["idle"]
    used = compilation.plan.divisions[one.evidence.steps[0]].cores
    assert f"on {used} of 32 cores" in one.sentence
    assert one.evidence.core == used, "the first one without work"
    assert "idle" not in kinds(compiled(program=chain(1024, 1024)))


def test_terms_that_are_hidden_are_not_told() -> None:
    compilation = compiled(program=softmax(512, 1024))
    memory = Facts(compilation).memory_bound
    assert memory == {cost.step for cost in compilation.cost.steps}
    assert "fused reduction" not in [one.name for one in kinds(compilation).get("terms", [])], "memory hides it"
    (turn,) = kinds(compilation)["terms"]
    parts = [t.microseconds for cost in compilation.cost.steps for t in cost.terms if t.name == turn.name]
    assert turn.cost_us == pytest.approx(sum(parts))


def test_padding_is_told_where_sticks_are_mostly_empty() -> None:
    compilation = compiled(program=chain(4096, 1))
    padded = kinds(compilation).get("padding", [])
    assert padded
    layout = compilation.plan.layouts[padded[0].evidence.buffers[0]]
    assert layout.size_bytes > 2 * 4096 * layout.element_bytes
    assert "padding" not in kinds(compiled(program=chain(1024, 1024)))


def test_copies_are_told_with_their_time() -> None:
    sketch = Sketch("turned")
    x, y = sketch.input("x", 512, 512), sketch.input("y", 512, 512)
    sketch.output(sketch.apply("add", sketch.apply("neg", x), sketch.apply("neg", y)))
    assert "copies" not in kinds(compiled(program=sketch.program()))
    turned = compiled(program=sketch.program(), pins=Pins(layout=frozendict({"neg": 0})))
    found = kinds(turned).get("copies", [])
    costs = {cost.step: cost.total_us for cost in turned.cost.steps}
    assert turned.plan.edits, "the pin forces copies"
    assert sorted(one.cost_us for one in found) == pytest.approx(sorted(costs[edit.name] for edit in turned.plan.edits))
    assert all(one.sentence.startswith("The restickify of") for one in found)


def test_a_full_scratchpad_names_its_fullest_core() -> None:
    compilation = compiled(program=chain(64, 512))
    full = replace(
        compilation, program=replace(compilation.program, lx_bytes=compilation.problem.device.lx_budget_bytes)
    )
    (one,) = kinds(full)["fill"]
    assert "LX is 100 % full" in one.sentence
    assert one.evidence.core == 0
    assert "fill" not in kinds(compilation)


def test_spans_near_the_limit_are_told() -> None:
    compilation = compiled(program=chain(1024, 1024))
    widest = max(candidates(compilation.problem, compilation.plan, "neg"), key=lambda one: one.chosen).span_bytes
    device = compilation.problem.device.with_number("span_limit_bytes", widest / 0.9)
    near = replace(compilation, problem=replace(compilation.problem, device=device))
    found = kinds(near)["spans"]
    assert "90 % of the" in found[0].sentence
    assert "spans" not in kinds(compilation)


def test_pins_that_did_not_come_about_come_first() -> None:
    compilation = compiled(pins=divided("sum", i=3))
    first = insights(compilation)[0]
    assert first.kind == "pins"
    assert first.urgent
    assert "division pin of sum was refused" in first.sentence
    assert first.remedies[0].pins(compilation.problem.pins) == Pins()


def test_what_is_left_is_told_from_the_bound() -> None:
    compilation = compiled()
    assert "Nobody knows" in kinds(compilation)["left"][0].sentence
    known = replace(compilation, solver=SolverStatus("cp-sat", "out of time", 100.0, 90.0, 0.1, 1.0))
    (one,) = kinds(known)["left"]
    assert one.cost_us == pytest.approx(10.0)
    assert "At most 10.0 µs (10 %)" in one.sentence
    proved = replace(compilation, solver=SolverStatus("cp-sat", "optimal", 100.0, 99.9, 0.001, 1.0))
    assert "left" not in kinds(proved)


def test_opinions_that_part_are_told_with_their_reason() -> None:
    compilation = compiled(program=product(256, 512, 256))
    costs = [cost.total_us for cost in compilation.cost.steps]
    far = tuple(StepOpinion(us, 2.0 if us else None, "twice as long" if us else "") for us in costs)
    (one,) = [one for one in insights(compilation, far) if one.kind == "apart"]
    assert "twice as long" in one.sentence
    assert one.evidence.view == "timeline"
    near = tuple(StepOpinion(us, 1.0 if us else None, "") for us in costs)
    assert not [one for one in insights(compilation, near) if one.kind == "apart"]


def test_findings_below_the_threshold_are_none() -> None:
    compilation = compiled(program=attention())
    total = compilation.cost.total_us
    assert all(one.cost_us >= NOTICE * total * 0.999 for one in insights(compilation) if one.cost_us > 0)


def test_better_divisions_become_remedies() -> None:
    compilation = compiled(program=attention())
    top = max(compilation.cost.steps, key=lambda cost: cost.total_us).step
    better = Better(top, frozendict({"m": 2}), 100.0, 50.0, 2)
    told = kinds(compilation, weighed=Weighed((better,)))["steps"][0]
    assert told.remedies[0].pins(Pins()).division[top] == {"m": 2}
    quiet = next(cost.step for cost in compilation.cost.steps if cost.total_us == 0)
    own = kinds(compilation, weighed=Weighed((Better(quiet, frozendict({"i": 2}), 100.0, 50.0, 2),)))["better"]
    assert f"{quiet} would take 50.0 µs in place of 100.0 µs" in own[0].sentence


def test_the_nearest_remedy_is_the_one_that_is_known_to_save_most() -> None:
    def remedy(words: str, *, us: float = 0.0, basis: Basis = Basis.SOLVED, refused: bool = False) -> Remedy:
        return Remedy(words, less=("division:x",), saving=Saving(us, basis, refused=refused))

    look, more = Remedy("look", view="compare"), remedy("more", us=5.0)
    one = Insight("steps", "x", "x.", remedies=(remedy("less", us=1.0), more, remedy("no", us=9.0, refused=True), look))
    assert one.nearest is more
    worse = one.with_remedies((remedy("worse", us=-1.0), remedy("same", us=LEAST_US / 2), look))
    assert worse.nearest is look
    assert worse.with_remedies(worse.remedies[:1]).nearest is worse.remedies[0]
    assert Insight("steps", "x", "x.").nearest is None
    assert best([worse, one]) is one
    assert best([worse]) is None


@pytest.mark.parametrize(
    ("saving", "words"),
    [
        (Saving(), "not worked out"),
        (Saving(19.2, Basis.SOLVED), "saves 19.2 µs"),
        (Saving(0.001, Basis.SOLVED), "changes nothing"),
        (Saving(-5.0, Basis.SOLVED), "takes 5.0 µs more"),
        (Saving(3.0, Basis.SOLVED, "the pin was refused: no", refused=True), "not possible: the pin was refused: no"),
        (Saving(3.0, Basis.SOLVED, "the pin was adjusted"), "saves 3.0 µs (the pin was adjusted)"),
        (Saving(3.0, Basis.SEARCHED), "saves 3.0 µs, as a short search found; a longer one may find more or other"),
    ],
)
def test_savings_say_where_they_come_from(saving: Saving, words: str) -> None:
    assert saving_text(Remedy("do", less=("division:x",), saving=saving)) == words
    assert saving_text(Remedy("look", view="compare", saving=saving)) == ""


def test_savings_go_to_the_remedy_they_were_worked_out_for() -> None:
    compilation = compiled(program=attention())
    first = insights(compilation)[0]
    place = next(number for number, remedy in enumerate(first.remedies) if remedy.changes)
    weighed = Weighed(trials=(Trial(first.key, place, Saving(7.0, Basis.SOLVED)),))
    told = insights(compilation, weighed=weighed)
    assert told[0].remedies[place].saving.us == 7.0
    assert [one.key for one in told] == [one.key for one in insights(compilation)], "the order stays"
    assert short_headline(told, weighed).endswith(f"the best remedy saves 7.0 µs ({first.name})")


def test_lines_and_document_say_the_same() -> None:
    compilation = compiled(program=attention())
    found = insights(compilation)
    text = "\n".join(describe(compilation, found, NOT_WEIGHED))
    plain = document(compilation, found, NOT_WEIGHED)
    entries = plain["insights"]
    assert isinstance(entries, list)
    assert len(entries) == len(found)
    assert json.loads(json.dumps(plain)) == plain
    for one, entry in zip(found, entries, strict=True):
        assert one.name in text
        assert entry["sentence"] == one.sentence
        assert entry["remedies"][0]["saves_us"] is None


def test_a_quiet_plan_says_so() -> None:
    compilation = compiled()
    assert "Nothing stands out" in "\n".join(describe(compilation, (), NOT_WEIGHED))
