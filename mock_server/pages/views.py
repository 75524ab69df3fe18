"""The calls of a customer page (ours): they need no key, and the rate limit (facts §1.6) does not count them."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from mock_server.contract.requests.payments.calls import CONFIRM
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.issuer import ONE_TIME_CODE, ChallengeForm
from mock_server.domain.methods import Need, find, payload_of
from mock_server.domain.offers import AskOffer, OfferedMethod
from mock_server.domain.outcomes import Challenge, Reason
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine.payments import access, charge, create
from mock_server.engine.payments.due import page_path
from mock_server.engine.vault import offers
from mock_server.http.errors import said
from mock_server.http.finish import leave_plans
from mock_server.http.observe import own_headers, refusal_of
from mock_server.http.pipeline import read_body, with_faults
from mock_server.http.recording import enter, record
from mock_server.http.running import Answer, Call, Environ, customer_goes_back, is_left_alone, run
from mock_server.pages import answers, links, showing
from mock_server.pages.links import CHALLENGE, Link, Stands, link_of, operation
from mock_server.sandbox import Sandbox
from mock_server.story.standing import standing

BY: Final = "page"
CARD: Final = "card"
CARD_FIELDS: Final = (
    ("card_number", "Card number", "cc-number"),
    ("card_exp_month", "Month", "cc-exp-month"),
    ("card_exp_year", "Year", "cc-exp-year"),
    ("card_cvc", "CVC", "cc-csc"),
)
"""The names of the form's fields, their labels, and their autocomplete values."""


def _pay(call: Call, link: Link, form: dict[str, str] | None = None) -> Answer:
    """Confirms the payment with the form's values, and continues. Refused as `page_token_wrong`."""
    if form is None:
        form = dict(parse_qsl(read_body(call).decode("utf-8", "replace"), keep_blank_values=True))
    is_seen = link.payment.manual_retry_allowed and form.get("token") == links.token_for(link, links.FORM)
    if link.stands is not Stands.OPEN and not is_seen:  # what came of it in another tab, or of a first press
        return closed(call, link)
    links.check_token(link, links.FORM, form.get("token"))
    chosen = form.get("method", "")
    is_offered = chosen in dict(_choices(_offered(call, link), link))
    if problem := _changed(link, form) or ("" if is_offered else "Please choose how to pay."):
        return _shown(call, link, problem, form)
    body = _body(chosen, form)
    try:
        if run(call, links.as_seen, link, create.confirm, CONFIRM.load(body, link.now)) is None:
            return _pay(call, link_of(call), form)
    except Refusal as refusal:
        wrong = {one.field.rpartition(".")[2] for one in refusal.fields}
        names = ", ".join(label for name, label, _ in CARD_FIELDS if name in wrong)
        return _shown(call, link_of(call), f"Please check: {names}." if names else said(refusal)[1], form, wrong)
    method = body if chosen != CARD else {"payment_method": CARD}  # an export confirms so; the note has no card
    call.notes.append(Reason(BY, f"the customer paid by {chosen}", inputs=method))
    return closed(call, link_of(call))


def _changed(link: Link, form: Mapping[str, str]) -> str:
    """What to tell a customer whose page showed another amount; the shop may have changed it meanwhile."""
    now = showing.amount_of(link.payment)
    return "" if (form.get("shown") or now) == now else f"The amount is now {now}. Please check it before you pay."


def _body(chosen: str, form: dict[str, str]) -> dict[str, Any]:
    if chosen == CARD:
        card = {name: re.sub(r"\s", "", form.get(name, "")) for name, _, _ in CARD_FIELDS}
        card["card_number"] = card["card_number"].replace("-", "")
        card["card_exp_month"] = card["card_exp_month"].zfill(2)
        if len(card["card_exp_year"]) == 2:
            card["card_exp_year"] = f"20{card['card_exp_year']}"
        return {"payment_method": CARD, "payment_method_data": {CARD: card}}
    category, _, type_ = chosen.partition(".")
    method = find((category, type_))
    usual = payload_of(method) if method else None
    data: dict[str, Any] = {usual.group: {usual.name: {}}} if usual else {}  # its customer gives none
    return {"payment_method": category, "payment_method_type": type_, "payment_method_data": data}


def _offered(call: Call, link: Link) -> Sequence[OfferedMethod]:
    return run(call, offers.of_profile, AskOffer(), link.payment).methods


