"""The calls of a customer page: show it, take the customer's choice, complete it, draw its QR code."""

from __future__ import annotations

import io
from typing import Any, Final
from urllib.parse import parse_qsl

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.issuer import ONE_TIME_CODE, ChallengeForm
from mock_server.domain.outcomes import Challenge, Reason
from mock_server.engine.payments import challenge
from mock_server.http.context import Answer, Call
from mock_server.http.pipeline import read_body
from mock_server.http.running import run
from mock_server.pages import answers, links, paying, showing
from mock_server.pages.links import Link, Stands
from mock_server.pages.stages import View, link_of

BY: Final = "page"
RESULTS: Final = frozenset(Challenge) - {Challenge.ABANDONED}
WRONG_CODE: Final = "That code is not correct. Please try again."
NO_TICK: Final = "Please tick the box to continue."
_PURPOSES: Final = ("HTTP_SEC_PURPOSE", "HTTP_PURPOSE", "HTTP_X_PURPOSE", "HTTP_X_MOZ")


def open_page(call: Call, link: Link) -> Answer:
    """Shows what the customer has to do; a page that is done redirects to the shop."""
    if link.stands is not Stands.OPEN:
        return closed(call, link)
    call.notes.append(Reason(BY, f"the customer opened the page: {link.kind}"))
    return shown(link)


def decide(call: Call, link: Link) -> Answer:
    """Takes the customer's choice. Refused as `page_token_wrong`, `value_invalid`."""
    form = dict(parse_qsl(read_body(call).decode("utf-8", "replace"), keep_blank_values=True))
    call.body = {name: form[name] for name in ("result", "bank") if name in form}  # for scenarios, without its token
    if link.stands is not Stands.OPEN:
        return closed(call, link)
    links.check_token(link, links.FORM, form.get("token"))
    given: Any = form.get("result")
    if given not in RESULTS:
        raise Refusal(Cause.REQUEST_MALFORMED, reason="choose one of the buttons")
    result = Challenge(given)
    mistake = _mistake_in(link, form) if result is Challenge.APPROVED else None
    if mistake is not None:
        call.notes.append(Reason(BY, mistake))
        return shown(link, mistake)
    bank = f" at {form['bank']}" if form.get("bank") in showing.banks_of(link) else ""
    return ended(call, link, result, f"the customer chose {result}{bank}", above="")


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
    fixed = challenge.fixed_result(link.payment)
    if fixed is None or not showing.finishes(link):
        return answers.redirect(f"../{link.attempt_id}")
    return ended(call, link, fixed, f"the page completed automatically, as the scenario says: {fixed}", above="../")


def qr_code(call: Call, link: Link) -> Answer:
    """The page's QR code as a picture. Refused as `link_unknown` if there is none."""
    code = showing.raw_code(link.payment)
    if code is None:
        raise Refusal(Cause.LINK_UNKNOWN)
    import segno  # with the first code

    drawn = io.BytesIO()
    segno.make(code, micro=False).save(drawn, kind="svg", scale=6, border=4, light="#fff", nl=False)
    return answers.image(drawn.getvalue())


def ended(call: Call, link: Link, result: Challenge, why: str, *, above: str) -> Answer:
    """Ends the page and redirects to the shop; of simultaneous calls the first one decides."""
    call.notes.append(Reason(BY, why))
    try:
        run(call, challenge.authenticate, link.payment.payment_id, result)
    except Refusal as refusal:
        if refusal.cause is not Cause.TRIGGER_FORBIDS:
            raise
    return closed(call, link_of(call), above=above)


def closed(call: Call, link: Link, *, above: str = "") -> Answer:
    """Redirects to the shop; without a return URL, or after the end of its time, shows the payment's state."""
    return paying.led_back(call, link, f"{above}{link.attempt_id}" if call.method == "POST" or above else "")


def _mistake_in(link: Link, form: dict[str, str]) -> str | None:
    """Why the bank does not accept the form."""
    asks = link.payment.waiting.outcome.challenge_kind if link.payment.waiting else None
    if asks == ChallengeForm.ONE_TIME_CODE and form.get("code", "").strip() != ONE_TIME_CODE:
        return WRONG_CODE
    if asks == ChallengeForm.CAPTCHA and form.get("human") != "yes":
        return NO_TICK
    return None


VIEWS: Final[dict[str, View]] = {
    "open": open_page,
    "decide": decide,
    "finish": finish,
    "qr_code": qr_code,
    "back": closed,
    "form": paying.open_form,
    "pay": paying.pay,
}
"""The view of each route."""
