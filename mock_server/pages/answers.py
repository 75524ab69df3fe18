"""Pages as answers: rendered, with headers that let nothing else run or be loaded; and the way back to the shop."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from flask import render_template

from mock_server.contract.dialect import Dialect
from mock_server.domain.delivery import Pair, signed_pairs
from mock_server.domain.payment import Payment
from mock_server.domain.profile import Profile
from mock_server.http.context import Answer

HTML: Final = ("Content-Type", "text/html; charset=utf-8")
SUBMIT: Final = "document.forms[0].submit()"
"""Sends the way back's form; without it the customer presses its button."""
LOOK: Final = "X-Sandbox-Look"
"""The header of a page that asks whether it is still open: 204 if so, and nothing of it is kept."""
LOOK_AGAIN: Final = (
    f"setInterval(()=>fetch(location.href,{{redirect:'manual',headers:{{'{LOOK}':'1'}}}})"
    ".then(a=>a.status==204||a.status>499||location.reload(),()=>{}),3000);"
)
"""Looks whether the page is still open, and disturbs nobody who reads it; without it the page refreshes itself."""
COPY: Final = (
    "for(const b of document.querySelectorAll('[data-copy]')){b.hidden=false;b.onclick=async()=>{"
    "const t=b.previousElementSibling;"
    "try{await navigator.clipboard.writeText(t.textContent)}"
    "catch{getSelection().selectAllChildren(t);document.execCommand('copy')}"
    "b.textContent='Copied';setTimeout(()=>b.textContent='Copy',2000)}}"
)
"""Shows the buttons that copy what stands before them; without it one click selects that."""

SCHEMES: Final = frozenset({"http", "https"})
_POLICY: Final = (
    "default-src 'none'; style-src '{style}'; script-src {script}; img-src 'self' data:; base-uri 'none'; "
    "connect-src {connect}; frame-src {frame}; "
    # Browsers hold a form's redirects to this too, and a shop may lead its customer on to another of its hosts.
    "form-action 'self' http: https:; frame-ancestors *"
)


def rendered(
    template: str, status: int = 200, *, script: str | None = None, loads: bool = False, **values: Any
) -> Answer:
    """A template as an answer, with one script of ours at most, and with what it `loads` from this server."""
    text = render_template(f"pages/{template}", script=script, **values)
    return Answer(status, text.encode(), (HTML, *_safe(script, loads)))


def leads_back(way: WayBack, summary: Mapping[str, Any]) -> Answer:
    """The customer goes back to the shop."""
    if way.by_form:
        return rendered("returning.html", script=SUBMIT, way=way, summary=summary)
    return redirect(way.location)


def redirect(location: str) -> Answer:
    """A redirect (facts §6.3: 302)."""
    return Answer(302, b"", (("Location", location), ("Cache-Control", "no-store")))


def image(svg: bytes) -> Answer:
    """A picture of ours."""
    return Answer(200, svg, (("Content-Type", "image/svg+xml"), ("Content-Security-Policy", "default-src 'none'")))


def _safe(script: str | None, loads: bool) -> tuple[tuple[str, str], ...]:
    """No script but our own, nothing kept, nothing guessed; shops show a bank's page in frames of their own."""
    policy = _POLICY.format(
        style=_style(),
        script=(f"'{_hash(script)}'" if script else "'none'") + (" 'self'" if loads else ""),
        connect="'self'" if loads or LOOK in (script or "") else "'none'",
        frame="'self'" if loads else "'none'",
    )
    return (
        ("Content-Security-Policy", policy),
        ("Referrer-Policy", "strict-origin-when-cross-origin"),
        ("Cache-Control", "no-store"),
    )


@cache
def _style() -> str:
    return _hash(render_template("pages/page.css"))


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


# the way back to the shop: the return URL with what happened, signed (facts §6.3)


class WayBack(NamedTuple):
    """Where the customer goes, and what is told there: in the URL, or in a form where the profile wants one."""

    url: str
    pairs: tuple[Pair, ...]
    by_form: bool

    @property
    def location(self) -> str:
        """The URL with everything in its query; the shop's own query stays as it was written."""
        scheme, netloc, path, query, fragment = urlsplit(self.url)
        own = len(parse_qsl(query, keep_blank_values=True))
        told = urlencode(self.pairs[own:])
        return urlunsplit((scheme, netloc, path, f"{query}&{told}" if query else told, fragment))


def way_back(payment: Payment, profile: Profile, dialect: Dialect) -> WayBack | None:
    """The way back of a payment as it stands; None where neither payment nor profile says where to."""
    url = payment.return_url or profile.return_url
    if not url or urlsplit(url).scheme.lower() not in SCHEMES:
        return None
    by_form = profile.redirect_to_merchant_with_http_post
    own = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    pairs = [*own, *_told(payment, dialect, with_amount=not by_form)]
    if profile.enable_payment_response_hash:
        pairs = signed_pairs(pairs, profile.payment_response_hash_key)
    return WayBack(url, tuple(pairs), by_form)


def _told(payment: Payment, dialect: Dialect, *, with_amount: bool) -> list[Pair]:
    amount = [("amount", str(payment.amount))] if with_amount else []
    return [
        ("status", dialect.status_out(payment.status)),
        ("payment_id", payment.payment_id),
        ("payment_intent_client_secret", payment.client_secret),
        *amount,
        ("manual_retry_allowed", "true" if payment.manual_retry_allowed else "false"),
    ]
