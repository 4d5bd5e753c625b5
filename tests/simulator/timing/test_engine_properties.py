"""What holds for every run: nobody overtakes, nothing is lost, the memory never serves more than it can."""

import time
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.timing.jobs import Jobs, Kind
from simulator.timing.timeline import Cause, Timeline
from simulator.timing.work import Hop, OpWork
from tests.simulator.timing.clock_cases import RATE, Act, act, device_of, on_host, parts_sent, timed

CORES = 4
TIMES = st.one_of(st.just(0.0), st.floats(0.5, 500))
Kernels = list[list[Act]]


@st.composite
def plain_steps(draw: st.DrawFn, name: str = "a") -> Act:
    """A step with anything but the ring; its partial results go up one by one."""
    cores = draw(st.lists(st.integers(0, CORES - 1), min_size=1, max_size=CORES, unique=True))

    def each(values: st.SearchStrategy[float]) -> list[float]:
        return [draw(values) for _ in cores]

    hops = tuple(Hop(a, b, draw(TIMES)) for a, b in pairwise(sorted(cores))) if draw(st.booleans()) else ()
    tensors = st.lists(st.sampled_from("rst"), max_size=2, unique=True)
    return act(
        name,
        cores,
        read=each(TIMES),
        write=each(TIMES),
        own=each(TIMES),
        tiles=each(st.integers(1, 6)),
        delivery=each(TIMES),
        load=each(TIMES),
        store=each(TIMES),
        read_share=each(st.floats(0, 1)),
        write_share=each(st.floats(0, 1)),
        hops=hops,
        reads=tuple(draw(tensors)),
        writes=tuple(draw(tensors)),
    )


@st.composite
def ring_steps(draw: st.DrawFn, name: str) -> Act:
    cores = st.integers(0, CORES - 1)
    parts = draw(st.lists(st.tuples(cores, cores, st.integers(1, 10**5)), min_size=1, max_size=6))
    members = sorted({target for _, target, _ in parts})
    return act(name, members, ring=[draw(TIMES) for _ in members], fragments=parts_sent(*parts))


@st.composite
def programs(draw: st.DrawFn) -> Kernels:
    """Some kernels of some steps."""
    kernels: Kernels = []
    for kernel in range(draw(st.integers(1, 2))):
        names = [f"k{kernel}s{step}" for step in range(draw(st.integers(0, 5)))]
        kinds = (plain_steps, plain_steps, ring_steps)
        steps = [draw(draw(st.sampled_from(kinds))(name)) for name in names]
        if draw(st.booleans()):
            steps.append(on_host(f"k{kernel}host", draw(st.integers(0, 10**5))))
        kernels.append(steps)
    return kernels


def same(one: Timeline, other: Timeline) -> bool:
    """Whether two timelines are equal byte by byte."""
    names = [field.name for field in fields(Timeline) if field.name not in ("work", "cores", "total_ns")]
    columns = ((getattr(one, name), getattr(other, name)) for name in names)
    return one.total_ns == other.total_ns and all(a.tobytes() == b.tobytes() for a, b in columns)


def shuffled(work: OpWork, order: Sequence[int]) -> OpWork:
    """The same work with its cores listed in another order."""
    if not len(work.cores):
        return work
    rows = list(order)
    return replace(
        work,
        cores=work.cores[rows],
        tiles=work.tiles[rows],
        read_ns=work.read_ns[rows],
        write_ns=work.write_ns[rows],
        read_share=work.read_share[rows],
        write_share=work.write_share[rows],
        floor_ns=work.floor_ns[rows],
        delivery_ns=work.delivery_ns[rows],
        ring_ns=work.ring_ns[rows],
        stages=tuple(replace(one, bytes=one.bytes[rows], busy=one.busy[rows]) for one in work.stages),
    )


