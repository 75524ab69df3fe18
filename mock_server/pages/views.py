"""The calls of a customer page: show it, take the customer's choice, complete it, draw its QR code (ours).

They need no key, and are not counted for the rate limit.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qsl

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.issuer import ONE_TIME_CODE, ChallengeForm
from mock_server.domain.outcomes import Challenge, Reason
from mock_server.engine.payments import charge
from mock_server.http.errors import said
from mock_server.http.finish import leave_plans
from mock_server.http.observe import own_headers, refusal_of
from mock_server.http.pipeline import is_left_alone, line, read_body
from mock_server.http.recording import enter, record
from mock_server.http.running import Answer, Call, Environ, run
from mock_server.pages import answers, links, paying, showing
from mock_server.pages.links import Link, Stands, link_of
from mock_server.pages.operations import CHALLENGE, operation
from mock_server.sandbox import Sandbox

View = Callable[[Call, Link], Answer]

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
    fixed = charge.fixed_result(link.payment)
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
    headers = (("Content-Type", "image/svg+xml"), ("Content-Security-Policy", "default-src 'none'"))
    return Answer(200, drawn.getvalue(), headers)


def ended(call: Call, link: Link, result: Challenge, why: str, *, above: str) -> Answer:
    """Ends the page and redirects to the shop; of simultaneous calls the first one decides."""
    call.notes.append(Reason(BY, why))
    try:
        run(call, charge.authenticate, link.payment.payment_id, result)
    except Refusal as refusal:
        if refusal.cause is not Cause.TRIGGER_FORBIDS:
            raise
    return closed(call, link_of(call), above=above)


def closed(call: Call, link: Link, *, above: str = "") -> Answer:
    """Redirects to the shop; without a return URL, or after the end of its time, shows the payment's state."""
    return paying.led_back(call, link, f"{above}{link.attempt_id}" if call.method == "POST" or above else "")


def _mistake_in(link: Link, form: dict[str, str]) -> str | None:
    """Why the bank does not accept the form."""
    asks = showing.asks_for(link)
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


def walk(sandbox: Sandbox, method: str, view: View, environ: Environ, **args: str) -> Answer:
    """The answer of a page, after all stages."""
    row, started_s = operation(CHALLENGE, method), sandbox.clock.monotonic()
    call = Call(sandbox, row, environ, args, sandbox.request_id(), started_s)
    answer = _answered(call, view)
    enter(call, answer)
    record(call, "figures", answer.status)
    return leave_plans(call, answer.with_headers(*own_headers(call)))


def _answered(call: Call, view: View) -> Answer:
    try:
        link = link_of(call)
        if answers.LOOK in call.headers:
            return Answer(204 if link.stands is Stands.OPEN else 200, b"")
        call.workspace, call.now, call.object_id = link.workspace, link.now, link.payment.payment_id
        call.operation = operation(link.kind, call.operation.method)
        return view(call, link) if is_left_alone(call) else line(call, lambda call: view(call, link))
    except Exception as error:
        call.refusal = refusal_of(call, error)
    gone = call.sandbox.evictions.find(call.args["merchant_id"]) if call.refusal.cause is Cause.LINK_UNKNOWN else None
    status, message = said(call.refusal, gone.text if gone else "")
    return answers.rendered("refused.html", status, message=message)
