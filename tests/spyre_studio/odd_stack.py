"""A graph view with a stack of equal layers in it, one of which is planned in another way.

Owns the plan, the view on screen, and what tests ask of its scene.  Refuses fixtures: each file has its own.
"""

from dataclasses import replace

from frozendict import frozendict
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from compiler.division import Division
from spyre_studio.selection import Selection
from spyre_studio.views.graph import GraphView
from spyre_studio.views.graph_scene import Scene
from tests.spyre_studio.hand import show
from tests.spyre_studio.large import stack
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage

LAYERS = 4
ODD = 2
"""The layer that is divided in another way."""


def odd_plan() -> Compilation:
    """A stack with one layer that is divided differently."""
    made = compiled(program=stack(LAYERS))
    inside = (op.name for op in made.problem.program.ops if op.origin.module == f"layers.{ODD}.mlp")
    wide = next(op for op in inside if made.plan.divisions[op].cores > 1)
    divisions = made.plan.divisions | {wide: Division()}
    return replace(made, plan=replace(made.plan, divisions=frozendict(divisions)))


def shown(qtbot: QtBot, stage: Stage, plan: Compilation) -> GraphView:
    """The view on screen with this plan."""
    stage.put(plan)
    selection = Selection()
    selection.retarget(plan)
    made = GraphView(stage, selection)
    selection.changed.connect(made.show_selection)
    show(qtbot, made, 1000, 700)
    return made


def scene(view: GraphView) -> Scene:
    """What is drawn."""
    assert view.canvas.scene is not None
    return view.canvas.scene


def run_box(view: GraphView) -> int:
    """The first box that stands for several equal modules."""
    return next(box for box in range(len(scene(view).titles)) if scene(view).blocks_of_box(box))


def members(view: GraphView) -> tuple[str, ...]:
    """Paths of the equal modules."""
    return view.fold.runs[0].members
