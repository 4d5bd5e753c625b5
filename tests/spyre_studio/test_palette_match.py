"""The match behind palette and Go to: what is found, in which order, and how fast."""

import subprocess
import sys
from statistics import median
from time import perf_counter

import pytest

from spyre_studio.palette_match import Target, latest_first, ranked

OPS = 5000
KEYSTROKE_S = 0.016


def targets(*names: str) -> list[Target]:
    return [Target.of(name, name) for name in names]


def found(names: list[Target], text: str, *recent: str) -> list[str]:
    return [target.key for target in ranked(names, text, recent)]


def test_the_order_is_name_beginning_part_within_beside() -> None:
    beside = Target.of("beside", "other", words="exp")
    names = [beside, *targets("reexport", "m.exp", "expand", "exp")]
    assert found(names, "exp") == ["exp", "expand", "m.exp", "reexport", "beside"]
    assert found(names, "EXP") == found(names, "exp")


def test_every_word_is_needed_in_any_order() -> None:
    names = targets("layers.0/softmax", "layers.1/softmax", "layers.1/matmul")
    assert found(names, "soft 1") == ["layers.1/softmax"]
    assert found(names, "1 soft") == ["layers.1/softmax"]
    assert found(names, "layers.1/m") == ["layers.1/matmul"]


def test_without_letters_everything_is_there_the_latest_first() -> None:
    names = targets("a", "b", "c")
    assert found(names, "  ") == ["a", "b", "c"]
    assert found(names, "", "c", "b", "gone") == ["c", "b", "a"]
    assert names == targets("a", "b", "c"), "the list that was given stays as it is"


def test_recent_ones_lead_among_equals_only() -> None:
    names = targets("exp.first", "exp.second", "other.exp")
    assert found(names, "exp", "other.exp", "exp.second") == ["exp.second", "exp.first", "other.exp"]


def test_letters_in_their_order_are_tried_where_nothing_else_is_found() -> None:
    names = targets("Re-solve", "Reset every view", "Export")
    assert found(names, "rsv") == ["Re-solve", "Reset every view"], "the closer letters first"
    assert found(names, "res") == ["Reset every view"], "found in one piece: no guessing"
    assert found(names, "q") == []
    assert found(names, "*(") == []
    assert found(targets("a*b(c"), "*(") == ["a*b(c"]


def test_letters_outside_the_alphabet() -> None:
    assert found(targets("Größe", "GRÖSSE"), "größe") == ["Größe", "GRÖSSE"]
    assert found(targets("注意.出力"), "出") == ["注意.出力"]


def test_what_was_used_is_a_list_without_repeats() -> None:
    assert latest_first(("a", "b"), "b") == ("b", "a")
    assert len(latest_first(tuple(map(str, range(100))), "new")) <= 40


@pytest.mark.parametrize("text", ["", "l", "softmax", "softmax 12", "zzqq", "lsx9", "layers.99.attn"])
def test_a_keystroke_among_5000_ops_and_their_buffers_is_one_frame(text: str) -> None:
    names = [
        Target.of(f"{kind}:{i}", f"layers.{i // 40}.attn.block_{i % 40}/softmax_{i}", "pointwise · m 16", kind)
        for kind in ("op", "buffer")
        for i in range(OPS)
    ]
    times = []
    for _ in range(7):
        start = perf_counter()
        ranked(names, text, ("op:9", "buffer:4"))
        times.append(perf_counter() - start)
    assert median(times) < KEYSTROKE_S


def test_matching_needs_no_qt() -> None:
    code = (
        "import sys, spyre_studio.palette_match, spyre_studio.palette_places, spyre_studio.palette_actions;"
        " print('PySide6' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
