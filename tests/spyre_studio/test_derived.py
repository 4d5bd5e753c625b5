"""Derived values: made once for a plan, told apart by which plan it is, and ready when a plan was read."""

import json
from dataclasses import replace

from compiler.codec import unstructure
from compiler.compilation import Compilation
from spyre_studio.derived import Derived, schedule_of
from spyre_studio.options import CompileOptions
from spyre_studio.prepared import NEEDED
from spyre_studio.request import CompiledParts, Shared, compile_request, open_request
from tests.spyre_studio.plans import captured, compiled


class Counted:
    """A function that counts."""

    def __init__(self) -> None:
        self.made: list[Compilation] = []

    def __call__(self, compilation: Compilation) -> int:
        self.made.append(compilation)
        return len(self.made)


def test_it_is_made_once_for_a_plan() -> None:
    count = Counted()
    derived, plan = Derived(count), compiled()
    assert [derived(plan), derived(plan)] == [1, 1]


def test_an_equal_plan_is_another_one() -> None:
    derived, plan = Derived(Counted()), compiled()
    assert derived(replace(plan)) != derived(plan)


def test_the_plans_seen_last_are_known() -> None:
    count = Counted()
    derived, plan = Derived(count), compiled()
    others = [replace(plan) for _ in range(8)]
    for each in (plan, *others, others[-1]):
        derived(each)
    assert len(count.made) == 9
    derived(plan)
    assert len(count.made) == 10, "what was not asked for in a while is forgotten"


def test_a_plan_that_was_read_has_all_that_views_begin_with() -> None:
    made, model = compiled(), captured()
    request = compile_request(Shared("m", model), made.problem, CompileOptions(), None, "p")
    opened = open_request("plan.json", "p").read(plain(made))
    assert isinstance(opened, Compilation)
    for plan in (request.read(plain(CompiledParts.of(made))), opened):
        assert all(id(plan) in derive._kept for derive in NEEDED)
        assert schedule_of(plan) is schedule_of(plan)


def plain(value: object) -> object:
    """As it travels."""
    return json.loads(json.dumps(unstructure(value)))
