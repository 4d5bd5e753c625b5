"""Kernels in the pictures of the scratchpad: where one ends and the next begins."""

from dataclasses import replace

from frozendict import frozendict
from pytestqt.qtbot import QtBot

from spyre_studio.occupancy import occupancy_of
from spyre_studio.theme import Theme
from spyre_studio.views.lx_map import LxMap
from spyre_studio.views.lx_words import step_hint
from tests.sketch import Sketch
from tests.spyre_studio.hand import show
from tests.spyre_studio.occupancies import made_occupancy
from tests.spyre_studio.plans import compiled


def test_an_opaque_op_is_a_kernel_of_its_own() -> None:
    sketch = Sketch("two kernels and a call")
    at = sketch.apply("neg", sketch.input("x", 64, 64), name="before")
    at = sketch.apply("relu", sketch.opaque("sort", at), name="after")
    sketch.output(at)
    data = occupancy_of(compiled(program=sketch.program(), cores=4))
    call = next(place for place, name in enumerate(data.steps) if "sort" in name)
    assert data.kernels == (call, call + 1)
    assert [data.kernel(step) for step in (0, call, call + 1)] == [0, 1, 2]
    assert "kernel1" in step_hint(data, 0, call, None)


def test_one_kernel_needs_no_word() -> None:
    data = made_occupancy(8, 8)
    assert data.kernels == ()
    assert "kernel" not in step_hint(data, 0, 3, None)


def test_a_line_stands_where_a_kernel_begins(qtbot: QtBot, dark: Theme) -> None:
    plain = made_occupancy(4, 20)
    picture = LxMap()
    show(qtbot, picture, 600, 300)

    def changed(kernels: tuple[int, ...]) -> list[int]:
        """Columns of pixels, below the names of kernels, that look different with these kernels."""
        images = []
        for data in (plain, replace(plain, kernels=kernels)):
            picture.show_data(data, frozendict())
            images.append(picture.grab().toImage())
        row = round(picture.plot_rect().center().y())
        one, two = images
        rows = range(row, row + 8)
        return [x for x in range(one.width()) if any(one.pixel(x, y) != two.pixel(x, y) for y in rows)]

    found = changed((10,))
    assert found, "a line"
    middle = picture.x_axis.to_px(10.0)
    assert all(abs(x - middle) <= 2 for x in found)
    assert changed(tuple(range(1, 20)) * 40) == [], "where they would be closer than can be seen there are none"
