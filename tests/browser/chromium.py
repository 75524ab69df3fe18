"""Where Chromium is, and how it is started so that it asks nobody but the sandbox for anything."""

from __future__ import annotations

import os
import shutil
from typing import Final

WHOLE: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHELL: Final = "chromium-headless-shell"
"""The same browser without the parts of a window, for two thirds of the processor time. Not every system has it."""
FLAGS: Final = (
    "--headless",
    "--renderer-process-limit=1",  # a page of the dashboard would get a process of its own, as of another opener
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
UNDRAWN: Final = ("--disable-threaded-compositing",)
"""Nothing is drawn: layout and scripts go on, `requestAnimationFrame` never calls, so a locator's click never ends."""
MISSING: Final = (
    "no Chromium here: install Debian's package `chromium`, or name one by the variable BROWSER_UNDER_TEST; "
    "no page was looked at"
)


def executable(*names: str) -> str | None:
    """The browser's program: the one that the environment names, or the first that is installed."""
    named = os.environ.get("BROWSER_UNDER_TEST")
    return named or next(filter(None, map(shutil.which, names or (SHELL, *WHOLE))), None)
