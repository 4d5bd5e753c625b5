"""What a view says when it has nothing, or not everything, to draw. One wording and one shape for all views.

Owns: the value `ViewState` and its badges. Refuses: Qt; StatePage and Canvas show it.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from spyre_studio.theme import Tone
from spyre_studio.units import format_count

StateKind = Literal["ready", "empty", "loading", "error"]


@dataclass(frozen=True, slots=True)
class Badge:
    """A short remark over a picture that is shown all the same. `hint` is one sentence, shown as a tooltip."""

    text: str
    tone: Tone = "mute"
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ViewState:
    """`title` is a phrase, `sentence` says what it means or what to do, `action` labels the one button ('' for none).

    `progress` is 0..1, or None where it is not known; `details` is text for those who ask for it.
    """

    kind: StateKind = "ready"
    title: str = ""
    sentence: str = ""
    action: str = ""
    details: str = ""
    progress: float | None = None
    badges: tuple[Badge, ...] = ()

    def with_badges(self, *badges: Badge) -> "ViewState":
        """The same state with these badges instead."""
        return replace(self, badges=badges)


READY: Final = ViewState()
READ_ONLY: Final = Badge("read-only", "mute", "An imported program: there is no plan behind it that could be changed.")


def stale(words: str) -> ViewState:
    """Ready, with a badge that says what changed since the plan that is shown; none if nothing did."""
    hint = "The picture shows the plan before the change. Re-solve."
    return READY.with_badges(*((Badge(words, "warn", hint),) if words else ()))


def empty(title: str, sentence: str, action: str = "") -> ViewState:
    """Nothing to draw yet: what the view will show, and the one action that fills it."""
    return ViewState("empty", title, sentence, action)


def loading(title: str, sentence: str = "", progress: float | None = None, action: str = "Cancel") -> ViewState:
    """Something runs: what, how far, and how to stop it ('' where it cannot be stopped)."""
    return ViewState("loading", title, sentence, action, progress=progress)


def error(title: str, sentence: str, action: str = "", details: str = "") -> ViewState:
    """It cannot be shown: what it is, what to do, and the details on demand."""
    return ViewState("error", title, sentence, action, details)


def partial(shown: int, total: int, noun: str = "", hint: str = "") -> Badge:
    """A badge 'showing 200 of 4,096 buffers'."""
    of = format_count(total, noun) if noun else format_count(total)
    return Badge(f"showing {format_count(shown)} of {of}", "mute", hint)
