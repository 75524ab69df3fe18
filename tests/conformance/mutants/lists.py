"""Mutants of lists, refunds, customers, mandates and disputes."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from itertools import count
from typing import Any, Final

from tests.conformance.mutants.calls import (
    CREATE,
    LIST,
    PAYMENTS,
    REFUND,
    RETRIEVE,
    Ask,
    Next,
    Said,
    answering,
    as_it_stands,
    asking,
    at,
    body,
    coded,
    drops,
    forgiving,
    good,
    instead,
    listed,
    query_without,
    refusal,
    sets,
    shown,
)
from tests.conformance.mutants.mutant import Mutant

ANY_LIST: Final = at("*", "/*/list")
CUSTOMER: Final = at("POST", "/customers/*")
numbers: Final = count()


def public_envelope(value: dict[str, Any], ask: Ask) -> None:
    value["count"] = len(value["data"])
    value.pop("has_more")


def short_items(value: dict[str, Any], ask: Ask) -> None:
    for item in value["data"]:
        item.pop("client_secret", None)


def last_lost(value: dict[str, Any], ask: Ask) -> None:
    value["data"] = value["data"][:-1] if len(value["data"]) > 1 else value["data"]


def limit_20(value: dict[str, Any]) -> None:
    value.setdefault("limit", 20)


def next_offset(value: dict[str, Any]) -> None:
    if value.get("offset"):
        value["offset"] += 1


def before_offset(value: dict[str, Any]) -> None:
    if value.get("offset"):
        value["offset"] -= 1


def nothing_is_404(said: Said, ask: Ask) -> None:
    if said.json.get("data") == []:
        said.status = 404


def clamped(value: dict[str, Any]) -> None:
    if isinstance(value.get("limit"), int):
        value["limit"] = max(1, min(100, value["limit"]))
    if isinstance(value.get("offset"), int):
        value["offset"] = max(0, value["offset"])


def limit_50(ask: Ask, proceed: Next) -> Said:
    limit = ask.json.get("limit")
    return refusal(400, "IR_04") if isinstance(limit, int) and 50 < limit <= 100 else proceed(ask)


def one_status(value: dict[str, Any]) -> None:
    if isinstance(value.get("status"), list):
        value["status"] = value["status"][0]


def later_only(value: dict[str, Any], ask: Ask) -> None:
    wanted = ask.json.get("created_gte")
    kept = [item for item in value["data"] if not wanted or item["created"] > wanted]
    value.update(data=kept, total_count=len(kept))


def no_query(ask: Ask) -> None:
    ask.query = ""


def nothing_unfiltered(value: dict[str, Any], ask: Ask) -> None:
    if not ask.json and not ask.query:
        value.update(data=[], total_count=0)


# refunds


def wants_amount(ask: Ask, proceed: Next) -> Said:
    return proceed(ask) if "amount" in ask.json else refusal(400, "IR_04")


def refunded(ask: Ask, proceed: Next) -> Said:
    """An answer as a refund's, with nothing done."""
    return good({"refund_id": "ref_00000000000000000000", "status": "succeeded", "currency": "USD", **ask.json})


def another_status(value: dict[str, Any]) -> None:
    if value.get("refunds"):
        value["status"] = "refunded"


def positive(value: dict[str, Any]) -> None:
    if "amount" in value and (not isinstance(value["amount"], int) or value["amount"] <= 0):
        value["amount"] = 1


def found_refund(ask: Ask, proceed: Next) -> Said:
    return proceed(ask.as_get(f"/refunds/{ask.json['refund_id']}"))


# customers


def becomes_put(ask: Ask) -> None:
    ask.method = "PUT"


def paid(ask: Ask, proceed: Next) -> Said:
    return good({"payment_id": "pay_00000000000000000000", "status": "succeeded", **ask.json})


def new_method(value: dict[str, Any]) -> None:
    if value.get("payment_method_id"):
        value["payment_method_id"] = f"pm_{next(numbers):020}"


