"""Each setting that limits how much is kept: where it is reached, an error or a line of the log has its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import Any, Final

import pytest

from mock_server.settings import ROWS
from tests.api.money_places import PDF, disputed, upload
from tests.logged import logged
from tests.wire import Reply, Wire, wire

COUNTS: Final = ("journal", "inbox", "idempotency", "max_records", "workspaces")
LIMITS: Final = [name for name in ROWS if name in COUNTS or name.endswith(("_bytes", "_bytes_total"))]
FEW, BYTES, ENOUGH = 5, 70_000, 400
TEXT: Final = "x" * 10_000
NUMBERS: Final = count()


def calls(api: Wire) -> Reply:
    return api.get("/payments/list")


def payments(api: Wire) -> Reply:
    return api.pay()


def repeatable(api: Wire) -> Reply:
    return api.post("/customers", {}, X_Idempotency_Key=f"key {next(NUMBERS)}")


def evidence(api: Wire) -> Reply:
    return upload(api, disputed(api), (PDF[0], b"%PDF" + TEXT.encode(), PDF[2]))


def scenarios(api: Wire) -> Reply:
    name = f"scenario_{next(NUMBERS)}"
    text = f"name: {name}\nsummary: one\nrules: []\n# {TEXT}\n".encode()
    return api.call("PUT", f"/_sandbox/scenarios/{name}", raw=text, headers={"Content-Type": "application/yaml"})


def queued(api: Wire) -> Reply:
    return api.post("/_sandbox/next", {"on": "charge", "then": {"decline": "expired_card"}})


def snapshots(api: Wire) -> Reply:
    api.pay()
    return api.put(f"/_sandbox/snapshots/one_{next(NUMBERS)}")


def newcomers(api: Wire) -> Reply:
    return api.as_key(f"snd_newcomer_{next(NUMBERS)}").pay()


FILLS: Final[dict[str, tuple[Callable[[Wire], Reply], ...]]] = {
    "journal": (calls, payments), "inbox": (payments,), "idempotency": (repeatable,), "evidence": (evidence,),
    "scenarios": (scenarios, queued), "snapshots": (snapshots,), "max_records": (payments, repeatable),
    "workspaces": (newcomers,),
}  # fmt: skip
"""What fills each of them: by the name of what is limited."""
CASES: Final = [(name, fill) for name in LIMITS for fill in FILLS[re.sub("_bytes.*", "", name)]]


@pytest.mark.parametrize(("name", "fill"), CASES)
def test_what_is_reached_is_named(name: str, fill: Callable[[Wire], Reply]) -> None:
    limit: dict[str, Any] = {name: BYTES if "bytes" in name else FEW}
    api = wire(**limit)
    with logged() as log:
        for _ in range(ENOUGH):
            reply = fill(api)
            said = log.getvalue() + (reply.error["message"] if reply.status >= 400 else "")
            if re.search(rf"\b{name}\b", said) or reply.status >= 400:
                break
    assert re.search(rf"\b{name}\b", said), said[-500:]
    assert reply.status < 500, "a limit is no internal error"
