"""How long it takes to verify a decoder block on the functional simulator, and what it moves.

    python -m tests.benchmarks.functional [MODEL [CORES ...]]

The model is the bundled decoder, hidden size 1024 and sequence 128, unless another is named.  Prints one line per
number of cores and pipeline: seconds of execution and judgement alone, without capture, planning and PyTorch.  A
verification on two cores of a machine is to take less than 20 s.
"""

from __future__ import annotations

import sys
import time

from tests.end_to_end.harness import compiled, model, verified

MODEL, CORES, PIPELINES = "decoder", (2, 32), ("staged", "searched")


def main(name: str, cores: tuple[int, ...]) -> None:
    """Measure and print."""
    began = time.perf_counter()
    model(name)
    print(f"{name}: captured and run in PyTorch in {time.perf_counter() - began:.1f} s")
    for count in cores:
        for pipeline in PIPELINES:
            compilation = compiled(name, count, pipeline=pipeline)
            began, busy = time.perf_counter(), time.process_time()
            report = verified(name, compilation)
            took, used = time.perf_counter() - began, time.process_time() - busy
            steps = f"{len(report.steps)} steps on {count} cores, {pipeline}"
            print(f"{steps}: {report.agreement}, {took:.1f} s ({used:.1f} s of the processor)")


if __name__ == "__main__":
    words = sys.argv[1:]
    main(words[0] if words else MODEL, tuple(map(int, words[1:])) or CORES)
