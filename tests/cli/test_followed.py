"""`tail` and `listen` go on, whatever becomes of the list that they follow."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Final, cast

import pytest

from mock_server.cli import asking
from mock_server.cli.following import Followed
from mock_server.cli.output import Stop
from mock_server.cli.tail import TailEntry, together
from tests.cli.over_http import ask
from tests.cli.test_listen import pay
from tests.running import Process, RunningSandbox, begun
from tests.webhooks.receivers import Receiver
from tests.wire import KEY

COMMANDS: Final = (("tail",), ("tail", "--type", "payment_succeeded"), ("listen", "--forward-to"))
LISTS: Final = (("journal", ("request_id", "at")), ("webhooks", ("event_id", "created")))


See = Callable[[], None]
"""Makes a payment, and waits until all have told it."""


class Ground:
    """A sandbox that ends and begins again, each time on another port, which its file says."""

    def __init__(self, folder: Path) -> None:
        self.port_file = folder / "port"
        self._data = ("--data", str(folder / "calls.sqlite"))
        self.begin(*self._data)

    def begin(self, *flags: str) -> None:
        self.sandbox = RunningSandbox("--port-file", str(self.port_file), *flags).__enter__()

    def reset(self, see: See) -> None:
        ask(self.sandbox, "POST", "/_sandbox/reset", {})

    def restored(self, see: See) -> None:
        ask(self.sandbox, "PUT", "/_sandbox/snapshots/before", {})
        see()
        ask(self.sandbox, "POST", "/_sandbox/snapshots/before/restore", {})

    def restarted(self, see: See) -> None:
        self.sandbox.stop()
        self.begin(*self._data)

    def killed(self, see: See) -> None:
        self.sandbox.stop(signal.SIGKILL)
        self.begin(*self._data)

    def restarted_with_nothing(self, see: See) -> None:
        self.sandbox.stop()
        self.begin()


HAPPENINGS: Final[tuple[Callable[[Ground, See], None], ...]] = (
    Ground.reset,
    Ground.restored,
    Ground.restarted,
    Ground.killed,
    Ground.restarted_with_nothing,
)


def until(process: Process, text: str) -> list[str]:
    """The lines until one has this text."""
    assert process.stdout is not None
    seen = [process.stdout.readline()]
    while text not in seen[-1]:
        assert seen[-1], f"it ended: {process.stderr.read() if process.stderr else None}"
        seen.append(process.stdout.readline())
    return seen


@pytest.mark.parametrize(("path", "known_by"), LISTS)
def test_more_than_a_page_has_room_for_is_told_once(path: str, known_by: tuple[str, ...]) -> None:
    with RunningSandbox() as sandbox:
        first = pay(sandbox)
        followed = Followed(asking.RunningSandbox(KEY, sandbox.base, None), path, known_by, {}, most=3)
        assert [row["payment_id"] for row in followed.so_far(10)] == [first]
        paid = [pay(sandbox) for _ in range(8)]
        told = [row["payment_id"] for _ in range(4) for row in followed.more()]
        assert told == (paid[-3:] if path == "journal" else paid)
        last = pay(sandbox)
        assert [row["payment_id"] for row in followed.more()] == [last]


def test_they_tell_each_payment_once_whatever_happened_before(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    with ExitStack() as stack:
        stack.callback(lambda: ground.sandbox.stop())
        receiver = stack.enter_context(Receiver())
        paid = [pay(ground.sandbox)]
        known = ("--port-file", str(ground.port_file), "--key", KEY)
        followers = [
            stack.enter_context(begun(*words, *([receiver.url] if words[0] == "listen" else ()), *known))
            for words in COMMANDS
        ]
        seen = [
            until(process, paid[0] if "tail" in words else "forwarding")
            for words, process in zip(COMMANDS, followers, strict=True)
        ]

        def pay_and_see() -> None:
            paid.append(pay(ground.sandbox))
            for lines, process in zip(seen, followers, strict=True):
                lines += until(process, f"payment_succeeded {paid[-1]}")

        for happening in HAPPENINGS:
            happening(ground, pay_and_see)
            pay_and_see()
        for words, lines, process in zip(COMMANDS, seen, followers, strict=True):
            process.terminate()
            told = [sum(f"payment_succeeded {payment}" in line for line in lines) for payment in paid]
            # the restored list begins with the second payment, and its next one has the id of the one that it forgot
            assert paid[2] == paid[3]
            assert told == [words[0] != "listen", 2, 2, 2, 1, 1, 1], (words, paid, lines)
            assert process.stderr is not None
            waited = [line for line in process.stderr if line.rstrip().endswith("; waiting for it")]
            assert 3 <= len(waited) <= 6, (words, waited)  # `tail` asks for calls and for events


class Restored:
    """A sandbox whose list is forgotten while it is followed; the next row is like the last one, its time too."""

    def __init__(self) -> None:
        self.calls = 0

    def get(self, path: str, **query: object) -> object:
        self.calls += 1
        if self.calls == 2:
            raise Stop(1, ["its workspace was reset"], status=HTTPStatus.GONE)
        row = {"number": 1, "request_id": "req_1", "event_id": "evt_1", "at": "2026", "created": "2026"}
        return {"data": [row], "total_count": 1}


@pytest.mark.parametrize(("path", "known_by"), LISTS)
def test_what_is_like_the_last_one_of_a_list_that_has_gone_is_told(path: str, known_by: tuple[str, ...]) -> None:
    """With a frozen clock, the same call after a restored snapshot gives the same row again."""
    followed = Followed(cast("asking.RunningSandbox", Restored()), path, known_by, {})
    assert [len(rows) for rows in (followed.so_far(1), followed.more(), followed.more())] == [1, 0, 1]


def test_what_ends_one_of_its_lists_ends_tail() -> None:
    def broken() -> Iterator[TailEntry]:
        yield TailEntry("2026-01-01T00:00:00.000Z", "call", {})
        raise Stop(1, ["the list is gone"])

    entries = together([broken(), iter(())])
    assert next(entries).sort == "call"
    with pytest.raises(Stop, match="the list is gone"):
        next(entries)
