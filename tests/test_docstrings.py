"""Every example in a docstring is run, so that none of them tells what is no longer so."""

import doctest
import importlib
from pathlib import Path

import pytest

from tests.source_tree import PACKAGES, ROOT

EXAMPLE = ">>> "


def told(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


WITH_EXAMPLES = sorted(
    told(path)
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if EXAMPLE in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_give_what_they_say(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)
