"""The command line: `spyre-studio COMMAND ...`.

Owns turning words into a command and its outcome into an exit code: 0 = good, 1 = a finding, 2 = bad input or usage,
with one sentence on stderr; 128 and more = a signal asked it to end.  Refuses tracebacks: that of a mistake of ours
goes to a file which the sentence names.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence

from compiler.errors import StudioError
from spyre_studio.arguments import Parser
from spyre_studio.clipped import clipped
from spyre_studio.commands import COMMANDS
from spyre_studio.commands.interrupt import left_behind
from spyre_studio.model_process import ModelProcessError
from spyre_studio.standard_streams import drop, is_about_a_stream, prepare
from spyre_studio.stop_signals import Ended, orderly
from spyre_studio.user_folder import write_traceback

PROGRAM = "spyre-studio"
BAD_INPUT = 2
INTERRUPTED = 130


def main(words: Sequence[str]) -> int:
    """Run a command, whose name is the first word; returns the exit code."""

    def work() -> int:
        with orderly():
            return _run(words)

    return guarded(work)


def _run(words: Sequence[str]) -> int:
    name, *rest = words
    command = COMMANDS[name]
    verb = command.load()
    parser = Parser(prog=f"{PROGRAM} {name}", allow_abbrev=False)
    verb.add(parser)
    return verb.run(parser.parse_args(rest))


def guarded(work: Callable[[], int]) -> int:
    """The exit code of some work, whatever happens in it."""
    prepare()
    try:
        code = _finished(work)
        sys.stdout.flush()
        return code
    except StudioError as error:
        return _refuse(error.sentence)
    except KeyboardInterrupt:
        return _gone(INTERRUPTED)
    except Ended as asked:
        return _gone(asked.code)
    except BrokenPipeError:
        drop(sys.stdout)  # whoever read our output has seen enough
        return 0
    except Exception as error:  # noqa: BLE001  a mistake of ours is told in one sentence, its traceback kept
        return _unexpected(error)


def _gone(code: int) -> int:
    """Nothing is waited for: where work goes on that cannot be asked to end, the process ends around it."""
    if left_behind():
        sys.stderr.flush()
        os._exit(code)
    return code


def _finished(work: Callable[[], int]) -> int:
    try:
        return work()
    except SystemExit as exit_:  # argparse, after --help
        return exit_.code if isinstance(exit_.code, int) else 0


def _unexpected(error: Exception) -> int:
    if is_about_a_stream(error):
        drop(sys.stdout)
        return _refuse(f"The output cannot be written ({error.strerror}).")
    path = write_traceback(traceback.format_exc())
    kept = f"; report it with {path}" if path else ""
    return _refuse(f"Spyre Studio made a mistake of its own ({_in_short(error)}){kept}.")


def _in_short(error: Exception) -> str:
    """Its kind and text; of a mistake in the model process, whose text is a whole traceback, the last line."""
    lines = str(error).strip().splitlines() or [""]
    return lines[-1] if isinstance(error, ModelProcessError) else f"{type(error).__name__}: {lines[0]}"


def _refuse(sentence: str) -> int:
    try:
        print(clipped(" ".join(sentence.split())), file=sys.stderr, flush=True)
    except OSError:
        drop(sys.stderr)  # nobody can be told that nobody can be told
    return BAD_INPUT
