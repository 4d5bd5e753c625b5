"""Knobs: what can be turned in a sweep, and which settings each has.

Owns the table of knobs, their usual values, and reading values that somebody wrote.  Refuses Qt, and values that the
knob cannot have, in one sentence; whether a plan can be made at a value is found out by trying.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from frozendict import frozendict

from compiler.errors import InputError
from compiler.pipelines import PIPELINES, PURPOSES, name_of, options_of
from spyre_studio.pin_tables import with_division
from spyre_studio.sweep import RESERVE, Base, Setting
from spyre_studio.units import format_bytes, format_count, format_us

if TYPE_CHECKING:
    from compiler.candidates import Candidate

CORES, LX, PIPELINE, SOLVER, MOVES, OP = "cores", "lx", "pipeline", "solver", "moves", "op"
MOST_SPLITS: Final = 8
_SHARES: Final = (10, 20, 40, 60, 80, 100)  # percent of LX
PLACE, JOIN = "place-scratchpad", "co-optimize"
PLACERS: Final = ("best-fit", "first-fit", "greedy", "annealing", "cp-sat")
JOINERS: Final = ("cp-sat", "greedy", "annealing")
USUAL: Final[Mapping[str, Mapping[str, str]]] = {
    PLACE: {"solver": "best-fit", "moves": "no"},
    JOIN: {"solver": "cp-sat", "moves": "yes"},
}
"""What the options of the passes that place buffers are where a pipeline does not say."""


_PASS: Final = re.compile(r"(?:^|,)\s*([^{,]*?)\s*(?:\{[^}]*\})?\s*(?=,|$)")
"""A pass of a pipeline, and its options in braces."""


@dataclass(frozen=True, slots=True)
class Knob:
    """`title` heads the plot; `axis` names the values; `hint` says what is turned."""

    key: str
    title: str
    axis: str
    hint: str


KNOBS: Final = (
    Knob(CORES, "Cores", "cores", "How many cores the plan may use"),
    Knob(LX, "Share of LX", "of LX", "Which share of each core's LX the plan may use; the rest is reserved"),
    Knob(PIPELINE, "Pipeline", "pipeline", "Which pipeline makes the plan"),
    Knob(SOLVER, "Solver", "solver", "Which solver of the pipeline's last search decides"),
    Knob(MOVES, "Moves", "moves", "Whether data may go over the ring, and be cloned into LX"),
    Knob(OP, "Splits of one op", "split", "The legal splits of one op that take the least time by themselves"),
)


def knob_of(name: str) -> tuple[Knob, str]:
    """The knob that a name such as `cores` or `op:NAME` means, and the op ('' for the others); InputError if none."""
    key, _, op = name.partition(":")
    found = next((one for one in KNOBS if one.key == key), None)
    if found is None or (key == OP) != bool(op):
        known = ", ".join(one.key if one.key != OP else "op:NAME" for one in KNOBS)
        raise InputError(f"knob {name}", "there is no such knob", f"use one of {known}")
    return found, op


def settings_of(
    base: Base, name: str, values: Sequence[str] = (), found: Sequence[Candidate] = ()
) -> tuple[Setting, ...]:
    """The settings of a knob in order, for these values or for the usual ones; `found` are the candidates of its op.

    InputError for a value that the knob cannot have, and for a knob that the pipeline does not have.
    """
    knob, op = knob_of(name)
    if knob.key == OP:
        made = _splits(base, op, values, found)
    else:
        make = _MAKERS[knob.key]
        made = tuple(make(base, value) for value in (values or _usual(base, knob.key)))
    twice = next((one.title for place, one in enumerate(made) if one.key in {each.key for each in made[:place]}), "")
    if twice:
        raise InputError(f"knob {name}", f"the value {twice} is given twice", "give every value once")
    return made


def fits(base: Base, key: str) -> bool:
    """True if the pipeline has the knob."""
    return key not in (SOLVER, MOVES) or bool(_placing(base.options.pipeline))


def _usual(base: Base, key: str) -> tuple[str, ...]:
    match key:
        case "cores":
            counts = {1 << power for power in range(base.full.cores.bit_length())} | {base.device.cores}
            return tuple(str(count) for count in sorted(counts | {base.full.cores}) if count <= base.full.cores)
        case "lx":
            now = round(100 * _share(base), 4)
            return tuple(f"{share:g}" for share in sorted({*map(float, _SHARES), now}))
        case "pipeline":
            own = () if name_of(base.options.pipeline) else (base.options.pipeline,)
            return (*PIPELINES, *own)
        case "solver":
            return JOINERS if _placing(base.options.pipeline) == JOIN else PLACERS
        case _:
            return ("no", "yes")


def _cores(base: Base, value: str) -> Setting:
    if not value.strip().isdecimal():
        raise InputError(f"{value} cores", "it is not a whole number", f"use 1 to {base.full.cores}")
    count, now = int(value), base.device.cores
    device = base.device if count == now else base.full if count == base.full.cores else base.full.with_cores(count)
    options = base.options
    if count != now:
        options = replace(options, cores=None if count == base.full.cores else count)
    return Setting(str(count), str(count), device, options, base.pins, count == now, hint=format_count(count, "core"))


def _share(base: Base) -> float:
    return 1.0 - base.device.number(RESERVE)


def _lx(base: Base, value: str) -> Setting:
    text = value.strip().removesuffix("%").strip()
    try:
        percent = float(text)
    except ValueError:
        percent = -1.0
    if not 0 < percent <= 100:
        raise InputError(f"{value} of LX", "it is not a share of it", "use percentages above 0 and up to 100")
    now = abs(percent / 100 - _share(base)) < 1e-9
    device = base.device if now else base.device.with_number(RESERVE, round(1 - percent / 100, 9))
    hint = f"{format_bytes(device.lx_budget_bytes)} a core"
    return Setting(f"{percent:g}", f"{percent:g} %", device, base.options, base.pins, now, hint=hint)


def _pipeline(base: Base, value: str) -> Setting:
    name = name_of(value)
    now = value == base.options.pipeline or (bool(name) and name == name_of(base.options.pipeline))
    options = base.options if now else replace(base.options, pipeline=value)
    _require_passes(value)
    hint = PURPOSES.get(name, "a pipeline of its own")
    return Setting(name or value, name or _own_name(value), base.device, options, base.pins, now, hint=hint)


def _own_name(pipeline: str) -> str:
    """A pipeline of one's own by its last pass, which is what mostly tells two of them apart."""
    *_, last = _PASS.finditer(pipeline)
    return f"own, {last.group().strip(' ,')}"


