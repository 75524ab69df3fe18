"""Whether the server is up, and which one it is; for containers and for the command line, without a key."""

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
