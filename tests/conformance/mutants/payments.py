"""Mutants of payments, captures, review and the customer's way."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

import re
from typing import Any, Final

from tests.conformance.mutants.calls import (
    CANCEL,
    CAPTURE,
    CONFIRM,
    CREATE,
    PAYMENTS,
    RETRIEVE,
    Ask,
    Next,
    Said,
    answering,
    anywhere,
    as_it_stands,
    asking,
    at,
    body,
    coded,
    drops,
    forgiving,
    good,
    instead,
    refusal,
    sets,
    shown,
    statused,
    when,
)
from tests.conformance.mutants.mutant import Mutant

UPDATE: Final = at("POST", "/payments/*")
PAGE: Final = at("*", "/payments/redirect/**")


def of_card(change: Any) -> Any:
    """Changes the card that a payment shows."""

    def fix(value: dict[str, Any]) -> None:
        data = value.get("payment_method_data")
        if data and data.get("card"):
            change(data["card"])

    return fix


def texts_only(value: dict[str, Any]) -> None:
    value["metadata"] = {name: str(item) for name, item in (value.get("metadata") or {}).items()}


def null_metadata(value: dict[str, Any]) -> None:
    value["metadata"] = value.get("metadata") or None


def repeats_card(said: Said, ask: Ask) -> None:
    value = said.json
    if said.code == "IR_04" and "payment_method_data" in ask.json:
        value["error"]["message"] += f" It was {ask.json['payment_method_data']}."
        said.put(value)


def declines_402(said: Said, ask: Ask) -> None:
    if said.json.get("status") == "failed":
        said.status = 402


def confirms(value: dict[str, Any]) -> None:
    if "payment_method_data" in value:
        value["confirm"] = True


def without_body(ask: Ask) -> None:
    ask.body = b"{}"


def becomes_put(ask: Ask) -> None:
    ask.method = "PUT"
    ask.put({"amount": 1, "currency": "USD", "profile_id": "pro_conformance", **ask.json})


def becomes_post(ask: Ask) -> None:
    ask.method = "POST"


def replaces_metadata(said: Said, ask: Ask) -> None:
    value = said.json
    value["metadata"] = ask.json.get("metadata")
    said.put(value)


def left(value: dict[str, Any]) -> int:
    return int(value["amount"]) - int(value["amount_received"] or 0)


def wants_amount(ask: Ask, proceed: Next) -> Said:
    return proceed(ask) if "amount_to_capture" in ask.json else refusal(400, "IR_04")


def no_more(ask: Ask, proceed: Next) -> Said:
    """A capture of whatever is left."""
    return proceed(ask.again(body=b"{}"))


def drops_unless_positive(value: dict[str, Any]) -> None:
    amount = value.get("amount_to_capture")
    if not isinstance(amount, int) or amount <= 0:
        value.pop("amount_to_capture", None)


def one_capture(value: dict[str, Any]) -> None:
    if value.get("capture_method") == "manual_multiple":
        value["capture_method"] = "manual"


def confirms_first(ask: Ask, proceed: Next) -> Said:
    path = ask.path.rpartition("/")[0]
    proceed(ask.again(path=f"{path}/confirm", body=b"{}"))
    return proceed(ask)


def only_in(*statuses: str) -> Any:
    """Refuses unless the payment has one of these statuses."""

    def found(ask: Ask, proceed: Next) -> Said:
        now = as_it_stands(ask, proceed).json.get("status")
        return proceed(ask) if now in statuses else refusal(400, "IR_16")

    return found


def says_cancelled(ask: Ask, proceed: Next) -> Said:
    return good({**as_it_stands(ask, proceed).json, "status": "cancelled"})


def rejects(ask: Ask) -> None:
    ask.path = ask.path.replace("/approve", "/reject")


def relative(value: dict[str, Any]) -> None:
    if value.get("next_action"):
        url = value["next_action"]["redirect_to_url"]
        value["next_action"]["redirect_to_url"] = re.sub(r"^https?://[^/]+", "", url)


def still_asks(value: dict[str, Any]) -> None:
    if value.get("status") in ("succeeded", "failed", "cancelled"):
        value["next_action"] = {"type": "redirect_to_url", "redirect_to_url": "http://localhost/over"}


def passes(ask: Ask) -> None:
    ask.put({"result": "approved"})


def way_back(change: Any) -> Any:
    """Changes the address that the customer is sent back to."""

    def fix(said: Said, ask: Ask) -> None:
        url = said.header("Location")
        if url is not None:
            said.set("Location", change(url))

    return answering(PAGE, fix)


def no_challenge(value: dict[str, Any]) -> None:
    value.pop("authentication_type", None)


def challenged_at_once(value: dict[str, Any]) -> None:
    if "authentication_type" not in value and "metadata" not in value:
        value.pop("capture_method", None)


def ends_at_once(value: dict[str, Any]) -> None:
    if value.get("payment_method") == "bank_redirect":
        value["status"] = "succeeded"


PAID: Final = {"amount_received": lambda value: value["amount"]}
ROWS: Final = (
    Mutant("another_word_for_new", "The status of a payment without a method is created.", ("payments.without_method", "payments.own_id"), shown(PAYMENTS, when("requires_payment_method", sets(status="created")))),
    Mutant("description_lost", "The description is not shown.", ("payments.echoes", "payments.update"), shown(PAYMENTS, sets(description=None))),
    Mutant("metadata_as_texts", "Numbers in metadata become strings.", ("payments.echoes",), shown(PAYMENTS, texts_only)),
    Mutant("metadata_null", "metadata is null if it was not given.", ("payments.empty_metadata",), shown(PAYMENTS, null_metadata)),
    Mutant("client_secret_without_id", "client_secret does not begin with the payment_id.", ("payments.ids",), shown(PAYMENTS, sets(client_secret="secret_0123456789"))),
    Mutant("merchant_without_prefix", "merchant_id has no prefix.", ("payments.ids",), shown(PAYMENTS, sets(merchant_id="4711"))),
    Mutant("own_id_ignored", "The caller's payment_id is ignored.", ("payments.own_id", "payments.taken_id", "keys.same_id_apart"), body(CREATE, drops("payment_id"))),
    Mutant("taken_id_answers", "A used payment_id returns its payment.", ("payments.taken_id",), forgiving(CREATE, "HE_01", lambda ask, proceed: proceed(ask.as_get(f"/payments/{ask.json['payment_id']}")))),
    Mutant("created_as_number", "created is a number of seconds.", ("payments.created_in_utc",), shown(PAYMENTS, sets(created=1_767_225_600))),
    Mutant("created_without_zone", "created has no time zone.", ("payments.created_in_utc",), shown(PAYMENTS, sets(created=lambda value: str(value.get("created"))[:-1]))),
    Mutant("session_of_no_length", "A session ends when it starts.", ("payments.expires_on",), shown(PAYMENTS, sets(expires_on=lambda value: value.get("created")))),
    Mutant("nothing_received", "A paid payment has amount_received 0.", ("payments.success", "payments.confirm_later", "payments.pending", "captures.whole", "review.approve", "redirects.approved"), shown(PAYMENTS, when("succeeded", sets(amount_received=None)))),
    Mutant("still_capturable", "A paid payment can still be captured.", ("payments.success", "captures.whole"), shown(PAYMENTS, when("succeeded", sets(amount_capturable=lambda value: value["amount"])))),
    Mutant("card_in_other_words", "A card's brand is called card_network.", ("payments.card_shown",), shown(PAYMENTS, of_card(lambda card: card.update(card_network=card.pop("brand", None))))),
    Mutant("expiry_as_number", "A card's expiry is shown as numbers.", ("payments.card_shown",), shown(PAYMENTS, of_card(lambda card: card.update(exp_month=3, exp_year=2035)))),
    Mutant("card_number_shown", "The card number is returned.", ("payments.no_card_number",), shown(PAYMENTS, of_card(lambda card: card.update(card_number="4242424242424242")))),
    Mutant("card_repeated_in_error", "The error message repeats the card number.", ("payments.no_card_number",), answering(CREATE, repeats_card)),
    Mutant("decline_is_402", "A decline gets an HTTP error.", ("payments.decline", "payments.decline_reason", "idempotency.decline_kept"), answering(CREATE, declines_402)),
    Mutant("decline_succeeds", "A declined card can pay.", ("payments.decline", "webhooks.declined", "lists.by_status"), body(CREATE, lambda value: value.get("payment_method_data", {}).get("card", {}).update(card_number="4242424242424242") if value.get("confirm") else None)),
    Mutant("decline_without_reason", "A failed payment has no reason.", ("payments.decline_reason",), shown(PAYMENTS, sets(error_message=None))),
    Mutant("decline_not_unified", "A failed payment has no unified code.", ("payments.decline_reason",), shown(PAYMENTS, sets(unified_code="DC_08"))),
    Mutant("retrieve_lags", "A retrieve shows a paid payment as pending.", ("payments.retrieve", "payments.confirm_with_method", "lists.items"), shown(RETRIEVE, when("succeeded", sets(status="pending")))),
    Mutant("retrieve_without_secret", "A retrieve shows no client_secret.", ("payments.retrieve",), shown(RETRIEVE, sets(client_secret=None))),
    Mutant("confirms_at_once", "A payment with a method is confirmed without a request.", ("payments.confirm_later", "captures.unconfirmed", "cancel.early", "keys.browser_needs_secret"), body(CREATE, confirms)),
    Mutant("confirm_takes_no_method", "A confirm ignores the payment method.", ("payments.confirm_with_method", "keys.browser_confirms"), asking(CONFIRM, without_body)),
    Mutant("confirms_twice", "A finished payment can be confirmed again.", ("payments.confirm_twice", "payments.failed_stays", "redirects.no_confirm", "cancel.is_final"), forgiving(CONFIRM, "IR_16", as_it_stands)),
    Mutant("attempts_counted_twice", "A refused confirm counts as an attempt.", ("payments.confirm_twice",), shown(RETRIEVE, when("succeeded", sets(attempt_count=2)))),
    Mutant("update_replaces", "POST deletes omitted fields.", ("payments.update",), asking(UPDATE, becomes_put)),
    Mutant("updates_late", "A paid payment can be changed.", ("payments.update_late",), forgiving(UPDATE, "IR_16", as_it_stands)),
    Mutant("replace_merges", "PUT keeps omitted fields.", ("payments.replace",), asking(at("PUT", "/payments/*"), becomes_post)),
    Mutant("metadata_not_merged", "update_metadata replaces the metadata.", ("payments.update_metadata",), answering(at("POST", "/payments/*/update_metadata"), replaces_metadata)),
    Mutant("pending_in_other_words", "pending is called processing.", ("payments.pending",), shown(PAYMENTS, when("pending", sets(status="processing")))),
    Mutant("captured_at_once", "Manual capture is ignored.", ("captures.authorized", "captures.whole", "captures.part", "cancel.authorized", "lists.follows_changes", "webhooks.each_status"), body(CREATE, drops("capture_method"))),
    Mutant("authorized_is_received", "An authorized amount is shown as received.", ("captures.authorized", "cancel.authorized"), shown(PAYMENTS, lambda value: value.update(amount_received=value["amount"]) if value.get("status") in ("requires_capture", "cancelled") else None)),
    Mutant("capture_wants_amount", "A capture without an amount is refused.", ("captures.whole",), instead(CAPTURE, wants_amount)),
    Mutant("part_is_whole", "A partial capture captures everything.", ("captures.part", "captures.twice", "refunds.over_captured"), body(CAPTURE, drops("amount_to_capture"))),
    Mutant("part_keeps_rest", "After a partial capture, the rest stays capturable.", ("captures.part",), shown(PAYMENTS, when("partially_captured", sets(amount_capturable=left)))),
    Mutant("captures_over_limit", "A capture can exceed the authorized amount.", ("captures.over_limit",), forgiving(CAPTURE, "IR_06", no_more)),
    Mutant("over_limit_is_400", "A capture that is too large gets 400.", ("captures.over_limit",), statused(422, 400, CAPTURE)),
    Mutant("captures_nothing", "A capture of 0 captures everything.", ("captures.not_positive",), body(CAPTURE, drops_unless_positive)),
    Mutant("ir_16_for_ir_14", "A capture or refund in the wrong status gets IR_16.", ("captures.automatic", "captures.twice", "captures.unconfirmed", "refunds.too_early", "cancel.is_final"), coded("IR_14", "IR_16")),
    Mutant("ir_14_for_ir_16", "An action in the wrong status gets IR_14.", ("cancel.late", "payments.confirm_twice", "payments.failed_stays", "payments.update_late", "review.only_held", "redirects.no_confirm"), coded("IR_16", "IR_14")),
    Mutant("captures_again", "A second capture is accepted.", ("captures.twice", "captures.automatic", "cancel.is_final"), forgiving(CAPTURE, "IR_14", as_it_stands)),
    Mutant("several_is_one", "manual_multiple ends after the first capture.", ("captures.several",), body(CREATE, one_capture)),
    Mutant("capture_confirms", "A capture confirms a payment.", ("captures.unconfirmed",), instead(CAPTURE, confirms_first)),
    Mutant("reason_lost", "The reason of a cancellation is lost.", ("cancel.authorized",), shown(PAYMENTS, sets(cancellation_reason=None))),
    Mutant("cancel_keeps_hold", "A cancelled payment stays authorized.", ("cancel.authorized",), shown(PAYMENTS, when("cancelled", sets(amount_capturable=lambda value: value["amount"])))),
    Mutant("only_held_is_cancelled", "Only authorized payments can be cancelled.", ("cancel.early", "redirects.cancel", "http.empty_body"), instead(CANCEL, only_in("requires_capture"))),
    Mutant("cancels_late", "A paid payment can be cancelled.", ("cancel.late", "cancel.is_final"), forgiving(CANCEL, "IR_16", says_cancelled)),
    Mutant("approve_rejects", "Approve rejects the payment.", ("review.approve",), asking(at("POST", "/payments/*/approve"), rejects)),
    Mutant("decision_lost", "The merchant's decision is not shown.", ("review.reject", "review.approve"), shown(PAYMENTS, sets(merchant_decision=None))),
    Mutant("approves_anything", "Any payment can be approved or rejected.", ("review.only_held",), forgiving(at("POST", "/payments/*/approve", "/payments/*/reject"), "IR_16", as_it_stands)),
    Mutant("no_next_action", "A challenge has no URL.", ("redirects.challenge", "redirects.page_opens", "redirects.way_back"), shown(PAYMENTS, sets(next_action=None))),
    Mutant("relative_link", "The URL of a challenge is relative.", ("redirects.challenge",), shown(PAYMENTS, relative)),
    Mutant("page_wants_key", "The customer page requires a key.", ("redirects.page_opens", "redirects.way_back"), instead(PAGE, lambda ask, proceed: refusal(401, "IR_01"))),
    Mutant("page_is_text", "The customer page has the content type text/plain.", ("redirects.page_opens",), answering(PAGE, lambda said, ask: said.set("Content-Type", "text/plain"))),
    Mutant("still_asks", "A finished payment still requires an action.", ("redirects.approved", "redirects.declined", "redirects.cancel", "payments.success"), shown(PAYMENTS, still_asks)),
    Mutant("failed_challenge_pays", "A failed challenge leads to a payment.", ("redirects.declined",), asking(at("POST", "/_sandbox/payments/*/authenticate"), passes)),
    Mutant("challenge_captures", "After a challenge, manual capture is ignored.", ("redirects.manual_capture",), body(CREATE, challenged_at_once)),
    Mutant("three_ds_not_asked", "authentication_type is ignored.", ("redirects.asked_for",), body(CREATE, no_challenge)),
    Mutant("way_back_without_status", "The return URL has no status.", ("redirects.way_back", "redirects.signed_way_back"), way_back(lambda url: re.sub(r"status=[a-z_]+&", "", url))),
    Mutant("way_back_always_good", "The status in the return URL is always succeeded.", ("redirects.way_back",), way_back(lambda url: re.sub(r"status=[a-z_]+&", "status=succeeded&", url))),
    Mutant("way_back_unsigned", "The return URL is not signed.", ("redirects.signed_way_back",), way_back(lambda url: re.sub(r"&signature=[0-9a-f]+", "", url))),
    Mutant("way_back_tampered", "The amount in the return URL differs from the signed one.", ("redirects.signed_way_back", "redirects.way_back"), way_back(lambda url: url.replace("amount=6540", "amount=1"))),
    Mutant("own_query_lost", "The return URL loses the shop's own parameters.", ("redirects.way_back",), way_back(lambda url: url.replace("order=4711&", ""))),
    Mutant("bank_redirect_at_once", "A bank redirect succeeds without its page.", ("redirects.bank_redirect",), shown(PAYMENTS, ends_at_once)),
    Mutant("unknown_is_he_04", "Unknown objects get HE_04.", ("errors.unknown_object", "keys.isolated", "refunds.unknown_payment", "idempotency.refusal_kept"), coded("HE_02", "HE_04", anywhere)),
)  # fmt: skip
