"""A customer's browser, as far as pages without script need one: it reads forms, presses buttons, follows us."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from tests.wire import Reply, Wire, sendable

BASE = "http://localhost"


@dataclass
class Form:
    """A form with what it sends and the buttons that send it."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: dict[str, tuple[str, str]] = field(default_factory=dict)


class Seen(HTMLParser):
    """What is on a page: its forms, its texts by test id, where it goes by itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.ids: list[str] = []
        self.texts: dict[str, str] = {}
        self.refresh: str | None = None
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str | None] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        attributes = dict(pairs)
        self.tags.append((tag, attributes))
        name = attributes.get("data-testid")
        if name:
            self.ids.append(name)
            self.texts.setdefault(name, "")
        if tag not in ("input", "meta", "img", "br", "link"):
            self._open.append(name)
        self._form(tag, attributes)
        if attributes.get("http-equiv") == "refresh":
            self.refresh = (attributes["content"] or "").partition("url=")[2]

    def _form(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag == "form":
            self.forms.append(Form(attributes.get("action") or ""))
        if not self.forms:
            return
        name, value = attributes.get("name"), attributes.get("value") or ""
        is_choice = attributes.get("type") in ("checkbox", "radio") and "checked" not in attributes
        if tag == "input" and name and not is_choice:
            self.forms[-1].fields[name] = value
        if tag == "button" and self.forms:
            self.forms[-1].buttons[attributes.get("data-testid") or ""] = (name or "", value)

    def handle_endtag(self, tag: str) -> None:
        if self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        for name in self._open:
            if name:
                self.texts[name] += data


@dataclass
class Shown:
    """One answer, as the browser has it."""

    url: str
    status: int
    text: str
    headers: dict[str, str]

    @property
    def seen(self) -> Seen:
        return Seen(self.text)

    @property
    def location(self) -> str:
        return urljoin(self.url, self.headers["Location"])


class Browser:
    """Looks at pages of one server; it stops where a shop's own page would begin."""

    def __init__(self, api: Wire) -> None:
        self._api = api

    def open(self, url: str, method: str = "GET", fields: dict[str, str] | None = None, **headers: str) -> Shown:
        """Asks once, and follows nothing."""
        parts = urlsplit(urljoin(BASE, url))
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        data = urlencode(fields or {}).encode() if method == "POST" else b""
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        kind = "application/x-www-form-urlencoded" if method == "POST" else None
        with self._api.app.test_client() as client:
            answer = client.open(path, method=method, data=data, headers=sent, content_type=kind)
            reply = sendable(Reply(answer.status_code, answer.get_data(), dict(answer.headers)))
            return Shown(urljoin(BASE, url), reply.status, reply.raw.decode(), reply.headers)

    def press(self, page: Shown, button: str, **typed: str) -> Shown:
        """Presses a button of the page's form."""
        form = next(form for form in page.seen.forms if button in form.buttons)
        name, value = form.buttons[button]
        return self.open(urljoin(page.url, form.action or page.url), "POST", {**form.fields, **typed, name: value})


def link(payment: Any) -> str:
    """The page that a payment's next_action leads to, or the one that stands behind other instructions."""
    action = payment["next_action"]
    found = action.get("redirect_to_url")
    payment_id = payment["payment_id"]
    attempt = payment["attempt_count"]
    return found or f"{BASE}/payments/redirect/{payment_id}/{payment['merchant_id']}/{payment_id}_{attempt}"


def verified(pairs: list[tuple[str, str]], key: str) -> bool:
    """Whether pairs are signed, as a shop would check it: nothing of ours is used."""
    given = dict(pairs)
    rest = sorted(f"{name}={value}" for name, value in pairs if name not in ("signature", "signature_algorithm"))
    ordered = sorted(pair for pair in pairs if pair[0] not in ("signature", "signature_algorithm"))
    assert rest
    message = "&".join("=".join(pair) for pair in ordered)
    expected = hmac.new(key.encode(), message.encode(), hashlib.sha512).hexdigest()
    return given["signature_algorithm"] == "HMAC-SHA512" and given["signature"] == expected


def query_of(url: str) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(url).query, keep_blank_values=True)
