"""Pages as answers: rendered, with headers that let nothing else run or be loaded."""

from __future__ import annotations

import base64
from functools import cache
from hashlib import sha256
from typing import Any, Final

from flask import render_template

from mock_server.domain.payment import Payment
from mock_server.http.context import Answer
from mock_server.pages.returning import WayBack
from mock_server.pages.showing import Summary

HTML: Final = ("Content-Type", "text/html; charset=utf-8")
SUBMIT: Final = "document.forms[0].submit()"
"""Sends the way back's form; without it the customer presses its button."""
LOOK_AGAIN: Final = (
    "setInterval(()=>fetch(location.href,{redirect:'manual'}).then(a=>a.ok?a.text():'')"
    ".then(t=>t.includes(document.title)||location.reload(),()=>{}),3000)"
)
"""Looks whether the page is still open, and disturbs nobody who reads it; without it the page refreshes itself."""

_POLICY: Final = (
    "default-src 'none'; style-src '{style}'; script-src {script}; img-src 'self' data:; base-uri 'none'; "
    "connect-src {connect}; "
    # Browsers hold a form's redirects to this too, and a shop may lead its customer on to another of its hosts.
    "form-action 'self' http: https:; frame-ancestors {ancestors}"
)


def rendered(
    template: str, status: int = 200, *, payment: Payment | None = None, script: str | None = None, **values: Any
) -> Answer:
    """A template as an answer, with one script of ours at most; a payment may have its pages shown in a frame."""
    in_frame = payment is not None and payment.echo.get("is_iframe_redirection_enabled") == "true"
    text = render_template(f"pages/{template}", script=script, **values)
    return Answer(status, text.encode(), (HTML, *_safe(in_frame=in_frame, script=script)))


def leads_back(way: WayBack, payment: Payment, summary: Summary) -> Answer:
    """The customer goes back to the shop."""
    if way.by_form:
        return rendered("returning.html", payment=payment, script=SUBMIT, way=way, summary=summary)
    return redirect(way.location)


def redirect(location: str) -> Answer:
    """A redirect (facts §6.3: 302)."""
    return Answer(302, b"", (("Location", location), ("Cache-Control", "no-store")))


def image(svg: bytes) -> Answer:
    """A picture of ours."""
    return Answer(200, svg, (("Content-Type", "image/svg+xml"), ("Content-Security-Policy", "default-src 'none'")))


def _safe(*, in_frame: bool, script: str | None) -> tuple[tuple[str, str], ...]:
    """No script but our own, no frame unless it was asked for, nothing kept, nothing guessed."""
    ancestors = "*" if in_frame else "'none'"
    policy = _POLICY.format(
        style=_style(),
        script=f"'{_hash(script)}'" if script else "'none'",
        connect="'self'" if script == LOOK_AGAIN else "'none'",
        ancestors=ancestors,
    )
    return (
        ("Content-Security-Policy", policy),
        ("Referrer-Policy", "strict-origin-when-cross-origin"),
        ("Cache-Control", "no-store"),
        *(() if in_frame else (("X-Frame-Options", "DENY"),)),
    )


@cache
def _style() -> str:
    return _hash(render_template("pages/page.css"))


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()
