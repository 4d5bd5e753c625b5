"""Long problems whose blocks are as short as they can be, and searches that are not to be worse than beams."""

import pytest

from compiler.solvers.joint import exact
from compiler.solvers.joint.exact import search
from compiler.solvers.joint.faults import faults
from compiler.solvers.joint.greedy import greedy
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import JointProblem
from tests.compiler.joint.random_joint import random_joint


@pytest.mark.parametrize("ends", [(0, 1, 2, 6), (0, 5, 6), (0, 1, 6), (0, 1, 2, 3, 4, 5, 6)])
@pytest.mark.parametrize("early", [0, 400])
def test_blocks_of_a_single_task_have_windows(
    monkeypatch: pytest.MonkeyPatch, ends: tuple[int, ...], early: int
) -> None:
    def cuts(_problem: JointProblem) -> tuple[int, ...]:
        return ends

    monkeypatch.setattr(exact, "SHORT", 1)
    monkeypatch.setattr(exact, "EARLY", early)
    monkeypatch.setattr(exact, "cuts", cuts)
    for seed in range(2):
        problem = random_joint(seed, 6, plain=True)
        found = search(problem, [trivial(problem)], 10.0, 0, lambda _objective, _bound: False)
        assert found is not None
        assert faults(problem, found.answer) == []
        beams = greedy(problem)
        assert beams is not None
        assert price_us(problem, found.answer) <= price_us(problem, beams) + 1e-6
        assert found.bound_us <= found.objective_us + 1e-6
