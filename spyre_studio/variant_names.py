"""Names for variants that nobody has thought of yet: what differs from the variant it comes from, in a few words.

Owns the words.  Refuses to be unique: `Variants.free_name` makes it so.  Refuses Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from compiler.pins import Pins
from compiler.pipelines import name_of
from spyre_studio.sweep import RESERVE
from spyre_studio.units import format_count
from spyre_studio.variant import Variant
from spyre_studio.views.graph_model import factors_text

_TOLD = 2
_PLACES = {"lx": "in LX", "hbm": "in device memory"}


def proposed_name(now: Variant, before: Variant | None) -> str:
    """What `now` does that `before` does not. Examples: 'matmul m 32', 'exp in LX, 8 cores', 'no pins'."""
    found = [*_pins(now.pins, before.pins if before else Pins()), *_options(now, before)]
    if not found:
        return f"{before.name} again" if before else "variant"
    more = len(found) - _TOLD
    return ", ".join(found[:_TOLD]) + (f" and {format_count(more)} more" if more > 0 else "")


def _pins(now: Pins, before: Pins) -> Iterator[str]:
    if not now and before:
        yield "no pins"
        return
    new, old = dict(_words(now)), dict(_words(before))
    yield from (words for key, words in new.items() if old.get(key) != words)
    yield from (f"{key.partition(':')[2]} free" for key in old if key not in new)


def _words(pins: Pins) -> Iterator[tuple[str, str]]:
    """Key and words of every pin, the last pinned first."""
    for key in reversed(pins.keys):
        kind, _, name = key.partition(":")
        yield key, f"{_short(name)} {_WORDS[kind](pins, name)}"


def _short(name: str) -> str:
    return name.replace("/", ".").rpartition(".")[2] or name


_WORDS: Mapping[str, Callable[[Pins, str], str]] = {
    "division": lambda pins, name: factors_text(pins.division[name]),
    "layout": lambda pins, name: f"sticks of d{pins.layout[name]}",
    "placement": lambda pins, name: _PLACES.get(pins.placement[name], pins.placement[name]),
    "tiles": lambda pins, name: f"tiles {factors_text(pins.tiles[name])}",
    "order": lambda pins, name: "dims " + ", ".join(map(str, pins.order[name])),
    "same": lambda pins, name: f"as {_short(pins.same[name])}",
    "relayout": lambda pins, name: "over the ring" if pins.relayout[name] == "ring" else "not over the ring",
}


def _options(now: Variant, before: Variant | None) -> Iterator[str]:
    if before is None:
        return
    if now.device.name != before.device.name:
        yield now.device.name
    if now.device.name == before.device.name and now.device.number(RESERVE) != before.device.number(RESERVE):
        yield f"{100 - 100 * now.device.number(RESERVE):g} % of LX"
    if now.device.cores != before.device.cores:
        yield format_count(now.device.cores, "core")
    if now.options.pipeline != before.options.pipeline:
        yield name_of(now.options.pipeline) or "own pipeline"
    if now.options.seconds != before.options.seconds:
        yield "no time limit" if now.options.seconds is None else f"{now.options.seconds:g} s"
