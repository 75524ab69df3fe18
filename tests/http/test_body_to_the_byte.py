"""A body is refused for its size from the first byte over the limit on, whether its length is declared or not."""

from __future__ import annotations

from io import BytesIO

import pytest

from mock_server.contract.operations import BY_NAME
from tests.wire import KEY, wire


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(("over", "refused"), [(-1, False), (0, False), (1, True), (2, True)])
def test_a_body_is_limited_to_the_byte(over: int, refused: bool, declared: bool) -> None:
    """Without a length, as another WSGI server hands on a body in chunks."""
    api = wire()
    body = b'{"name":"Jane"}'.ljust(api.sandbox.body_limit(BY_NAME["customers.create"]) + over)
    environ = {
        "CONTENT_LENGTH": str(len(body)) if declared else "",
        "CONTENT_TYPE": "application/json",
        "HTTP_API_KEY": KEY,
        "wsgi.input": BytesIO(body),
        "wsgi.input_terminated": True,
    }
    with api.app.test_client() as client:
        answer = client.open("/customers", method="POST", environ_overrides=environ)
    assert answer.status_code == (413 if refused else 200), answer.get_data()[:200]
