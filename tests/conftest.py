"""What every test stands on: no display, no home directory, no unexpected warnings, the same examples each run.

Owns the fixtures that apply to the whole suite. A fixture for one package belongs into that package's folder.
"""

import difflib
import logging
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

# Before anything imports Qt, which reads these once, and in time for the processes that tests start.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
_HOME = Path(tempfile.mkdtemp(prefix="spyre-studio-tests-"))
for _name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
    _folder = _HOME / _name.lower()
    _folder.mkdir(mode=0o700)  # Qt warns of a runtime folder that others may read
    os.environ[_name] = str(_folder)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell ignores it for what it starts in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ["pytester"]

GOLDEN = Path(__file__).parent / "golden"

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=50,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],  # explaining a failure can take minutes
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden from what the tests produce")


def pytest_unconfigure() -> None:
    shutil.rmtree(_HOME, ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that need an X display where none can be had, and say so."""
    if shutil.which("Xvfb"):
        return
    skip = pytest.mark.skip(reason="needs an X display: install the package xvfb")
    for item in items:
        if item.get_closest_marker("xvfb"):
            item.add_marker(skip)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` compares a text with the file tests/golden/<name>; --update-golden rewrites the file."""
    update: bool = request.config.getoption("--update-golden")

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        got = text.rstrip("\n") + "\n"
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(got, encoding="utf-8")
            return
        if not path.is_file():
            pytest.fail(f"tests/golden/{name} does not exist; look at the text, then run with --update-golden:\n{got}")
        want = path.read_text(encoding="utf-8")
        if got != want:
            lines = difflib.unified_diff(
                want.splitlines(), got.splitlines(), f"tests/golden/{name}", "this run", lineterm=""
            )
            pytest.fail("\n".join(lines), pytrace=False)

    return compare


@pytest.fixture(scope="session")
def x_environment() -> Iterator[dict[str, str]]:
    """The environment for a process that opens a real window: an Xvfb display of 1440x900 of its own."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as answer:
        display = answer.readline().strip()  # Xvfb writes its number once it takes connections
    assert display, "Xvfb did not start"
    yield {**os.environ, "DISPLAY": f":{display}", "QT_QPA_PLATFORM": "xcb"}
    server.terminate()
    server.wait(10)


class _Collector(logging.Handler):
    """Keeps records of level WARNING and above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def _no_unexpected_log_warnings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that logs at WARNING or above, unless `expected_warnings` names the text; fail too if none comes."""
    patterns = [str(mark.args[0]) for mark in request.node.iter_markers("expected_warnings")]
    collector = _Collector()
    root = logging.getLogger()
    root.addHandler(collector)
    yield
    root.removeHandler(collector)
    messages = [f"{record.levelname} {record.name}: {record.getMessage()}" for record in collector.records]
    unexpected = [text for text in messages if not any(re.search(pattern, text) for pattern in patterns)]
    missing = [pattern for pattern in patterns if not any(re.search(pattern, text) for text in messages)]
    assert not unexpected, "logged without being expected:\n" + "\n".join(unexpected)
    assert not missing, f"expected to be logged, but was not: {missing}"
