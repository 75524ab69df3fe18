"""Whether the server is up, which one it is, and its figures; for containers and the command line, without a key."""

from __future__ import annotations

from mock_server import __version__
from mock_server.control.answers import answer
from mock_server.control.answers.server import ALIVE, READY, VERSION
from mock_server.control.binding import view
from mock_server.http.context import Answer, Call


@view("control.livez")
def livez(call: Call) -> Answer:
    return answer(ALIVE)


@view("control.readyz")
def readyz(call: Call) -> Answer:
    mistakes = [str(mistake) for mistake in call.sandbox.scenarios.stale]
    return answer(READY, workspaces=len(call.sandbox.store.names()), mistakes=mistakes)


@view("control.version")
def version(call: Call) -> Answer:
    return answer(VERSION, version=__version__, dialect=call.dialect.name)


@view("control.metrics")
def metrics(call: Call) -> Answer:
    from mock_server.control.scraping import scrape

    kind, text = scrape(call.sandbox, call.environ.get("HTTP_ACCEPT", ""))
    return Answer(200, text, (("Content-Type", kind),))
