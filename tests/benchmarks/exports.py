"""How long exports of a large model take: `python -m tests.benchmarks.exports [SPEC]`.

Plans a stack of decoder layers (`staged`) and writes it in every format: seconds by wall and by processor, bytes
on disk, and the peak of the process's memory beyond what was in use before.  Ends with 1 above the limit.  Default: 40
layers of hidden size 4096 on 32 cores.  On a busy machine only the processor's seconds tell.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from compiler.device import load_device
from compiler.emit import FORMATS, ready
from compiler.graph import ModelGraph
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from spyre_studio.export_file import write_export
from tests.benchmarks.layouts import captured
from tests.benchmarks.timing import resource_mib
from tests.benchmarks.window_times import calibration

SPEC = "decoder_stack?layers=40&hidden=4096"
SECONDS = 20.0


def main(words: list[str]) -> int:
    """Plan, write; 1 if a format took longer than the limit."""
    loops = captured(words[0] if words else SPEC)
    plan = compile_problem(ModelGraph(loops.name, (), (), ()), Problem(loops, load_device("spyre")), pipeline="staged")
    print(f"calibration {calibration():.0f} ms; {resource_mib():,.0f} MiB with the plan")
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name in FORMATS:
            before, wall, processor = resource_mib(), time.perf_counter(), time.process_time()
            place = Path(folder) / name
            chosen = {"ops": "all"} if name == "hints" else {}
            write_export(ready(plan, name, chosen), str(place), partial=True)
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            files = [path for path in (place, *place.rglob("*")) if path.is_file()]
            size_mib = sum(path.stat().st_size for path in files) / 2**20
            grown = resource_mib() - before
            print(
                f"{name:<14} {wall:6.2f} s, processor {processor:6.2f} s; {size_mib:8.1f} MiB in {len(files):,} files; "
                f"memory {grown:,.0f} MiB",
                flush=True,
            )
            slowest = max(slowest, processor)
    print(f"slowest {slowest:.1f} s of {SECONDS:.0f}")
    return int(slowest > SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
