"""A merchant's own texts: the API gives them back as they were sent, and what people look at masks them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.cli import mcp
from mock_server.clock import SystemClock
from mock_server.dialects import get
from mock_server.lasting.datafile import DataFile
from mock_server.lasting.store import LastingStore
from mock_server.sandbox.timekeeping import KINDS
from tests.api.money_places import dispute
from tests.dashboard.visitor import Visitor
from tests.wire import Wire, card_payment, wire

NUMBER: Final = "5425233430109903"
LIVE: Final = "prd_livelivelivelive"
CODE: Final = "9136"
SENT: Final = (NUMBER, LIVE, CODE)


@pytest.fixture(params=["interface", "hyperswitch"])
def api(request: pytest.FixtureRequest) -> Wire:
    return wire(inbox=50, dialect=get(request.param))


def made(api: Wire) -> dict[str, str]:
    """A payment, a refund and a dispute with the canaries in every field that is the merchant's own text."""
    text = f"of {NUMBER} {LIVE}, cvc: {CODE}"
    named = {"note": text, "cvc": CODE, "cvv2": int(CODE), "in": [{"card_cvc": [CODE]}], "text": f'{{"csc":"{CODE}"}}'}
    address = {"address": {"first_name": NUMBER, "last_name": NUMBER, "line1": text, "city": text[:50]}}
    owner = {"id": "cus_own", "name": text, "email": "a@b.example"}
    texts: dict[str, Any] = {"description": text, "billing": address, "shipping": address}
    texts |= dict.fromkeys(("metadata", "frm_metadata"), named)
    paid = api.post("/payments", {**card_payment(), **texts, "confirm": True, "customer": owner})
    assert paid.status == 200, paid.raw
    back = {"payment_id": paid["payment_id"], "amount": 10, "reason": text, "metadata": named}
    refund = api.post("/refunds", back)
    assert refund.status == 200, refund.raw
    disputed = dispute(api, paid["payment_id"], reason=text)
    assert disputed.status == 200, disputed.raw
    ids = (paid["payment_id"], refund["refund_id"], disputed["dispute_id"], "cus_own")
    return dict(zip(("payments", "refunds", "disputes", "customers"), ids, strict=True))


def pages(api: Wire, ids: dict[str, str]) -> Iterator[str]:
    """Every page that can show one of them."""
    events = [one["event_id"] for one in api.get("/_sandbox/webhooks")["data"]]
    lines = [line["number"] for line in api.get("/_sandbox/journal")["data"]]
    visitor = Visitor(api)
    named = [*(f"{kind}/{one}" for kind, one in ids.items()), *(f"webhooks/{one}" for one in events)]
    listed = [*ids, "webhooks", "journal", "queue", "snapshots", "clock", "verdict"]
    sought = [f"payments?q={NUMBER}", *(f"find?q={one}" for one in (ids["payments"], NUMBER, f"cvc: {CODE}"))]
    sought += [f"journal/{one}" for one in lines]
    for page in (*named, *listed, *sought):
        reply = visitor.look(page)
        assert reply.status == 200, page
        yield reply.raw.decode()


def test_the_api_gives_own_texts_back(api: Wire) -> None:
    ids = made(api)
    assert api.put("/_sandbox/snapshots/own").status == 200
    for path in (
        f"/payments/{ids['payments']}",
        f"/refunds/{ids['refunds']}",
        "/_sandbox/webhooks",
        "/_sandbox/snapshots/own",
    ):
        assert all(sent in api.get(path).raw.decode() for sent in SENT), path


def test_no_page_journal_or_history_shows_them(api: Wire) -> None:
    ids = made(api)
    payment = ids["payments"]
    histories = [f"payments/{payment}/{what}" for what in ("timeline", "timeline?format=text", "why", "export")]
    texts = [api.get(f"/_sandbox/{path}").raw.decode() for path in (*histories, "journal", "metrics")]
    for text in (*texts, *pages(api, ids)):
        for sent in SENT:
            assert sent not in text, text[max(0, text.find(sent) - 200) : text.find(sent) + 40]


def test_an_export_that_masks_says_so(api: Wire) -> None:
    payment = made(api)["payments"]
    masked = api.get(f"/_sandbox/payments/{payment}/export").raw.decode()
    assert "where it says [hidden], the text that was sent is not replayed" in masked.splitlines()[0]
    plain = api.post("/payments", {**card_payment(), "confirm": True})["payment_id"]
    assert "[hidden]" not in api.get(f"/_sandbox/payments/{plain}/export").raw.decode()


def test_a_file_keeps_them_and_no_card_data(tmp_path: Path) -> None:
    with closing(DataFile(str(tmp_path / "own.sqlite"))) as file:
        store = LastingStore(file, KINDS, SystemClock())
        made(wire(store=store))
        assert store.saver.save()
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert NUMBER.encode() in kept
    assert b"4242424242424242" not in kept


def test_a_tool_of_an_agent_masks_them() -> None:
    text, _ = mcp.run(["scenarios", "check", f"of {NUMBER} {LIVE}, cvc: {CODE}"])
    assert text.startswith("of ")
    assert not [sent for sent in SENT if sent in text]
