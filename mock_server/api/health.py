"""Whether the key is good and the server is up (interface §4.3)."""

from __future__ import annotations

from mock_server import __version__
from mock_server.contract.answers.common import HEALTH
from mock_server.http.binding import Resource
from mock_server.http.context import Answer, Call
from mock_server.http.show import show_as

views = Resource("health")


@views.view("health.check")
def check(call: Call) -> Answer:
    return show_as(call, HEALTH, __version__)
