"""Nobody else's page looks in or presses a button, and nothing that anybody wrote becomes part of a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

import pytest

from mock_server.dashboard.places import PAGES
from tests.dashboard.reading import Page
from tests.dashboard.visitor import HOME, OWN, Visitor, count, said, text
from tests.pages.test_closed import INJECTIONS
from tests.wire import Wire, wire

MENU: Final = [page.path.rsplit("/", 1)[1] for page in PAGES if page.menu]
TOKEN: Final = "hush_hush"
BY: Final = {"body.by": "24h"}

FOREIGN: Final[tuple[dict[str, str], ...]] = (
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:9999"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site", **OWN},
    {"Host": "evil.example", "Origin": "http://evil.example"},
    {},
)


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_button_on_a_foreign_page_does_nothing(visitor: Visitor, headers: dict[str, str]) -> None:
    before = visitor.api.get("/_sandbox/clock")["now"]
    reply = visitor.send("clock", {"do": "control.clock_advance", **BY}, headers)
    assert reply.status == 403
    assert visitor.api.get("/_sandbox/clock")["now"] == before
    assert visitor.send(HOME, {"do": "reset"}, headers).status == 403
    assert visitor.api.sandbox.workspaces()


def test_an_own_page_may_press_it(visitor: Visitor) -> None:
    for headers in (OWN, {"Sec-Fetch-Site": "same-origin"}):
        assert visitor.send("clock", {"do": "control.clock_advance", **BY}, headers).status == 200


@pytest.mark.parametrize("name", ["", "payments", "live", "journal"])
def test_a_name_that_is_not_ours_sees_nothing(visitor: Visitor, name: str) -> None:
    """A host's name that leads here from elsewhere: its pages are its own for a browser."""
    for path in (HOME, f"{HOME}/{visitor.place}/{name}"):
        reply = visitor.look(path, Host="evil.example")
        assert reply.status == 403
        assert visitor.place not in text(reply)


def test_a_link_on_another_site_may_lead_here(visitor: Visitor) -> None:
    there = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert visitor.look("payments", **there).status == 200
    for dest, mode in (("iframe", "navigate"), ("image", "no-cors"), ("empty", "cors")):
        assert visitor.look("payments", **{**there, "Sec-Fetch-Dest": dest, "Sec-Fetch-Mode": mode}).status == 403


@pytest.mark.parametrize("path", [HOME, *MENU])
def test_the_policy_lets_nothing_in(visitor: Visitor, path: str) -> None:
    reply = visitor.look(path)
    policy = reply.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy and "http" not in policy and "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy and "form-action 'self'" in policy
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers["Cache-Control"] == "no-store"
    page = text(reply)
    assert not re.search(r"<script(?! src=\"/_sandbox/ui/assets/)|\son\w+=|style=", page)
    assert not re.search(r"(?:src|href)=\"(?!/_sandbox/ui|/_sandbox/docs\"|\?|data:image|#)", page)


def test_style_and_script_are_kept_by_their_digest(visitor: Visitor) -> None:
    found = re.findall(r"/_sandbox/ui/assets/\w+/ui\.\w+", visitor.read(HOME))
    assert len(found) == 2
    for path in found:
        reply = visitor.look(path)
        assert reply.status == 200
        assert "immutable" in reply.headers["Cache-Control"]
        assert "http://" not in text(reply) and "https://" not in text(reply)
        assert visitor.look(path.replace("/ui.", "x/ui.")).status == 404


def test_a_token_is_asked_for_once() -> None:
    api = wire(control_token=TOKEN)
    visitor = Visitor(api)
    assert visitor.look("payments").status == 403
    assert visitor.send("clock", {"do": "control.clock_advance", **BY}).status == 403
    assert visitor.send(HOME, {"token": "wrong"}).status == 403
    assert visitor.send(HOME, {"token": TOKEN}, {"Origin": "https://evil.example"}).status == 403
    taken = visitor.send(HOME, {"token": TOKEN})
    cookie = taken.headers["Set-Cookie"]
    assert taken.status == 303
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and TOKEN not in cookie
    kept = cookie.partition(";")[0]
    assert visitor.look("payments", Cookie=kept).status == 200
    assert visitor.look("payments", Cookie=f"{kept}x").status == 403
    assert visitor.send("clock", {"do": "control.clock_advance", **BY}, {**OWN, "Cookie": kept}).status == 200
    stolen = {"Origin": "https://evil.example", "Cookie": kept}
    assert visitor.send("clock", {"do": "control.clock_advance", **BY}, stolen).status == 403
    assert api.call("GET", "/_sandbox/clock", headers={"Cookie": kept}).status == 401


