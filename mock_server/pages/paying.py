"""The page of a payment link: the customer chooses a method and pays (facts §1.6; the design is ours)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from mock_server.contract.requests.payments import CONFIRM
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.method_kinds import Need
from mock_server.domain.methods import find, payload_of
from mock_server.domain.offers import AskOffer, OfferedMethod
from mock_server.domain.outcomes import Reason
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine.payments import update
from mock_server.engine.vault import offers
from mock_server.http.errors import said
from mock_server.http.pipeline import read_body
from mock_server.http.running import Answer, Call, customer_goes_back, run
from mock_server.pages import answers, links, showing
from mock_server.pages.links import Link, Stands, link_of
from mock_server.story.standing import standing

CARD: Final = "card"
CARD_FIELDS: Final = (
    ("card_number", "Card number", "cc-number"),
    ("card_exp_month", "Month", "cc-exp-month"),
    ("card_exp_year", "Year", "cc-exp-year"),
    ("card_cvc", "CVC", "cc-csc"),
)
"""The names of the form's fields, their labels, and their autocomplete values."""


def open_form(call: Call, link: Link) -> Answer:
    """Shows the form, or continues with a payment that is in progress or done."""
    return _shown(call, link) if link.stands is Stands.OPEN else _leads_on(call, link)


def _retry_refusal(link: Link) -> Refusal | None:
    """Why a payment cannot be paid again; None if it can."""
    try:
        update.permit_retry(link.payment, link.profile, link.now)
    except Refusal as refusal:
        return refusal
    return None


def pay(call: Call, link: Link) -> Answer:
    """Confirms the payment with the form's values, and continues. Refused as `page_token_wrong`."""
    form = dict(parse_qsl(read_body(call).decode("utf-8", "replace"), keep_blank_values=True))
    if link.stands is not Stands.OPEN and _retry_refusal(link) is not None:
        return _leads_on(call, link)
    links.check_token(link, links.FORM, form.get("token"))
    chosen = form.get("method", "")
    if chosen not in dict(_choices(call, link)):
        raise Refusal(Cause.REQUEST_MALFORMED, reason="choose how to pay")
    try:
        run(call, update.confirm, link.payment.payment_id, CONFIRM.load(_body(chosen, form), link.now))
    except Refusal as refusal:
        return _shown(call, link, refusal)
    call.notes.append(Reason("page", f"the customer paid by {chosen}"))
    return _leads_on(call, link_of(call))


def _body(chosen: str, form: dict[str, str]) -> dict[str, Any]:
    """The body of the confirmation."""
    category, _, type_ = chosen.partition(".")
    if chosen != CARD:
        return {
            "payment_method": category,
            "payment_method_type": type_,
            "payment_method_data": _data(category, type_),
        }
    card = {name: form.get(name, "").replace(" ", "") for name, _, _ in CARD_FIELDS}
    if len(card["card_exp_year"]) == 2:
        card["card_exp_year"] = f"20{card['card_exp_year']}"
    return {"payment_method": CARD, "payment_method_data": {CARD: card}}


def _data(category: str, type_: str) -> dict[str, Any]:
    """The data of a method that needs none from its customer."""
    row = find(category, type_)
    usual = payload_of(row) if row else None
    return {usual.group: {usual.name: {}}} if usual else {}


def _offered(call: Call, link: Link) -> Sequence[OfferedMethod]:
    return run(call, offers.of_profile, AskOffer(), link.payment).methods


def _choices(call: Call, link: Link) -> list[tuple[str, str]]:
    """The methods that need no other fields than the form's: each with its value in the form, and its name."""
    offered = _offered(call, link)
    found = [(CARD, "Card")] if any(one.payment_method == CARD for one in offered) else []
    there = {
        Need.RETURN_URL: link.payment.return_url or link.profile.return_url,
        Need.EMAIL: link.payment.email,
        Need.BILLING_COUNTRY: link.payment.billing_country,
        Need.WALLET_IDENTITY: True,
    }
    for one in offered:
        name = one.payment_method_type
        is_complete = not one.row.asks and all(there[need] for need in one.row.needs)
        if one.payment_method != CARD and is_complete:
            found.append((f"{one.payment_method}.{name}", showing.name_of(name)))
    return found


def _leads_nowhere(one: OfferedMethod, link: Link) -> bool:
    """Whether a method redirects to the shop, and there is no return URL; the customer cannot give one."""
    return Need.RETURN_URL in one.row.needs and not (link.payment.return_url or link.profile.return_url)


def _shown(call: Call, link: Link, refusal: Refusal | None = None) -> Answer:
    """The form without scripts, with what was wrong, and the checkout form that replaces it with scripts."""
    return answers.rendered(
        "pay.html",
        200 if refusal is None else 422,
        script=_script(),
        loads=True,
        key=link.workspace.link_key.text,
        secret=link.payment.client_secret,
        hidden=" ".join(one.payment_method_type for one in _offered(call, link) if _leads_nowhere(one, link)),
        summary=showing.summary(link),
        token=links.token_for(link, links.FORM),
        choices=_choices(call, link),
        fields=CARD_FIELDS,
        mistake=said(refusal)[1] if refusal else _why(link) if link.payment.failure else None,
    )


@cache
def _script() -> str:
    return Path(__file__).with_name("templates").joinpath("pages", "pay.js").read_text("utf-8")


def _leads_on(call: Call, link: Link) -> Answer:
    """Redirects to the method's page or to the shop, or shows the payment's state."""
    payment = link.payment
    if payment.status is PaymentStatus.REQUIRES_ACTION:
        of = f"{payment.payment_id}/{payment.merchant_id}/{payment.attempt_id}"
        return answers.redirect(f"../../payments/redirect/{of}")
    return led_back(call, link)


def led_back(call: Call, link: Link, elsewhere: str = "") -> Answer:
    """Redirects to the shop; without a return URL, redirects to `elsewhere`, or shows the payment's state."""
    way, summary = answers.way_back(link.payment, link.profile, call.dialect), showing.summary(link)
    if link.stands is Stands.OVER:
        return answers.rendered("over.html", 410, summary=summary, way=way)
    if way is not None:
        customer_goes_back(call, link.payment.payment_id)
        if way.by_form:
            return answers.rendered("returning.html", script=answers.SUBMIT, way=way, summary=summary)
        return answers.redirect(way.location)
    refusal = _retry_refusal(link)
    if link.pays and refusal is None:
        return _shown(call, link)
    why = _why(link) if link.payment.status is PaymentStatus.FAILED else ""
    problem = said(refusal)[1] if why and link.pays and refusal is not None else ""
    return (
        answers.redirect(elsewhere)
        if elsewhere
        else answers.rendered("done.html", summary=summary, why=why, problem=problem)
    )


def _why(link: Link) -> str:
    """Why the payment failed."""
    return standing(link.payment, (), (), link.now).headline
