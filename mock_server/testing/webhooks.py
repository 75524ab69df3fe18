"""The webhooks of a workspace: its events, their deliveries, and the app under test as a receiver."""

from __future__ import annotations

from asyncio import _get_running_loop
from collections.abc import Callable
from traceback import extract_tb
from typing import Any, Final

from mock_server.addresses import with_scheme
from mock_server.scenario.story.settling import settle
from mock_server.testing.comparing import LONGEST, few
from mock_server.testing.control import CLOCK, ControlClient, Payment, check_absence, check_numbers
from mock_server.testing.records import Event, event, ident
from mock_server.testing.servers import AnyServer

__tracebackhide__ = True
MOST: Final = 1_000
LOOK_EVERY_S: Final = 0.05
"""How often a pending delivery is checked (ours)."""


class Webhooks:
    """The inbox, the receivers and the signatures of one workspace."""

    def __init__(self, control: ControlClient, server: AnyServer, name: str) -> None:
        self._control = control
        self._server = server
        self._name = name
        self._undo: dict[str, Callable[[], None]] = {}  # by the app's address
        self._target: dict[str, str | None] = {}
        self.raised: list[BaseException] = []
        """The exceptions that connected apps raised while they received events."""

    def all(
        self, type: str | None = None, *, payment_id: Payment | None = None, delivered: bool | None = None
    ) -> list[Event]:
        """The events, in order. AssertionError if some were dropped."""
        found, dropped = self._found(type, payment_id, delivered)
        check_absence(self._control, "inbox", dropped, None if found else payment_id)
        return found

    def _found(
        self, type: str | None = None, payment_id: Payment | None = None, delivered: bool | None = None
    ) -> tuple[list[Event], int]:
        """The matching events that there are, read in pages, and how many were dropped of all."""
        found: list[Event] = []
        while True:
            asked = {**_about(type, payment_id, delivered), "after": found[-1].number if found else 0, "limit": MOST}
            page = self._control.get("/webhooks", asked)
            found += map(event, page["data"])
            if page["total_count"] <= len(page["data"]):
                return found, page["dropped"]

    def wait_for(
        self,
        type: str,
        *,
        payment_id: Payment | None = None,
        times: int = 1,
        timeout: float = 5.0,
        delivered: bool | None = None,
    ) -> Event:
        """Waits for such an event, at most `timeout` seconds of real time; returns the last one.

        If there is an endpoint, it waits for the answer to the event's first attempt too. `delivered=True` requires
        a successful delivery; `delivered=False` waits for the event only.
        """
        check_numbers(times=times, timeout=timeout)
        until = CLOCK.monotonic() + timeout
        asked = {**_about(type, payment_id, delivered), "count": times, "limit": MOST}
        asked["delivered"] = None if delivered is False else delivered
        found = self._control.get("/webhooks", asked, wait_s=timeout)["data"]
        if len(found) < times:
            number = "" if times == 1 else f" {times} times, but {len(found)}"
            what = f"{_said(type, payment_id)} was not {'delivered' if delivered else 'created'}{number}"
            raise AssertionError(self._missed(type, f"{what} within {timeout:g} s"))
        last = event(found[-1])
        while delivered is None and last.is_on_its_way and (left := until - CLOCK.monotonic()) > 0:
            # A long poll for more events than there are, which ends at once when the workspace ends.
            self._control.get("/webhooks", {"count": MOST, "limit": 1}, wait_s=min(left, LOOK_EVERY_S))
            last = self.get(last.event_id)
        if delivered is None and last.is_on_its_way:
            held = "; an app in this event loop answers while the test awaits: use `aio`" if _get_running_loop() else ""
            head = f"{line(last)}\n  its first delivery was not answered within {timeout:g} s{held}"
            raise AssertionError("\n".join([head, *raised_lines(self.raised)]))
        return last

    def none(self, type: str | None = None, *, payment_id: Payment | None = None, within: float = 0.5) -> None:
        """AssertionError if there is such an event, or one comes within these seconds of real time."""
        check_numbers(within=within)
        page = self._control.get("/webhooks", {**_about(type, payment_id), "count": 1}, wait_s=within)
        if count := page["total_count"]:
            head = f"expected no {_said(type, payment_id)}, but found {count}:"
            raise AssertionError("\n  ".join([head, *few([line(event(one)) for one in page["data"]], count)]))
        check_absence(self._control, "inbox", page["dropped"], payment_id)

    def get(self, event_id: str) -> Event:
        """One event, with every attempt to deliver it."""
        return event(self._control.get(f"/webhooks/{event_id}"))

    def settle(self, timeout: float = 2.0) -> None:
        """Waits until no event is being delivered, at most `timeout` seconds of real time."""
        check_numbers(timeout=timeout)
        settle(lambda path: self._control.get(f"/{path}"), timeout)

    def connect(self, app: Any, *, url: str | None = None, path: str | None = None, host: str = "127.0.0.1") -> str:
        """Sends this workspace's events to a WSGI or ASGI app of this process; returns their address.

        `url` is the address that the app sees; without it that is `path` of `http://testserver`, by default
        `/webhooks`. For a server in another process a port is opened, and `host` is this machine's name there.
        """
        from mock_server.testing.receivers import Witness, path_in, transport_to

        if isinstance(app, str):
            raise TypeError(f"connect() takes an app; for an address use send_to({app!r})")
        at = path_in(url, path)
        wanted = f"http://{self._name}{at}" if url is None else with_scheme(url)
        at, undo = self._server.connect(wanted, Witness(transport_to(app), self.raised, self._name), host)
        self._undo[at] = undo
        self.send_to(at)
        return at

    def send_to(self, url: str | None, *, secret: str | None = None, profile_id: str | None = None) -> None:
        """Sets the address for this workspace's events; without one they are not sent."""
        target = {"url": with_scheme(url) if isinstance(url, str) else url, "secret": secret, "profile_id": profile_id}
        self._control.put("/webhooks/target", target)
        if profile_id is None:
            self._target = target

    def _send_again(self) -> None:
        """Sets the same address for what replaced the workspace."""
        if self._target:
            self._control.put("/webhooks/target", self._target)

    def deliver(
        self,
        told: Event | str | None = None,
        *,
        to: Any,
        path: str | None = None,
        payment_id: Payment | None = None,
        timeout: float = 5.0,
    ) -> Any:
        """Posts one event, correctly signed, into a test client (Flask, Django, Starlette, httpx), an app or a URL.

        `told` is the event, its id or its type; by default the last event. `payment_id` chooses of several. `path` is
        that in a client or app, by default `/webhooks`. Returns the receiver's answer, which is awaited if the client
        is async.
        """
        from mock_server.testing.receivers import path_in, post_into

        at = path_in(to, path)
        body, headers = self.signed(self._chosen(told, payment_id, timeout))
        return post_into(to, at, body, headers)

    def signed(self, told: Event | str) -> tuple[bytes, tuple[tuple[str, str], ...]]:
        """The body of an event (it, its id or its type), and headers of a correct delivery, whatever scenario is on."""
        told = told if isinstance(told, Event) else self._chosen(ident(told, "event_id"), None, 0)
        made = self._control.post("/webhooks/sign", {"body": told.payload, "profile_id": told.profile_id})
        return made["body"].encode(), tuple((name, value) for name, value in made["headers"])

    def resend(self, told: Event | str) -> Event:
        """Sends an event again, and waits for the answer."""
        event_id = told.event_id if isinstance(told, Event) else ident(told, "event_id")
        return event(self._control.post(f"/webhooks/{event_id}/resend"))

    def resend_all(
        self, type: str | None = None, *, payment_id: Payment | None = None, delivered: bool | None = None
    ) -> list[str]:
        """Sends all matching events again; returns their ids."""
        ids = [one.event_id for one in self._found(type, payment_id, delivered)[0]]
        for at in range(0, len(ids), MOST):
            self._control.post("/webhooks/resend", {"event_ids": ids[at : at + MOST]})
        return ids

    def disconnect(self) -> None:
        """Disconnects all apps, and unsets the workspace's address if it is one of theirs; a profile's own stays."""
        apps, sent_to = [*self._undo], self._target.get("url")
        while self._undo:
            self._undo.popitem()[1]()
        if sent_to in apps:
            self.send_to(None)
        self._target = {}

    def _chosen(self, told: Event | str | None, payment_id: Payment | None, timeout: float) -> Event:
        if told is None:
            found, _ = self._found(payment_id=payment_id)
            if not found:
                raise AssertionError("there is no event to deliver yet")
            return found[-1]
        if isinstance(told, Event) or (told := ident(told, "event_id")).startswith("evt_"):
            if payment_id is not None:
                raise TypeError("payment_id chooses among the events of a type: leave it out with an event or its ID")
            return told if isinstance(told, Event) else self.get(told)
        return self.wait_for(told, payment_id=payment_id, timeout=timeout, delivered=False)

    def _missed(self, type: str, head: str) -> str:
        told, _ = self._found()
        near = sorted(told, key=lambda one: one.type != type)
        lines = ["near misses:", *(f"  {line(one)}" for one in near[:10])] if told else ["  no events were created"]
        return "\n".join([head, *lines, *raised_lines(self.raised)])