def _choices(offered: Sequence[OfferedMethod], link: Link) -> list[tuple[str, str]]:
    """The methods that need no other fields than the form's: each with its value in the form, and its name."""
    choices = [(CARD, "Card")] if any(method.payment_method == CARD for method in offered) else []
    there = {
        Need.RETURN_URL: link.payment.return_url or link.profile.return_url,
        Need.EMAIL: link.payment.email,
        Need.BILLING_COUNTRY: link.payment.billing_country,
        Need.WALLET_IDENTITY: True,
    }
    for method in offered:
        name = method.payment_method_type
        is_complete = not method.row.asks and all(there[need] for need in method.row.needs)
        if method.payment_method != CARD and is_complete:
            choices.append((f"{method.payment_method}.{name}", showing.name_of(name)))
    return choices


def _shown(
    call: Call, link: Link, mistake: str = "", form: Mapping[str, str] = {}, wrong: Collection[str] = ()
) -> Answer:
    """The form without scripts, with what was wrong and was no secret, and the one that replaces it with scripts."""
    offered, goes_back = _offered(call, link), link.payment.return_url or link.profile.return_url
    # A method that redirects to the shop leads nowhere without a return URL, and the customer cannot give one.
    nowhere = (method for method in offered if Need.RETURN_URL in method.row.needs and not goes_back)
    return answers.rendered(
        "pay.html",
        422 if mistake else 200,
        script=_script(),
        loads=True,
        key=link.workspace.link_key.text,
        secret=link.payment.client_secret,
        hidden=" ".join(method.payment_method_type for method in nowhere),
        summary=showing.summary(link),
        token=links.token_for(link, links.FORM),
        choices=_choices(offered, link),
        fields=CARD_FIELDS,
        typed=form,
        wrong=wrong,
        mistake=mistake or _changed(link, call.query) or (_why(link) if link.payment.failure else None),
    )


@cache
def _script() -> str:
    return Path(__file__).with_name("templates").joinpath("pages", "pay.js").read_text("utf-8")


def closed(call: Call, link: Link, *, above: str = "") -> Answer:
    """Redirects to the method's page or to the shop; without a return URL, shows the payment's state."""
    payment = link.payment
    if link.pays and payment.status is PaymentStatus.REQUIRES_ACTION:
        return answers.redirect(f"../..{page_path(payment)}")
    way, summary = answers.way_back(payment, link.profile, call.dialect), showing.summary(link)
    if link.stands is Stands.OVER:
        return answers.rendered("over.html", 410, summary=summary, way=way)
    if way is not None:
        customer_goes_back(call, payment.payment_id)
        if way.by_form:
            return answers.rendered("returning.html", script=answers.SUBMIT, way=way, summary=summary)
        return answers.redirect(way.location)
    refusal = access.retry_refusal(payment, link.profile, link.now) if link.pays else None
    if call.method == "POST" or above:  # so that a reload only reads
        return answers.redirect(f"{above}{payment.payment_id if link.pays else link.attempt_id}")
    if link.pays and refusal is None:
        return _shown(call, link)
    why = _why(link) if payment.status is PaymentStatus.FAILED else ""
    problem = said(refusal)[1] if why and refusal else ""
    return answers.rendered("done.html", summary=summary, why=why, problem=problem)


def _why(link: Link) -> str:
    """Why the payment failed."""
    return standing(link.payment, (), (), link.now).headline


View = Callable[[Call, Link], Answer]

RESULTS: Final = frozenset(Challenge) - {Challenge.ABANDONED}
_PURPOSES: Final = ("HTTP_SEC_PURPOSE", "HTTP_PURPOSE", "HTTP_X_PURPOSE", "HTTP_X_MOZ")


def open_page(call: Call, link: Link) -> Answer:
    """Shows what the customer has to do; a page that is done redirects to the shop."""
    if link.stands is not Stands.OPEN:
        return closed(call, link)
    call.notes.append(Reason(BY, f"the customer opened the page: {link.kind}"))
    return shown(link)


def decide(call: Call, link: Link, form: dict[str, str] | None = None) -> Answer:
    """Takes the customer's choice. Refused as `page_token_wrong`."""
    if form is None:
        form = dict(parse_qsl(read_body(call).decode("utf-8", "replace"), keep_blank_values=True))
    call.body = {name: form[name] for name in ("result", "bank") if name in form}  # for scenarios, without its token
    if link.stands is not Stands.OPEN:
        return closed(call, link)
    links.check_token(link, links.FORM, form.get("token"))
    if (given := form.get("result", "")) not in RESULTS:
        return shown(link, "Please choose one of the buttons.")
    result = Challenge(given)
    if mistake := _mistake_in(link, form) if result is Challenge.APPROVED else None:
        call.notes.append(Reason(BY, mistake))
        return shown(link, mistake)
    bank = f" at {form['bank']}" if form.get("bank") in showing.banks_of(link) else ""
    return ended(call, link, result, f"the customer chose {result}{bank}") or decide(call, link_of(call), form)


