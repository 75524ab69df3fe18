"""The front page: all workspaces, and a form that opens one by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mock_server.control.answers import shown
from mock_server.control.answers.server import WORKSPACE
from mock_server.control.workspaces import all_of
from mock_server.dashboard.payments import listed
from mock_server.domain.api_keys import ApiKey, KeyKind, KeyProblem, parse
from mock_server.domain.paging import Query
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine.kinds import PAYMENTS
from mock_server.sandbox import Sandbox, Workspace

MOST: Final = 50
"""Maximum number of workspaces that are shown (ours)."""
EVICTED: Final = 5
"""Maximum number of evicted ones that are shown (ours)."""
_FAILED: Final = Query(filters={"status": (PaymentStatus.FAILED.value,)}, limit=1)


def workspaces(sandbox: Sandbox, base: str, query: Mapping[str, str]) -> dict[str, Any]:
    """The front page, last activity first, or by `order`. Each word of `find` is in label, name or merchant id."""
    order, find = query.get("order", ""), query.get("find", "")[:200]
    rows = [_row(*one) for one in reversed(list(all_of(sandbox)))]
    words = find.casefold().split()
    found = [row for row in rows if all(word in row["searched"] for word in words)]
    found.sort(key=lambda row: (order == "failed" and not row["failed"], -row["used"]))
    return {
        "rows": found[:MOST],
        "all": len(rows),
        "find": find,
        "order": order,
        "evicted": sandbox.evictions.last(EVICTED),
        "more": max(0, len(found) - MOST),
        "kept_in": sandbox.settings.data,
        "key": "snd_my_first_key",
        "base": base,
    }


def _row(space_name: str, values: Mapping[str, Any], workspace: Workspace | None) -> dict[str, Any]:
    """A workspace in the list; one that is not in memory is shown without its payments."""
    row = shown(WORKSPACE, **values)
    text = f"{row['label'] or ''} {row['name']} {row['merchant_id']}".casefold()
    kept: dict[str, Any] = {"used": 0, "failed": 0}
    if workspace is not None:
        now, kept["used"] = workspace.now(), workspace.used
        kept["failed"], *found = workspace.space.transact(
            lambda tx: (
                (bad := tx.find(PAYMENTS, _FAILED)).total,
                listed(tx, tx.find(PAYMENTS, Query(limit=1)).items, now),
                listed(tx, bad.items, now),
            )
        )
        kept["newest"], kept["failed_last"] = (next(iter(some), None) for some in found)
    return {**row, **kept, "space_name": space_name, "searched": text}


def key_in(text: str) -> tuple[ApiKey | None, str]:
    """The secret key that was entered; or None, and what is wrong."""
    key = parse(text.strip())
    if not isinstance(key, ApiKey):
        return None, _PROBLEMS[key]
    if key.kind is not KeyKind.SECRET:
        return None, "This is a publishable key. Enter the secret key: it starts with snd_."
    return key, ""


_PROBLEMS: Final = {
    KeyProblem.MISSING: "Enter the secret key that your program uses. It starts with snd_.",
    KeyProblem.MALFORMED: "This is not a sandbox key. A key is snd_ followed by 8 to 128 letters or digits.",
    KeyProblem.PRODUCTION: "This is a production key. Do not use it in a sandbox; rotate it now.",
}
