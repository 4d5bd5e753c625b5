"""Why not: every buffer outside LX, with what it would save there, why it is not, and what would change that.

Owns: the traffic of a buffer in bytes, which orders the list. Refuses: Qt, times, and any judgement of the plan.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from compiler.compilation import Compilation
from compiler.cost.setting import Setting, kernels, setting_of
from compiler.loops import BufferKind
from compiler.plan import Spilled
from compiler.reasons import REASONS
from spyre_studio.derived import Derived, schedule_of


@dataclass(frozen=True, slots=True)
class WhyNot:
    """A buffer in device memory.  `saves`: bytes from and to device memory that it would save in LX; `size`: bytes of
    the whole buffer.  `title`, `sentence` and `remedy` are those of the reason, `detail` has the figures behind it."""

    buffer: str
    saves: int
    size: int
    code: str
    title: str
    detail: str
    sentence: str
    remedy: str
    producer: str


@dataclass(slots=True)
class Traffic:
    """What is moved of one buffer, in bytes: written, loaded by all steps, and loaded once."""

    producer: str = ""
    written: int = 0
    loaded: int = 0
    once: int = 0


@Derived
def why_not_of(compilation: Compilation) -> tuple[WhyNot, ...]:
    """The buffers outside LX, those first that would save most."""
    schedule, plan = schedule_of(compilation), compilation.plan
    moved, outputs = traffic_of(compilation), {view.buffer for view in schedule.outputs}
    found = []
    for name, place in plan.placement.items():
        if isinstance(place, Spilled):
            reason, traffic = REASONS[place.code], moved.get(name, Traffic())
            saves = _saved(traffic, schedule.buffers[name].kind is BufferKind.COMPUTED, name in outputs)
            words = (reason.title, place.detail, reason.sentence, reason.remedy)
            size = plan.layouts[name].size_bytes
            found.append(WhyNot(name, saves, size, str(place.code), *words, traffic.producer))
    return tuple(sorted(found, key=lambda one: -one.saves))


def _saved(traffic: Traffic, computed: bool, output: bool) -> int:
    """An input is loaded once all the same, an output is written all the same; who is never read saves nothing."""
    if not computed:
        return traffic.loaded - traffic.once
    return traffic.loaded + (0 if output or not traffic.loaded else traffic.written)


def traffic_of(compilation: Compilation) -> dict[str, Traffic]:
    """What each buffer outside LX causes, as it is priced: what a kernel does not write itself it loads once, or as
    often as the step does that needs it most often (facts 6.1)."""
    setting = setting_of(compilation.problem, compilation.plan)
    found: defaultdict[str, Traffic] = defaultdict(Traffic)
    for _, run in kernels(compilation.plan, setting.schedule):
        inside, shared = setting.written(run), defaultdict[str, list[int]](list)
        for name in run:
            for buffer, size in _step(setting, name, found).items():
                shared[buffer].append(size)
        for buffer, sizes in shared.items():
            most = max(setting.layouts[buffer].size_bytes, *sizes)
            found[buffer].loaded += sum(sizes) if buffer in inside else min(sum(sizes), most)
    return dict(found)


def _step(setting: Setting, name: str, found: dict[str, Traffic]) -> dict[str, int]:
    """Bytes that a step loads of each buffer; what it writes goes into `found`."""
    draft = setting.draft(setting.schedule.step_map[name])
    loads = defaultdict[str, int](int)
    once = defaultdict[str, int](int)
    for load in draft.parts.loads:
        loads[draft.names[load.place]] += load.size_bytes * load.loads
        once[draft.names[load.place]] += load.size_bytes
    for buffer, size in once.items():
        found[buffer].once = max(found[buffer].once, size)
    for store in draft.parts.stores:
        traffic = found[draft.names[store.place]]
        traffic.producer, traffic.written = name, traffic.written + store.size_bytes
    return loads
