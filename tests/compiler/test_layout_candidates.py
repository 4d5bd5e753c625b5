"""What every layout of a buffer would cost the graph: alone, and if everything else follows."""

import pytest

from compiler.errors import InputError
from compiler.layout_candidate import UNKNOWN, LayoutCandidate
from compiler.layout_candidates import layout_candidates
from compiler.loops import LoopProgram
from compiler.operands import canonical
from compiler.passes.assign_layouts import AssignLayouts
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.scene import scene_of
from compiler.stick_prices import StickPrices
from compiler.stick_search import Outcome, Rules, StickSearch
from compiler.stick_ways import StickWays
from tests.compiler.layout_cases import solved, total
from tests.programs import attention, problem_of, transposed
from tests.sketch import Sketch

S = 128
EMPTY = Plan("sketch", "spyre", 32, "")


def rows(sketch: Sketch, buffer: str) -> dict[int, LayoutCandidate]:
    """Candidates by stick dim (-1: sparse)."""
    program = sketch.program()
    return {row.layout.stick_dim: row for row in layout_candidates(problem_of(program), solved(program), buffer)}


def two_sums() -> Sketch:
    """u = a.t() + b; u + c: one of a and b is copied, c follows the stick of u."""
    sketch = Sketch()
    a, b, c = (sketch.input(name, S, S) for name in "abc")
    sketch.output(total(sketch, transposed(a), b, c))
    return sketch


def test_the_chosen_one_comes_first_and_states_the_whole_graph() -> None:
    program = two_sums().program()
    found = layout_candidates(problem_of(program), solved(program), "add")
    assert [row.chosen for row in found] == [True, False]
    assert found[0].legal
    assert found[0].alone_elements == found[0].follow_elements == S * S
    assert found[0].alone_us == found[0].follow_us > 0


def test_another_stick_costs_what_its_neighbours_have_to_copy() -> None:
    other = rows(two_sums(), "add")[0]
    assert other.legal
    assert other.alone_elements == 2 * S * S
    assert other.follow_elements == 2 * S * S
    assert other.alone_us > rows(two_sums(), "add")[1].alone_us


def test_following_can_be_cheaper_than_changing_alone() -> None:
    """The copy in the middle of a chain has two neighbours; if they follow, nothing but the start is copied."""
    sketch = Sketch()
    x = sketch.input("x", S, S)
    first = sketch.apply("neg", x)
    sketch.output(sketch.apply("neg", sketch.apply("relu", first)))
    other = rows(sketch, "relu")[0]
    assert other.alone_elements == 2 * S * S
    assert other.follow_elements == S * S


def test_what_cannot_be_says_why() -> None:
    sketch = two_sums()
    given = rows(sketch, "b")[0]
    assert not given.legal
    assert given.why_not == "the host fills it and cuts its last dim, 1"
    assert given.alone_elements == given.follow_elements == UNKNOWN
    product = rows_of_product()[0]
    assert not product.legal
    assert "a matmul leaves the columns of its second tensor on the sticks" in product.why_not


def rows_of_product() -> dict[int, LayoutCandidate]:
    sketch = Sketch()
    sketch.output(sketch.matmul(sketch.input("x", S, S), sketch.input("y", S, S)))
    return rows(sketch, "matmul")


def test_weights_may_lie_in_any_way() -> None:
    sketch = Sketch()
    x, weight = sketch.input("x", S, 256), sketch.parameter("weight", 192, 256)
    sketch.output(sketch.matmul(x, transposed(weight)))
    found = rows(sketch, "weight")
    assert found[0].chosen
    assert found[0].alone_elements == 0
    assert found[1].legal
    assert found[1].alone_elements == 192 * 256


def test_bytes_count_padding() -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.input("x", 5, 100, 150)))
    found = rows(sketch, "neg")
    assert (found[2].size_bytes, found[2].padding_bytes) == (192_000, 42_000)
    assert found[1].size_bytes == 5 * 128 * 150 * 2


def test_an_unknown_buffer_is_named() -> None:
    program = attention()
    with pytest.raises(InputError, match="no such buffer"):
        layout_candidates(problem_of(program), solved(program), "scorse")


# The choice itself


def test_the_claim_tells_method_unit_and_proof() -> None:
    program = two_sums().program()
    problem = problem_of(program)
    claim = AssignLayouts()(problem, EMPTY).claims["assign-layouts"]
    assert (claim.method, claim.unit, claim.objective, claim.bound, claim.gap) == ("exact", "elements", S * S, S * S, 0)
    timed = AssignLayouts(cost="time")(problem, EMPTY).claims["assign-layouts"]
    assert timed.unit == "ns"
    assert 0 < timed.bound == timed.objective


def test_time_and_elements_may_choose_differently() -> None:
    """Two copies of short runs take longer than one large copy that reads whole bursts, although they move less."""
    problem = problem_of(many_small_against_one_large())
    elements = AssignLayouts(cost="elements")(problem, EMPTY)
    time = AssignLayouts(cost="time")(problem, EMPTY)
    assert elements.claims["assign-layouts"].objective <= price(problem, time, "elements")
    assert time.claims["assign-layouts"].objective <= price(problem, elements, "time")


def many_small_against_one_large() -> LoopProgram:
    sketch = Sketch()
    wide = sketch.input("wide", 64, 4096)
    tall = [sketch.input(f"tall{number}", 4096, 64) for number in range(2)]
    sketch.output(total(sketch, wide, *(transposed(one) for one in tall)))
    return sketch.program()


def price(problem: Problem, plan: Plan, unit: str) -> int:
    """What the copies of a plan cost in a unit."""
    scene = scene_of(problem.program, problem.device)
    ways = StickWays(scene)
    fixed = {name: ways.number(canonical(layout, scene.buffers[name])) for name, layout in plan.layouts.items()}
    found = StickSearch(problem.program, ways, StickPrices(problem.device, unit), Rules(fixed), 64).run()
    assert isinstance(found, Outcome)
    return found.objective


@pytest.mark.parametrize(
    ("option", "value"), [("method", "best"), ("cost", "bytes"), ("weights", "any"), ("copies", "all")]
)
def test_an_option_that_does_not_exist_is_refused(option: str, value: str) -> None:
    with pytest.raises(InputError, match=f"its {option} is '{value}'"):
        AssignLayouts(**{option: value})  # type: ignore[arg-type]


def test_a_beam_of_no_width_is_refused() -> None:
    with pytest.raises(InputError, match="its width is 0"):
        AssignLayouts(method="beam", width=0)


def test_a_narrow_beam_tells_how_far_it_may_be_off() -> None:
    sketch = Sketch()
    names = iter("abcdefghij")
    sums = [
        total(sketch, transposed(sketch.apply("neg", sketch.input(next(names), S, S))), sketch.input(next(names), S, S))
        for _ in range(5)
    ]
    sketch.output(total(sketch, *sums))
    problem = problem_of(sketch.program())
    narrow = AssignLayouts(method="beam", width=1)(problem, EMPTY).claims["assign-layouts"]
    exact = AssignLayouts()(problem, EMPTY).claims["assign-layouts"]
    assert narrow.bound <= exact.objective <= narrow.objective
    assert exact.bound == exact.objective
