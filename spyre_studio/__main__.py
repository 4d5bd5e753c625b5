"""`spyre-studio`: opens the window, or runs a command if the first word is one.

Owns the arguments of the window and what happens where there is no display.  Refuses to import passes, OR-Tools or
torch: the window starts without them.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from compiler.errors import InputError
from resources.examples import example
from spyre_studio.arguments import Parser
from spyre_studio.cli import PROGRAM, guarded
from spyre_studio.cli import main as run_command
from spyre_studio.commands import COMMANDS
from spyre_studio.deep_link import read_link

SIZE = (1440, 900)
_LARGEST = 16384
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window or run a command; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0] in COMMANDS:
        return run_command(words)
    return guarded(lambda: _window(words))


def _window(words: Sequence[str]) -> int:
    arguments = _parse(words)
    if arguments.only_view and not arguments.screenshot:
        raise InputError("--only-view", "it is about a picture, and none is drawn", "add --screenshot OUT.png")
    if arguments.screenshot:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        folder = arguments.screenshot.absolute().parent
        if not folder.is_dir():
            raise InputError(str(arguments.screenshot), f"there is no folder {folder}", "choose another place")
    elif not has_display(os.environ, sys.platform):
        why = "there is no display to open it on"
        raise InputError("the window", why, "add --screenshot OUT.png to draw it into a picture, or use the commands")
    from spyre_studio.window_run import run

    view, alone = arguments.view, arguments.only_view
    return run(arguments.file, arguments.screenshot, view, arguments.theme, arguments.size, alone)


def has_display(environment: Mapping[str, str], platform: str) -> bool:
    """False where no window can open: X and Wayland say so by variables, other systems always have a display."""
    return not platform.startswith("linux") or any(environment.get(name) for name in _DISPLAYS)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog=PROGRAM,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="See, steer and check how a PyTorch model is compiled for the Spyre accelerator.",
        epilog=_commands(),
    )
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="a model, a saved plan, or an example's name to open; followed by a place in it where one likes, as in "
        "'plan.json#op=exp&core=7&step=12&view=timeline&buffer=exp'",
    )
    picture = parser.add_argument_group("picture")
    picture.add_argument("--screenshot", type=Path, metavar="OUT.png", help="draw the window into a picture and exit")
    picture.add_argument(
        "--view",
        metavar="NAME",
        help="the view to bring to front: graph, inspector, scratchpad, timeline, roofline, compare, program, "
        "variants, sweep, insights, or verify, for which the plan is verified first",
    )
    picture.add_argument(
        "--only-view", action="store_true", help="draw nothing but that view, as large as --size, instead of the window"
    )
    picture.add_argument("--theme", choices=("system", "dark", "light"), default="system", help="colours to draw in")
    picture.add_argument("--size", type=_size, default=SIZE, metavar="WxH", help="size of the picture in pixels")
    arguments, others = parser.parse_known_args(words)
    if others:
        parser.error(_misunderstood(arguments.file, others))
    return arguments


def _misunderstood(file: str | None, others: Sequence[str]) -> str:
    """Two files are no way to open the window; most likely the first is a command that is misspelt."""
    close = get_close_matches(file or "", list(COMMANDS), n=1)
    if close:
        return f"there is no command {file}, which may mean {close[0]}"
    if file is not None and not others[0].startswith("-") and not _names_something(file):
        return f"there is no command or file {file}"
    return f"it does not understand {' '.join(others)}"


def _names_something(file: str) -> bool:
    try:
        spec = read_link(file).spec
        return example(spec.partition("?")[0]) is not None or Path(spec).exists()
    except (OSError, ValueError):  # no name that a file can have
        return False


def _commands() -> str:
    rows = [f"  {command.name:<10} {command.help}" for command in COMMANDS.values()]
    return "\n".join(["commands:", *rows, "", f"`{PROGRAM} COMMAND --help` explains a command."])


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)x(\d+)", text)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(0 < side <= _LARGEST for side in size):
        raise argparse.ArgumentTypeError(f"'{text}' is not WIDTHxHEIGHT in pixels, such as {SIZE[0]}x{SIZE[1]}")
    return size


if __name__ == "__main__":
    sys.exit(main())
