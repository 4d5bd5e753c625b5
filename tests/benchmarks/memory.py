"""What two hundred rounds leave behind: `python -m tests.benchmarks.memory [ROUNDS]`.

A round opens a model, pins, re-solves, undoes, keeps a variant, looks at a view and now and then simulates; see
tests/spyre_studio/story_memory.py.  Told at each quarter: MB of window and worker, children of the window, widgets.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from tests.spyre_studio.story_memory import Rounds


def main() -> None:
    """All rounds, and a line per quarter."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        story = Rounds(Path(folder))
        for held in story.run(rounds):
            memory = f"window {held.window_mb:.1f} MB, worker {held.worker_mb:.1f} MB"
            print(f"{held.rounds:4} rounds: {memory}, {held.children} children, {held.widgets} widgets, {held.objects}")
        story.window.project.end()
        story.window.close()


if __name__ == "__main__":
    main()
