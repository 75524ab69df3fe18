"""Whatever a control call stores is limited in bytes, by whatever calls it is stored, and however small they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from tests.counts import times
from tests.wire import Reply, Wire, wire

MOST: Final = 200_000
SETTINGS: Final[dict[str, Any]] = {
    f"{kind}_bytes{all_}": MOST
    for kind in ("journal", "inbox", "idempotency", "evidence", "scenarios")
    for all_ in ("", "_total")
} | {"snapshots_bytes": MOST, "max_snapshot": MOST}
LONG: Final = "x" * 30_000


def queued(api: Wire, body: object, **more: Any) -> Reply:
    entry = {"on": "payments.retrieve", "then": {"respond": {"status": 500, "body": body}}, **more}
    return api.post("/_sandbox/next", entry)


def uploaded(api: Wire, name: str, text: str) -> Reply:
    return api.put(f"/_sandbox/scenarios/{name}", {"rules": [], "summary": "a scenario", "name": name, **_story(text)})


def _story(text: str) -> dict[str, Any]:
    return {"rules": [{"on": "payments.retrieve", "then": {"respond": {"status": 500, "body": text}}}]}


PATTERNS: Final = [f"payments.{'*' * number}" for number in range(1, 51)]
STORES: Final[dict[str, dict[str, Callable[[Wire, int], Reply]]]] = {
    "control.put_next": {
        "long": lambda api, number: queued(api, f"{number}{LONG}"),
        "short": lambda api, number: queued(api, number),
        "for many calls": lambda api, number: queued(api, number, on=PATTERNS),
    },
    "control.put_scenario": {
        "long": lambda api, number: uploaded(api, f"s{number}", LONG),
        "short": lambda api, number: uploaded(api, f"s{number}", ""),
        "one": lambda api, number: uploaded(api, "s", LONG * number),
    },
    "control.take_snapshot": {"many": lambda api, number: api.put(f"/_sandbox/snapshots/s{number}")},
    "control.set_webhook_target": {
        "long": lambda api, number: api.put(
            "/_sandbox/webhooks/target", {"url": f"http://127.0.0.1/{number}{LONG[:2000]}"}
        )
    },
    "control.sign_webhook": {"long": lambda api, number: api.post("/_sandbox/webhooks/sign", {"body": LONG})},
}
"""The calls that take a text of the client's, and how they store as much as they can."""
OF_ONE: Final = frozenset({"control.set_webhook_target", "control.sign_webhook"})
"""Of these, what was stored before is replaced, or nothing is stored."""
RECORDS: Final = frozenset(
    f"control.{name}"
    for name in (
        *("authenticate", "settle", "fail", "expire", "hold", "dispute", "settle_refund", "advance_dispute"),
        *("resend_webhook", "resend_webhooks", "trigger_webhook"),
    )
)
"""Those that change records, events and attempts."""
ONE_VALUE: Final = frozenset(
    f"control.{name}"
    for name in (
        *("reset", "end", "clock_freeze", "clock_advance", "clock_resume", "set_dialect", "forget_journal"),
        "drop_scenario",
        *("activate_scenario", "deactivate_scenario", "check_scenario", "drop_next", "drop_next_one", "drop_snapshot"),
        "restore_snapshot",
    )
)
"""Those that store nothing of the client's, or one of a few values."""


def test_every_call_that_changes_something_is_here() -> None:
    changing = {row.name for row in CONTROL_OPERATIONS if row.method != "GET"}
    assert changing == STORES.keys() | RECORDS | ONE_VALUE


@pytest.mark.parametrize(("name", "way"), [(name, way) for name, ways in STORES.items() for way in ways])
def test_what_it_stores_is_limited(name: str, way: str) -> None:
    api = wire(**SETTINGS)
    statuses = set()
    for number in range(1, times(300, soak=3_000)):
        statuses.add(STORES[name][way](api, number).status)
        if statuses >= {200, 413} and number > 40:
            break
    assert statuses == ({200} if name in OF_ONE else {200, 413})
    kept = repr(api.sandbox.server.dump()) + "".join(repr(one.space.dump()) for one in api.sandbox.workspaces())
    assert len(kept) < 2 * MOST
