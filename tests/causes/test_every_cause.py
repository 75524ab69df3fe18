"""Every cause of the catalogue is raised over HTTP and reads as its row says: one row a cause, none left out."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.errors import Cause
from mock_server.front import serve
from mock_server.http.errors import RETRIED
from mock_server.sandbox import build
from mock_server.settings import Settings
from tests.causes import sockets
from tests.causes.by_calls import BY_CALLS, SAID, pattern, reads_as, said_by
from tests.causes.public import PUBLIC
from tests.causes.raising import Raise
from tests.clocks import ManualClock
from tests.running import RunningSandbox
from tests.sockets import exchanged
from tests.wire import wire


def test_the_table_names_every_cause_once() -> None:
    named = Counter([cause for cause, _ in (*BY_CALLS, *PUBLIC)] + [*sockets.BY_BYTES, *sockets.BY_LOAD])
    assert set(named) == set(Cause)
    assert max(named.values()) == 1


@pytest.mark.parametrize(("cause", "raising"), BY_CALLS, ids=[cause.value for cause, _ in BY_CALLS])
def test_a_cause_is_raised_and_reads_as_its_row_says(cause: Cause, raising: Raise) -> None:
    clock = ManualClock()
    reply = raising(wire(clock=clock), clock)
    assert ("Retry-After" in reply.headers) is (cause in RETRIED)
    if reply.headers["Content-Type"].startswith("text/html"):
        row = SAID[cause]
        assert (reply.status, said_by(on_page(reply.raw))) == (row.status, pattern(row.message))
    else:
        reads_as(cause, reply.status, reply.error)


@pytest.mark.parametrize(("cause", "raising"), PUBLIC, ids=[cause.value for cause, _ in PUBLIC])
def test_a_cause_of_the_public_rules_is_raised_there_alone(cause: Cause, raising: Raise) -> None:
    clock = ManualClock()
    row = HYPERSWITCH.errors[cause]
    reply = raising(wire(clock=clock, dialect=HYPERSWITCH), clock)
    assert (reply.status, reply.error["code"]) == (row.status, row.code)
    assert re.fullmatch(pattern(row.message), reply.error["message"])
    assert raising(wire(clock=clock), clock).status == 200
    assert cause.about.startswith("In the public dialect, "), "both documents list it"


def on_page(raw: bytes) -> str:
    """What a page of ours says instead of an envelope."""
    found = re.search(r'data-testid="message">(.*?)</p>', raw.decode(), re.DOTALL)
    assert found is not None, raw
    return html.unescape(found[1])


@pytest.fixture(scope="module")
def running() -> Iterator[int]:
    with RunningSandbox() as sandbox:
        yield sandbox.ready["port"]


@pytest.mark.parametrize("cause", sockets.BY_BYTES, ids=str)
def test_a_cause_of_the_socket_is_raised_and_reads_as_its_row_says(running: int, cause: Cause) -> None:
    reply = exchanged(running, sockets.BY_BYTES[cause])
    reads_as(cause, reply.status, reply.error)


@pytest.mark.parametrize("cause", sockets.BY_LOAD, ids=str)
def test_a_cause_of_too_much_work_is_raised_and_reads_as_its_row_says(cause: Cause) -> None:
    with serve(build(Settings()), "127.0.0.1", 0, max_working=0) as server:
        reply = exchanged(server.port, sockets.BY_LOAD[cause])
    reads_as(cause, reply.status, reply.error)


def test_a_wrong_text_is_seen() -> None:
    row = SAID[Cause.STATUS_FORBIDS]
    error = {"type": row.type, "code": row.code, "message": SAID[Cause.RETRY_DISABLED].message}
    with pytest.raises(AssertionError):
        reads_as(Cause.STATUS_FORBIDS, row.status, error)
