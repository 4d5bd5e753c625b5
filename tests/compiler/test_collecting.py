"""Collecting: off while values are made, on again whatever happens."""

import gc

import pytest

from compiler.collecting import uncollected


def test_it_is_off_meanwhile_and_on_again_whatever_happens() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            pass
        assert not gc.isenabled(), "the inner one leaves it as it was"
    assert gc.isenabled()
    with pytest.raises(ValueError, match="in between"), uncollected():
        raise ValueError("in between")
    assert gc.isenabled()
