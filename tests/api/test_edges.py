"""Every edge of the state machine, walked over HTTP: from its status, by what happens, to its target and its event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from mock_server.domain.machine import Transition
from mock_server.domain.outcomes import Challenge, OutcomeStatus
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.transitions import PAYMENT_MACHINE
from mock_server.domain.transitions import Trigger as H
from mock_server.engine.kinds import EVENTS, PAYMENTS
from mock_server.engine.payments import charge, settle
from tests.api.places import PLACES, authenticate, settles, workspace
from tests.sandbox.workspaces import carry_out
from tests.wire import Wire, card_data, card_payment

Walk = Callable[[Wire, Any], str]


def wish(api: Wire, path: str, outcome: str, body: object = None) -> str:
    reply = api.post(path, body or {}, X_Sandbox_Outcome=outcome)
    assert reply.status == 200, reply.raw
    return str(reply["payment_id"])


def confirm(outcome: str, **fields: Any) -> Walk:
    """Confirms a payment that has its method, with an outcome wished for."""

    def walk(api: Wire, source: S | None) -> str:
        payment = api.post("/payments", card_payment(**fields))["payment_id"]
        return wish(api, f"/payments/{payment}/confirm", outcome)

    return walk


def after_challenge(outcome: str, **fields: Any) -> Walk:
    """Confirms into a challenge; once it is passed the issuer says what the payment's metadata asks for."""

    def walk(api: Wire, source: S | None) -> str:
        payment = api.post("/payments", card_payment(metadata={"sandbox_outcome": outcome}, **fields))["payment_id"]
        wish(api, f"/payments/{payment}/confirm", "requires_action")
        authenticate(api, payment)
        return str(payment)

    return walk


def late(outcome: str, word: OutcomeStatus, **fields: Any) -> Walk:
    """An open answer that closes."""

    def walk(api: Wire, source: S | None) -> str:
        payment = confirm(outcome, **fields)(api, source)
        settles(api, payment, word)
        return payment

    return walk


def step(path: str, body: object = None, outcome: str | None = None) -> Walk:
    """One call on a payment in the edge's source status."""

    def walk(api: Wire, source: S | None) -> str:
        assert source is not None
        payment = PLACES[source](api)
        headers = {"X_Sandbox_Outcome": outcome} if outcome else {}
        reply = api.post(f"/payments/{payment}{path}", body or {}, **headers)
        assert reply.status == 200, reply.raw
        return payment

    return walk


def trigger(command: Any, *args: Any) -> Walk:
    """One trigger on a payment in the edge's source status."""

    def walk(api: Wire, source: S | None) -> str:
        assert source is not None
        payment = PLACES[source](api)
        carry_out(workspace(api), command, payment, *args)
        return payment

    return walk


def open_capture(word: OutcomeStatus, amount: int, **fields: Any) -> Walk:
    """A capture whose answer stays open, and closes."""

    def walk(api: Wire, source: S | None) -> str:
        payment = api.pay(capture_method=fields.get("capture_method", "manual"))["payment_id"]
        wish(api, f"/payments/{payment}/capture", "pending", {"amount_to_capture": amount})
        settles(api, payment, word)
        return str(payment)

    return walk


def open_void(word: OutcomeStatus, captured: int = 0) -> Walk:
    """A release whose answer stays open, and closes."""

    def walk(api: Wire, source: S | None) -> str:
        payment = api.pay(capture_method="manual_multiple")["payment_id"]
        if captured:
            api.post(f"/payments/{payment}/capture", {"amount_to_capture": captured})
        wish(api, f"/payments/{payment}/cancel", "pending")
        settles(api, payment, word)
        return str(payment)

    return walk


def second_capture(amount: int, word: OutcomeStatus | None = None) -> Walk:
    """A capture of several while another one is still open."""

    def walk(api: Wire, source: S | None) -> str:
        payment = api.pay(capture_method="manual_multiple")["payment_id"]
        wish(api, f"/payments/{payment}/capture", "pending", {"amount_to_capture": 1000})
        wish(api, f"/payments/{payment}/capture", "pending", {"amount_to_capture": amount})
        if word:
            settles(api, payment, word)
        return str(payment)

    return walk


