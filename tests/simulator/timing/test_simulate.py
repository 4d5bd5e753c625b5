"""The laws of traces on compiled programs, equal runs, and what simulating refuses."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from compiler.codec import to_json
from compiler.device import Device, load_device
from compiler.errors import InputError, StoppedError
from compiler.machine import NO_MACHINE
from compiler.program import Program
from resources.examples import NAMES
from simulator.perfetto import Detail, write_events
from simulator.timing.engine import run
from simulator.timing.simulate import CLOCK, WORK, simulate, trace_of
from simulator.timing.timeline import Cause
from simulator.timing.work_of import work_of
from simulator.trace_file import save_trace
from tests.simulator.test_compiled_moves import compiled as moved
from tests.simulator.test_compiled_programs import compiled
from tests.simulator.timing.example_runs import PIPELINES, planned, ran
from tests.simulator.timing.trace_laws import every_trace

ROOT = Path(__file__).parents[3]
SCRIPT = """
import io, sys
from pathlib import Path
from compiler.codec import from_json
from compiler.compilation import Compilation
from simulator.perfetto import Detail, write_events
from simulator.timing.simulate import simulate
from simulator.trace_file import save_trace
made = from_json(Compilation, Path(sys.argv[1]).read_text("utf-8"))
trace = simulate(made.program, made.problem.device)
save_trace(trace, Path(sys.argv[2]))
with Path(sys.argv[3]).open("w", encoding="utf-8") as file:
    write_events(trace, file, Detail.TILES)
"""


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("cores", [1, 3, 4, 32])
@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str, cores: int, pipeline: str) -> None:
    made = planned(name, cores, pipeline)
    every_trace(made.program, *ran(name, cores, pipeline), made.problem.device)


def keeps_the_laws(program: Program, device: Device) -> bool:
    """Simulates a program; True if that took any time."""
    timeline = run(program, work_of(program, device), device)
    if timeline.total_ns > 0:
        every_trace(program, timeline, trace_of(program, device, timeline), device)
    return timeline.total_ns > 0


def test_random_programs() -> None:
    seen = 0
    for seed in range(40):
        program = compiled(seed)[1]
        if program:
            seen += keeps_the_laws(program, load_device("sample") if seed % 2 else load_device("spyre").with_cores(8))
    assert seen > 20


def test_random_programs_with_moves() -> None:
    made = [plan for plan in map(moved, range(40)) if plan]
    assert sum(keeps_the_laws(plan.program, plan.problem.device) for plan in made) > 20


def test_one_buffer_and_a_launch_that_takes_time() -> None:
    made = planned("convnet", 4, "staged")
    device = made.problem.device.with_number("transfer_buffers", 1)
    assert keeps_the_laws(made.program, device)
    slow = simulate(made.program, device.with_number("kernel_launch_ns", 500))
    gaps = [kernel.start_ps for kernel in slow.kernels]
    assert gaps[0] == slow.critical[0].start_ps == 500_000
    assert (
        simulate(made.program, made.problem.device).total_ps < simulate(made.program, device).total_ps < slow.total_ps
    )


def test_two_runs_are_equal_byte_by_byte_whatever_the_hashes(tmp_path: Path) -> None:
    made = planned("decoder", 32, "co-optimized")
    trace = ran("decoder", 32, "co-optimized")[1]
    save_trace(trace, tmp_path / "here.npz")
    told = io.StringIO()
    write_events(trace, told, Detail.TILES)
    (tmp_path / "plan.json").write_text(to_json(made), encoding="utf-8")
    for seed in ("1", "2"):
        words = [sys.executable, "-c", SCRIPT, *(str(tmp_path / name) for name in ("plan.json", "run.npz", "run.json"))]
        subprocess.run(words, check=True, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed})
        assert (tmp_path / "run.npz").read_bytes() == (tmp_path / "here.npz").read_bytes()
        assert (tmp_path / "run.json").read_text("utf-8") == told.getvalue()
    assert json.loads(told.getvalue())["otherData"]["model"] == "decoder"


def test_the_host_takes_as_long_as_its_tensors_take_to_pass_the_port() -> None:
    """A custom operator on 64 x 256 fp16: 32 KiB there and 32 KiB back at the rate of device memory."""
    made = planned("C05", 4, "staged")
    timeline, trace = ran("C05", 4)
    every_trace(made.program, timeline, trace, made.problem.device)
    (step,) = (number for number, work in enumerate(timeline.work) if work.on_host)
    host = [(one.way, one.write, one.moved, one.delivered) for one in trace.traffic if one.step == step]
    assert host == [("host", False, 32768, 32768), ("host", True, 32768, 32768)]
    rate = made.problem.device.number("hbm_one_way_bytes_per_ns")
    took = trace.runs.end_ps[step] - trace.runs.start_ps[step]
    assert took.tolist() == [pytest.approx(65536 / rate * 1000, abs=1)] * 4


def test_progress_is_told_and_a_run_can_be_ended() -> None:
    made, told = planned("decoder", 4, "staged"), list[tuple[float, str]]()
    simulate(made.program, made.problem.device, progress=lambda share, step: told.append((share, step)))
    assert [share for share, _ in told] == sorted(share for share, _ in told)
    steps = ran("decoder", 4)[1].steps
    assert [told.count((share, steps[-1])) for share in (WORK, CLOCK)] == [1, 1]
    assert told[-1] == (1.0, "the critical path")
    with pytest.raises(StoppedError):
        simulate(made.program, made.problem.device, stopped=lambda: True)


def test_a_run_can_be_ended_in_each_of_its_parts() -> None:
    """While steps are worked out, while they run, and while the trace is read off; each part asks after every step."""
    made = planned("decoder", 4, "staged")
    program, device = made.program, made.problem.device
    timeline, trace = ran("decoder", 4)
    for part in (
        lambda stopped: work_of(program, device, stopped=stopped),
        lambda stopped: run(program, timeline.work, device, stopped=stopped),
        lambda stopped: trace_of(program, device, timeline, stopped=stopped),
    ):
        for late in (0, len(trace.steps) - 1):
            asked = iter([*[False] * late, True])
            with pytest.raises(StoppedError):
                part(lambda asked=asked: next(asked))
    shares: list[float] = []

    def late_enough() -> bool:
        return bool(shares) and shares[-1] > CLOCK

    with pytest.raises(StoppedError):
        simulate(program, device, progress=lambda share, _: shares.append(share), stopped=late_enough)
    assert CLOCK < shares[-1] < 1


def test_a_device_without_a_machine_is_refused_in_one_sentence() -> None:
    made = planned("softmax", 4, "staged")
    with pytest.raises(InputError, match="machine") as refused:
        simulate(made.program, replace(made.problem.device, machine=NO_MACHINE))
    assert "\n" not in str(refused.value)


def test_another_device_than_the_program_s_is_refused() -> None:
    made = planned("softmax", 4, "staged")
    with pytest.raises(InputError, match="compiled for spyre"):
        simulate(made.program, load_device("sample"))


def test_what_bounds_the_softmax_is_device_memory() -> None:
    """All of x comes from device memory and all of y goes there: 1 MiB each way at 150 B/ns takes 14 us at least."""
    trace = ran("softmax")[1]
    moved_bytes = sum(one.moved for one in trace.traffic if one.way in {"own", "shared", "replicated"})
    assert trace.total_us > moved_bytes / 150_000
    assert Cause.MEMORY in trace.runs.bound
    assert np.count_nonzero(trace.runs.start_ps[0] >= 0) == 32
