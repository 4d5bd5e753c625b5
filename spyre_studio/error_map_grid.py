"""An error map as a grid of cells to draw: by element, by stick or by core, with the words for each cell.

Owns: shades, what is beyond rounding, labels and sentences.  Refuses: Qt, and colours; a shade is 0..255.

The scale.  Half of the shades are for what rounding explains (0 to 6 deviations), evenly; the other half for what it
does not, by factors of ten up to the largest error that is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from simulator.error_map import HOST, MOST, NO_NUMBER, Cells, CoreError, ErrorMap, StickError
from spyre_studio.error_map_owners import Owners, cells_of
from spyre_studio.error_map_subject import Subject
from spyre_studio.units import format_count

By = Literal["element", "stick", "core"]
BYS: Final[tuple[tuple[By, str], ...]] = (("element", "Elements"), ("stick", "Sticks"), ("core", "Cores"))

EXPLAINED: Final = 6.0  # deviations that rounding explains at one element, see simulator.report
_HALF: Final = 127
_FULL: Final = 255
_ACROSS: Final = 8  # tiles in a row
_DOWN: Final = 4  # rows of tiles at least, so that few tiles are not huge

Shades = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class HeatGrid:
    """`shades`, `beyond` (rounding) and `present` by row and column of cells; `extent` is what the axes count, rows and
    columns of elements, or of tiles where `labels` (row by row) stand in them.  `cores` of a cell: whose it is."""

    by: By
    extent: tuple[int, int]
    shades: Shades
    beyond: Mask
    present: Mask
    labels: tuple[str, ...]
    words: tuple[str, ...]
    cores: tuple[tuple[int, ...], ...]

    @property
    def cells(self) -> tuple[int, int]:
        """Rows and columns of cells."""
        rows, columns = self.shades.shape
        return rows, columns

    def number(self, row: int, column: int) -> int:
        """The place of a cell in `words` and `cores`, row by row."""
        return row * self.cells[1] + column

    def owned(self, core: int) -> Mask:
        """The cells of a core."""
        mine = np.fromiter((core in cores for cores in self.cores), np.bool_, len(self.cores))
        return mine.reshape(self.cells)


def grid_of(subject: Subject, by: By, owners: Owners) -> HeatGrid | None:
    """The map of a result, None if it has none or nothing is in it."""
    errors = subject.errors
    if errors is None or not errors.deviations:
        return None
    match by:
        case "element":
            return _elements(subject, errors, owners)
        case "stick":
            titles = [place_text(each.stick) for each in errors.sticks]
            return _tiles(by, errors.sticks, titles, [f"stick {title}" for title in titles])
        case _:
            titles = [core_text(each.core, short=True) for each in errors.cores]
            return _tiles(by, errors.cores, titles, [core_text(each.core) for each in errors.cores])


def shade(deviations: float) -> int:
    """The shade of an error.

    >>> shade(0.0), shade(3.0), shade(6.0), shade(6.1) > 127, shade(1e12)
    (0, 64, 127, True, 255)
    """
    if deviations <= EXPLAINED:
        return round(_HALF * deviations / EXPLAINED)
    share = log10(deviations / EXPLAINED) / log10(MOST / EXPLAINED)
    return min(_HALF + 1 + round((_FULL - _HALF - 1) * share), _FULL)


def error_text(deviations: float, absolute: float) -> str:
    """An error in words.  Examples: 'equal', '1.2 deviations, |d| 0.0003', 'NaN or infinity'."""
    if absolute == NO_NUMBER:
        return "NaN or infinity"
    if absolute == 0:
        return "equal"
    return f"{deviation_text(deviations)}, |d| {absolute:.3g}"


def deviation_text(deviations: float) -> str:
    """Examples: '1.2 deviations', '1 deviation', 'more than 1e9 deviations'."""
    if deviations >= MOST:
        return "more than 1e9 deviations"
    figure = f"{deviations:.3g}"
    return f"{figure} deviation" if figure == "1" else f"{figure} deviations"


def core_text(core: int, short: bool = False) -> str:
    """A core, or the host in its place: what no core wrote."""
    if core == HOST:
        return "no core" if short else "written by no core"
    return str(core) if short else f"core {core}"


def cores_text(cores: tuple[int, ...]) -> str:
    """Examples: '' (not known), 'core 3', 'cores 0–3', 'cores 0, 4, 8'."""
    if len(cores) < 2:
        return core_text(cores[0]) if cores else ""
    if cores == tuple(range(cores[0], cores[-1] + 1)):
        return f"cores {cores[0]}–{cores[-1]}"
    shown = ", ".join(map(str, cores[:4]))
    return f"cores {shown}" + (f" and {len(cores) - 4} more" if len(cores) > 4 else "")


def place_text(place: tuple[int, ...]) -> str:
    """Example: '[0,3]'."""
    return f"[{','.join(map(str, place))}]"


def range_text(shape: tuple[int, ...], row: int, column: int) -> str:
    """The elements of a cell, every leading dim by its range or index where the rows are one dim, else from the first
    row to the last.  Examples: '[2–3, 0–3]', '[1,0, 0–3] to [1,15, 0–3]'."""
    *leading, columns = shape or (1,)
    across = _span(columns, column)
    rows = 1
    for extent in leading:
        rows *= extent
    low, high = _ends(rows, row)
    if len(leading) <= 1:
        return f"[{', '.join([*([_range(low, high)] if leading else []), across])}]"
    first, last = (",".join(str(each) for each in np.unravel_index(place, leading)) for place in (low, high))
    return f"[{first}, {across}]" if low == high else f"[{first}, {across}] to [{last}, {across}]"


def border_of(mask: Mask) -> NDArray[np.float64]:
    """The lines (x0, y0, x1, y1), in cells, around all that is set.

    >>> border_of(np.array([[True, True]])).tolist()
    [[0.0, 0.0, 0.0, 1.0], [2.0, 0.0, 2.0, 1.0], [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 1.0, 1.0], \
[1.0, 1.0, 2.0, 1.0]]
    """
    wide = np.pad(mask, 1)
    rows, columns = np.nonzero(wide[1:-1, 1:] != wide[1:-1, :-1])
    upright = np.stack([columns, rows, columns, rows + 1], axis=1)
    rows, columns = np.nonzero(wide[1:, 1:-1] != wide[:-1, 1:-1])
    level = np.stack([columns, rows, columns + 1, rows], axis=1)
    return np.concatenate([upright, level]).astype(np.float64)


def _elements(subject: Subject, errors: ErrorMap, owners: Owners) -> HeatGrid:
    deviations = np.array(errors.deviations)
    places = [(row, column) for row in range(deviations.shape[0]) for column in range(deviations.shape[1])]
    cores = tuple(owners.at(*place) for place in places) if owners.cells else ((),) * len(places)
    words = tuple(
        " · ".join(
            part
            for part in (
                range_text(subject.shape, row, column),
                error_text(errors.deviations[row][column], errors.absolute[row][column]),
                cores_text(owned),
            )
            if part
        )
        for (row, column), owned in zip(places, cores, strict=True)
    )
    present = np.ones(deviations.shape, np.bool_)
    shades = _shades(errors.deviations, errors.absolute)
    beyond = (deviations > EXPLAINED) | (np.array(errors.absolute) == NO_NUMBER)
    return HeatGrid("element", (errors.rows, errors.columns), shades, beyond, present, (), words, cores)


def _tiles(by: By, found: Sequence[StickError | CoreError], labels: Sequence[str], titles: Sequence[str]) -> HeatGrid:
    """One tile each, eight in a row, in the order of the list."""
    down = max(-(-len(found) // _ACROSS), _DOWN)
    size = _ACROSS * down
    shades, beyond, present = np.zeros(size, np.uint8), np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    for place, each in enumerate(found):
        shades[place] = _FULL if each.max_abs == NO_NUMBER else shade(each.max_deviations)
        beyond[place], present[place] = each.beyond > 0, True
    words = tuple(f"{title} · {group_text(each)}" for title, each in zip(titles, found, strict=True))
    cores = tuple((each.core,) if isinstance(each, CoreError) else () for each in found)
    spare = size - len(found)
    grid = (down, _ACROSS)
    return HeatGrid(
        by,
        grid,
        shades.reshape(grid),
        beyond.reshape(grid),
        present.reshape(grid),
        (*labels, *[""] * spare),
        (*words, *[""] * spare),
        (*cores, *[()] * spare),
    )


def group_text(each: StickError | CoreError) -> str:
    """What is wrong in a stick or a core."""
    share = f"{format_count(each.beyond)} of {format_count(each.elements, 'element')} beyond rounding"
    return f"{share} · {error_text(each.max_deviations, each.max_abs)}"


def _shades(deviations: Cells, absolute: Cells) -> Shades:
    return np.array(
        [
            [_FULL if far == NO_NUMBER else shade(each) for each, far in zip(row, distances, strict=True)]
            for row, distances in zip(deviations, absolute, strict=True)
        ],
        np.uint8,
    )


def _ends(extent: int, cell: int) -> tuple[int, int]:
    """First and last place of a cell."""
    starts = cells_of(extent)
    return int(starts[cell]), int(starts[cell + 1]) - 1 if cell + 1 < len(starts) else extent - 1


def _span(extent: int, cell: int) -> str:
    return _range(*_ends(extent, cell))


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