def retry(api: Wire, source: S | None) -> str:
    """A failed payment that is confirmed again, where its profile allows it; left waiting for its customer."""
    from mock_server.engine.kinds import PROFILES

    payment = api.pay("visa_generic_decline")["payment_id"]
    space = workspace(api).space
    space.transact(
        lambda tx: tx.put(PROFILES, structs.replace(tx.get(PROFILES, "pro_shop"), is_manual_retry_enabled=True))
    )
    reply = api.post(
        f"/payments/{payment}/confirm", {"payment_method_data": {"card": card_data()}, "payment_method": "card"}
    )
    assert (reply.status, reply["status"], reply["attempt_count"]) == (200, "succeeded", 2), reply.raw
    return str(payment)


def replaced(body: dict[str, Any]) -> Walk:
    def walk(api: Wire, source: S | None) -> str:
        assert source is not None
        payment = PLACES[source](api)
        assert api.put(f"/payments/{payment}", body).status == 200
        return payment

    return walk


BARE = {"amount": 6540, "currency": "USD", "profile_id": "pro_shop"}
METHOD = {"payment_method": "card", "payment_method_data": {"card": card_data()}}
MANUAL = {"capture_method": "manual"}
PART = {"enable_partial_authorization": True}

WALKS: dict[tuple[S | None, H], Walk] = {
    (None, H.CREATED): lambda api, _: PLACES[S.REQUIRES_PAYMENT_METHOD](api),
    (None, H.METHOD_ATTACHED): lambda api, _: PLACES[S.REQUIRES_CONFIRMATION](api),
    (S.REQUIRES_PAYMENT_METHOD, H.METHOD_ATTACHED): step("", METHOD),
    (S.REQUIRES_CONFIRMATION, H.METHOD_ATTACHED): step("", METHOD),
    (S.REQUIRES_PAYMENT_METHOD, H.METHOD_DETACHED): replaced(BARE),
    (S.REQUIRES_CONFIRMATION, H.METHOD_DETACHED): replaced(BARE),
    (S.FAILED, H.RETRIED): retry,
    (S.REQUIRES_CONFIRMATION, H.CHARGED): confirm("succeeded"),
    (S.REQUIRES_ACTION, H.CHARGED): after_challenge("succeeded"),
    (S.PENDING, H.CHARGED): late("pending", OutcomeStatus.SUCCEEDED),
    (S.REQUIRES_CONFIRMATION, H.AUTHORIZED): confirm("succeeded", **MANUAL),
    (S.REQUIRES_ACTION, H.AUTHORIZED): after_challenge("succeeded", **MANUAL),
    (S.PENDING, H.AUTHORIZED): late("pending", OutcomeStatus.SUCCEEDED, **MANUAL),
    (S.REQUIRES_CONFIRMATION, H.PARTIALLY_AUTHORIZED): lambda api, _: PLACES[S.PARTIALLY_AUTHORIZED](api),
    (S.REQUIRES_CONFIRMATION, H.DECLINED): confirm("failed:lost_card"),
    (S.REQUIRES_ACTION, H.DECLINED): after_challenge("failed:lost_card"),
    (S.PENDING, H.DECLINED): late("pending", OutcomeStatus.FAILED),
    (S.REQUIRES_CONFIRMATION, H.CHALLENGED): confirm("requires_action"),
    (S.REQUIRES_CONFIRMATION, H.SUBMITTED): confirm("pending"),
    (S.REQUIRES_ACTION, H.SUBMITTED): after_challenge("pending"),
    (S.REQUIRES_CONFIRMATION, H.HELD): confirm("requires_merchant_action"),
    (S.REQUIRES_ACTION, H.HELD): after_challenge("requires_merchant_action"),
    (S.PENDING, H.HELD): trigger(settle.hold),
    (S.REQUIRES_CAPTURE, H.HELD): trigger(settle.hold),
    (S.REQUIRES_ACTION, H.CHALLENGE_FAILED): trigger(charge.authenticate, Challenge.DECLINED),
    (S.REQUIRES_ACTION, H.CUSTOMER_TIME_OVER): trigger(settle.expire_customer),
    (S.REQUIRES_ACTION, H.MONEY_SEEN): trigger(settle.settle, OutcomeStatus.PENDING),
    (S.REQUIRES_MERCHANT_ACTION, H.APPROVED_AND_CHARGED): step("/approve"),
    (S.REQUIRES_MERCHANT_ACTION, H.REJECTED): step("/reject"),
    (S.REQUIRES_CAPTURE, H.CAPTURED_IN_FULL): step("/capture"),
    (S.PARTIALLY_AUTHORIZED, H.CAPTURED_IN_FULL): step("/capture"),
    (S.PARTIALLY_CAPTURED_AND_CAPTURABLE, H.CAPTURED_IN_FULL): step("/capture", {"amount_to_capture": 5540}),
    (S.PENDING, H.CAPTURED_IN_FULL): open_capture(OutcomeStatus.SUCCEEDED, 6540),
    (S.REQUIRES_CAPTURE, H.CAPTURED_AND_CLOSED): step("/capture", {"amount_to_capture": 1}),
    (S.PARTIALLY_AUTHORIZED, H.CAPTURED_AND_CLOSED): step("/capture", {"amount_to_capture": 1}),
    (S.PENDING, H.CAPTURED_AND_CLOSED): open_capture(OutcomeStatus.SUCCEEDED, 1000),
    (S.PARTIALLY_CAPTURED_AND_CAPTURABLE, H.CAPTURED_IN_PART): step("/capture", {"amount_to_capture": 1}),
    (S.PENDING, H.CAPTURED_IN_PART): open_capture(OutcomeStatus.SUCCEEDED, 1000, capture_method="manual_multiple"),
    (S.REQUIRES_CAPTURE, H.CAPTURE_SUBMITTED): step("/capture", None, "pending"),
    (S.PARTIALLY_AUTHORIZED, H.CAPTURE_SUBMITTED): step("/capture", None, "pending"),
    (S.PARTIALLY_CAPTURED_AND_CAPTURABLE, H.CAPTURE_SUBMITTED): step("/capture", {"amount_to_capture": 1}, "pending"),
    (S.PENDING, H.CAPTURE_SUBMITTED): second_capture(1000),
    (S.REQUIRES_CAPTURE, H.CAPTURE_FAILED): step("/capture", None, "failed"),
    (S.PARTIALLY_AUTHORIZED, H.CAPTURE_FAILED): step("/capture", None, "failed"),
    (S.PENDING, H.CAPTURE_FAILED): open_capture(OutcomeStatus.FAILED, 6540),
    (S.REQUIRES_PAYMENT_METHOD, H.CANCELLED): step("/cancel"),
    (S.REQUIRES_CONFIRMATION, H.CANCELLED): step("/cancel"),
    (S.REQUIRES_ACTION, H.CANCELLED): step("/cancel"),
    (S.REQUIRES_CAPTURE, H.CANCELLED): step("/cancel"),
    (S.PARTIALLY_AUTHORIZED, H.CANCELLED): step("/cancel"),
    (S.PARTIALLY_CAPTURED_AND_CAPTURABLE, H.REST_RELEASED): step("/cancel"),
    (S.REQUIRES_CAPTURE, H.VOID_SUBMITTED): step("/cancel", None, "pending"),
    (S.PARTIALLY_AUTHORIZED, H.VOID_SUBMITTED): step("/cancel", None, "pending"),
    (S.PARTIALLY_CAPTURED_AND_CAPTURABLE, H.VOID_SUBMITTED): step("/cancel", None, "pending"),
    (S.PENDING, H.VOIDED): open_void(OutcomeStatus.SUCCEEDED),
    (S.PENDING, H.VOIDED_REST): open_void(OutcomeStatus.SUCCEEDED, captured=1000),
    (S.REQUIRES_CAPTURE, H.VOID_FAILED): step("/cancel", None, "failed"),
    (S.PARTIALLY_AUTHORIZED, H.VOID_FAILED): step("/cancel", None, "failed"),
    (S.PENDING, H.VOID_FAILED): open_void(OutcomeStatus.FAILED),
    (S.PENDING, H.REST_NOT_RELEASED): open_void(OutcomeStatus.FAILED, captured=1000),
    (S.PARTIALLY_CAPTURED_AND_CAPTURABLE, H.REST_NOT_RELEASED): step("/cancel", None, "failed"),
    (S.PARTIALLY_CAPTURED_AND_CAPTURABLE, H.REST_NOT_CAPTURED): step("/capture", {"amount_to_capture": 1}, "failed"),
    (S.REQUIRES_CAPTURE, H.AUTHORIZATION_EXPIRED): trigger(settle.expire_authorization),
    (S.PARTIALLY_AUTHORIZED, H.AUTHORIZATION_EXPIRED): trigger(settle.expire_authorization),
    (S.SUCCEEDED, H.REVERSED): step("/cancel_post_capture"),
    (S.PARTIALLY_CAPTURED, H.REVERSED): step("/cancel_post_capture"),
}


