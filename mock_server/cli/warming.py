"""Loads after the start what the first calls would wait for."""

from __future__ import annotations

import gc
import logging
from threading import Event, Thread
from typing import Final

from mock_server import control
from mock_server.api import ENDPOINTS
from mock_server.contract.operations import BY_NAME
from mock_server.engine.kinds import CUSTOMERS, EVENTS, PAYMENTS, PROFILES
from mock_server.sandbox import Sandbox
from mock_server.store.records import codec_of

_LOG: Final = logging.getLogger("mock_server.warming")
AFTER_S: Final = 0.25
"""By then a client that waits for the server has its first answer; an earlier call loads what it needs itself."""


def warm_later(sandbox: Sandbox, after_s: float = AFTER_S) -> Thread:
    """Start a thread that waits, loads, and ends."""

    def later() -> None:
        Event().wait(after_s)
        try:
            warm(sandbox)
        except Exception:  # such as too many open files: then each call loads what it needs
            _LOG.exception("preloading for the first calls failed")
        # Objects with reference cycles, as workspaces have, are never freed once they are frozen.
        if not sandbox.store.names():
            pass_over_what_is_there()

    thread = Thread(target=later, name="payment-sandbox-warming", daemon=True)
    thread.start()
    return thread


def warm(sandbox: Sandbox) -> None:
    """Import the views, and compile the readers of the most common bodies and records."""
    from mock_server.control.requests import RESET

    ENDPOINTS.load()
    control.ENDPOINTS.load()
    body, _ = BY_NAME["payments.create"].takes
    if body is not None:
        body.of(sandbox.dialect).warm()
    RESET.warm()
    for kind in (PAYMENTS, PROFILES, CUSTOMERS, EVENTS):
        codec_of(kind.type)


def pass_over_what_is_there() -> None:
    """Start the garbage collector again, for new objects only (`serve.py` says why)."""
    gc.freeze()
    gc.enable()
