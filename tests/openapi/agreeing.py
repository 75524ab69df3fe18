"""Whether an answer is one that the document promises: every answer that the tests' client gets is held against it.

The document is read strictly here: a field that it does not name is one too many. What a scenario made up (a broken
body, a code of its own) is promised by nobody, and is recognised by the reason that the answer carries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import jsonschema_rs

from mock_server.dialects import DIALECTS, get
from mock_server.dialects.interface import INTERFACE

if TYPE_CHECKING:
    from mock_server.contract.dialect import Dialect

URI: Final = "urn:document"
BECAUSE: Final = "X-Sandbox-Because"
LONG_POLLS: Final = ("/_sandbox/journal", "/_sandbox/webhooks")
"""Their answers may come later; with nothing in it an answer only keeps the place."""
JSON: Final = "application/json"
OWN_HEADER: Final = re.compile("(X-(RateLimit|Request|Sandbox)-.*|Retry-After)", re.IGNORECASE)
"""What clients read in the head of an answer, beside what every HTTP server sends."""
SPOKEN: Final = frozenset(DIALECTS)
"""The dialects that there is a document in."""


class Disagreement(AssertionError):
    """An answer that the document does not promise."""


@cache
def plain(speaks: str) -> dict[str, Any]:
    """The document in a dialect, as clients read it."""
    from mock_server.openapi.document import document

    made: dict[str, Any] = json.loads(json.dumps(document(get(speaks))))
    return made


@cache
def strict(speaks: str) -> dict[str, Any]:
    """The document in a dialect, with every record closed."""
    made: dict[str, Any] = closed(plain(speaks))
    return made


def closed(value: Any) -> Any:
    """The same, with no room for fields beside those that are named."""
    if isinstance(value, list):
        return [closed(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    made = {key: closed(inner) for key, inner in value.items()}
    if "properties" in made and "required" in made and "additionalProperties" not in made:
        made["additionalProperties"] = False
    return made


@cache
def routes() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Every path of the document as a pattern, those without parts first."""
    found = sorted(strict(INTERFACE.name)["paths"], key=lambda path: (path.count("{"), path))
    return tuple((re.compile(re.sub(r"\{[a-z_]+\}", "[^/]+", path) + "/?"), path) for path in found)


@cache
def path_of(path: str, method: str) -> str | None:
    """The document's path that a request goes to, the one with most words; none where it lacks the method."""
    found = next((found for pattern, found in routes() if pattern.fullmatch(path)), None)
    return found if found and method.lower() in strict(INTERFACE.name)["paths"][found] else None


@cache
def registry(document: str) -> jsonschema_rs.Registry:
    found = strict(document.removeprefix(f"{URI}:"))
    return jsonschema_rs.Registry([(document, found)], draft=jsonschema_rs.Draft202012)


def pointer(*parts: str, speaks: str = INTERFACE.name) -> str:
    return f"{URI}:{speaks}#/" + "/".join(quote(part.replace("~", "~0").replace("/", "~1"), safe="~") for part in parts)


@cache
def validator(place: str) -> Any:
    """A validator of what stands at a place of the document."""
    return jsonschema_rs.Draft202012Validator(
        {"$ref": place}, registry=registry(place.partition("#")[0]), validate_formats=True
    )


def held(place: str, value: Any) -> None:
    """Raises Disagreement where a value is not what the document says there."""
    wrong = next(validator(place).iter_errors(value), None)
    if wrong is not None:
        at = "/".join(map(str, wrong.instance_path))
        raise Disagreement(f"{place}: at {at or 'the top'}: {wrong.message[:600]}")


def place_of_response(path: str, method: str, status: int, speaks: str) -> tuple[str, ...] | None:
    responses = strict(speaks)["paths"][path][method.lower()]["responses"]
    found = responses.get(str(status))
    if found is None:
        return None
    if "$ref" in found:
        return tuple(found["$ref"].removeprefix("#/").split("/"))
    return ("paths", path, method.lower(), "responses", str(status))


def agree(
    method: str, path: str, status: int, raw: bytes, headers: Mapping[str, str], dialect: Dialect = INTERFACE
) -> None:
    """Holds one answer against the document. Raises Disagreement."""
    found = path_of(path.partition("?")[0], method)
    if found is None or dialect.name not in SPOKEN:
        return
    if status >= 400 and _is_made_up(headers.get(BECAUSE, "")):
        return
    try:
        _agree(method, found, status, raw, headers, dialect.name)
    except Disagreement as wrong:
        raise Disagreement(f"{method} {path} {status}: {wrong}") from None


def _is_made_up(because: str) -> bool:
    return "scenario" in because or "queue" in because


def _agree(method: str, path: str, status: int, raw: bytes, headers: Mapping[str, str], speaks: str) -> None:
    place = place_of_response(path, method, status, speaks)
    if place is None:
        raise Disagreement(f"no such status; it brought {raw[:300]!r}")
    named = {name.lower() for name in _part(place, "headers", speaks)}
    untold = [name for name in headers if OWN_HEADER.fullmatch(name) and name.lower() not in named]
    if untold and not _is_made_up(headers.get(BECAUSE, "")):
        raise Disagreement(f"no such headers: {', '.join(untold)}")
    kind = headers.get("Content-Type", "").partition(";")[0]
    content = _part(place, "content", speaks)
    is_parked = not raw and path in LONG_POLLS
    if "*/*" in content or is_parked or (not raw and not content):
        return
    if kind not in content:
        raise Disagreement(f"no such content type: {kind or 'none'}")
    if kind == JSON:
        value = json.loads(raw)
        held(pointer(*place, "content", kind, "schema", speaks=speaks), value)
        if path.startswith("/_sandbox/webhooks") and method == "GET":
            for event in value.get("data", (value,)):
                told(event, speaks)


@cache
def _part(place: tuple[str, ...], name: str, speaks: str) -> Mapping[str, Any]:
    found: Any = strict(speaks)
    for part in place:
        found = found[part]
    named: Mapping[str, Any] = found.get(name, {})
    return named


def told(event: Mapping[str, Any], speaks: str) -> None:
    """Holds an event of the inbox against the document, but for one that somebody changed by hand or by scenario."""
    if "body" in event and not event.get("because"):
        webhook(event["body"], speaks)


def webhook(body: Any, speaks: str = INTERFACE.name) -> None:
    """Holds what a receiver is sent against the document's webhook of that name. Raises Disagreement."""
    place = pointer(
        "webhooks", str(body["event_type"]), "post", "requestBody", "content", JSON, "schema", speaks=speaks
    )
    held(place, body)
