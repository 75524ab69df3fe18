"""A page as a browser reads it: its links, and its forms with what a browser would send of them."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final, NamedTuple

VALUED: Final = frozenset({"input", "button", "textarea", "select"})


class Field(NamedTuple):
    """A field of a form, with its value as it stands in the page, and whether its reader can see it."""

    name: str
    value: str
    is_seen: bool
    is_wrong: bool
    choices: tuple[str, ...] = ()


class Form(NamedTuple):
    """A form: how it is sent, and its fields; without those of its further buttons."""

    method: str
    test_id: str
    fields: list[Field]

    @property
    def values(self) -> list[tuple[str, str]]:
        return [(one.name, one.value) for one in self.fields]

    def named(self, name: str) -> Field:
        return next(one for one in self.fields if one.name == name)


class Page(HTMLParser):
    """What a browser finds in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.copies: list[str] = []
        self.forms: list[Form] = []
        self._by_id: dict[str, Form] = {}
        self._open: Form | None = None
        self._select: dict[str, str | None] | None = None
        self._options: list[tuple[str | None, str, bool]] = []
        self._text: dict[str, str | None] | None = None
        self._said = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        self.links += [
            has[name] or "" for name in ("href", "src", "data-load", "data-later", "data-live") if name in has
        ]
        if tag == "form":
            self._open = Form(has.get("method") or "get", has.get("data-testid") or "", [])
            self.forms.append(self._open)
            self._by_id[has.get("id") or ""] = self._open
        elif tag == "button" and "data-copy" in has:
            self.copies.append(has["data-copy"] or has.get("value") or "")
        elif tag == "input" and (has.get("type") != "checkbox" or "checked" in has):
            self._add(has, has.get("value") or "")
        elif tag == "select":
            self._select, self._options = has, []
        elif tag == "option" and self._select is not None:
            self._options.append((has.get("value"), "", "selected" in has))
        elif tag == "textarea":
            self._text, self._said = has, ""

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._said += data
        elif self._select is not None and self._options:
            value, said, chosen = self._options[-1]
            self._options[-1] = (value, said + data, chosen)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "select" and self._select is not None:
            values = [said.strip() if value is None else value for value, said, _ in self._options]
            chosen = [value for value, (_, _, is_chosen) in zip(values, self._options, strict=True) if is_chosen]
            self._add(self._select, (chosen or values or [""])[-1 if chosen else 0], tuple(values))
            self._select = None
        elif tag == "textarea" and self._text is not None:
            self._add(self._text, self._said.removeprefix("\n"))
            self._text = None

    def _add(self, has: dict[str, str | None], value: str, choices: tuple[str, ...] = ()) -> None:
        form = self._by_id.get(has["form"] or "") if "form" in has else self._open
        if form is not None and has.get("name"):
            is_wrong = has.get("aria-invalid") == "true"
            form.fields.append(Field(has["name"] or "", value, has.get("type") != "hidden", is_wrong, choices))
