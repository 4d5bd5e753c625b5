"""A newcomer's first hour with the decoder block in a real window: every step a test of its own, of one run.

What is done stands in story_newcomer.py, which runs as a process of its own under Xvfb.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spyre_studio.story_newcomer import NAME, Seen

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 300

pytestmark = pytest.mark.xvfb


@pytest.fixture(scope="module")
def told(x_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    command = [sys.executable, "-m", "tests.spyre_studio.story_newcomer", str(tmp_path_factory.mktemp("newcomer"))]
    done = subprocess.run(
        command, cwd=ROOT, env=x_environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Seen] = json.loads(done.stdout)
    return seen


def step(told: dict[str, Seen], name: str) -> Seen:
    """What was seen in a step that came to its end."""
    seen = told[name]
    assert "failed" not in seen, seen["failed"]
    return seen


def test_the_decoder_opens_from_the_start_page(told: dict[str, Seen]) -> None:
    assert step(told, "open_example") == {"title": "decoder – Spyre Studio", "platform": "xcb"}


def test_the_table_of_ops_sorted_by_time_begins_with_the_heaviest(told: dict[str, Seen]) -> None:
    seen = step(told, "find_heaviest")
    assert seen["op"]
    assert seen["us"] == seen["most"]


def test_list_and_inspector_say_why_a_buffer_is_not_in_lx(told: dict[str, Seen]) -> None:
    seen = step(told, "find_why")
    buffer, row = str(seen["buffer"]), seen["row"]
    assert isinstance(row, list)
    assert row[0] == buffer
    title = row[2]
    assert title, "the list gives a reason"
    assert buffer in str(seen["inspector"])
    assert title.casefold() in str(seen["inspector"]).casefold(), "the inspector gives the same reason"


def test_a_double_click_on_a_quicker_candidate_pins_it_and_saves_time(told: dict[str, Seen]) -> None:
    seen = step(told, "pin_better")
    assert seen["pins"] == {f"division:{seen['op']}": "honoured"}
    saved = seen["saved"]
    assert isinstance(saved, float)
    assert saved > 0


def test_the_header_tells_the_saving(told: dict[str, Seen]) -> None:
    seen = step(told, "see_saving")
    assert seen["shown"]
    assert str(seen["change"]).startswith("−")


def test_the_plan_gets_a_name(told: dict[str, Seen]) -> None:
    seen = step(told, "name_variant")
    assert seen["proposed"], "a name is proposed"
    assert seen["names"] == ["first plan", NAME]


def test_it_is_compared_with_the_first(told: dict[str, Seen]) -> None:
    seen = step(told, "compare")
    sides, texts = seen["sides"], str(seen["texts"])
    assert isinstance(sides, list)
    assert sides[0] == "first plan"
    assert str(step(told, "pin_better")["op"]) in texts
    assert str(step(told, "see_saving")["change"]) in texts, "both tell the same saving"


def test_all_is_undone_and_done_again(told: dict[str, Seen]) -> None:
    seen = step(told, "undo_all")
    assert (seen["pins"], seen["same"], seen["stale"], seen["names"]) == (0, True, False, ["first plan"])
    again = step(told, "redo_all")
    assert again == {"same": True, "names": ["first plan", NAME]}


def test_the_device_program_is_written(told: dict[str, Seen]) -> None:
    seen = step(told, "export_program")
    assert str(seen["text"]).startswith("device-program decoder")


def test_the_simulated_run_is_written_for_perfetto(told: dict[str, Seen]) -> None:
    seen = step(told, "export_run")
    events = seen["events"]
    assert isinstance(events, int)
    assert events > 1000


def test_the_graph_is_written_as_a_picture(told: dict[str, Seen]) -> None:
    written = step(told, "export_picture")["bytes"]
    assert isinstance(written, int)
    assert written > 10_000


def test_a_project_closes_without_a_question_and_opens_where_one_was(told: dict[str, Seen]) -> None:
    saved, opened = step(told, "save"), step(told, "reopen")
    assert saved["closed"]
    assert saved["title"] == "work – Spyre Studio"
    assert opened["same plan"]
    place = saved["place"]
    assert isinstance(place, dict)
    assert place["variants"] == ["first plan", NAME]
    assert place["pins"]
    assert opened["place"] == place
