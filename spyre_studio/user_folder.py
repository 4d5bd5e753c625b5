"""Where this program keeps what it can make again, the traceback of its last mistake, and what a crash shall not take.

Refuses to decide what is kept: nothing is lost with the folder of caches.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """The folder as the system wants it; it may not exist."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "spyre-studio"


def state_folder() -> Path:
    """The folder for what shall outlive a crash, as the system wants it; it may not exist."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or home / ".local" / "state")
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
