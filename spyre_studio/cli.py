"""The command line: `spyre-studio COMMAND ...`.

Owns turning words into a command and its outcome into an exit code: 0 = good, 1 = a finding, 2 = bad input or usage,
with one sentence on stderr.  Refuses tracebacks: that of a mistake of ours goes to a file which the sentence names.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence

from compiler.errors import StudioError
from spyre_studio.arguments import Parser
from spyre_studio.commands import COMMANDS
from spyre_studio.user_folder import write_traceback

PROGRAM = "spyre-studio"
BAD_INPUT = 2
INTERRUPTED = 130


def main(words: Sequence[str]) -> int:
    """Run a command, whose name is the first word; returns the exit code."""
    return guarded(lambda: _run(words))


def _run(words: Sequence[str]) -> int:
    name, *rest = words
    command = COMMANDS[name]
    verb = command.load()
    parser = Parser(prog=f"{PROGRAM} {name}", allow_abbrev=False)
    verb.add(parser)
    code = verb.run(parser.parse_args(rest))
    sys.stdout.flush()
    return code


def guarded(work: Callable[[], int]) -> int:
    """The exit code of some work, whatever happens in it."""
    try:
        return work()
    except StudioError as error:
        return _refuse(error.sentence)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing more may be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit as exit_:  # argparse, after --help
        return exit_.code if isinstance(exit_.code, int) else 0
    except Exception as error:  # noqa: BLE001  a mistake of ours is told in one sentence, its traceback kept
        path = write_traceback(traceback.format_exc())
        kept = f"; report it with {path}" if path else ""
        return _refuse(f"Spyre Studio made a mistake of its own ({type(error).__name__}: {error}){kept}.")


def _refuse(sentence: str) -> int:
    print(" ".join(sentence.split()), file=sys.stderr)
    return BAD_INPUT
