"""What the tests of the scratchpad view have on their stage.

Owns the type of that fixture and reading what the view draws. Refuses: making it; the fixtures do.
"""

from spyre_studio.occupancy import Occupancy
from spyre_studio.selection import Selection
from spyre_studio.views.scratchpad import ScratchpadView

Opened = tuple[ScratchpadView, Selection]


def data_of(view: ScratchpadView) -> Occupancy:
    assert view._data is not None
    return view._data
