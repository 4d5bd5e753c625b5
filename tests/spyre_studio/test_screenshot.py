"""Pictures of the window made without a person, and what its first paint does not import."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from spyre_studio.main_window import run
from spyre_studio.theme import DARK, LIGHT, Theme
from tests.spyre_studio.plans import compiled, write_plan

ROOT = Path(__file__).parents[2]


def test_a_plan_becomes_a_picture(qapp: QApplication, tmp_path: Path, dark: Theme) -> None:
    plan = write_plan(tmp_path, compiled())
    picture = tmp_path / "window.png"
    assert run(str(plan), picture, None, "light", (1280, 800)) == 0
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1280, 800)
    assert image.pixelColor(400, 790).name() == LIGHT.panel
    small = tmp_path / "graph.png"
    assert run(str(plan), small, "graph", "dark", (1280, 800)) == 0
    assert 300 < QImage(str(small)).width() < 1280


def test_a_picture_of_the_timeline_waits_for_the_run(qapp: QApplication, tmp_path: Path, dark: Theme) -> None:
    picture = tmp_path / "timeline.png"
    assert run(str(write_plan(tmp_path, compiled())), picture, "timeline", "dark", (1280, 800)) == 0
    image = QImage(str(picture))
    strip = {image.pixelColor(x, y).name() for x in range(130, 700, 10) for y in range(200, image.height(), 3)}
    assert DARK.fill[255] in strip, "the fill of all cores is drawn"


def test_the_start_page_becomes_a_picture(qapp: QApplication, tmp_path: Path, dark: Theme) -> None:
    picture = tmp_path / "start.png"
    assert run(None, picture, None, "dark", (1000, 700)) == 0
    assert QImage(str(picture)).pixelColor(5, 400).name() == DARK.bg


@pytest.mark.parametrize(
    ("spec", "view", "sentence"),
    [
        ("gone.json", None, "there is no such file"),
        (None, "scratchpad", "none is named"),
        ("softmax", "nonsense", "there is no such view; use one of graph"),
    ],
)
def test_a_picture_that_cannot_be_made_is_refused_in_a_sentence(
    qapp: QApplication,
    tmp_path: Path,
    dark: Theme,
    capsys: pytest.CaptureFixture[str],
    spec: str | None,
    view: str | None,
    sentence: str,
) -> None:
    where = str(tmp_path / spec) if spec and spec.endswith(".json") else spec
    assert run(where, tmp_path / "no.png", view, "dark", (800, 600)) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not (tmp_path / "no.png").exists()


FIRST_PAINT = """
import json, sys, time
started = time.perf_counter()
from PySide6.QtWidgets import QApplication, QWidget
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
app = QApplication([])
window = MainWindow(Session(), ThemeFollower(app, "dark"))
window.show()
app.processEvents()
heavy = {"torch", "ortools", "networkx", "sympy"}
loaded = sorted(heavy & {name.split(".")[0] for name in sys.modules})
late = ("compiler.pipeline", "compiler.passes", "compiler.solvers", "compiler.frontend", "compiler.check",
        "simulator.functional", "spyre_studio.workbench", "spyre_studio.tasks")
own = [name for name in sys.modules if name.startswith(late)]
print(json.dumps({"heavy": loaded, "own": own, "seconds": time.perf_counter() - started}))
window.close()
"""


def test_the_first_paint_imports_neither_torch_nor_solvers_nor_views() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_PAINT], cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["heavy"] == []
    assert found["own"] == []


def test_a_picture_of_the_start_page_is_drawn_in_silence(tmp_path: Path) -> None:
    picture = tmp_path / "start.png"
    words = [sys.executable, "-m", "spyre_studio", "--screenshot", str(picture)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
    assert picture.stat().st_size > 0
