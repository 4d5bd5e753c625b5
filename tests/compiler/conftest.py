"""Fixtures for tests of the compiler."""

import pytest


@pytest.fixture
def short_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs of a few steps are re-solved as long ones are: only near the pins that changed."""
    monkeypatch.setattr("compiler.passes.co_optimize.FEW", 0)
