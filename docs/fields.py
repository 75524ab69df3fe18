"""The OpenAPI document as pages of Markdown: every field of every body, query and answer, for the reference."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from mock_server.contract.notation import NULL, Json
from mock_server.dialects.interface import INTERFACE
from mock_server.openapi.document import WEBHOOKS, document
from mock_server.openapi.requests import CONTROL_TAGS, TAGS

CONTROL: Final = "control"
_SCENARIO: Final = ("Scenario", "NextRequest")
EXPANDED: Final = "ExpandedPayment"
_LANGUAGE: Final = "../scenario-language.md"
_HEAD: Final = "| field | type | | description | source |\n|---|---|---|---|---|\n"
_ERRORS: Final = "\nFor the errors of each call, see [routes](../routes.md).\n"


def pages() -> tuple[str, ...]:
    """The pages there are, by their names: one a resource, one for the control API, one for webhooks."""
    return (*TAGS, CONTROL, WEBHOOKS)


class Pages:
    """All pages of one document; an object stands on the first page that leads to it."""

    def __init__(self, whole: Json | None = None) -> None:
        self._whole = document(INTERFACE) if whole is None else whole
        self._schemas: Mapping[str, Json] = self._whole["components"]["schemas"]

    def page(self, name: str) -> str:
        """A page's text, without its title."""
        operations = "".join(self._operation(*one) for one in self._of(name))
        objects = "".join(self._object(one, name) for one, home in self._homes.items() if home == name)
        about = TAGS.get(name, "")
        parts = [f"\n{about}\n{_ERRORS}" if about else "", operations, f"\n## Objects\n{objects}" if objects else ""]
        return "".join(parts)

    def _of(self, page: str) -> Iterator[tuple[str, str, Json]]:
        """Where each operation of a page is reached, and the operation."""
        if page == WEBHOOKS:
            for name, item in self._whole["webhooks"].items():
                yield "webhook", name, item["post"]
            return
        tags = set(CONTROL_TAGS) if page == CONTROL else {page}
        for path, item in self._whole["paths"].items():
            for method, operation in item.items():
                if method != "parameters" and tags & set(operation["tags"]):
                    yield method.upper(), path, operation

    @cached_property
    def _homes(self) -> dict[str, str]:
        """The page of each object."""
        found: dict[str, str] = {}
        for page in pages():
            for _, _, operation in self._of(page):
                for schema in _roots(operation):
                    self._settle(schema, page, found)
        return found

    def _settle(self, schema: object, page: str, found: dict[str, str]) -> None:
        for name in _references(schema):
            if name not in found and not name.startswith(_SCENARIO) and name != "Error":
                found[name] = page
                self._settle(self._schemas[name], page, found)

    def _operation(self, method: str, where: str, operation: Json) -> str:
        page = WEBHOOKS if method == "webhook" else self._page_of(operation)
        head = f"\n## {operation['summary']}\n\n`{method} {where}` · `{operation['operationId']}`\n"
        if method == "webhook":
            head = f"\n## {where}\n"
        query = [one for one in operation.get("parameters", ()) if one.get("in") == "query"]
        return head + self._query(query, page) + self._body(operation, page) + self._answer(operation, page)

    @staticmethod
    def _page_of(operation: Json) -> str:
        tag = str(operation["tags"][0])
        return CONTROL if tag in CONTROL_TAGS else tag

    def _query(self, parameters: list[Json], page: str) -> str:
        rows = [
            self._row(one["name"], {**one, **one["schema"]}, page, is_required=one["required"]) for one in parameters
        ]
        return f"\nQuery:\n\n{_HEAD}{''.join(rows)}" if rows else ""

    def _body(self, operation: Json, page: str) -> str:
        content = operation.get("requestBody", {}).get("content", {})
        return "".join(
            self._shown("Body" if "json" in kind else f"Body, `{kind}`", one["schema"], page, operation["operationId"])
            for kind, one in content.items()
        )

    def _answer(self, operation: Json, page: str) -> str:
        success = operation["responses"].get("200")
        if success is None:
            return ""
        content = success.get("content", {})
        told = [
            self._shown(
                "Answer" if "json" in kind else f"Answer, `{kind}`", one["schema"], page, operation["operationId"]
            )
            for kind, one in content.items()
        ]
        return "".join(told) or "\nAnswer: no body.\n"

    def _shown(self, title: str, schema: Json, page: str, operation: str) -> str:
        """A body: an object of its own as a table, anything else in a sentence."""
        plain, can_be_null = without_null(schema)
        if plain.get("$ref", "").endswith("/NothingRequest"):
            return f"\n{title}: none, `null` or `{{}}`.\n"
        one, several = (plain["items"], ", an array of") if "items" in plain else (plain, "")
        own = self._unfolded(one, operation)
        if own.get("properties"):
            return f"\n{title}{', or null' if can_be_null else ''}{several}:\n\n{self._table(own, page)}"
        is_anothers = one.get("$ref", "").rpartition("/")[2] in self._firsts
        kind = type_of(one if is_anothers else plain, lambda name: self._link(name, page))
        return f"\n{title}: {kind}{' or null' if can_be_null and not is_anothers else ''}\n"

    def _unfolded(self, schema: Json, operation: str) -> Json:
        """A request's own schema is shown in place, where the first operation takes it; records have tables."""
        name = schema.get("$ref", "").rpartition("/")[2]
        return self._schemas[name] if self._firsts.get(name, ("", ""))[0] == operation else schema

    @cached_property
    def _firsts(self) -> dict[str, tuple[str, str]]:
        """The operation whose body a request's schema is named for, which is the first that takes it, and its place."""
        found: dict[str, tuple[str, str]] = {}
        for page in pages():
            for _, _, operation in self._of(page):
                for name in _references(operation.get("requestBody", {})):
                    if name.endswith("Request"):
                        place = f"{page}.md#{anchor(operation['summary'])}"
                        found.setdefault(name, (operation["operationId"], place))
        return found

    def _object(self, name: str, page: str) -> str:
        schema = self._schemas[name]
        if name in self._firsts:
            return ""
        about = f"\n{schema['description']}\n" if "description" in schema else ""
        if name == EXPANDED:
            schema = _beyond(schema, self._schemas["Payment"])
            about += "\nAll fields of [Payment](#payment), and:\n"
        if "properties" in schema:
            return f"\n### {name}\n{about}\n{self._table(schema, page)}"
        return f"\n### {name}\n{about}\n{type_of(schema, lambda other: self._link(other, page), whole=True)}\n"

    def _table(self, schema: Json, page: str) -> str:
        required = schema.get("required", ())
        rows = (self._row(name, one, page, is_required=name in required) for name, one in schema["properties"].items())
        return _HEAD + "".join(rows)

    def _row(self, name: str, schema: Json, page: str, *, is_required: bool) -> str:
        plain, can_be_null = without_null(schema)
        marks = " ".join(word for word, holds in (("required", is_required), ("or null", can_be_null)) if holds)
        kind = type_of(plain, lambda other: self._link(other, page))
        what = " ".join(part for part in (schema.get("description", ""), rules_of(plain)) if part)
        cells = (f"`{name}`", kind, marks, what, schema.get("x-source") or "")
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |\n"

    def _link(self, name: str, page: str) -> str:
        if name.startswith(_SCENARIO):
            return f"[{name}]({_LANGUAGE})"
        if name == "Error":
            return "[error](../errors.md)"
        if name in self._firsts:
            operation, place = self._firsts[name]
            return f"that of [`{operation}`]({place.removeprefix(f'{page}.md')})"
        home = self._homes[name]
        return f"[{name}]({'' if home == page else f'{home}.md'}#{name.lower()})"


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _beyond(schema: Json, of: Json) -> Json:
    """What a record has beyond another one."""
    fields = {name: one for name, one in schema["properties"].items() if name not in of["properties"]}
    return {**schema, "properties": fields}