def _more() -> dict[tuple[S | None, H], Walk]:
    """Walks that need a little more than one step."""

    def held_manual(api: Wire, source: S | None) -> str:
        payment = api.pay("visa_review", **MANUAL)["payment_id"]
        assert api.post(f"/payments/{payment}/approve").status == 200
        return str(payment)

    def first_of_several(api: Wire, source: S | None) -> str:
        payment = api.pay(capture_method="manual_multiple")["payment_id"]
        assert api.post(f"/payments/{payment}/capture", {"amount_to_capture": 1}).status == 200
        return str(payment)

    def part_then_failure(api: Wire, source: S | None) -> str:
        payment = first_of_several(api, source)
        wish(api, f"/payments/{payment}/capture", "pending", {"amount_to_capture": 1000})
        settles(api, payment, OutcomeStatus.FAILED)
        return payment

    def part_then_part(api: Wire, source: S | None) -> str:
        payment = api.pay("visa_partial_authorization", capture_method="manual_multiple", **PART)["payment_id"]
        assert api.post(f"/payments/{payment}/capture", {"amount_to_capture": 1}).status == 200
        return str(payment)

    def paid_short(api: Wire, source: S | None) -> str:
        body = {**BARE, "confirm": True, "payment_method": "bank_transfer", "payment_method_type": "sepa"}
        payment = api.post("/payments", {**body, "payment_method_data": {"bank_transfer": {"sepa": {}}}})["payment_id"]
        carry_out(workspace(api), settle.settle, payment, OutcomeStatus.SUCCEEDED, amount=100)
        return str(payment)

    def part_after_challenge(api: Wire, source: S | None) -> str:
        payment = api.pay("visa_partial_authorization", authentication_type="three_ds", **PART)["payment_id"]
        authenticate(api, payment)
        return str(payment)

    return {
        (S.REQUIRES_MERCHANT_ACTION, H.APPROVED_AND_AUTHORIZED): held_manual,
        (S.REQUIRES_CAPTURE, H.CAPTURED_IN_PART): first_of_several,
        (S.PARTIALLY_AUTHORIZED, H.CAPTURED_IN_PART): part_then_part,
        (S.PENDING, H.PAID_IN_PART): paid_short,
        (S.REQUIRES_ACTION, H.PARTIALLY_AUTHORIZED): part_after_challenge,
        (S.PENDING, H.REST_NOT_CAPTURED): part_then_failure,
    }


ALL = {**WALKS, **_more()}


def test_the_table_walks_every_edge() -> None:
    assert {(row.source, row.what) for row in PAYMENT_MACHINE.rows} == set(ALL)


@pytest.mark.parametrize("row", PAYMENT_MACHINE.rows, ids=lambda row: f"{row.source}-{row.what}")
def test_the_edge_is_walked(api: Wire, row: Transition[S, H]) -> None:
    payment = ALL[row.source, row.what](api, row.source)
    shown = api.get(f"/payments/{payment}")
    target = S.SUCCEEDED if row.what is H.RETRIED else row.target
    assert shown["status"] == target
    if row.event is not None:
        space = workspace(api).space
        told = space.transact(lambda tx: tx.get(PAYMENTS, payment)).told
        assert row.event in told
        assert [event for event in _events(api, payment) if event == row.event] == [row.event]


def _events(api: Wire, payment: str) -> list[Any]:
    from mock_server.domain.paging import Query

    query = Query(filters={"payment_id": (payment,)}, limit=100)
    return [event.type for event in workspace(api).space.transact(lambda tx: tx.find(EVENTS, query)).items]
