"""The one stylesheet of the window: flat, calm, one line between panels, a visible ring on what has the focus.

Owns: the shape of standard widgets. Refuses: colours and sizes of its own (theme.py has them) and Qt itself.
Buttons: set the dynamic property `primary` to true for the one main action of a place, `quiet` for a text button.
Frames: `raised` for a card. Labels and sentences (QTextEdit): `tone` is one of mute, ok, warn, bad;
labels also accent; `heading` is section or title.
"""

from string import Template

from spyre_studio.colour import mix
from spyre_studio.theme import CELL_PAD, GRID, RADIUS, RADIUS_SMALL, RAISED_LIT, ROW, SIZE_LABEL, SIZE_TITLE, Theme

_SHEET = Template("""
QMainWindow, QDialog { background: $panel; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $accent; }
QSplitter::handle { background: $line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QSplitter::handle:hover { background: $accent; }
QDockWidget { color: $mute; titlebar-close-icon: none; }
QDockWidget::title { background: $panel; padding: ${half}px ${grid}px; }
QToolBar { background: $panel; border: none; border-bottom: 1px solid $line; padding: ${half}px; spacing: ${grid}px; }
QStatusBar { background: $panel; border-top: 1px solid $line; color: $mute; }
QStatusBar::item { border: none; }

QLabel { background: transparent; }
QLabel[heading="section"] { color: $mute; font-size: ${label}px; font-weight: bold; }
QLabel[heading="title"] { color: $text; font-size: ${title}px; font-weight: bold; }
QLabel[tone="mute"] { color: $mute; }
QLabel[tone="ok"] { color: $ok_text; }
QLabel[tone="warn"] { color: $warn_text; }
QLabel[tone="bad"] { color: $bad_text; }
QLabel[tone="accent"] { color: $accent_text; }

QPushButton { background: $raised; color: $text; border: 1px solid $line; border-radius: ${radius}px;
  padding: ${half}px ${pad}px; min-height: ${control}px; }
QPushButton:hover { background: $raised_hover; }
QPushButton:pressed { background: $line; }
QPushButton:focus { border: 1px solid $accent; }
QPushButton:disabled { color: $faint; }
QPushButton[primary="true"] { background: $accent; color: $on_accent; border: 1px solid $accent; font-weight: bold; }
QPushButton[primary="true"]:hover { background: $accent_hover; border-color: $accent_hover; }
QPushButton[primary="true"]:focus { border: 2px solid $text; }
QPushButton[primary="true"]:disabled { background: $raised; border-color: $line; color: $faint; }
QPushButton[quiet="true"] { background: transparent; border: 1px solid transparent; color: $accent_text;
  padding: ${half}px ${grid}px; }
QPushButton[quiet="true"]:hover { background: $hover; }
QPushButton[quiet="true"]:focus { border: 1px solid $accent; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: ${radius}px; padding: ${half}px; }
QToolButton:hover { background: $hover; }
QToolButton:checked { background: $selection; }
QToolButton:focus { border: 1px solid $accent; }
QToolButton[popupMode="2"] { padding-right: ${row}px; }
QToolButton::menu-indicator { image: url("$icons/chevron-down-$name.svg"); width: ${icon}px; height: ${icon}px;
  subcontrol-origin: padding; subcontrol-position: right center; right: ${half}px; }

QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox { background: $field; color: $text; border: 1px solid $line;
  border-radius: ${radius}px; padding: 0 ${grid}px; min-height: ${control}px; selection-background-color: $accent;
  selection-color: $on_accent; placeholder-text-color: $mute; }
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus { border: 1px solid $accent; }
QComboBox::drop-down { border: none; width: ${row}px; }
QComboBox::down-arrow { image: url("$icons/chevron-down-$name.svg"); width: ${icon}px; height: ${icon}px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; background: transparent; width: ${icon}px; }
QAbstractSpinBox::up-arrow { image: url("$icons/chevron-up-$name.svg"); width: ${mark}px; height: ${mark}px; }
QAbstractSpinBox::down-arrow { image: url("$icons/chevron-down-$name.svg"); width: ${mark}px; height: ${mark}px; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $line; outline: none; padding: ${half}px; }
QPlainTextEdit, QTextEdit, QTextBrowser { background: $bg; color: $text; border: none;
  selection-background-color: $accent; selection-color: $on_accent; }
QTextEdit[tone="mute"] { background: transparent; color: $mute; }
QTextEdit[tone="ok"] { background: transparent; color: $ok_text; }
QTextEdit[tone="warn"] { background: transparent; color: $warn_text; }
QTextEdit[tone="bad"] { background: transparent; color: $bad_text; }

QTabWidget::pane { border: none; border-top: 1px solid $line; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: $mute; padding: ${half}px 0 ${half}px 0; margin: 0 ${grid}px;
  min-height: ${control}px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:focus { color: $accent_text; }
QTabBar::tab:disabled { color: $faint; }
QTabBar::scroller { width: ${row}px; }
QTabBar QToolButton { background: $panel; border-radius: 0; padding: 0; }
QTabBar QToolButton::left-arrow { image: url("$icons/chevron-left-$name.svg"); width: ${icon}px; height: ${icon}px; }
QTabBar QToolButton::right-arrow { image: url("$icons/chevron-right-$name.svg"); width: ${icon}px; height: ${icon}px; }

QTreeView, QTableView, QListView { background: $panel; border: 1px solid transparent; outline: none;
  selection-background-color: $selection; selection-color: $text; show-decoration-selected: 1; }
QTreeView:focus, QTableView:focus, QListView:focus { border: 1px solid $accent; }
QTreeView::item, QTableView::item, QListView::item { border: none; min-height: ${row}px; padding: 0 ${half}px; }
QTreeView::item:hover, QTableView::item:hover, QListView::item:hover { background: $hover; }
QTreeView::item:selected, QTableView::item:selected, QListView::item:selected { background: $selection; color: $text; }
QHeaderView { background: $panel; border: none; }
QHeaderView::section { background: $panel; color: $mute; border: none; border-bottom: 1px solid $line;
  padding: ${half}px ${cell}px; font-size: ${label}px; }
QHeaderView::up-arrow, QHeaderView::down-arrow { width: ${bar}px; height: ${bar}px; subcontrol-origin: border;
  subcontrol-position: top center; }
QHeaderView::up-arrow { image: url("$icons/chevron-up-$name.svg"); }
QHeaderView::down-arrow { image: url("$icons/chevron-down-$name.svg"); }
QHeaderView QToolButton { background: $panel; }
QTableCornerButton::section { background: $panel; border: none; }

QMenuBar { background: $panel; }
QMenuBar::item { padding: ${half}px ${grid}px; background: transparent; border-radius: ${small}px; }
QMenuBar::item:selected { background: $selection; }
QMenu { background: $raised; border: 1px solid $line; padding: ${half}px; }
QMenu::item { padding: ${half}px ${row}px ${half}px ${pad}px; border-radius: ${small}px; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $line; margin: ${half}px ${grid}px; }
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: ${half}px; }

QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: ${bar}px; }
QScrollBar:horizontal { height: ${bar}px; }
QScrollBar::handle { background: $line; border-radius: ${small}px; min-width: ${row}px; min-height: ${row}px;
  margin: 2px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }

QProgressBar { background: $line; border: none; border-radius: 2px; min-height: ${half}px; max-height: ${half}px;
  color: transparent; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QDialogButtonBox, QMessageBox { dialogbuttonbox-buttons-have-icons: 0; }
QFrame[hairline="true"] { background: $line; border: none; }
QFrame[raised="true"] { background: $raised; border: none; border-radius: ${radius}px; }
QGroupBox { border: none; margin-top: ${row}px; padding: 0; color: $mute; }
QGroupBox::title { subcontrol-origin: margin; padding: 0; }
QCheckBox { spacing: ${grid}px; }
QCheckBox::indicator { width: ${mark}px; height: ${mark}px; border: 1px solid $mute; border-radius: 3px;
  background: $field; }
QCheckBox::indicator:hover { border-color: $accent; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent;
  image: url("$icons/check-$name.svg"); }
QCheckBox::indicator:disabled { border-color: $line; }
QCheckBox:focus { color: $accent_text; }
QScrollArea { border: none; background: transparent; }
""")