def _roots(operation: Json) -> Iterable[object]:
    """Every schema that an operation speaks of itself."""
    yield operation.get("requestBody", {}).get("content", {})
    yield [one.get("schema") for one in operation.get("parameters", ())]
    yield operation["responses"].get("200", {}).get("content", {})


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str) and target.startswith("#/components/schemas/"):
            yield target.rpartition("/")[2]
        for key, inner in value.items():
            if key != "examples":
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


# a schema in words: its type, and the rules that its values keep

Link = Callable[[str], str]
FEW: Final = 12
"""More words than these are counted, not listed."""
_FORMATS: Final = {
    "date-time": "instant",
    "email": "email address",
    "uri": "URL",
    "binary": "file",
}


def without_null(schema: Json) -> tuple[Json, bool]:
    """The schema of what is not null, and whether null may stand there too."""
    kinds = schema.get("type")
    if schema.get("enum") == [None]:
        return NULL, False
    if isinstance(kinds, list) and "null" in kinds:
        rest = [kind for kind in kinds if kind != "null"]
        words = {"enum": [word for word in schema["enum"] if word is not None]} if "enum" in schema else {}
        return {**schema, **words, "type": rest[0] if len(rest) == 1 else rest}, True
    if NULL in schema.get("anyOf", ()):
        rest = [one for one in schema["anyOf"] if one != NULL]
        others = {key: value for key, value in schema.items() if key != "anyOf"}
        return ({**others, **rest[0]} if len(rest) == 1 else {**others, "anyOf": rest}), True
    return schema, False


def type_of(schema: Json, link: Link, *, whole: bool = False) -> str:
    """What a value is; `whole` lists all its words, however many."""
    if "$ref" in schema:
        return link(str(schema["$ref"]).rpartition("/")[2])
    for several, between in (("anyOf", " or "), ("oneOf", " or "), ("allOf", " with ")):
        if several in schema:
            told = [type_of(one, link) for one in schema[several]]
            return between.join(part for part in dict.fromkeys(told) if part not in ("", "object"))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return _words(schema["enum"], whole=whole)
    if schema.get("type") == "array":
        return f"array of {type_of(schema.get('items', {}), link)}"
    kind = _FORMATS.get(schema.get("format", "")) or schema.get("type", "anything")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _words(words: list[object], *, whole: bool) -> str:
    shown = [f"`{word}`" for word in words if word is not None]
    if len(shown) <= FEW or whole:
        return ", ".join(shown)
    return f"one of {len(shown)} words, such as {', '.join(shown[:3])}"


def rules_of(schema: Json) -> str:
    """Length, range and form, in a sentence each."""
    inner = schema["items"] if schema.get("type") == "array" and isinstance(schema.get("items"), dict) else {}
    found = [*_bounds(schema), *_bounds(inner)]
    return f"({'; '.join(found)})" if found else ""


def _bounds(schema: Json) -> list[str]:
    found = []
    if "minimum" in schema or "maximum" in schema:
        least, most = schema.get("minimum"), schema.get("maximum")
        found.append(
            f"at least {least}" if most is None else f"{least} to {most}" if least is not None else f"at most {most}"
        )
    if "maxLength" in schema:
        found.append(f"at most {schema['maxLength']} characters")
    if "maxProperties" in schema:
        found.append(f"at most {schema['maxProperties']} pairs")
    if "pattern" in schema and "enum" not in schema:
        found.append(f"`{schema['pattern']}`")
    return found
