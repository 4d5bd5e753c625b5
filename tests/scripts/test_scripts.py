"""What scripts/run and scripts/test decide, in a project whose environment and system are stand-ins."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.source_tree import ROOT

ORDINARY_TOOLS = (
    "cat",
    "cksum",
    "command",
    "dirname",
    "grep",
    "ldd",
    "ln",
    "mkdir",
    "mktemp",
    "rm",
    "sed",
    "sh",
    "uname",
)


@dataclass(frozen=True, slots=True)
class Project:
    """A copy of the scripts; `tools` is the whole PATH, so that a test says which programs the machine has."""

    root: Path
    tools: Path

    def add_tool(self, name: str, script: str) -> None:
        self.write(self.tools / name, f"#!/bin/sh\n{script}\n")

    def write(self, path: Path, script: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script, encoding="utf-8")
        path.chmod(0o755)

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(self.tools), "HOME": str(self.root), **variables}
        return subprocess.run(
            ["/bin/sh", *command], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )

    def call(self, function: str) -> subprocess.CompletedProcess[str]:
        """Call one function of scripts/lib.sh."""
        return self.run("-euc", f". scripts/lib.sh; {function}")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root, tools = tmp_path / "project", tmp_path / "tools"
    shutil.copytree(ROOT / "scripts", root / "scripts")
    tools.mkdir()
    for name in ORDINARY_TOOLS:
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    for name in ("requirements.lock", "pyproject.toml"):
        (root / name).write_text(f"# {name}\n", encoding="utf-8")
    return Project(root, tools)


def give_environment(project: Project) -> Path:
    """A .venv whose Python writes down what it is asked to do, and does nothing of it; returns that record."""
    record = project.root / "asked"
    project.write(project.root / ".venv/bin/python", f'#!/bin/sh\necho "$*" >>{record}\n')
    studio = '#!/bin/sh\necho "studio in ${QT_QPA_PLATFORM:-the desktop}: $*"\n'
    project.write(project.root / ".venv/bin/spyre-studio", studio)
    plugin = project.root / ".venv/lib/python3.11/site-packages/PySide6/Qt/plugins/platforms/libqxcb.so"
    plugin.parent.mkdir(parents=True)
    plugin.symlink_to(sys.executable)  # anything that finds all its libraries
    return record


def test_without_root_it_prints_the_one_line_to_run(project: Project) -> None:
    project.add_tool("id", "echo 1000")
    project.add_tool("apt-get", "exit 99")
    done = project.call("install_packages 'Qt lacks system libraries' liba libb")
    assert done.returncode == 1
    assert done.stderr == (
        "Qt lacks system libraries. Run this line, then this script again: "
        "sudo apt-get install -y --no-install-recommends liba libb\n"
    )


def test_without_apt_it_names_the_packages(project: Project) -> None:
    done = project.call("install_packages 'Qt lacks system libraries' liba libb")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "Qt lacks system libraries. Install what Debian calls: liba libb; then run this script again."
    ]


def test_as_root_it_installs_without_questions(project: Project) -> None:
    project.add_tool("id", "echo 0")
    project.add_tool("env", 'shift; exec "$@"')
    project.add_tool("apt-get", 'echo "apt-get $*"; cat')
    done = project.call("install_packages 'Qt lacks system libraries' liba libb")
    assert done.returncode == 0
    assert [line.split("Timeout=300 ")[1] for line in done.stderr.splitlines()[1:]] == [
        "update",
        "install -y --no-install-recommends liba libb",
    ]


def test_a_failing_apt_ends_the_script(project: Project) -> None:
    project.add_tool("id", "echo 0")
    project.add_tool("env", 'shift; exec "$@"')
    project.add_tool("apt-get", "exit 100")
    done = project.call("install_packages 'Qt lacks system libraries' liba; echo went on")
    assert done.returncode == 1
    assert "apt-get could not install liba" in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(("version", "accepted"), [("3.10", False), ("3.11", True), ("3.12", True), ("3.13", False)])
def test_it_takes_only_a_python_that_the_project_accepts(project: Project, version: str, accepted: bool) -> None:
    numbers = tuple(map(int, version.split(".")))
    code = f"import sys; sys.version_info = {numbers}; exec(sys.argv[1])"
    project.add_tool("python3", f"""exec {sys.executable} -c '{code}' "$2" """)
    done = project.call("find_python")
    assert done.returncode == 0
    assert done.stdout.strip() == (str(project.tools / "python3") if accepted else "")


def test_packages_are_installed_once_and_again_when_the_lock_changes(project: Project) -> None:
    record = give_environment(project)

    def asked_to_install() -> int:
        assert project.call("install_python_packages").returncode == 0
        lines = record.read_text(encoding="utf-8").splitlines()
        record.unlink()
        return sum("pip install" in line for line in lines)

    assert asked_to_install() == 2
    assert asked_to_install() == 0
    (project.root / "requirements.lock").write_text("numpy==1\n", encoding="utf-8")
    assert asked_to_install() == 2


def test_a_failed_installation_is_tried_again(project: Project) -> None:
    give_environment(project)
    project.write(project.root / ".venv/bin/python", '#!/bin/sh\ncase "$*" in *install*) exit 3 ;; esac\n')
    assert project.call("install_python_packages").returncode == 3
    assert not (project.root / ".venv/stamp").exists()


def test_run_without_a_display_draws_a_picture(project: Project) -> None:
    give_environment(project)
    done = project.run("scripts/run")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "There is no display here, so the window is drawn into a picture instead.",
        "studio in offscreen: attention --screenshot spyre-studio.png",
        f"{project.root}/spyre-studio.png",
    ]


def test_run_with_a_display_opens_the_example(project: Project) -> None:
    give_environment(project)
    done = project.run("scripts/run", DISPLAY=":1")
    assert done.stdout.splitlines() == ["studio in the desktop: attention"]


def test_run_passes_arguments_on_and_stays_where_it_was_called(project: Project) -> None:
    give_environment(project)
    project.write(project.root / ".venv/bin/spyre-studio", '#!/bin/sh\npwd\necho "$1|$2"\n')
    (project.root / "elsewhere").mkdir()
    done = project.run("-c", "cd elsewhere && sh ../scripts/run compile 'my model.pt2'")
    assert done.stdout.splitlines() == [f"{project.root}/elsewhere", "compile|my model.pt2"]


def test_test_runs_the_suite_offscreen_and_passes_arguments_on(project: Project) -> None:
    give_environment(project)
    project.add_tool("Xvfb", "")
    project.write(
        project.root / ".venv/bin/python",
        '#!/bin/sh\ncase "$*" in *pytest*) echo "$QT_QPA_PLATFORM: $*"; exit 5 ;; esac\n',
    )
    done = project.run("scripts/test", "-k", "one thing")
    assert done.stdout.splitlines() == ["offscreen: -m pytest -n 2 --dist loadfile -k one thing"]
    assert done.returncode == 5
