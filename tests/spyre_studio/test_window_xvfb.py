"""The main job end to end in a real window under Xvfb; the story itself is in window_story.py."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from spyre_studio.views import VIEWS

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 180


@pytest.mark.xvfb
def test_open_look_pin_compare_and_undo(x_environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.spyre_studio.window_story", str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, env=x_environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["platform"] == "xcb"
    assert seen["title"] == "attention – Spyre Studio"

    assert set(seen["views"]) == {row.key for row in VIEWS}
    assert all(colours > 5 for colours in seen["views"].values()), seen["views"]

    assert seen["selected"] == "matmul"
    assert seen["tree"] == "matmul", "every view follows the selection"

    assert seen["pin"] == "honoured"
    assert seen["division"] == {"m": 32}
    assert seen["card"] == ["honoured"]
    assert seen["second"] != seen["first"]
    assert seen["before"] == seen["first"], "compare has the plan before"
    assert seen["change"]
    assert seen["seconds"] < 10

    assert seen["after undo"] == seen["first"], "undo brings back exactly the first plan"
    assert not seen["stale"]
    assert seen["cards"] == 0
