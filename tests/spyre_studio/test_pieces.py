"""Pieces: what is cut is put back as it was, and no line of a large answer is long."""

import json

from hypothesis import given
from hypothesis import strategies as st

from compiler.codec import unstructure
from spyre_studio.pieces import PREFIX, RUN, cut, join, line_of, read_line
from spyre_studio.request import CompiledParts
from tests.programs import attention
from tests.spyre_studio.plans import compiled

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def travelled(value: object) -> tuple[object, list[bytes]]:
    """What stays and the lines with pieces, as they arrive."""
    lines: list[bytes] = []

    def put(piece: object) -> int:
        lines.append(line_of(7, piece).encode())
        return len(lines) - 1

    rest = json.loads(json.dumps(cut(value, put)))
    return rest, lines


def back(value: object) -> object:
    rest, lines = travelled(value)
    assert all(line.startswith(PREFIX) and read_line(line)[0] == 7 for line in lines)
    return join(rest, [read_line(line)[1] for line in lines])


@given(VALUES, st.integers(0, 3 * RUN))
def test_values_come_back_as_they_were(value: object, count: int) -> None:
    whole = {"short": value, "list": [value] * count, "table": {f"name {n}": [n, value] for n in range(count)}}
    returned = back(whole)
    assert returned == whole
    assert json.dumps(returned) == json.dumps(whole), "tables keep their order"


def test_short_values_travel_in_one_line() -> None:
    value = {"list": list(range(RUN)), "words": "µs\n"}
    assert travelled(value) == (value, [])


def test_long_parts_of_a_plan_are_taken_out() -> None:
    plain = unstructure(CompiledParts.of(compiled(program=attention(2, 64, 64))))
    assert isinstance(plain, dict)
    plain["log"] = plain["log"] * 3 * RUN
    rest, lines = travelled(plain)
    assert len(json.dumps(rest)) < len(json.dumps(plain))
    assert len(lines) >= 3
    assert back(plain) == json.loads(json.dumps(plain))
