"""Whether the server is up, and which one it is; for containers and for the command line, without a key."""

from __future__ import annotations

from mock_server import __version__
from mock_server.control.answers import answer
from mock_server.control.answers.server import ALIVE, READY, VERSION
from mock_server.control.binding import Control
from mock_server.http.context import Answer, Call

views = Control()


@views.view("control.livez")
def livez(call: Call) -> Answer:
    return answer(ALIVE)


@views.view("control.readyz")
def readyz(call: Call) -> Answer:
    mistakes = [str(mistake) for mistake in call.sandbox.scenarios.stale]
    return answer(READY, workspaces=len(call.sandbox.store.names()), mistakes=mistakes)


@views.view("control.version")
def version(call: Call) -> Answer:
    return answer(VERSION, version=__version__, dialect=call.sandbox.dialect.name)
