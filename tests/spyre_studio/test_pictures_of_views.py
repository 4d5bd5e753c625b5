"""A picture of every view of the table in both themes: something is drawn, and Qt has nothing to complain about."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from spyre_studio.theme import DARK, LIGHT, Theme
from spyre_studio.views import VIEWS
from tests.programs import attention
from tests.spyre_studio.plans import compiled, write_plan

ROOT = Path(__file__).parents[2]
SIZE = (1280, 800)
LEAST_COLOURS, LEAST_SHARE = 12, 0.01  # the window around a view alone has some of both

DRAW = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from spyre_studio import screenshot
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.screenshot import Shot
from spyre_studio.session import Session
from spyre_studio.views import VIEWS
app = QApplication([])
theme, plan, folder = sys.argv[1:]
with screenshot._quiet_offscreen():
    session = Session()
    window = MainWindow(session, ThemeFollower(app, theme))
    window.resize(1280, 800)
    window.show()
    for row in VIEWS:
        if row.key == "verify":  # runs the model, which another test does
            continue
        if session.compilation is None:
            screenshot._open(session, window, plan, Shot(row.key))
        window.workbench.show_view(row.key)
        window.workbench.full.enter(row.key)
        screenshot._settle(window)
        screenshot._write(window, Path(folder) / f"{row.key}.png")
    window.close()
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_plan(tmp_path_factory.mktemp("plan"), compiled(program=attention(2, 64, 64)))


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_every_view_is_drawn_in_silence(plan: Path, tmp_path: Path, theme: Theme) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DRAW, theme.name, str(plan), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for row in VIEWS:
        if row.key != "verify":
            drawn(tmp_path / f"{row.key}.png", theme)


def drawn(path: Path, theme: Theme) -> None:
    """The whole size, in many colours, and not only a few dots on one ground."""
    picture = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    assert (picture.width(), picture.height()) == SIZE, path.name
    pixels = np.frombuffer(picture.constBits(), np.uint32) & 0xFFFFFF
    colours, counts = np.unique(pixels, return_counts=True)
    assert len(colours) >= LEAST_COLOURS, f"{path.name} has {len(colours)} colours"
    assert 1 - counts.max() / counts.sum() > LEAST_SHARE, f"{path.name} is almost uniform"
    other = LIGHT if theme is DARK else DARK
    assert int(other.bg[1:], 16) not in colours[counts > counts.sum() / 50], f"{path.name} is in another theme"
