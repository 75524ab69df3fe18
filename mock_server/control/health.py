"""Whether the server is up, which one it is, and its figures; for containers and the command line, without a key."""

from __future__ import annotations

from mock_server import __version__
from mock_server.control.binding import Control
from mock_server.http.context import Answer, Call
from mock_server.http.show import show

views = Control()


@views.view("control.livez")
def livez(call: Call) -> Answer:
    return show({"status": "ok"})


@views.view("control.readyz")
def readyz(call: Call) -> Answer:
    stale = call.sandbox.scenarios.stale
    told = {"scenarios": "stale", "mistakes": [str(mistake) for mistake in stale]} if stale else {"scenarios": "ok"}
    return show({"status": "ok", "workspaces": len(call.sandbox.store.names()), **told})


@views.view("control.version")
def version(call: Call) -> Answer:
    return show({"name": "payment-sandbox", "version": __version__, "dialect": call.sandbox.dialect.name})


@views.view("control.metrics")
def metrics(call: Call) -> Answer:
    from mock_server.control.scraping import scrape

    kind, text = scrape(call.sandbox, call.environ.get("HTTP_ACCEPT", ""))
    return Answer(200, text, (("Content-Type", kind),))
