"""An HTTP archive has what HAR 1.2 asks for, and a program that reads its members makes the recorded calls."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from tests.counts import times
from tests.dashboard.test_exports_as_made import PAID, exported
from tests.dashboard.visitor import Visitor

NEEDED: Final[dict[str, Any]] = {
    "startedDateTime": str,
    "time": (int, float),
    "cache": dict,
    "timings": {"send": (int, float), "wait": (int, float), "receive": (int, float)},
    "request": {
        "method": str, "url": str, "httpVersion": str, "cookies": list, "headers": list, "queryString": list,
        "headersSize": int, "bodySize": int,
    },
    "response": {
        "status": int, "statusText": str, "httpVersion": str, "cookies": list, "headers": list, "redirectURL": str,
        "headersSize": int, "bodySize": int, "content": {"size": int, "mimeType": str},
    },
}  # fmt: skip
"""The members of an entry that are not optional (HAR 1.2, "entries")."""
NAMES: Final = ("force_sync", "expand_attempts", "expand_captures", "x", "a b", "é", "amount[]", "=")
VALUES: Final = ("true", "false", "", "a b", "a+b", "100%", "&", "=1+1", "李", "?", "#", "a/b;c")


def lacking(found: Any, needed: Any, at: str = "") -> list[str]:
    """The places of what is missing or of another type."""
    if not isinstance(needed, dict):
        return [] if isinstance(found, needed) else [at]
    return [
        wrong
        for name, inner in needed.items()
        for wrong in ([f"{at}.{name}"] if name not in found else lacking(found[name], inner, f"{at}.{name}"))
    ]


@pytest.mark.parametrize("seed", range(times(6, soak=300)))
def test_the_members_of_an_archive_are_the_recorded_calls(visitor: Visitor, seed: int) -> None:
    api, chance = visitor.api, Random(seed)
    made = api.post("/payments", PAID)["payment_id"]
    sent: list[tuple[str, str, list[tuple[str, str]], Any]] = []
    for _ in range(8):
        pairs = [(chance.choice(NAMES), chance.choice(VALUES)) for _ in range(chance.randrange(4))]
        path = f"/payments/{made}" + (f"?{urlencode(pairs)}" if pairs else "")
        body = {"description": chance.choice(VALUES)} if chance.random() < 0.3 else None
        api.call("POST" if body else "GET", path, body)
        sent.append(("POST" if body else "GET", f"/payments/{made}", pairs, body))
    log = json.loads(exported(visitor, "har"))["log"]
    assert log["version"] == "1.2" and {"name", "version"} <= log["creator"].keys()
    _, *entries = log["entries"]
    read = []
    for entry in entries:
        assert lacking(entry, NEEDED) == []
        asked = entry["request"]
        url, query = urlsplit(asked["url"]), [(one["name"], one["value"]) for one in asked["queryString"]]
        assert query == parse_qsl(url.query, keep_blank_values=True)
        posted = json.loads(asked["postData"]["text"]) if "postData" in asked else None
        read.append((asked["method"], url.path, query, posted))
    assert read == sent
