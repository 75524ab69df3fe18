"""Whether the key is good and the server is up (interface §4.3)."""

from __future__ import annotations

from mock_server import __version__
from mock_server.http.binding import Resource
from mock_server.http.context import Answer, Call
from mock_server.http.show import show

views = Resource("health")


@views.view("health.check")
def check(call: Call) -> Answer:
    return show({"status": "ok", "version": __version__})
