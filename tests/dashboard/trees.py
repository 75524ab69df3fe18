"""What a folded tree of a page says, and the same said by hand."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

from mock_server.dashboard.folding import ITEMS, LONGEST


class Tree(HTMLParser):
    """What a tree says: its places with their values, in order, and what of it is open."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[str] = []
        self.said: list[tuple[str, str]] = []
        self.text = ""
        self.opened: dict[int, bool] = {}
        self.deep = 0
        self.named: list[bool] = []
        self.kinds: list[str] = []
        self.marked: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.text = "" if tag in ("b", "span", "summary", "li") else self.text
        if tag == "li":
            self.named.append(False)
            self.kinds.append(dict(attrs).get("class") or "")
        if tag == "details":
            self.deep += 1
            self.opened[self.deep] = ("open", None) in attrs

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "b":
            self.at.append(self.text)
            self.named[-1], self.text = True, ""
            self.marked[".".join(self.at)] = self.kinds[-1]
        elif tag in ("span", "summary"):
            self.said.append((".".join(self.at), self.text.strip()))
            self.text = ""
        elif tag == "details":
            self.deep -= 1
        elif tag == "li":
            if self.text.strip():  # an empty one, or how many more there are
                self.said.append((".".join(self.at), self.text.strip()))
                self.text = ""
            self.kinds.pop()
            if self.named.pop():
                self.at.pop()


def lines(value: Any, at: str = "") -> list[tuple[str, str]]:
    """The same, said by hand."""
    signs = "{}" if isinstance(value, dict) else "[]"
    if not isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=False)
        return [(at, text if len(text) <= LONGEST else f"{text[:LONGEST]}…")]
    if not value:
        return [(at, signs)]
    pairs = list(value.items()) if isinstance(value, dict) else [(str(at), one) for at, one in enumerate(value[:ITEMS])]
    said = [(at, f"{signs[0]} {len(value)} {signs[1]}")]
    for name, inner in pairs:
        said += lines(inner, f"{at}.{name}" if at else name)
    more = len(value) - ITEMS if isinstance(value, list) else 0
    return [*said, *([(at, f"and {more} more")] if more > 0 else [])]
