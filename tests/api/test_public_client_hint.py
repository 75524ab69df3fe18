"""A client that never sends a profile_id is pointed at the public dialect, and only such a client."""

from __future__ import annotations

from mock_server.http.errors import PUBLIC_CLIENT
from tests.wire import Wire

BODY = {"amount": 100, "currency": "EUR"}


def test_only_a_client_that_never_sent_a_profile_is_pointed_at_the_public_dialect(api: Wire) -> None:
    refused = api.post("/payments", BODY)
    assert refused.status == 400
    assert refused.headers["X-Sandbox-Because"] == PUBLIC_CLIENT
    assert api.post("/payments", {**BODY, "profile_id": "pro_shop"}).status == 200
    forgot = api.post("/payments", BODY)
    assert forgot.status == 400
    assert "X-Sandbox-Because" not in forgot.headers
