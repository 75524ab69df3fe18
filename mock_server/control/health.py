"""Whether the server is ready, its version and its metrics; for containers and the command line, without a key."""

from __future__ import annotations

from mock_server import __version__
from mock_server.control.answers import answer
from mock_server.control.answers.server import ALIVE, READY, VERSION
from mock_server.control.stages import shows, view
from mock_server.http.errors import RETRY_LATER
from mock_server.http.running import Answer, Call

shows("control.livez", lambda call: answer(ALIVE))
shows("control.version", lambda call: answer(VERSION, version=__version__, dialect=call.dialect.name))


@view("control.readyz")
def readyz(call: Call) -> Answer:
    mistakes, lasting = [str(mistake) for mistake in call.sandbox.scenarios.stale], call.sandbox.lasting
    trouble = None if lasting is None else lasting.saver.trouble
    kept = {} if lasting is None else {"data": trouble or "ok"}
    said = answer(READY, workspaces=call.sandbox.count(), mistakes=mistakes, **kept)
    return said if trouble is None else Answer(503, said.body, (*said.headers, RETRY_LATER))


@view("control.metrics")
def metrics(call: Call) -> Answer:
    from mock_server.control.scraping import scrape

    kind, text = scrape(call.sandbox, call.environ.get("HTTP_ACCEPT", ""))
    return Answer(200, text, (("Content-Type", kind),))