@given(programs(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_two_runs_are_equal_in_whatever_order_cores_are_listed(kernels: Kernels, chance: Random) -> None:
    again = [
        [
            replace(step, work=shuffled(step.work, sorted(range(len(step.work.cores)), key=lambda _: chance.random())))
            for step in kernel
        ]
        for kernel in kernels
    ]
    assert same(timed(*kernels, cores=CORES), timed(*again, cores=CORES))


@given(programs())
@settings(max_examples=60, deadline=None)
def test_nobody_begins_before_what_it_needs_has_ended(kernels: Kernels) -> None:
    found = timed(*kernels, cores=CORES)
    marks = (found.ready, found.start, found.filled, found.steady, found.computed, found.computed + found.wait)
    part = found.start >= 0
    for mark, next_mark in pairwise((*marks, found.end)):
        assert (mark[part] <= next_mark[part] + 1e-9).all()
    steps = [(number, step) for number, kernel in enumerate(kernels) for step in kernel]
    for later, (kernel, step) in enumerate(steps):
        for earlier, (other, before) in enumerate(steps[:later]):
            clash = {*before.writes} & {*step.reads, *step.writes} or {*before.reads} & {*step.writes}
            if not part[later].any() or not part[earlier].any():
                continue
            first = found.start[later][part[later]].min()
            if clash or kernel != other or before.work.on_host or step.work.on_host:
                assert first >= found.end[earlier].max()
            both = part[later] & part[earlier]
            assert (found.start[later][both] >= found.end[earlier][both]).all()


@given(programs())
@settings(max_examples=60, deadline=None)
def test_whoever_is_waited_for_ends_when_the_wait_does(kernels: Kernels) -> None:
    found = timed(*kernels, cores=CORES)
    for step, core in zip(*np.nonzero(found.start >= 0), strict=True):
        cause, by = found.cause[step, core], (found.by_step[step, core], found.by_core[step, core])
        assert (cause in (Cause.PRODUCER, Cause.PARTNER)) == (found.start[step, core] > found.ready[step, core])
        assert cause in (Cause.NOTHING, Cause.ORDER, Cause.PRODUCER, Cause.PARTNER, Cause.LAUNCH)
        assert found.start[step, core] == (found.end[by] if cause != Cause.NOTHING else 0.0)
        assert (cause == Cause.ORDER) <= (by[1] == core)


@given(programs())
@settings(max_examples=60, deadline=None)
def test_no_step_is_faster_than_alone(kernels: Kernels) -> None:
    found = timed(*kernels, cores=CORES)
    part = found.start >= 0
    took = (found.end - found.start)[part]
    assert (took >= found.alone_ns[part] * (1 - 1e-6)).all()
    assert ((found.bound[part] != Cause.NOTHING) == (took > 0)).all()
    assert found.total_ns == max(found.end.max(initial=0), 0)


@given(programs())
@settings(max_examples=60, deadline=None)
def test_a_core_s_own_movers_are_never_faster_than_they_are(kernels: Kernels) -> None:
    """What a stretch of loading or storing moves is its part of the mover's whole time, at least."""
    found = timed(*kernels, cores=CORES)
    for place, work in enumerate(found.work):
        late = np.isin(work.cores, [hop.target for hop in work.hops])
        start, filled, steady, computed, end, read_end, write_end, wait = (
            column[place, work.cores]
            for column in (
                *(found.start, found.filled, found.steady, found.computed, found.end),
                *(found.read_end, found.write_end, found.wait),
            )
        )
        for stage in work.stages:
            moved = stage.busy if stage.read else np.where(work.write_ns > 0, stage.busy, 0)
            each, tiles = moved / work.tiles, work.tiles
            if stage.read:
                stretches = [(filled - start, each), (read_end - filled, each * (tiles - 1))]
            else:
                early = np.where(late, 0, each)
                stretches = [(write_end - filled, early * np.maximum(0, tiles - 2))]
                stretches += [(computed - steady, early * np.minimum(1, tiles - 1))]
                stretches += [(end - computed - wait, np.where(late, each * tiles, each))]
            for took, least in stretches:
                assert (took >= least * (1 - 1e-6) - 1e-6).all()


@given(plain_steps())
@settings(max_examples=60, deadline=None)
def test_on_one_core_alone_is_what_it_takes(step: Act) -> None:
    work = shuffled(step.work, [0])
    found = timed([Act(replace(work, hops=()))], cores=CORES)
    assert found.total_ns == pytest.approx(float(found.alone_ns.max()), rel=1e-8)


class Ledger:
    """Writes down what runs between two events."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.served = np.zeros((len(Kind), CORES))
        self.loads: list[float] = []
        advance = Jobs.advance

        def noted(jobs: Jobs) -> list[tuple[Kind, int]]:
            running = np.isfinite(jobs._left)
            before = jobs.now
            ended = advance(jobs)
            paces = jobs._paces * running
            self.served += (paces * (jobs.now - before)).reshape(self.served.shape)
            self.loads.append(float(paces.reshape(self.served.shape)[:2].sum()))
            return ended

        patch.setattr(Jobs, "advance", noted)


@given(programs())
@settings(max_examples=60, deadline=None)
def test_all_that_is_asked_for_is_served_and_never_more_at_a_time_than_there_is(kernels: Kernels) -> None:
    with pytest.MonkeyPatch.context() as patch:
        ledger = Ledger(patch)
        timed(*kernels, cores=CORES)
    asked = np.zeros((2, CORES))
    for step in (step.work for kernel in kernels for step in kernel if not step.work.on_host):
        asked[0, step.cores] += step.read_ns
        asked[1, step.cores] += step.write_ns
    assert ledger.served[:2] == pytest.approx(asked, rel=1e-6, abs=1e-6)
    assert max(ledger.loads, default=0.0) <= 1 + 1e-9


@given(programs())
@settings(max_examples=60, deadline=None)
def test_no_stretch_of_time_serves_more_than_its_length(kernels: Kernels) -> None:
    """Between any two marks: the services of what began and ended within it, read off the marks alone."""
    found = timed(*kernels, cores=CORES)
    spans: list[tuple[float, float, float]] = []
    for place, work in enumerate(found.work):
        late = {hop.target for hop in work.hops}
        for entry, core in enumerate(work.cores.tolist()):
            read, write, tiles = (float(column[entry]) for column in (work.read_ns, work.write_ns, work.tiles))
            at = {name: float(getattr(found, name)[place, core]) for name in ("start", "filled", "steady", "computed")}
            read_end, write_end, end = (float(c[place, core]) for c in (found.read_end, found.write_end, found.end))
            spans += [
                (at["start"], at["filled"], read / tiles),
                (at["filled"], read_end, read * (tiles - 1) / tiles),
                (at["filled"], write_end, 0 if core in late else write * max(0, tiles - 2) / tiles),
                (at["steady"], at["computed"], 0 if core in late else write * min(1, tiles - 1) / tiles),
                (at["computed"] + float(found.wait[place, core]), end, write if core in late else write / tiles),
            ]
    for begin in {low for low, _, _ in spans}:
        for end in {high for _, high, _ in spans if high > begin}:
            served = sum(amount for low, high, amount in spans if low >= begin and high <= end)
            assert served <= (end - begin) * (1 + 1e-6) + 1e-6


@given(TIMES, TIMES, TIMES, TIMES, st.integers(1, 6), st.integers(1, CORES), st.floats(1, 4))
@settings(max_examples=100, deadline=None)
def test_more_bandwidth_makes_no_single_step_slower(
    read: float, write: float, own: float, delivery: float, tiles: int, cores: int, faster: float
) -> None:
    """On equal cores.  Where they differ, one that gets into the way of another earlier can cost a few thousandths, as
    in every schedule that nobody plans."""

    def took(scale: float) -> float:
        reads, writes = read / scale, write / scale
        step = act("a", range(cores), read=reads, write=writes, own=own, delivery=delivery, tiles=tiles)
        device = device_of(CORES, hbm_one_way_bytes_per_ns=RATE * scale)
        return timed([step], cores=CORES, device=device).total_ns

    assert took(faster) <= took(1) * (1 + 1e-6)


def chain(steps: int, cores: int, loads: int) -> list[Act]:
    """Steps of different work on groups of cores; each fourth one hands on through device memory."""
    chance = np.random.default_rng(steps)
    made = []
    for step in range(steps):
        read, write, own = (np.resize(chance.uniform(100, 2000, loads) / cores, cores).tolist() for _ in range(3))
        written = f"t{step + 1}" if step % 4 == 0 else f"lx_t{step + 1}"
        each = act(f"s{step}", range(cores), read=read, write=write, own=own, tiles=8)
        made.append(replace(each, reads=(f"t{step}",), writes=(written,)))
    return made


def test_cores_that_all_differ_do_not_take_long() -> None:
    steps = chain(200, 32, 32)
    began = time.process_time()
    found = timed(steps, cores=32)
    assert time.process_time() - began < 3
    assert found.total_ns > sum(step.work.read_ns.sum() + step.work.write_ns.sum() for step in steps)


def test_equal_cores_end_together() -> None:
    """Not one of 32 cores runs ahead, in 40 steps that share the memory."""
    found = timed(chain(40, 32, 1), cores=32)
    assert (np.ptp(found.end, axis=1) == 0).all()
