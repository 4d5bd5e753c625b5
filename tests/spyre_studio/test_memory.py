"""Memory: many rounds of open, re-solve, undo, keep and simulate leave no more behind than a few of them.

The rounds stand in story_memory.py, which runs as a process of its own; `python -m tests.benchmarks.memory` does two
hundred of them.  The first half warms up: caches that are bounded fill, and the allocator takes what it will reuse.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROUNDS, TIMEOUT_S = 24, 300
MOST_MB = 12.0  # in half of the rounds; a single plan kept in each of them would be more
PLANS = 24  # of one model, which a session knows at most beside those of its variants


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    folder = str(tmp_path_factory.mktemp("rounds"))
    command = [sys.executable, "-m", "tests.spyre_studio.story_memory", folder, str(ROUNDS)]
    done = subprocess.run(
        command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, object]] = json.loads(done.stdout)
    assert [one["rounds"] for one in found] == [6, 12, 18, 24]
    return found


@pytest.mark.parametrize("process", ["window_mb", "worker_mb"])
def test_neither_process_grows(held: list[dict[str, object]], process: str) -> None:
    middle, last = (float(str(held[at][process])) for at in (1, 3))
    assert last - middle < MOST_MB, held


@pytest.mark.parametrize("what", ["children", "widgets"])
def test_no_more_objects_of_qt(held: list[dict[str, object]], what: str) -> None:
    counts = [int(str(one[what])) for one in held[1:]]
    assert max(counts) - min(counts) <= 20, held


def test_values_of_models_that_were_left_are_gone(held: list[dict[str, object]]) -> None:
    for kind, most in (("LoopProgram", 8), ("MainWindow", 1), ("Workbench", 1)):
        counts = [one["objects"][kind] for one in held]  # type: ignore[index]
        assert max(counts) <= most, (kind, counts)
    assert all(int(str(one["plans"])) <= PLANS for one in held)


def test_files_of_simulated_runs_are_gone(held: list[dict[str, object]]) -> None:
    assert [one["files"] for one in held] == [0, 0, 0, 0]


def test_nothing_is_held_of_qt_that_goes_unheard(held: list[dict[str, object]]) -> None:
    assert [one["strays"] for one in held] == [[], [], [], []]
