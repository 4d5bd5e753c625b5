"""What the tests of the timeline view have on their stage.

Owns the type of that fixture and reading what the view draws. Refuses: making it; the fixtures do.
"""

from spyre_studio.selection import Selection
from spyre_studio.timeline_data import TimelineData
from spyre_studio.views.timeline import TimelineView

Opened = tuple[TimelineView, Selection]


def data_of(view: TimelineView) -> TimelineData:
    data = view.session.timeline
    assert data is not None
    return data
