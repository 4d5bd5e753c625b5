"""`spyre-studio diff PLAN_A PLAN_B`: what the second plan decides differently, and why."""

from __future__ import annotations

import argparse
from pathlib import Path

from compiler.diff import CostChange, PlanDiff, diff, print_diff
from spyre_studio import tasks
from spyre_studio.commands.terminal import print_json


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Say what the second plan decides differently, with causes, and what that costs or saves."
    parser.add_argument("before", type=Path, metavar="PLAN_A", help="a file that `spyre-studio compile -o` wrote")
    parser.add_argument("after", type=Path, metavar="PLAN_B", help="another one")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of lines")


def run(arguments: argparse.Namespace) -> int:
    """Compare and print."""
    found = diff(tasks.read_sound_plan(arguments.before), tasks.read_sound_plan(arguments.after))
    if arguments.json:
        print_json(_document(found))
    else:
        print(print_diff(found), end="")
    return 0


def _document(found: PlanDiff) -> dict[str, object]:
    changes = [
        {"kind": one.kind, "name": one.name, "before": one.before, "after": one.after, "cause": one.cause}
        for one in found.changes
    ]
    edits = [
        {
            "added": one.added,
            "name": one.edit.name,
            "kind": one.edit.kind,
            "source": one.edit.source,
            "target": one.edit.target,
            "before": one.edit.before,
            "cause": one.cause,
        }
        for one in found.edits
    ]
    return {
        "same": found.same,
        "note": found.unlike,
        "changes": changes,
        "edits": edits,
        "costs": [_cost(one) for one in found.costs],
        "total": _cost(found.total),
        "hbm_bytes": _pair(found.hbm_bytes),
        "restickify_elements": _pair(found.restickify_elements),
    }


def _cost(one: CostChange) -> dict[str, object]:
    return {"name": one.name, "before_us": one.before_us, "after_us": one.after_us, "delta_us": one.delta_us}


def _pair(pair: tuple[int, int]) -> dict[str, int]:
    return {"before": pair[0], "after": pair[1], "delta": pair[1] - pair[0]}
