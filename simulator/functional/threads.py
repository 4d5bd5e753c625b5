"""Threads: how torch computes while a program is simulated.

Owns the choice of one thread and no gradients.  The pieces of one core are small: handing them to several threads costs
more than it gains, many times more on a busy machine, and makes the order of sums depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Run the block on one thread without gradients; afterwards torch has the threads it had."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.set_num_threads(before)
