"""Ten thousand ops in the window: it opens with progress, can be cancelled, and is never held up for long.

What is done stands in story_large.py, which runs as a process of its own.  Held up means processor time that the
threads of the window's process take within one turn of its event loop: what other processes do on a busy machine does
not count.  It is to stay below a tenth of a second; the bound of these tests is larger because the same work takes up
to twice as much processor time where other processes share its caches.  Of all threads more is allowed: while the
window's thread waits for a processor that another process has, those that write listings and compare plans go on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.spyre_studio.large import OPS_PER_LAYER
from tests.spyre_studio.story_large import LAYERS

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 600
HELD_UP_MS = 220
ALL_THREADS_MS = 450  # three times the worst that was seen
USUAL_MS = 32  # of the fixed work that the story begins with, on the machine whose bound this is


@dataclass(frozen=True, slots=True)
class Told:
    """What was seen, and of each phase the longest turn: processor ms of the window's thread, of all, and its stack."""

    seen: dict[str, object]
    phases: dict[str, tuple[float, float, float, str]]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    command = [sys.executable, "-m", "tests.spyre_studio.story_large", str(tmp_path_factory.mktemp("large"))]
    done = subprocess.run(
        command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return Told(found["seen"], found["phases"])


def test_cancel_ends_the_opening(told: Told) -> None:
    assert told.seen["button"] == "Cancel"
    assert told.seen["cancelled"], "the start page again, with nothing open"


def test_ten_thousand_ops_open_with_progress(told: Told) -> None:
    assert told.seen["ops"] == LAYERS * OPS_PER_LAYER == 10_000
    assert int(str(told.seen["progress"])) > 3, "phases are told"


def test_undo_shows_the_very_plan_that_was_there(told: Told) -> None:
    assert told.seen["undone"]


@pytest.mark.parametrize(
    "phase",
    [
        *("cancel", "open", "select", "pin", "undo", "redo", "search", "table", "graph"),
        *("open all", "close all", "open a module"),
        *("view scratchpad", "view roofline", "view compare", "view verify", "view program", "view variants"),
        *("view sweep", "view insights", "theme", "text size"),
    ],
)
def test_the_window_is_not_held_up(told: Told, phase: str) -> None:
    own, every, _, stack = told.phases[phase]
    slow = max(float(str(told.seen["calibration"])) / USUAL_MS, 1.0)
    words = f"{own:.0f} ms of its own, {every:.0f} with other threads\n{stack}"
    assert own < HELD_UP_MS * slow, words
    assert every < ALL_THREADS_MS * slow, words