def line(one: Event) -> str:
    """One event with its last delivery, short."""
    about = f" of {one.payment_id}" if one.payment_id else ""
    result = one.why or "on its way"
    if one.deliveries:
        last = one.deliveries[-1]
        said = last["error"] or f"answered {last['status']}"
        result = f"attempt {len(one.deliveries)} {said}" + (f"; {one.why}" if one.why else "")
    return f"{one.type}{about} ({one.event_id}): {result}"


def raised_lines(problems: list[BaseException]) -> list[str]:
    """The exceptions of connected apps, with their places."""
    from mock_server.domain.masking import shown  # late: most apps raise none

    told = []
    for problem in problems:
        where = "".join(f" ({one.filename}:{one.lineno})" for one in extract_tb(problem.__traceback__, limit=-1))
        text = " ".join(shown(str(problem)).split())
        cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
        told.append(f"the connected app raised {type(problem).__name__}: {cut}{where}")
    return few(told)


def _about(type: str | None, payment_id: Payment | None, delivered: bool | None = None) -> dict[str, Any]:
    return {"type": type, "payment_id": None if payment_id is None else ident(payment_id), "delivered": delivered}


def _said(type: str | None, payment_id: Payment | None) -> str:
    return (type or "event") + (f" of {ident(payment_id)}" if payment_id is not None else "")