def stylesheet(theme: Theme, scale: float, icons: str) -> str:
    """The sheet in the colours of `theme`, its lengths multiplied by `scale`; `icons` is the folder of the icons."""
    lengths = {
        "half": GRID // 2,
        "grid": GRID,
        "pad": 2 * GRID,
        "row": ROW,
        "icon": 2 * GRID,
        "control": ROW - GRID // 2,
        "bar": GRID + GRID // 2,
        "cell": CELL_PAD,
        "mark": GRID + GRID // 2,
        "radius": RADIUS,
        "small": RADIUS_SMALL,
        "label": SIZE_LABEL,
        "title": SIZE_TITLE,
    }
    colours = {
        "name": theme.name,
        "icons": icons,
        "bg": theme.bg,
        "panel": theme.panel,
        "raised": theme.raised,
        "raised_hover": mix(theme.raised, theme.text, RAISED_LIT),
        "field": theme.bg if theme.name == "dark" else theme.panel,
        "line": theme.line,
        "text": theme.text,
        "mute": theme.mute,
        "faint": theme.faint,
        "accent": theme.accent,
        "accent_text": theme.accent_text,
        "accent_hover": mix(theme.accent, theme.text, 0.1),
        "on_accent": theme.on_accent,
        "ok_text": theme.ok_text,
        "warn_text": theme.warn_text,
        "bad_text": theme.bad_text,
        "selection": theme.selection,
        "hover": theme.hover,
    }
    scaled = {name: str(max(1, round(length * scale))) for name, length in lengths.items()}
    return _SHEET.substitute(colours, **scaled)
