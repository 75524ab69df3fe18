"""What the first calls would wait for, brought in once the server has answered for the first time."""

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
"""Whoever waits for the server has had its first answer by then; a call that comes sooner brings in its part itself."""


def warm_later(sandbox: Sandbox, after_s: float = AFTER_S) -> Thread:
    """Starts a thread that waits, warms, and ends."""
    thread = Thread(target=_later, args=(sandbox, after_s), name="payment-sandbox-warming", daemon=True)
    thread.start()
    return thread


def _later(sandbox: Sandbox, after_s: float) -> None:
    Event().wait(after_s)
    try:
        warm(sandbox)
    except Exception:  # without room for another open file, say: then each call brings in its own part
        _LOG.exception("preloading for the first calls failed")
    # What is frozen is never freed where it hangs in circles, as workspaces do.
    if not sandbox.store.names():
        pass_over_what_is_there()


def warm(sandbox: Sandbox) -> None:
    """Imports the views, and makes ready what the commonest bodies and records go through."""
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
    """Starts the garbage collector again; it looks only at what comes from now on (`serve.py` says why)."""
    gc.freeze()
    gc.enable()
