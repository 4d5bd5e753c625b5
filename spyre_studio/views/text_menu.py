"""The menu on a line of a listing: the names in it, folding, copying, and what can be pinned.

Owns: which entries make sense. Refuses: doing more than asking the text, the session or the selection.
"""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from spyre_studio.listing_links import Subject
from spyre_studio.pin_menu import add_buffer, add_op, add_unpin
from spyre_studio.session import Session
from spyre_studio.views.text_lines import TextLines

_MOST = 12  # names that are listed; the title of one that is left out can be clicked in the line


def text_menu(lines: TextLines, line: int, session: Session) -> QMenu:
    """For a line, or with -1 for the text as a whole."""
    menu = QMenu(lines)
    subjects = _subjects(lines, line)
    for subject in subjects[:_MOST]:
        entry = menu.addAction(f"Select {subject.kind} {subject.name}")
        entry.triggered.connect(lambda _checked=False, subject=subject: lines.followed.emit(subject))
    if subjects:
        menu.addAction("Copy the name", lambda: QGuiApplication.clipboard().setText(subjects[0].name))
        _add_pins(menu, subjects[0], session, lines)
        menu.addSeparator()
    _add_folds(menu, lines, line)
    menu.addSeparator()
    if len(lines.marks.named):
        menu.addAction("Next place of the selection\tN", lines.next_occurrence)
        menu.addAction("Place before of the selection\tShift+N", lambda: lines.next_occurrence(False))
        menu.addSeparator()
    first, end = lines.looks.chosen
    menu.addAction("Copy the lines\tCtrl+C" if end - first > 1 else "Copy the line\tCtrl+C", lines.copy)
    menu.addAction("Copy the whole listing", lambda: QGuiApplication.clipboard().setText(lines.everything()))
    return menu


def _subjects(lines: TextLines, line: int) -> tuple[Subject, ...]:
    """What the line names, the name that was meant first; without names, what it speaks of."""
    if line < 0:
        return ()
    links = lines.pieces[line].links
    named = [link.subject for link in links]
    if line == lines.line and lines.link is not None:
        named.insert(0, lines.link.subject)
    owner = lines.listing.subject_of(line)
    return tuple(dict.fromkeys(named or ([owner] if owner is not None else [])))


def _add_pins(menu: QMenu, subject: Subject, session: Session, lines: TextLines) -> None:
    pins = menu.addMenu("Pin")
    if subject.kind == "op":
        add_op(pins, subject.name, session, lines.window())
    else:
        add_buffer(pins, subject.name, session, named=False)
    add_unpin(pins, (subject.name,), session)
    pins.menuAction().setVisible(not pins.isEmpty())


def _add_folds(menu: QMenu, lines: TextLines, line: int) -> None:
    if line >= 0 and lines.listing.folds.headed_by(line) >= 0:
        menu.addAction("Unfold\tRight" if lines.folding.is_closed(line) else "Fold\tLeft", lambda: lines.turn(line))
    menu.addAction("Fold all\t1", lambda: lines.fold_all(True))
    menu.addAction("Unfold all\t*", lambda: lines.fold_all(False))
    menu.addAction("Fold as at first\t0", lines.fold_as_at_first)