def shown(link: Link, mistake: str | None = None) -> Answer:
    """The page of an open link, with the mistake in its form."""
    page = showing.page(link, mistake)
    script = (answers.LOOK_AGAIN if page["looks_again"] else "") + (answers.COPY if page["instructions"] else "")
    return answers.rendered("page.html", 422 if mistake else 200, script=script or None, page=page)


def finish(call: Call, link: Link) -> Answer:
    """Completes a page whose result is fixed, unless a browser only prefetches it. Refused as `page_token_wrong`."""
    if link.stands is not Stands.OPEN:
        return closed(call, link, above="../")
    links.check_token(link, links.FINISH, call.query.get("token"))
    if call.method != "GET" or any("prefetch" in call.environ.get(name, "").lower() for name in _PURPOSES):
        raise Refusal(Cause.PAGE_TOKEN_WRONG)
    fixed = charge.fixed_result(link.payment)
    if fixed is None or not showing.finishes(link):
        return answers.redirect(f"../{link.attempt_id}")
    why = f"the page completed automatically, as the scenario says: {fixed}"
    return ended(call, link, fixed, why, above="../") or finish(call, link_of(call))


def qr_code(call: Call, link: Link) -> Answer:
    """The page's QR code as a picture. Refused as `link_unknown` if there is none."""
    code = showing.raw_code(link.payment)
    if code is None:
        raise Refusal(Cause.LINK_UNKNOWN)
    import segno  # with the first code

    drawn = io.BytesIO()
    segno.make(code, micro=False).save(drawn, kind="svg", scale=6, border=4, light="#fff", nl=False)
    headers = (("Content-Type", "image/svg+xml"), ("Content-Security-Policy", "default-src 'none'"))
    return Answer(200, drawn.getvalue(), headers)


def ended(call: Call, link: Link, result: Challenge, why: str, *, above: str = "") -> Answer | None:
    """Ends the page and redirects to the shop; None if another call came first, which changed what the page shows."""
    at = len(call.notes)
    if run(call, links.as_seen, link, charge.authenticate, result) is None:
        return None
    call.notes.insert(at, Reason(BY, why, inputs={"result": result}))
    return closed(call, link_of(call), above=above)


def _mistake_in(link: Link, form: dict[str, str]) -> str | None:
    """Why the bank does not accept the form."""
    asks = showing.asks_for(link)
    if asks == ChallengeForm.ONE_TIME_CODE and form.get("code", "").strip() != ONE_TIME_CODE:
        return "That code is not correct. Please try again."
    return "Please tick the box to continue." if asks == ChallengeForm.CAPTCHA and form.get("human") != "yes" else None


VIEWS: Final[dict[str, View]] = {
    "open": open_page,
    "decide": decide,
    "finish": finish,
    "qr_code": qr_code,
    "back": closed,
    "form": lambda call, link: _shown(call, link) if link.stands is Stands.OPEN else closed(call, link),
    "pay": _pay,
}


def answered(sandbox: Sandbox, method: str, view: View, environ: Environ, **args: str) -> Answer:
    """The answer of a page, after all stages."""
    row, started_s = operation(CHALLENGE, method), sandbox.clock.monotonic()
    call = Call(sandbox, row, environ, args, sandbox.request_id(), started_s)
    answer = _viewed(call, view)
    enter(call, answer)
    record(call, "figures", answer.status)
    return leave_plans(call, answer.with_headers(*own_headers(call)))


def _viewed(call: Call, view: View) -> Answer:
    try:
        link = link_of(call)
        if answers.LOOK in call.headers:
            is_same = call.headers[answers.LOOK] in ("1", showing.amount_of(link.payment))
            waits = link.stands is Stands.OPEN or (link.pays and link.payment.manual_retry_allowed)
            return Answer(204 if waits and is_same else 200, b"")
        raw, _, query = call.environ.get("RAW_URI", "").partition("?")
        if call.method == "GET" and (slashes := len(raw) - len(raw.rstrip("/"))):  # what it loads is beside it
            own = call.environ["PATH_INFO"].rpartition("/")[2]
            return answers.redirect("../" * slashes + own + (f"?{query}" if query else ""))
        call.opened, call.now, call.object_id = link.workspace, link.now, link.payment.payment_id
        call.operation = operation(link.kind, call.operation.method)
        return view(call, link) if is_left_alone(call) else with_faults(call, lambda call: view(call, link))
    except Exception as error:
        call.refusal = refusal_of(call, error)
    gone = call.sandbox.evictions.find(call.args["merchant_id"]) if call.refusal.cause is Cause.LINK_UNKNOWN else None
    status, message = said(call.refusal, gone.text if gone else "")
    return answers.rendered("refused.html", status, message=message)
