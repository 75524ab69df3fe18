"""The server's figures for Prometheus; its client library is imported with the first scrape."""

from __future__ import annotations

from mock_server.control.binding import view
from mock_server.http.context import Answer, Call


@view("control.metrics")
def metrics(call: Call) -> Answer:
    from mock_server.control.scraping import scrape

    kind, text = scrape(call.sandbox, call.environ.get("HTTP_ACCEPT", ""))
    return Answer(200, text, (("Content-Type", kind),))
