"""Refunds and disputes in each status, as clients and the control API bring them there; real multipart uploads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from urllib3.filepost import encode_multipart_formdata

from mock_server.domain.statuses import DisputeStage
from mock_server.domain.statuses import DisputeStatus as D
from mock_server.domain.statuses import RefundStatus as R
from tests.wire import Reply, Wire

AMOUNT = 6540
"""What `Wire.pay` charges."""
PDF = ("receipt.pdf", b"%PDF-1.7 a receipt", "application/pdf")

NOT_THE_SAME = ("X-Request-Id", "Date")
"""Headers that differ between two runs of the same calls."""

Part = str | tuple[str, bytes, str]


def fine(reply: Reply) -> Reply:
    """The reply, once it is sure that it is one."""
    assert reply.status == 200, reply.raw
    return reply


def bytes_of(replies: list[Reply]) -> list[Any]:
    """What two runs of the same calls have in common."""
    return [
        (reply.status, reply.raw, [(name, value) for name, value in reply.headers.items() if name not in NOT_THE_SAME])
        for reply in replies
    ]


def refused(reply: Reply) -> tuple[int, str]:
    """Status and code of an error."""
    return reply.status, reply.error["code"]


def needed(reply: Reply) -> list[str]:
    """The statuses or stages in which a refused trigger is possible, as its refusal says."""
    return str(reply.error["message"]).partition("must be one of: ")[2].rstrip(".").split(", ")


# refunds


def paid(api: Wire, card: str = "success", **fields: Any) -> str:
    """A payment that was charged."""
    return str(fine(api.pay(card, **fields))["payment_id"])


def refund(api: Wire, payment_id: str, **fields: Any) -> Reply:
    """Asks for a refund."""
    return api.post("/refunds", {"payment_id": payment_id, **fields})


def settle(api: Wire, refund_id: str, word: str, **more: Any) -> Reply:
    """Brings a refund somewhere by hand."""
    return api.post(f"/_sandbox/refunds/{refund_id}/settle", {"as": word, **more})


def _refund(api: Wire, card: str = "success", **headers: str) -> str:
    body = {"payment_id": paid(api, card), "amount": 1000}
    return str(fine(api.post("/refunds", body, **headers))["refund_id"])


def _review(api: Wire) -> str:
    refund_id = _refund(api, X_Sandbox_Outcome="pending")
    fine(settle(api, refund_id, "review"))
    return refund_id


REFUNDS: dict[R, Callable[[Wire], str]] = {
    R.PENDING: lambda api: _refund(api, X_Sandbox_Outcome="pending"),
    R.SUCCEEDED: _refund,
    R.FAILED: lambda api: _refund(api, "visa_refund_fails"),
    R.REVIEW: _review,
}
"""How a refund comes to each status."""


# disputes


def dispute(api: Wire, payment_id: str, **fields: Any) -> Reply:
    """Lets the bank dispute a payment."""
    return api.post(f"/_sandbox/payments/{payment_id}/dispute", fields)


def advance(api: Wire, dispute_id: str, to: str) -> Reply:
    """Lets the bank say its next word."""
    return api.post(f"/_sandbox/disputes/{dispute_id}/advance", {"to": to})


def disputed(api: Wire, stage: str = "dispute", status: D = D.OPENED, **fields: Any) -> str:
    """A dispute in a stage and a status."""
    dispute_id = str(fine(dispute(api, paid(api), stage=stage, **fields))["dispute_id"])
    if status is not D.OPENED:
        fine(advance(api, dispute_id, status.removeprefix("dispute_")))
    return dispute_id


STAGES = [str(stage) for stage in DisputeStage]


# files


def send(api: Wire, method: str, path: str, parts: dict[str, Part], **headers: str) -> Reply:
    """Sends a multipart form as a client library writes it."""
    raw, kind = encode_multipart_formdata(parts)
    return api.call(method, path, raw=raw, headers={"Content-Type": kind, **headers})


def attach(api: Wire, dispute_id: str, evidence_type: str = "receipt", file: Part = PDF) -> Reply:
    """Attaches a file to a dispute."""
    parts: dict[str, Part] = {"file": file, "dispute_id": dispute_id, "evidence_type": evidence_type}
    return send(api, "PUT", "/disputes/evidence", parts)


def upload(api: Wire, dispute_id: str, file: Part = PDF, **more: Part) -> Reply:
    """Uploads a file for a dispute."""
    parts: dict[str, Part] = {"file": file, "dispute_id": dispute_id, "purpose": "dispute_evidence", **more}
    return send(api, "POST", "/files", parts)


def told(api: Wire, payment_id: str) -> list[str]:
    """The events about a payment and all that belongs to it, in their order."""
    inbox = fine(api.get(f"/_sandbox/webhooks?payment_id={payment_id}"))
    return [event["event_type"] for event in inbox["data"]]
