"""What a command asks a sandbox for: each text as it was given, whatever characters are in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.server import Server

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

Asked = list[dict[str, list[str]]]
TEXTS: Final = ["a&limit=0", "a=b", "a b", "a+b", "a#b", "100%", "ä", "a?b", "a;b", "*"]
OPTIONS: Final = [
    (("tail", "--no-follow"), "--payment-id", "payment_id"),
    (("tail", "--no-follow"), "--operation", "operation"),
    (("tail", "--no-follow"), "--status", "status"),
    (("tail", "--no-follow"), "--type", "type"),
    (("get",), "--", "id"),
    (("search",), "--", "text"),
]


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[str, Asked]]:
    """A server that answers every call with an empty list, and the queries that it got."""
    queries: Asked = []

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        queries.append(parse_qs(environ["QUERY_STRING"], keep_blank_values=True))
        start_response("200 OK", [("Content-Type", "application/json"), ("X-Request-Id", "req_1")])
        return [json.dumps({"data": [], "total_count": 0, "is_cut": False}).encode()]

    server = Server(answer)
    server.start()
    yield server.address, queries
    server.shutdown(0.0)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("command", "option", "name"), OPTIONS, ids=lambda part: "".join(part).replace("--", "-"))
def test_a_text_is_asked_for_as_it_is(
    asked: tuple[str, Asked], command: tuple[str, ...], option: str, name: str, text: str
) -> None:
    address, queries = asked
    queries.clear()
    CliRunner().invoke(main, [*command, "--key", "snd_queries_of_it", "--url", address, option, text])
    assert queries
    assert [query[name] for query in queries if name in query] == [[text]] * len(queries)
    assert all(query.keys() <= {name, "limit"} for query in queries)
