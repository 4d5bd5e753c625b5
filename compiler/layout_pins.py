"""Layout pins: which of them can be tried at all.

Owns the objections that need no search: a name nobody has, a dim that is none, a buffer that the host fills.  Refuses
to say whether an op can keep a pin: that is found out by the search.
"""

from __future__ import annotations

from frozendict import frozendict

from compiler.layout_rules import default_layout
from compiler.loops import BufferKind
from compiler.pinning import nearest, refused
from compiler.pins import PinState, PinStatus
from compiler.problem import Problem
from compiler.scene import Scene

NAMED = 3


def usable_pins(
    problem: Problem, scene: Scene, free: frozenset[str]
) -> tuple[frozendict[str, int], dict[str, PinStatus]]:
    """Pins worth trying, and the status of the others; `free` weights are laid out as the plan likes."""
    usable: dict[str, int] = {}
    status: dict[str, PinStatus] = {}
    for name, dim in problem.pins.layout.items():
        why = _objection(name, dim, scene, free)
        if why:
            status[f"layout:{name}"] = refused(why)
        elif scene.buffers[name].kind is not BufferKind.COMPUTED and name not in free:
            status[f"layout:{name}"] = PinStatus(PinState.HONOURED)
        else:
            usable[name] = dim
    return frozendict(usable), status


def _of_a_copy(name: str, source: str, scene: Scene, free: frozenset[str]) -> str:
    """What to pin instead of a copy: what it is made of, unless the host fills that, or what its reader writes."""
    able = scene.buffers[source].kind is BufferKind.COMPUTED or source in free
    results = list(dict.fromkeys(op.write.buffer for op in scene.readers.get(source, ())))
    told = f" ({', '.join(results[:NAMED])}{', ...' if len(results) > NAMED else ''})" if results else ""
    instead = f"pin {f'{source} or ' if able else ''}the result of its reader{told}"
    return f"{name} is a copy that the compiler makes of {source}, with the sticks that its reader needs; {instead}"


def _objection(name: str, dim: object, scene: Scene, free: frozenset[str]) -> str:
    """Why a pin cannot even be tried; `dim` may be anything a pins file holds."""
    source = name.partition("@")[0]
    if name not in scene.buffers and source in scene.buffers and source != name:
        return _of_a_copy(name, source, scene, free)
    if not name:
        return "it names no buffer"
    if name not in scene.buffers:
        return f"there is no buffer {name}{nearest(name, scene.buffers)}"
    buffer = scene.buffers[name]
    rank = len(buffer.shape)
    if isinstance(dim, bool) or not isinstance(dim, int):
        return f"the stick dim of {name} is {dim!r}, not a whole number"
    if not 0 <= dim < rank:
        dims = f"its dims are 0 to {rank - 1}" if rank else "it has no dims"
        return f"{name} has no dim {dim}; {dims}"
    if buffer.kind is BufferKind.COMPUTED or name in free:
        unused = buffer.kind is not BufferKind.COMPUTED and name not in scene.readers
        return f"no op reads {name}" if unused else ""
    present = default_layout(scene, buffer).stick_dim
    if dim != present:
        return f"{name} is filled by the host, which cuts its last dim, {present}; pin a tensor computed from it"
    return ""
