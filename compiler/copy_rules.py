"""Copy rules: the ways in which only a pure copy may run, with the sticks of its source and its result on two loops.

Owns what that asks of either side.  Refuses copies that would gather single values out of many sticks.
"""

from __future__ import annotations

from compiler.copies import is_pure_copy
from compiler.elementwise_rules import elementwise_options, followed_loop
from compiler.loops import LoopOp
from compiler.operands import Setting
from compiler.scene import Candidate, Layouts, Options, Scene


def pointwise_options(scene: Scene, op: LoopOp, layouts: Layouts) -> Options:
    """Candidates of a pointwise op: those of any elementwise op, then those that a pure copy has besides."""
    options = elementwise_options(scene, op, layouts)
    found = (*options.found, *_transposing(scene, op, layouts))
    return Options(found, options.obstacles)


def _transposing(scene: Scene, op: LoopOp, layouts: Layouts) -> tuple[Candidate, ...]:
    """The source stays as it is, the result has its sticks along another loop, inner loops first."""
    if not is_pure_copy(op, scene.buffers):
        return ()
    (read,), write = scene.operands(op, layouts)
    along = followed_loop(read)
    if along is None:
        return ()
    found: list[Candidate] = []
    for loop in reversed(op.loops):
        if loop.name != along and write.carries(loop.name):
            setting = Setting(loop.name, read.lanes, bool_lanes=read.lanes)
            found += [Candidate(loop.name, (layout,), (read.layout,)) for layout in scene.outputs(write, setting, ())]
    return tuple(found)