@pytest.mark.parametrize(
    "path", ["payments?status=failed&offset=40", "clock", "payments/ord_5689009595002856", "scenarios/%C3%A4"]
)
def test_the_token_leads_on_to_the_page_that_was_asked_for(path: str) -> None:
    """Who pressed a button when the token was no longer known reads that nothing was done."""
    visitor = Visitor(wire(control_token=TOKEN))
    asked = visitor.look(path)
    assert count(text(asked), "lost") == 0
    form = next(one for one in Page(text(asked)).forms if ("token", "") in one.values)
    assert visitor.send(HOME, [(name, value or TOKEN) for name, value in form.values]).headers[
        "Location"
    ] == visitor.at(path)
    pressed = visitor.send(path, {"do": "control.clock_advance", **BY, "text": "x" * 5_000})
    assert "Not done" in said(text(pressed), "lost")
    assert Page(text(pressed)).forms[0].values == form.values


@pytest.mark.parametrize(
    "back", ["https://evil.example", "//evil.example/_sandbox/ui/", "/_sandbox/uix", "/payments", "\r\nX: y"]
)
def test_the_token_leads_nowhere_else(back: str) -> None:
    reply = Visitor(wire(control_token=TOKEN)).send(HOME, {"token": TOKEN, "back": back})
    assert (reply.status, reply.headers["Location"]) == (303, HOME)


class Tags(HTMLParser):
    """The elements of a page, with the names of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def injected(visitor: Visitor, note: str) -> list[str]:
    """A workspace in which everything that can be written is this text; the paths of its pages."""
    api = visitor.api
    short = "".join(char for char in note if char.isprintable())[:60]
    made = api.pay("visa_3ds_required", name=note, description=note, metadata={"note": note})
    payment = made["payment_id"]
    api.call("GET", "/payments/pay_x?client_secret=" + re.sub(r"[^ -~]|[#&\s%]", "", note))
    api.post("/_sandbox/payments/" + payment + "/dispute", {"reason": short})
    text_of = f"version: 1\nname: rules\nsummary: {note!r}\n".replace("'", '"') if '"' not in note else ""
    visitor.press("scenarios/rules", "control.put_scenario", arg__name="rules", text=text_of or note)
    event = api.get("/_sandbox/webhooks")["data"][0]["event_id"]
    lines = [f"journal/{line['number']}?later=1" for line in api.get("/_sandbox/journal")["data"]]
    later = ["verdict?later=1", f"payments/{payment}/export?later=1"]
    return [f"payments/{payment}", *later, f"webhooks/{event}", *lines, *MENU]


@pytest.fixture(scope="module")
def known(server: Wire) -> set[str]:
    """The elements that pages have where nobody wrote anything strange."""
    visitor = Visitor(server.as_key("snd_nothing_strange"))
    return {tag for path in injected(visitor, "plain") for tag, _ in Tags(text(visitor.look(path))).found}


@pytest.mark.parametrize("note", INJECTIONS)
def test_what_anybody_wrote_is_text_on_every_page(visitor: Visitor, known: set[str], note: str) -> None:
    for path in injected(visitor, note):
        found = Tags(text(visitor.look(path))).found
        assert {tag for tag, _ in found} <= known | {"title"}, path
        attributes = {name for _, names in found for name in names}
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "srcdoc")], path


@pytest.mark.parametrize("note", INJECTIONS[:6])
def test_what_an_address_holds_is_text(visitor: Visitor, note: str) -> None:
    from urllib.parse import quote

    visitor.api.pay()
    before = {tag for tag, _ in Tags(visitor.read("payments?find=x")).found}
    reply = visitor.look(f"payments?find={quote(note)}&customer_id={quote(note)}")
    assert {tag for tag, _ in Tags(text(reply)).found} <= before | {"b", "a"}
    named = visitor.look(f"scenarios/{quote(note, safe='')}").status
    assert named == 400 if "/" in note else named in (200, 404)


def test_no_number_of_a_card_and_no_key_is_on_a_page(visitor: Visitor) -> None:
    """A number outside the table, as a real one would be: nowhere. A key: nowhere."""
    number = "4539578763621494"
    payment = visitor.api.pay(number)["payment_id"]
    visitor.api.post("/payments", {"card_number": number, "note": number})
    for line in visitor.api.get("/_sandbox/journal")["data"]:
        assert number not in visitor.read(f"journal/{line['number']}?later=1")
    for path in (f"payments/{payment}", *MENU):
        assert str(visitor.api.key) not in visitor.read(path)
        assert number not in visitor.read(path) or path == "cards"


def test_a_refusal_is_a_page(visitor: Visitor) -> None:
    reply = visitor.look("payments", Host="evil.example")
    assert "evil.example" in said(text(reply), "refused")


def test_a_cookie_that_is_none_is_no_token() -> None:
    visitor = Visitor(wire(control_token=TOKEN))
    for cookie in ("", "=", "payment_sandbox_ui", 'payment_sandbox_ui="\\377"', "\x01=x; payment_sandbox_ui=1"):
        assert visitor.look("payments", Cookie=cookie).status == 403


def test_a_body_that_is_no_form_does_nothing(visitor: Visitor) -> None:
    for kind in ("application/json", "", "multipart/form-data; boundary=x"):
        headers = {**OWN, "Content-Type": kind}
        assert visitor.send("clock", {"do": "control.clock_advance", **BY}, headers).status in (400, 415)
    assert visitor.send(HOME, {"key": "x" * 5_000}).status == 413
