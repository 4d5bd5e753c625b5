"""Pictures of the window made without a person, and what its first paint does not import."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from spyre_studio import screenshot
from spyre_studio.session import Session
from spyre_studio.theme import DARK, LIGHT, Theme
from spyre_studio.views.program import ProgramView
from spyre_studio.window_run import run
from tests.spyre_studio.command_line import Outcome
from tests.spyre_studio.large import stack
from tests.spyre_studio.plans import compiled, write_plan
from tests.spyre_studio.verified import right

ROOT = Path(__file__).parents[2]


def test_a_plan_becomes_a_picture(qapp: QApplication, tmp_path: Path, dark: Theme) -> None:
    plan = write_plan(tmp_path, compiled())
    picture = tmp_path / "window.png"
    assert run(str(plan), picture, None, "light", (1280, 800)) == 0
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1280, 800)
    assert image.pixelColor(400, 790).name() == LIGHT.panel


def test_a_view_is_brought_to_front_in_the_whole_window(qapp: QApplication, tmp_path: Path, dark: Theme) -> None:
    plan, pictures = str(write_plan(tmp_path, compiled())), {}
    for view in ("graph", "timeline"):
        place = tmp_path / f"{view}.png"
        assert run(plan, place, view, "dark", (1280, 800)) == 0
        pictures[view] = QImage(str(place))
        assert (pictures[view].width(), pictures[view].height()) == (1280, 800)
    seen = {pictures["timeline"].pixelColor(x, y).name() for x in range(340, 930, 10) for y in range(420, 720, 3)}
    assert DARK.fill[255] in seen, "the run is waited for, and the fill of all cores is drawn in the lower half"


def test_a_view_alone_fills_the_picture(qapp: QApplication, tmp_path: Path, dark: Theme) -> None:
    picture = tmp_path / "timeline.png"
    assert run(str(write_plan(tmp_path, compiled())), picture, "timeline", "dark", (900, 500), alone=True) == 0
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (900, 500)
    edge = {image.pixelColor(870, y).name() for y in range(380, 490)}
    assert DARK.fill[255] in edge, "lanes and fill reach to the right edge"


def test_a_picture_of_verify_verifies_first(
    qapp: QApplication, tmp_path: Path, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def verified(session: Session) -> None:
        assert session._shown is not None
        asked.append(session._shown.shared.handle)
        session._shown.report = right()[1]
        session.changed.emit("verify")

    monkeypatch.setattr(Session, "verify", verified)
    picture = tmp_path / "verify.png"
    assert run(str(write_plan(tmp_path, compiled())), picture, "verify", "dark", (1280, 800), alone=True) == 0
    image = QImage(str(picture))
    seen = {image.pixelColor(x, y).name() for x in range(400, 1280) for y in range(0, 60, 2)}
    assert len(asked) == 1
    assert DARK.ok in seen, "the verdict is drawn"


def test_the_start_page_becomes_a_picture(qapp: QApplication, tmp_path: Path, dark: Theme) -> None:
    picture = tmp_path / "start.png"
    assert run(None, picture, None, "dark", (1000, 700)) == 0
    assert QImage(str(picture)).pixelColor(5, 400).name() == DARK.bg


@pytest.mark.parametrize(
    ("spec", "view", "alone", "sentence"),
    [
        ("gone.json", None, False, "there is no such file"),
        (None, "scratchpad", False, "none is named"),
        ("softmax", "nonsense", False, "there is no such view; use one of graph"),
        ("softmax", None, True, "--only-view: it draws a single view, and none is named; add --view NAME"),
    ],
)
def test_a_picture_that_cannot_be_made_is_refused_in_a_sentence(
    qapp: QApplication,
    tmp_path: Path,
    dark: Theme,
    capsys: pytest.CaptureFixture[str],
    spec: str | None,
    view: str | None,
    alone: bool,
    sentence: str,
) -> None:
    where = str(tmp_path / spec) if spec and spec.endswith(".json") else spec
    assert run(where, tmp_path / "no.png", view, "dark", (800, 600), alone) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not (tmp_path / "no.png").exists()


def test_a_view_alone_is_for_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    assert "none is drawn; add --screenshot OUT.png" in Outcome(capsys, "--only-view", "softmax").refused()


FIRST_PAINT = """
import json, sys, time
started = time.perf_counter()
from PySide6.QtWidgets import QApplication, QWidget
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio import screenshot
from spyre_studio.session import Session
app = QApplication([])
window = MainWindow(Session(), ThemeFollower(app, "dark"))
window.show()
app.processEvents()
heavy = {"torch", "ortools", "networkx", "sympy"}
loaded = sorted(heavy & {name.split(".")[0] for name in sys.modules})
late = ("compiler.pipeline", "compiler.passes", "compiler.solvers", "compiler.frontend", "compiler.check",
        "simulator.functional", "spyre_studio.workbench", "spyre_studio.tasks")
inside = tuple(f"{each}." for each in late)
own = [name for name in sys.modules if name in late or name.startswith(inside)]
print(json.dumps({"heavy": loaded, "own": own, "seconds": time.perf_counter() - started}))
window.close()
"""


def test_the_first_paint_imports_neither_torch_nor_solvers_nor_views() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_PAINT], cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["heavy"] == []
    assert found["own"] == []


@pytest.mark.parametrize("shown", [False, True])
def test_a_picture_is_drawn_in_silence(tmp_path: Path, shown: bool) -> None:
    picture = tmp_path / "window.png"
    words = [sys.executable, "-m", "spyre_studio", "--screenshot", str(picture)]
    words += [str(write_plan(tmp_path, compiled())), "--view", "graph"] if shown else []
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
    assert picture.stat().st_size > 0


def test_a_picture_waits_for_what_views_work_out_aside(
    qapp: QApplication, tmp_path: Path, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[bool] = []
    monkeypatch.setattr(screenshot, "_write", lambda widget, _picture: drawn.append(_written(widget)))
    plan = str(write_plan(tmp_path, compiled(program=stack(16))))
    for alone in (False, True):
        assert run(plan, tmp_path / "program.png", "program", "dark", (1280, 800), alone=alone) == 0
    assert drawn == [True, True]


def _written(widget: QWidget) -> bool:
    view = widget if isinstance(widget, ProgramView) else widget.findChild(ProgramView)
    assert isinstance(view, ProgramView)
    return view.listing is not None
