"""What happens outside of every workspace: an answer in the envelope all the same."""

from __future__ import annotations

import logging

import pytest

from tests.wire import wire


@pytest.mark.parametrize("path", ["/broken", "/_sandbox/broken"])
def test_a_view_that_fails_is_a_mistake_of_the_server(path: str, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> str:
        raise RuntimeError

    api = wire()
    api.app.add_url_rule(path, "broken", broken)
    with caplog.at_level(logging.ERROR, "mock_server.http"):
        reply = api.get(path)
    assert (reply.status, reply.error["code"], reply.error["type"]) == (500, "HE_00", "api")
    (line,) = [line for line in caplog.records if line.name == "mock_server.http"]
    reference = reply.headers["X-Request-Id"]
    assert line.getMessage().startswith(f"internal error {reference} in {path}\n")
    assert reply.error["message"].endswith(f" {reference}.")
