"""`spyre-studio verify MODEL|PLAN`: run the device program on the simulator and compare with PyTorch."""

from __future__ import annotations

import argparse

from compiler.codec import unstructure
from simulator.report import VerifyReport, describe
from spyre_studio import tasks
from spyre_studio.arguments import whole_number
from spyre_studio.commands.findings import findings
from spyre_studio.commands.planning import MODEL, add_planning, read_planning
from spyre_studio.commands.terminal import Terminal, print_json

_SEED = whole_number(0, 2**64 - 1)  # what a generator of torch takes


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Run a plan core by core on the simulated device and compare with PyTorch on the same numbers. A MODEL is "
        "planned first. Exit code 1 if more than rounding tells the results apart, or if a pin was refused."
    )
    parser.add_argument("model", metavar="MODEL|PLAN", help=f"{MODEL}, or a saved plan")
    add_planning(parser)
    parser.add_argument(
        "--seed",
        type=_SEED,
        metavar="N",
        help="draw inputs of the same shapes and types with this seed (default: the inputs that a file.py:factory "
        "returns; for other models, seed 0)",
    )
    parser.add_argument(
        "--poison",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="fill padding and unused memory with NaN, so that reading it shows (default: yes)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of lines")


def run(arguments: argparse.Namespace) -> int:
    """Plan if necessary, run, compare; 1 if the numbers differ or a pin was refused."""
    planning = read_planning(arguments)
    terminal = Terminal()
    compilation, saved = planning.planned(arguments.model, "verify", "verified", terminal)
    report = tasks.verify(compilation, arguments.seed, arguments.poison, terminal)
    terminal.done()
    found = not saved and findings(compilation)  # those of a saved plan were told when it was made
    if arguments.json:
        print_json(_document(report, arguments.seed))
    else:
        print("\n".join(describe(report)))
    return 0 if report.ok and not found else 1


def _document(report: VerifyReport, seed: int | None) -> dict[str, object]:
    plain = unstructure(report)
    assert isinstance(plain, dict)
    wrong = report.first_divergence
    return {
        "ok": report.ok,
        "agreement": report.agreement,
        "seed": seed,
        "first_divergence": unstructure(wrong),
        **plain,
    }
