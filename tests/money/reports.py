"""A receiver of reports' notices in this process, and the files behind their links."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from io import StringIO
from typing import Final
from urllib.parse import urlsplit

from mock_server.webhooks.transport import Response, Wire
from tests.webhooks.shops import send_notices
from tests.wire import Wire as Client

RECEIVER: Final = "https://reports.example.com"
LONG_AGO: Final = "2000-01-01T00:00:00Z"


class Desk:
    """Takes every notice and remembers the last one."""

    def __init__(self) -> None:
        self.told = b""

    def send(self, url: str, body: bytes, headers: Sequence[tuple[str, str]], timeout_s: float, wire: Wire) -> Response:
        self.told = body
        return Response(200)


def link(api: Client, kind: str) -> str:
    """Asks for a report of everything; gives the path of its file."""
    context = Desk()
    undo = api.sandbox.post.routing.connect(RECEIVER, context)
    asked = {"timeRange": {"startTime": LONG_AGO}, "emails": ["owner@example.com"], "returnUrl": f"{RECEIVER}/new"}
    reply = api.post(f"/analytics/v1/merchant/report/{kind}", asked)
    assert reply.status == 200, reply.raw
    assert send_notices(api) == 1
    undo()
    parts = urlsplit(json.loads(context.told)["data"]["download_url"])
    return f"{parts.path}?{parts.query}"


def rows(api: Client, kind: str) -> list[dict[str, str]]:
    """The rows of a report of everything, as a reader of CSV sees them."""
    reply = api.as_key(None).get(link(api, kind))
    assert reply.status == 200, reply.raw
    return list(csv.DictReader(StringIO(reply.raw.decode())))