def _require_passes(pipeline: str) -> None:
    """Refuse words that are no pipeline and no passes; whether passes go together is found out by trying."""
    if pipeline in PIPELINES:
        return
    known = {found[1] for spec in PIPELINES.values() for found in _PASS.finditer(spec)}
    strange = next((found[1] for found in _PASS.finditer(pipeline) if found[1] not in known), "")
    if strange or not pipeline:
        why = f"there is no pass {strange}" if strange else "it names no pass"
        raise InputError(f"pipeline {pipeline}", why, f"use one of {', '.join(PIPELINES)}, or passes as in the README")


def _solver(base: Base, value: str) -> Setting:
    known = JOINERS if _placing(base.options.pipeline) == JOIN else PLACERS
    return _option(base, "solver", value, known)


def _moves(base: Base, value: str) -> Setting:
    return _option(base, "moves", value, ("no", "yes"))


def _option(base: Base, option: str, value: str, known: tuple[str, ...]) -> Setting:
    placing = _placing(base.options.pipeline)
    if not placing:
        raise InputError(f"knob {option}", "the pipeline places nothing in LX", "choose another knob or pipeline")
    if value not in known:
        raise InputError(f"{option} {value}", f"{placing} has no such {option}", f"use one of {', '.join(known)}")
    spec = PIPELINES.get(base.options.pipeline, base.options.pipeline)
    found = _of_pass(placing).search(spec)
    assert found is not None
    options = dict(options_of(placing, found[2] or ""))
    now = options.get(option, USUAL[placing][option]) == value
    written = " ".join(f"{key}={text}" for key, text in (options | {option: value}).items())
    changed = f"{spec[: found.start(1)]}{placing}{{{written}}}{spec[found.end() :]}"
    wanted = base.options if now else replace(base.options, pipeline=changed)
    return Setting(value, value, base.device, wanted, base.pins, now, hint=f"{option}={value} of {placing}")


_MAKERS: Final[Mapping[str, Callable[[Base, str], Setting]]] = frozendict(
    {CORES: _cores, LX: _lx, PIPELINE: _pipeline, SOLVER: _solver, MOVES: _moves}
)


def _placing(pipeline: str) -> str:
    """The pass that decides last what lies in LX, '' if none does."""
    spec = PIPELINES.get(pipeline, pipeline)
    return next((name for name in (JOIN, PLACE) if _of_pass(name).search(spec)), "")


def _of_pass(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])({name})(?![\w-])(?:\{{([^{{}}]*)\}})?")


def _splits(base: Base, op: str, values: Sequence[str], found: Sequence[Candidate]) -> tuple[Setting, ...]:
    """The best candidates by time, and the one of the plan; or the factors that somebody wrote."""
    chosen = next((one.factors for one in found if one.chosen), None)
    if values:
        return tuple(_split(base, op, _factors(op, value), chosen, "") for value in values)
    legal = [one for one in found if one.legal]
    kept = [one for place, one in enumerate(legal) if place < MOST_SPLITS or one.chosen]
    return tuple(
        _split(base, op, one.factors, chosen, f"{format_us(one.total_us)} by itself, {format_count(one.cores, 'core')}")
        for one in kept
    )


def _split(base: Base, op: str, factors: Mapping[str, int], chosen: Mapping[str, int] | None, hint: str) -> Setting:
    now = chosen is not None and dict(factors) == dict(chosen)
    pins = base.pins if now else with_division(base.pins, op, factors)
    title = " · ".join(f"{loop} {factor}" for loop, factor in factors.items()) or "one core"
    key = ",".join(f"{loop}={factor}" for loop, factor in factors.items())
    return Setting(key or "one", title, base.device, base.options, pins, now, near=True, hint=hint)


def _factors(op: str, value: str) -> frozendict[str, int]:
    """`m=8,n=4` as factors; `one` is one core."""
    if value.strip() == "one":
        return frozendict()
    parts = [part.partition("=") for part in value.replace(" ", "").split(",")]
    if not all(loop and sign and factor.isdecimal() and int(factor) for loop, sign, factor in parts):
        raise InputError(f"split {value} of {op}", "it is not written as loops with factors", "write it as m=8,n=4")
    return frozendict((loop, int(factor)) for loop, _, factor in parts if int(factor) > 1)


def setting_words(name: str, one: Setting) -> str:
    """A setting in words. Examples: '8 cores', '40 % of LX', 'pipeline searched', 'gate_proj m 8 · n 4'."""
    key, _, op = name.partition(":")
    match key:
        case "cores":
            return one.hint
        case "lx":
            return f"{one.title} of LX"
        case "op":
            return f"{op.replace('/', '.').rpartition('.')[2] or op} {one.title}"
        case _:
            return f"{key} {one.title}"
