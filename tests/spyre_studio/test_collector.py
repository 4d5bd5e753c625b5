"""The search for cyclic garbage, which the window's thread does in place of whichever asks for memory."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from spyre_studio.collector import Collector, unsearched


class Knot:
    """Holds itself."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def collector(qapp: QApplication) -> Iterator[Collector]:
    made = Collector(qapp)
    yield made
    made.end()
    made.deleteLater()


def test_python_does_not_search_while_there_is_one(collector: Collector) -> None:
    assert not gc.isenabled()
    collector.end()
    assert gc.isenabled()


def test_garbage_goes_when_enough_was_made(collector: Collector) -> None:
    gc.collect()
    lost = weakref.ref(Knot())
    kept = [[] for _ in range(gc.get_threshold()[0] + 50)]  # type: ignore[var-annotated]
    assert lost() is not None
    collector.look()
    assert lost() is None
    assert kept


def test_nothing_is_searched_before(collector: Collector) -> None:
    gc.collect()
    lost = weakref.ref(Knot())
    collector.look()
    assert lost() is not None


def test_nothing_is_searched_while_many_values_are_made(collector: Collector) -> None:
    gc.collect()
    lost = weakref.ref(Knot())
    kept: list[list[int]] = []
    with unsearched():
        kept += [[] for _ in range(gc.get_threshold()[0] + 50)]
        collector.look()
        assert lost() is not None
    assert not gc.isenabled()
    assert gc.get_count()[0] < 50, "what was made is not searched afterwards"
    gc.unfreeze()
    gc.collect()
    assert lost() is None


def test_python_searches_again_after_many_values() -> None:
    with unsearched():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.unfreeze()
