"""A visitor of the dashboard: opens pages, reads what bears a test id, presses buttons as a form does."""

from __future__ import annotations

import re
import uuid
from html import unescape
from typing import Final
from urllib.parse import urlencode, urljoin

from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.hiding import without_numbers
from tests.wire import Reply, Wire, called

OWN: Final = {"Origin": "http://localhost"}
FORM: Final = "application/x-www-form-urlencoded"
HOME: Final = "/_sandbox/ui"


def passes(word: str) -> bool:
    """Whether a page takes a part of it for a card's number."""
    return without_numbers(word) != word


class Visitor:
    """In one merchant's workspace."""

    def __init__(self, api: Wire) -> None:
        self.api = api
        key = parse(api.key)
        assert isinstance(key, ApiKey)
        self.place = api.sandbox.workspace(key).space.name

    def look(self, path: str, **headers: str) -> Reply:
        """A page of the workspace, by its path there."""
        return self._call("GET", path, b"", headers)

    def at(self, path: str) -> str:
        return path if path.startswith("/_sandbox") else f"{HOME}/{self.place}/{path}"

    def read(self, path: str) -> str:
        """A page's text, which is there."""
        reply = self.look(path)
        assert reply.status == 200, reply.raw
        return text(reply)

    def press(self, path: str, do: str, headers: dict[str, str] | None = None, **fields: str) -> Reply:
        """A button of a page; `__` stands for `.` in a field's name, a last `___KIND` for `:KIND`."""
        named = {name.replace("___", ":").replace("__", "."): value for name, value in fields.items()}
        return self.send(path, {"do": do, **named}, headers)

    def send(
        self, path: str, fields: dict[str, str] | list[tuple[str, str]], headers: dict[str, str] | None = None
    ) -> Reply:
        """A form, up to the page that it leads to; several boxes of one name are pairs."""
        return self.follow(path, self.post(path, fields, headers), headers)

    def post(
        self, path: str, fields: dict[str, str] | list[tuple[str, str]], headers: dict[str, str] | None = None
    ) -> Reply:
        """A form, and the answer to it alone; one that is made by hand comes from a state that no other has."""
        sent = {"Content-Type": FORM, **(OWN if headers is None else headers)}
        pairs = list(fields.items()) if isinstance(fields, dict) else fields
        mark = [] if any(name == "mark" for name, _ in pairs) else [("mark", uuid.uuid4().hex)]
        return self._call("POST", path, urlencode([*pairs, *mark]).encode(), sent)

    def follow(self, path: str, reply: Reply, headers: dict[str, str] | None = None) -> Reply:
        """The page that tells of what was done, if an answer leads to it."""
        leads_on = "done=" in reply.headers.get("Location", "")
        return self.look(urljoin(self.at(path), reply.headers["Location"]), **headers or {}) if leads_on else reply

    def _call(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Reply:
        return called(self.api.app, method, self.at(path), body, headers)


def text(reply: Reply) -> str:
    return reply.raw.decode()


def said(html: str, test_id: str) -> str:
    """What the first element of a test id says."""
    found = re.search(rf'<(\w+)[^>]*data-testid="{re.escape(test_id)}"[^>]*>(.*?)</\1>', html, re.DOTALL)
    assert found, f"nothing bears {test_id}"
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", found[2])).split())


def count(html: str, test_id: str) -> int:
    return html.count(f'data-testid="{test_id}"')
