"""The rules of the house, as tests: what a reader may rely on in every file of the project.

Owns the limits and the lists of what is not allowed; `source_tree` finds the files and reads them.
"""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.source_tree import (
    FOLDERS,
    PACKAGES,
    ROOT,
    functions_of,
    name_of,
    numbers_of,
    python_files,
    text_files,
    tree_of,
)

FILE_LINES = 400
FUNCTION_LINES = 50

PRODUCT = python_files(*PACKAGES)
ALL_PYTHON = python_files(*PACKAGES, "tests")

# Written backwards, so that this file does not hold what it looks for.
UNFINISHED = [word[::-1] for word in ("ODOT", "EMXIF", "KCAH", "rorrEdetnemelpmItoN")] + ["X" * 3]
PLACES = [word[::-1] for word in ("/krow/", "/toor/", "/emoh/", "/resU/", "lru-xedni", "sknil-dnif", "slehw/tpo/")]
HOSTS = [word[::-1] for word in ("gro.ipyp", "detsohnohtyp", "gro.naibed", "gro.hcrotyp.", "ved.gkp", "sjmpn")]
WORKPLACE = [word[::-1] for word in ("edualc", "ciporhtna", "tpgtahc", "tnegabus", "dm.ngised", "dm.sesac", "/stcaf")]

ITEMS_OF_QT = {"headerItem", "horizontalHeaderItem", "invisibleRootItem", "itemAt", "verticalHeaderItem"}


def run(tool: str, *arguments: str) -> None:
    """Run a tool of the virtual environment over the project; its complaints become the failure."""
    command = [str(Path(sys.executable).parent / tool), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}", pytrace=False)


def fail_if(findings: list[str], rule: str) -> None:
    if findings:
        pytest.fail("\n".join([rule, *findings]), pytrace=False)


def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_ruff_is_content() -> None:
    run("ruff", "check", "--quiet", "--output-format=concise", ".")


def test_types_are_sound() -> None:
    run("mypy", "--no-error-summary", *PACKAGES, "tests")


def test_imports_keep_their_contracts() -> None:
    run("lint-imports", "--no-logo", "--no-cache")


@pytest.mark.parametrize("path", text_files(), ids=name_of)
def test_files_are_short_and_name_no_outside(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    name = name_of(path)
    is_data = name.startswith(("tests/golden/", "resources/")) or path.suffix in {".json", ".lock", ".toml", ".md"}
    assert is_data or text.count("\n") < FILE_LINES, f"{name} is too long: which second noun moved in?"
    lines = text.splitlines()
    for words, what in (
        (UNFINISHED, "unfinished work"),
        (PLACES, "a place on one machine"),
        (HOSTS, "where packages come from"),
        (WORKPLACE, "how it was made, not what it is"),
    ):
        pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE if words is WORKPLACE else 0)
        fail_if([f"{name}:{n}: {line}" for n, line in enumerate(lines, 1) if pattern.search(line)], f"names {what}")


def test_functions_are_short() -> None:
    long = [
        f"{name_of(path)}:{function.line}: {function.name} has {function.lines} lines"
        for path in ALL_PYTHON
        for function in functions_of(path)
        if function.lines >= FUNCTION_LINES
    ]
    fail_if(long, f"a function has fewer than {FUNCTION_LINES} lines")


def test_modules_say_what_they_are() -> None:
    silent = [name_of(path) for path in ALL_PYTHON if not ast.get_docstring(tree_of(path))]
    fail_if(silent, "every module starts with a docstring")


def test_public_signatures_are_typed() -> None:
    """mypy demands annotations; this demands that those others build on say something."""
    vague = [
        f"{name_of(path)}:{function.line}: {function.name}"
        for path in PRODUCT
        for function in functions_of(path)
        if not function.name.startswith("_") and "." not in function.name and _mentions_any(function.node)
    ]
    fail_if(vague, "no Any in a public signature")


