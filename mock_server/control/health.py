"""Whether the server is up, and which one it is; for containers and for the command line, without a key."""

from __future__ import annotations

from mock_server import __version__
from mock_server.control.binding import view
from mock_server.http.context import Answer, Call
from mock_server.http.show import show


@view("control.livez")
def livez(call: Call) -> Answer:
    return show({"status": "ok"})


@view("control.readyz")
def readyz(call: Call) -> Answer:
    stale = call.sandbox.scenarios.stale
    told = {"scenarios": "stale", "mistakes": [str(mistake) for mistake in stale]} if stale else {"scenarios": "ok"}
    return show({"status": "ok", "workspaces": len(call.sandbox.store.names()), **told})


@view("control.version")
def version(call: Call) -> Answer:
    return show({"name": "payment-sandbox", "version": __version__, "dialect": call.dialect.name})
