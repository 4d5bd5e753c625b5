"""Short names in one list can be told apart."""

from pytestqt.qtbot import QtBot

from spyre_studio.theme import Theme
from spyre_studio.told_apart import told_apart
from spyre_studio.views.lx_tray import LxTray
from spyre_studio.why_not import WhyNot
from tests.spyre_studio.hand import show


def test_layers_are_told_by_their_number() -> None:
    names = {f"layers.{layer}.attn.v_proj.linear/matmul": "v_proj" for layer in range(40)}
    told = told_apart(names)
    assert told["layers.7.attn.v_proj.linear/matmul"] == "v_proj · layers.7"
    assert len(set(told.values())) == 40


def test_what_has_a_name_of_its_own_keeps_it() -> None:
    told = told_apart({"layers.0.mlp.mul": "mul", "layers.0.attn.rope.mul": "mul", "layers.0.mlp.silu": "silu"})
    assert told == {
        "layers.0.mlp.mul": "mul · mlp",
        "layers.0.attn.rope.mul": "mul · attn.rope",
        "layers.0.mlp.silu": "silu",
    }


def test_copies_and_names_that_end_in_others() -> None:
    assert told_apart({"x@d1": "clone", "y@d1": "clone"}) == {"x@d1": "clone · x@d1", "y@d1": "clone · y@d1"}
    assert told_apart({"a.mul": "mul", "a.b.mul": "mul"}) == {"a.mul": "mul", "a.b.mul": "mul · b"}
    assert told_apart({"0.mul": "mul", "1.mul": "mul"}) == {"0.mul": "mul · 0", "1.mul": "mul · 1"}
    assert told_apart({}) == {}


def test_no_two_chips_of_the_tray_read_the_same(qtbot: QtBot, dark: Theme) -> None:
    tray = LxTray()
    show(qtbot, tray, 900, 120)
    titles = {f"layers.{layer}.attn.v_proj.linear/matmul": "v_proj" for layer in range(9)}
    tray.show_found([WhyNot(name, 2048, 1024, "", "", "", "", "", name) for name in titles], titles, {}, 1.0)
    names = [chip.name for chip in tray.chips]
    assert len(names) > 5
    assert len(set(names)) == len(names)
