"""Pages as answers: their templates, headers that allow only our own scripts, and the redirect to the shop."""

from __future__ import annotations

import base64
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import punctuation
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlunsplit

from jinja2 import Environment, FileSystemLoader, select_autoescape

from mock_server.addresses import split
from mock_server.contract.dialect import Dialect
from mock_server.domain.events import Pair, signed_pairs
from mock_server.domain.merchant import Profile
from mock_server.domain.payment import Payment
from mock_server.http.running import HTML, NO_STORE, Answer

SUBMIT: Final = "document.forms[0].submit()"
"""Submits the form to the shop; without scripts the customer presses its button."""
LOOK: Final = "X-Sandbox-Look"
"""The header of a page that asks whether it is still open, at this amount or at any (`1`): 204 if so; not recorded."""
LOOK_AGAIN: Final = (
    f"setInterval(()=>fetch(location.href,{{redirect:'manual',headers:{{'{LOOK}':'1'}}}})"
    ".then(a=>a.status==204||a.status>499||location.reload(),()=>{}),3000);"
)
"""Checks if the page is still open; without scripts the page refreshes itself."""
COPY: Final = (
    "for(const b of document.querySelectorAll('[data-copy]')){b.hidden=false;b.onclick=async()=>{"
    "const t=b.previousElementSibling;"
    "try{await navigator.clipboard.writeText(t.textContent)}"
    "catch{getSelection().selectAllChildren(t);document.execCommand('copy')}"
    "b.textContent='Copied';setTimeout(()=>b.textContent='Copy',2000)}}"
)
"""Shows the buttons that copy the text before them; without scripts one click selects it."""

SCHEMES: Final = frozenset({"http", "https"})
_POLICY: Final = (
    "default-src 'none'; style-src '{style}'; script-src {script}; img-src 'self' data:; base-uri 'none'; "
    "connect-src {connect}; frame-src {frame}; "
    # Browsers apply this to a form's redirects too, and a shop may redirect to another of its hosts.
    "form-action 'self' http: https:; frame-ancestors *"
)


def rendered(
    template: str, status: int = 200, *, script: str | None = None, loads: bool = False, **values: Any
) -> Answer:
    """A template as an answer, with at most one script; `loads`: it also loads files from this server.

    Nothing else can run or load. Shops show a bank's page in their own frames.
    """
    text = render(f"pages/{template}", script=script, **values)
    policy = _POLICY.format(
        style=_style(),
        script=(f"'{_hash(script)}'" if script else "'none'") + (" 'self'" if loads else ""),
        connect="'self'" if loads or LOOK in (script or "") else "'none'",
        frame="'self'" if loads else "'none'",
    )
    safe = (("Content-Security-Policy", policy), ("Referrer-Policy", "strict-origin-when-cross-origin"))
    return Answer(status, text.encode(), (HTML, *safe, NO_STORE))


def redirect(location: str) -> Answer:
    """A redirect (facts §6.3: 302); its header has only signs of ASCII, others with percents, also in a host's name."""
    return Answer(302, b"", (("Location", quote(location, safe=punctuation)), NO_STORE))


@cache
def _style() -> str:
    return _hash(render("pages/page.css"))


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


class WayBack(NamedTuple):
    """The redirect to the shop with its signed parameters (facts §6.3), in the URL or as a form (`by_form`)."""

    url: str
    pairs: tuple[Pair, ...]
    by_form: bool

    @property
    def location(self) -> str:
        """The URL with all parameters in its query; the shop's own query is not changed."""
        scheme, netloc, path, query, fragment = split(self.url)
        added = urlencode(self.pairs[len(parse_qsl(query, keep_blank_values=True)) :])
        return urlunsplit((scheme, netloc, path, f"{query}&{added}" if query else added, fragment))


def way_back(payment: Payment, profile: Profile, dialect: Dialect) -> WayBack | None:
    """The redirect of a payment; None if neither the payment nor its profile has a return URL."""
    url = payment.return_url or profile.return_url
    if not url or split(url).scheme.lower() not in SCHEMES:
        return None
    by_form = profile.redirect_to_merchant_with_http_post
    pairs = [
        *parse_qsl(split(url).query, keep_blank_values=True),
        ("status", dialect.status_out(payment.status)),
        ("payment_id", payment.payment_id),
        ("payment_intent_client_secret", payment.client_secret),
        *([] if by_form else [("amount", str(payment.amount))]),
        ("manual_retry_allowed", "true" if payment.manual_retry_allowed else "false"),
    ]
    if profile.enable_payment_response_hash:
        pairs = signed_pairs(pairs, profile.payment_response_hash_key)
    return WayBack(url, tuple(pairs), by_form)


_PACKAGE: Final = Path(__file__).parent.parent


class Templates(Environment):
    """Templates without the spaces before their lines, which lists would send for each row."""

    def preprocess(self, source: str, name: str | None = None, filename: str | None = None) -> str:
        return re.sub("\n +", "\n", super().preprocess(source, name, filename))


_TEMPLATES: Final = Templates(
    loader=FileSystemLoader([_PACKAGE / "pages/templates", _PACKAGE / "dashboard/templates"]),
    autoescape=select_autoescape(),
    auto_reload=False,
)


def render(template: str, **values: object) -> str:
    """A template's text with these values."""
    return _TEMPLATES.get_template(template).render(values)