def _mentions_any(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    annotations = [argument.annotation for argument in arguments if argument] + [node.returns]
    names = [ast.unparse(annotation) for annotation in annotations if annotation]
    return any(re.search(r"\bAny\b", name) for name in names)


def hardware_numbers() -> dict[float, str]:
    """The numbers of the device file that nobody writes by chance, with the name each has there."""
    text = (ROOT / "resources/devices/spyre.toml").read_text(encoding="utf-8")
    entries = {key: entry["value"] for key, entry in tomllib.loads(text).items() if _has_value(entry)}
    return {float(value): key for key, value in entries.items() if _is_distinctive(value)}


def _has_value(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("value"), int | float)


def _is_distinctive(value: float) -> bool:
    """True for large numbers and for fractions of three digits or more; units of measure and sizes of
    caches are everybody's."""
    if value in {10**3, 10**6, 10**9, 2**10, 2**11, 2**12, 2**15, 2**20, 2**30}:
        return False
    digits = f"{abs(value):g}".replace(".", "").strip("0")
    return value > 512 or (value != int(value) and len(digits) >= 3)


def test_distinctive_numbers_are_told_from_common_ones() -> None:
    assert all(map(_is_distinctive, [1140, 204.8, 98.304, 2**28, 2**21, 65535, 14 * 2**30]))
    assert not any(map(_is_distinctive, [0, 1, 0.5, 0.05, 32, 128, 1000, 1024, 4096, 2**20]))
    folded = [value for _, value in numbers_of(ast.parse("a = 2 * 1024**2 + n\nb = 256 << 20"))]
    assert 2**21 in folded
    assert 2**28 in folded


def test_hardware_numbers_stand_in_the_device_file_only() -> None:
    known = hardware_numbers()
    assert len(known) >= 5, "the device file has lost its numbers, so that this test says nothing"
    copies = [
        f"{name_of(path)}:{line}: {value} is {known[float(value)]} of the device"
        for path in python_files("compiler", "simulator")
        for line, value in numbers_of(tree_of(path))
        if float(value) in known
    ]
    fail_if(copies, "a hardware number appears once, in resources/devices")


README = ROOT / "README.md"


@pytest.mark.skipif(not README.exists(), reason="no README.md yet")
def test_readme_maps_what_is_there() -> None:
    text = README.read_text(encoding="utf-8")
    folders = {name_of(path.parent) for path in PRODUCT if path.name == "__init__.py"} | {"scripts", "tests"}
    unnamed = [folder for folder in sorted(folders) if f"{folder}/" not in text]
    fail_if(unnamed, "README.md names every package")
    paths = re.findall(rf"`((?:{'|'.join(map(re.escape, FOLDERS))})/[\w./-]*)`", text)
    fail_if([path for path in paths if not (ROOT / path).exists()], "README.md names only what exists")


@pytest.mark.skipif(not README.exists(), reason="no README.md yet")
def test_readme_gives_a_reason_for_each_dependency() -> None:
    table = README.read_text(encoding="utf-8").lower()
    fail_if([name for name in dependencies() if f"| {name}" not in table], "README.md lists every dependency")


def dependencies() -> list[str]:
    """The names of what the product and its tests are declared to need, in lower case."""
    table = project()["project"]
    assert isinstance(table, dict)
    declared = [*table["dependencies"], *table["optional-dependencies"]["dev"]]
    return [re.split(r"[<>=~! ]", name)[0].lower() for name in declared]


def test_what_is_installed_is_what_is_locked() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    locked = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    differing = [f"{name} {version(name)}, locked {want}" for name, want in locked.items() if _public(name) != want]
    fail_if(differing, "the environment is the locked one; run scripts/test to make it so")
    names = {name.lower().replace("_", "-") for name in locked}
    fail_if([name for name in dependencies() if name not in names], "every dependency is locked; run scripts/lock")


def _public(name: str) -> str:
    """The installed version without its local part, which names a build (+cpu) and not a release."""
    return version(name).split("+")[0]


def test_qt_calls_keep_the_count_of_none(qtbot: QtBot) -> None:
    """PySide6 6.12.0 takes a reference to None away with each call that returns nothing; in the end Python aborts."""
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for number in range(200):
        label.setText(str(number))
    assert sys.getrefcount(None) > before - 50


def test_no_item_is_asked_for_that_qt_made() -> None:
    """Qt deletes such items without telling Python, which then takes widgets at their place apart and crashes."""
    calls = [
        f"{name_of(path)}:{node.lineno}: .{node.attr}"
        for path in python_files("spyre_studio")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in ITEMS_OF_QT
    ]
    fail_if(calls, "keep the widgets of a layout in a list; set the looks of a head by setHeaderData")


def test_no_widget_stands_between_qt_and_all_its_events() -> None:
    """What fails within an `event` of ours, as a picture that is painted in it, ends the process: Shiboken 6.11 keeps
    such an error for its caller, and takes one of the interpreter's own making for something else."""
    found = [
        f"{name_of(path)}:{node.lineno}"
        for path in python_files("spyre_studio")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef) and node.name == "event"
    ]
    fail_if(found, "filter the few events that are meant: `self.installEventFilter(self)` and `eventFilter`")


@pytest.mark.parametrize("script", ["run", "test", "lock", "lib.sh"])
def test_scripts_are_plain_shell(script: str) -> None:
    path = ROOT / "scripts" / script
    subprocess.run(["sh", "-n", path], check=True)
    bash_only = re.compile(r"\[\[|^\s*(?:function|local|source) |<<<|\$'|&>", re.MULTILINE)
    assert not bash_only.findall(path.read_text(encoding="utf-8"))
