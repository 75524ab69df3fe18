"""A customer's page, as far as a program has to read one: its forms, and what their buttons send."""

from __future__ import annotations

from html.parser import HTMLParser


class Form:
    """A form: where it is sent, what stands in it, and its buttons by the value that they send."""

    def __init__(self, action: str) -> None:
        self.action = action
        self.fields: dict[str, str] = {}
        self.buttons: dict[str, str] = {}


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in pairs}
        if tag == "form":
            self.found.append(Form(named.get("action", "")))
        elif self.found and tag == "input" and named.get("type") not in ("checkbox", "radio") and "name" in named:
            self.found[-1].fields[named["name"]] = named.get("value", "")
        elif self.found and tag == "button" and "name" in named:
            self.found[-1].buttons[named.get("value", "")] = named["name"]


def form_with(html: str, value: str) -> Form | None:
    """The form that has a button of this value."""
    reader = _Forms()
    reader.feed(html)
    return next((form for form in reader.found if value in form.buttons), None)
