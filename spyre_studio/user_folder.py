"""Where this program keeps what it can make again, the traceback of its last mistake, and what a crash shall not take.

Refuses to decide what is kept: nothing is lost with the folder of caches.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """The folder as the system wants it; it may not exist."""
    return _folder("Caches", "XDG_CACHE_HOME", ".cache")


def state_folder() -> Path:
    """The folder for what shall outlive a crash, as the system wants it; it may not exist."""
    return _folder("Application Support", "XDG_STATE_HOME", ".local/state")


def _folder(mac: str, variable: str, otherwise: str) -> Path:
    """Ours in a folder of the system: `mac` in its Library, elsewhere what a variable names, or one of the home."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / mac
    else:
        base = Path(os.environ.get(variable) or home / otherwise)
    return base / "spyre-studio"


def write_traceback(text: str) -> Path | None:
    """Keep a traceback; the file, or None if it cannot be written."""
    path = cache_folder() / "last-error.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError:
        return None
    return path
