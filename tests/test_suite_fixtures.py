"""The fixtures of the whole suite, tried on suites of their own: each must let good tests pass and bad ones fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from PySide6.QtCore import QSettings

CONFTEST = Path(__file__).parent / "conftest.py"
MARKERS = """
[pytest]
markers =
    expected_warnings(pattern): a warning that the test expects
    xvfb: needs an X display
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """An empty suite under the same fixtures."""
    pytester.makeconftest(CONFTEST.read_text(encoding="utf-8").replace('pytest_plugins = ["pytester"]', ""))
    pytester.makeini(MARKERS)
    return pytester


def test_golden_compares_and_rewrites(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_text(golden): golden('folder/text.txt', 'one\\ntwo\\n\\n')")
    missing = suite.runpytest_subprocess()
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*tests/golden/folder/text.txt does not exist*"])

    suite.runpytest_subprocess("--update-golden").assert_outcomes(passed=1)
    path = suite.path / "golden/folder/text.txt"
    assert path.read_text(encoding="utf-8") == "one\ntwo\n"
    suite.runpytest_subprocess().assert_outcomes(passed=1)

    path.write_text("one\nthree\n", encoding="utf-8")
    differing = suite.runpytest_subprocess()
    differing.assert_outcomes(failed=1)
    differing.stdout.fnmatch_lines(["--- tests/golden/folder/text.txt", "-three", "+two"])


def test_log_warnings_fail_unless_expected(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import logging, pytest
        def test_quiet(): logging.getLogger("a").info("fine")
        def test_loud(): logging.getLogger("a").warning("odd %s", 1)
        @pytest.mark.expected_warnings("odd 1")
        def test_expected(): logging.getLogger("a").warning("odd %s", 1)
        @pytest.mark.expected_warnings("odd 1")
        def test_silent(): pass
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=4, errors=2)
    result.stdout.fnmatch_lines(["*ERROR*test_loud*", "*ERROR*test_silent*"])


def test_settings_stay_inside_the_run() -> None:
    home = Path(os.environ["HOME"])
    assert "spyre-studio-tests" in str(home)
    assert Path(QSettings("Spyre Studio", "test").fileName()).is_relative_to(home.parent)
    assert os.environ["QT_QPA_PLATFORM"] == "offscreen"


def test_examples_are_the_same_each_run() -> None:
    assert settings.get_current_profile_name() == "repeatable"


@pytest.mark.xvfb
def test_a_real_window_opens_on_the_display_in_memory(x_environment: dict[str, str]) -> None:
    code = "from PySide6.QtWidgets import QApplication; print(QApplication([]).platformName())"
    done = subprocess.run([sys.executable, "-c", code], env=x_environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "xcb"
