"""Sentences for people: what they name, once."""

import pytest

from compiler.errors import Breach, LimitError
from compiler.frontend.archive_error import quoted


@pytest.mark.parametrize(
    ("tensor", "sentence"),
    [
        ("weight", "copy (m.py:3): weight needs 9 B, the limit is 5 B; use less."),
        ("copy", "copy (m.py:3): it needs 9 B, the limit is 5 B; use less."),
    ],
)
def test_a_name_is_said_once(tensor: str, sentence: str) -> None:
    assert LimitError(Breach("copy", tensor, "m.py:3", "5 B", "9 B"), "use less").sentence == sentence


def test_text_of_strangers_is_short_and_plain() -> None:
    assert quoted("größe") == "'größe'"
    assert quoted("a\x1b[2J\n") == r"'a\x1b[2J\n'"
    assert quoted("n" * 100) == f"'{'n' * 60}…'"
