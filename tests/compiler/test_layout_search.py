"""How far the search of layouts looks: reductions in full sticks, pins that need one, graphs too wide to prove."""

import pytest
from frozendict import frozendict

from compiler.errors import StudioError
from compiler.layout_rules import default_layout
from compiler.loops import BufferKind
from compiler.passes.assign_layouts import AssignLayouts
from compiler.pins import Pins, PinState
from compiler.plan import Plan
from compiler.scene import scene_of
from compiler.stick_bound import least_cost
from compiler.stick_prices import StickPrices
from compiler.stick_ways import free_weights
from tests.compiler.layout_cases import legal, moved, solved, total
from tests.programs import problem_of, transposed
from tests.sketch import Sketch
from tests.stick_graphs import SEEDS, stick_graph

EMPTY = Plan("sketch", "spyre", 32, "")


def lesser_copy() -> Sketch:
    """a.amin(-1) + b: reduced along the stick it meets b only if b, four times as large, is copied."""
    sketch = Sketch()
    a, b = sketch.input("a", 128, 64), sketch.input("b", 256, 128)
    sketch.output(total(sketch, sketch.reduce("min", a, -1, keep=False), b))
    return sketch


def wide(branches: int) -> Sketch:
    """Sums of transposed and plain results, all alive until they are added up."""
    sketch = Sketch()
    sums = []
    for branch in range(branches):
        a, b = (sketch.apply("neg", sketch.input(f"{name}{branch}", 128, 128)) for name in "ab")
        sums.append(total(sketch, transposed(a), b))
    sketch.output(total(sketch, *sums))
    return sketch


def test_the_operand_of_a_reduction_is_copied_where_that_is_cheaper() -> None:
    program = lesser_copy().program()
    plan = solved(program)
    claim = plan.claims["assign-layouts"]
    assert moved(program, plan) == claim.objective == claim.bound == 128 * 64
    assert not plan.layouts["min"].sparse
    pinned = solved(program, Pins(layout=frozendict({"min": 0})))
    assert moved(program, pinned) == moved(program, plan)


def test_a_pin_that_needs_a_reduction_in_full_sticks_is_kept() -> None:
    """The sum over the last dim is added along dim 0, which it can be if it is not made along the stick."""
    sketch = Sketch()
    x, w = sketch.input("x", 96, 64), sketch.parameter("w", 64, 70)
    y = sketch.apply("relu", sketch.matmul(x, w))
    sketch.output(total(sketch, y, sketch.reduce("sum", x, -1)))
    plan = legal(sketch, {"add": 0})
    assert plan.pins["layout:add"].state is PinState.HONOURED
    assert plan.layouts["add"].stick_dim == 0


def test_a_pin_on_a_copy_says_what_to_pin_instead() -> None:
    sketch = lesser_copy()
    pins = Pins(layout=frozendict({"a@d0": 1, "": 0}))
    plan = solved(sketch.program(), pins)
    words = "a@d0 is a copy that the compiler makes of a, with the sticks that its reader needs; pin the result of"
    assert words in plan.pins["layout:a@d0"].detail
    assert plan.pins["layout:"].detail == "it names no buffer"


def test_a_pin_on_a_copy_of_what_the_host_fills_does_not_send_there() -> None:
    sketch = Sketch()
    a, b = sketch.input("a", 128, 64), sketch.input("b", 64, 128)
    sketch.output(total(sketch, transposed(a), b))
    detail = solved(sketch.program(), Pins(layout=frozendict({"a@d0": 1}))).pins["layout:a@d0"].detail
    assert detail.endswith("that its reader needs; pin the result of its reader (add)")


def test_a_wide_graph_ends_with_a_bound_instead_of_a_proof() -> None:
    """Every branch may end either way at the same price, so that frontiers double with each of them."""
    problem = problem_of(wide(40).program())
    claim = AssignLayouts()(problem, EMPTY).claims["assign-layouts"]
    beam = AssignLayouts(method="beam", width=16)(problem, EMPTY).claims["assign-layouts"]
    assert claim.states < 100_000
    assert 0 < claim.bound <= claim.objective <= beam.objective
    assert claim.gap < 0.5


@pytest.mark.parametrize("group", range(4))
def test_the_bound_piece_by_piece_is_never_above_the_optimum(group: int) -> None:
    """On graphs whose optimum is proved; some of them have a bound that is worth something."""
    told = 0
    for seed in SEEDS[group * 40 : group * 40 + 40]:
        graph = stick_graph(seed)
        problem = problem_of(graph.program)
        try:
            claim = AssignLayouts(weights=graph.weights)(problem, EMPTY).claims["assign-layouts"]
        except StudioError:
            continue
        scene = scene_of(graph.program, problem.device)
        weights = free_weights(graph.program, scene) if graph.weights == "free" else frozenset[str]()
        fixed = {
            buffer.name: default_layout(scene, buffer)
            for buffer in graph.program.buffers
            if buffer.kind is not BufferKind.COMPUTED and buffer.name not in weights
        }
        bound = least_cost(graph.program, scene, StickPrices(problem.device), weights, fixed)
        assert claim.objective == claim.bound >= bound
        told += bound > 0
    assert told