def plain_id(value: dict[str, Any]) -> None:
    value["customer_id"] = str(value["customer_id"]).removeprefix("cus_")


# disputes


def as_number(value: dict[str, Any]) -> None:
    value["amount"] = int(value["amount"])


def only_looks(ask: Ask, proceed: Next) -> Said:
    return proceed(ask.as_get(f"/disputes/{ask.json['dispute_id']}"))


def looks_again(ask: Ask, proceed: Next) -> Said:
    return proceed(ask.as_get(f"/disputes/{ask.path.rpartition('/')[2]}"))


BROKEN_LIMITS: Final = ("refunds.over_captured", "refunds.parts", "disputes.blocks_refunds")
SAVED: Final = ("customers.saved_card", "customers.saved_once", "customers.charged_again")
ROWS: Final = (
    Mutant("another_envelope", "Lists have count instead of has_more.", ("lists.envelope", "lists.walk"), listed(public_envelope, ANY_LIST)),
    Mutant("items_short", "The items of a list lack a field.", ("lists.items",), listed(short_items)),
    Mutant("oldest_first", "The oldest item comes first.", ("lists.newest_first", "lists.by_customer", "lists.by_status", "lists.grows", "lists.whole_workspace"), listed(lambda value, ask: value["data"].reverse())),
    Mutant("twenty_by_default", "A page has twenty items by default.", ("lists.default_limit",), asking(LIST, lambda ask: ask.put({"limit": 20, **ask.json}))),
    Mutant("has_more_never", "has_more is always false.", ("lists.walk", "lists.default_limit", "lists.grows", "lists.of_refunds"), listed(lambda value, ask: value.update(has_more=False), ANY_LIST)),
    Mutant("has_more_always", "has_more is always true.", ("lists.walk", "lists.past_the_end", "lists.items", "lists.whole_workspace", "disputes.listed"), listed(lambda value, ask: value.update(has_more=True), ANY_LIST)),
    Mutant("total_of_the_page", "total_count is the size of the page.", ("lists.default_limit", "lists.walk", "lists.past_the_end"), listed(lambda value, ask: value.update(total_count=len(value["data"])))),
    Mutant("list_off_by_one", "A page starts one item too late.", ("lists.walk",), body(LIST, next_offset)),
    Mutant("list_overlaps", "A page starts one item too early.", ("lists.walk", "lists.past_the_end"), body(LIST, before_offset)),
    Mutant("last_item_lost", "A page lacks its last item.", ("lists.walk", "lists.newest_first", "lists.default_limit"), listed(last_lost)),
    Mutant("empty_page_is_404", "An empty page gets 404.", ("lists.past_the_end", "lists.by_status", "keys.lists_apart"), answering(ANY_LIST, nothing_is_404)),
    Mutant("limit_clamped", "A limit that is too large is reduced.", ("lists.bounds",), body(LIST, clamped)),
    Mutant("limit_of_50", "A page has at most fifty items.", ("lists.bounds",), instead(LIST, limit_50)),
    Mutant("status_not_filtered", "status does not filter.", ("lists.by_status", "lists.follows_changes"), asking(LIST, query_without("status"))),
    Mutant("one_status_only", "Only one of several statuses filters.", ("lists.by_status",), body(LIST, one_status)),
    Mutant("customer_not_filtered", "customer_id does not filter.", ("lists.by_customer",), asking(LIST, query_without("customer_id"))),
    Mutant("currency_not_filtered", "currency does not filter.", ("lists.by_currency",), asking(LIST, query_without("currency"))),
    Mutant("method_not_filtered", "payment_method does not filter.", ("lists.by_method",), asking(LIST, query_without("payment_method"))),
    Mutant("time_not_filtered", "created_gte and created_lte do not filter.", ("lists.by_time",), asking(LIST, query_without("created_gte", "created_lte"))),
    Mutant("instant_left_out", "created_gte excludes the given time.", ("lists.by_time",), listed(later_only)),
    Mutant("query_ignored", "GET ignores the query.", ("lists.both_verbs", "lists.unknown_parameter"), asking(at("GET", "/payments/list"), no_query)),
    Mutant("unknown_parameters_pass", "Unknown parameters are ignored.", ("lists.unknown_parameter",), asking(LIST, query_without("limmit"))),
    Mutant("refunds_of_all", "Refunds cannot be listed by payment.", ("lists.of_refunds",), asking(at("*", "/refunds/list"), query_without("payment_id"))),
    Mutant("nothing_unfiltered", "A list without a filter is empty.", ("lists.whole_workspace",), listed(nothing_unfiltered)),
    Mutant("refund_wants_amount", "A refund without an amount is refused.", ("refunds.whole", "refunds.payment_stays", "idempotency.by_path"), instead(REFUND, wants_amount)),
    Mutant("refund_id_without_prefix", "refund_id has no prefix.", ("refunds.whole",), shown(REFUND, sets(refund_id="4711"))),
    Mutant("refund_pending", "An ordinary refund stays pending.", ("refunds.whole", "refunds.parts"), shown(REFUND, sets(status="pending"))),
    Mutant("status_refunded", "The status of a refunded payment is refunded.", ("refunds.payment_stays",), shown(RETRIEVE, another_status)),
    Mutant("refunds_not_shown", "A payment does not show its refunds.", ("refunds.payment_stays", "idempotency.refund_once"), shown(RETRIEVE, sets(refunds=None))),
    Mutant("refund_takes_all", "A partial refund refunds everything.", ("refunds.parts", "refunds.retrieve", "idempotency.refund_once"), body(REFUND, drops("amount"))),
    Mutant("refunds_over_captured", "Refunds can exceed the captured amount.", BROKEN_LIMITS, forgiving(REFUND, "IR_13", refunded)),
    Mutant("over_captured_is_422", "A refund that is too large gets 422.", BROKEN_LIMITS, coded("IR_13", "IR_13", status=422)),
    Mutant("refunds_nothing", "A refund of 0 is accepted.", ("refunds.not_positive",), body(REFUND, positive)),
    Mutant("refunds_early", "A payment that is not captured can be refunded.", ("refunds.too_early",), forgiving(REFUND, "IR_14", refunded)),
    Mutant("refund_id_ignored", "The caller's refund_id is ignored.", ("refunds.own_id",), body(REFUND, drops("refund_id"))),
    Mutant("refund_id_answers", "A used refund_id returns its refund.", ("refunds.own_id",), forgiving(REFUND, "HE_01", found_refund)),
    Mutant("refund_of_nothing", "A refund of an unknown payment is created.", ("refunds.unknown_payment", "keys.isolated"), forgiving(REFUND, "HE_02", refunded)),
    Mutant("refund_reason_lost", "A refund's reason is lost.", ("refunds.retrieve", "refunds.update"), shown(at("GET", "/refunds/*"), sets(reason=None))),
    Mutant("refund_not_updated", "Updating a refund has no effect.", ("refunds.update",), instead(at("POST", "/refunds/*"), as_it_stands)),
    Mutant("eleventh_refund", "An eleventh refund is created.", ("refunds.so_many",), forgiving(REFUND, "IR_12", refunded)),
    Mutant("customer_update_replaces", "Updating a customer deletes omitted fields.", ("customers.life",), asking(CUSTOMER, becomes_put)),
    Mutant("customer_id_without_prefix", "A given customer_id has no prefix.", ("customers.generated_id",), shown(at("POST", "/customers"), plain_id)),
    Mutant("taken_customer_answers", "A used customer_id returns its customer.", ("customers.taken_id",), forgiving(at("POST", "/customers"), "IR_12", lambda ask, proceed: proceed(ask.as_get(f"/customers/{ask.json['customer_id']}")))),
    Mutant("customer_not_made", "A payment does not create a customer.", ("customers.by_payment", "lists.by_customer", "payments.echoes"), body(CREATE, drops("customer_id"))),
    Mutant("delete_keeps_customer", "A deleted customer does not change.", ("customers.deleted",), instead(at("DELETE", "/customers/*"), lambda ask, proceed: good({"customer_id": ask.path.split("/")[2], "customer_deleted": True}))),
    Mutant("deleted_pays", "A deleted customer can still pay.", ("customers.deleted",), forgiving(CREATE, "IR_11", paid)),
    Mutant("nothing_saved", "Cards are not saved.", SAVED, body(CREATE, drops("setup_future_usage", "customer_acceptance"))),
    Mutant("methods_not_listed", "Saved cards are not listed.", ("customers.saved_card",), shown(at("GET", "/customers/*/payment_methods"), sets(customer_payment_methods=[]))),
    Mutant("saved_each_time", "The same card is saved repeatedly.", ("customers.saved_once",), shown(CREATE, new_method)),
    Mutant("off_session_lost", "A charge without the customer does not show off_session.", ("customers.charged_again",), shown(PAYMENTS, sets(off_session=None))),
    Mutant("card_of_everybody", "A saved card can be charged by any customer.", ("customers.another_customers",), forgiving(CREATE, "HE_02", paid)),
    Mutant("deleted_method_stays", "A deleted payment method is still listed.", ("customers.deleted_method",), instead(at("DELETE", "/payment_methods/*"), lambda ask, proceed: good({"payment_method_id": ask.path.split("/")[2], "deleted": True}))),
    Mutant("mandate_not_active", "A new mandate is pending.", ("mandates.charge",), shown(at("GET", "/mandates/*"), lambda value: value.update(status="pending") if value.get("status") == "active" else None)),
    Mutant("revoked_is_charged", "A revoked mandate can be charged.", ("mandates.revoked",), forgiving(CREATE, "HE_03", paid)),
    Mutant("revoke_does_nothing", "Revoking a mandate has no effect.", ("mandates.revoked",), instead(at("POST", "/mandates/revoke/*"), lambda ask, proceed: good({"mandate_id": ask.path.split("/")[3], "status": "revoked"}))),
    Mutant("mandate_does_not_bind", "A customer with a mandate can be deleted.", ("mandates.bind",), forgiving(at("DELETE", "/customers/*"), "IR_10", lambda ask, proceed: good({"customer_deleted": True}))),
    Mutant("disputes_not_shown", "A payment does not show its disputes.", ("disputes.shown",), shown(RETRIEVE, sets(disputes=None))),
    Mutant("disputed_status", "The status of a disputed payment is disputed.", ("disputes.shown",), shown(RETRIEVE, lambda value: value.update(status="disputed") if value.get("disputes") else None)),
    Mutant("dispute_amount_as_number", "The amount of a dispute is a number.", ("disputes.amount_is_text",), shown(at("GET", "/disputes/dp_*"), as_number)),
    Mutant("disputes_not_filtered", "Disputes cannot be filtered by status.", ("disputes.listed",), asking(at("*", "/disputes/list"), query_without("dispute_status"))),
    Mutant("accepts_twice", "A dispute can be accepted twice.", ("disputes.accepted",), forgiving(at("POST", "/disputes/accept/*"), "HE_03", looks_again)),
    Mutant("accept_does_nothing", "Accepting a dispute has no effect.", ("disputes.accepted",), instead(at("POST", "/disputes/accept/*"), looks_again)),
    Mutant("evidence_lost", "Evidence is accepted and lost.", ("disputes.challenged",), instead(at("POST", "/disputes/evidence"), only_looks)),
    Mutant("unknown_dispute_is_he_02", "An unknown dispute gets HE_02.", ("disputes.unknown",), coded("HE_04", "HE_02")),
)  # fmt: skip
