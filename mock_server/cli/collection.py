"""`payment-sandbox collection`: every call for Postman or Bruno; the ids of answers become variables for later ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from mock_server.cli.acting import LISTS
from mock_server.cli.output import USAGE, json_text, stop, write
from mock_server.contract.control_operations import CONTROL_OPERATIONS, EVERY
from mock_server.contract.operation import PARTS, Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.card_words import card_effect
from mock_server.domain.cards import CARDS
from mock_server.domain.events import FOUND, PROFILE, EventType
from mock_server.openapi.examples import recorded
from mock_server.openapi.requests import tag_of
from mock_server.scenario.story.requests import card_fields
from mock_server.settings import ROWS

Json = dict[str, Any]
SCHEMA: Final = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
NAME: Final = "payment-sandbox"
ABOUT: Final = (
    "Every call of the sandbox. The folder `Events` shows how to produce each event, step by step; `Test cards` pays "
    "with each test card. Ids from answers become variables: create an object before you send a request that uses its "
    "id."
)
IDS: Final = (*LISTS, "customer_id", "payment_method_id", "profile_id", "api_key_id", "merchant_connector_id")
VARIABLES: Final = {
    "base_url": f"http://127.0.0.1:{ROWS['port'].default}",
    "api_key": "snd_first_steps",
    "publishable_key": "pk_snd_first_steps",
    "admin_key": "admin_first_steps",
    "profile_id": PROFILE,
    "name": "lost_response",
}
KEYS: Final = ((KeyKind.SECRET, "api_key"), (KeyKind.PUBLISHABLE, "publishable_key"), (KeyKind.ADMIN, "admin_key"))
READ: Final = "let body; try { body = pm.response.json() } catch (error) { body = null }"
ANSWERED: Final = "pm.test('the sandbox answers', () => pm.expect(pm.response.code).to.be.below(500));"
REMEMBER: Final = f"for (const name of {json.dumps(IDS)}) if (body && body[name]) %s(name, String(body[name]));"


class Request(NamedTuple):
    """One request: its folders, name, operation and body, and whether its answer must be a success."""

    folders: tuple[str, ...]
    name: str
    row: Operation
    body: object
    must_succeed: bool

    @property
    def url(self) -> str:
        """The address, with variables for the parts of the path."""
        return _variable("base_url") + PARTS.sub(r"{{\1}}", self.row.path)

    @property
    def key(self) -> str:
        """The variable of a key that the call accepts."""
        return next((name for kind, name in KEYS if kind in self.row.keys), KEYS[0][1])

    @property
    def text(self) -> str | None:
        """The body as it is sent; None for a call without one."""
        return None if self.body is None else json_text(self.body)


def requests() -> Iterator[Request]:
    """Every request of a collection, folder by folder."""
    for event in EventType:
        for number, (operation, body) in enumerate(event.recipe, start=1):
            row = EVERY[operation]
            yield Request(("Events", str(event)), f"{number}. {row.about}", row, _body(row, body), True)
    for card in CARDS:
        if card.listed:
            paid = {"amount": 6540, "currency": "USD", "confirm": True, "card": card.name, "profile_id": FOUND}
            name = f"{card.name}: {card_effect(card.issuer)}"
            yield Request(("Test cards",), name, EVERY["payments.create"], _body(EVERY["payments.create"], paid), True)
    for row in (*OPERATIONS, *CONTROL_OPERATIONS):
        if not row.multipart:
            body = recorded()["operations"].get(row.name, {}).get("request")
            if isinstance(body, dict):
                body = {name: _variable(name) if name in IDS else value for name, value in body.items()}
            yield Request((tag_of(row),), row.about.rstrip("."), row, body, False)


def _body(row: Operation, said: Json) -> Json | None:
    if row.method == "GET":
        return None
    body = {name: _variable(name) if value == FOUND else value for name, value in said.items()}
    return body | card_fields(body.pop("card"), {}) if "card" in body else body


def _variable(name: str) -> str:
    return "{{" + name + "}}"


def postman(requests: Sequence[Request]) -> Json:
    """The collection in the format of Postman, version 2.1."""
    return {
        "info": {"name": NAME, "description": ABOUT, "schema": SCHEMA},
        "item": _folders(requests, 0),
        "variable": [{"key": name, "value": value} for name, value in VARIABLES.items()],
        "event": [_script(READ, REMEMBER % "pm.collectionVariables.set", ANSWERED)],
    }


def _folders(requests: Sequence[Request], depth: int) -> list[Json]:
    made: list[Json] = []
    for name, inside in groupby(requests, lambda request: "".join(request.folders[depth : depth + 1])):
        these = list(inside)
        made += [{"name": name, "item": _folders(these, depth + 1)}] if name else map(_postman, these)
    return made


def _postman(request: Request) -> Json:
    headers = [{"key": "api-key", "value": _variable(request.key)}]
    asked: Json = {"method": request.row.method, "url": request.url, "header": headers}
    if request.text is not None:
        headers.append({"key": "Content-Type", "value": "application/json"})
        asked["body"] = {"mode": "raw", "raw": request.text, "options": {"raw": {"language": "json"}}}
    success = "pm.test('it is done', () => pm.response.to.have.status(200));"
    return {"name": request.name, "request": asked, **({"event": [_script(success)]} if request.must_succeed else {})}


def _script(*lines: str) -> Json:
    return {"listen": "test", "script": {"type": "text/javascript", "exec": list(lines)}}


def bruno(requests: Sequence[Request]) -> dict[str, str]:
    """The files of a collection in the format of Bruno, by their paths."""
    variables = "\n".join(f"  {name}: {value}" for name, value in VARIABLES.items())
    script = f"  const body = res.getBody();\n  {REMEMBER % 'bru.setVar'}"
    files = {
        "bruno.json": json_text({"version": "1", "name": NAME, "type": "collection"}) + "\n",
        "collection.bru": f"docs {{\n  {ABOUT}\n}}\n\nscript:post-response {{\n{script}\n}}\n",
        "environments/sandbox.bru": f"vars {{\n{variables}\n}}\n",
    }
    for number, request in enumerate(requests, start=1):
        name = re.sub(r"[^A-Za-z0-9._-]+", " ", request.name).strip()[:80]
        folder = "/".join(part.replace(":", "") for part in request.folders)
        files[f"{folder}/{number:03} {name}.bru"] = _bruno(number, request)
    return files


def _bruno(number: int, request: Request) -> str:
    kind = "json" if request.text is not None else "none"
    blocks = {
        "meta": f"  name: {request.name}\n  type: http\n  seq: {number}",
        request.row.method.lower(): f"  url: {request.url}\n  body: {kind}\n  auth: none",
        "headers": f"  api-key: {_variable(request.key)}",
    }
    if request.text is not None:
        blocks["body:json"] = "\n".join(f"  {line}" for line in request.text.splitlines())
    blocks["assert"] = "  res.status: eq 200" if request.must_succeed else "  res.status: lt 500"
    return "\n\n".join(f"{name} {{\n{text}\n}}" for name, text in blocks.items()) + "\n"


@click.command("collection")
@click.argument("format_", metavar="[postman|bruno]", type=click.Choice(["postman", "bruno"]))
@click.option("--output", "-o", type=click.Path(), help="File for Postman, or new folder for Bruno.")
def collection(format_: str, output: str | None) -> None:
    """Write a collection for Postman or Bruno, with every call, the steps to each event, and every test card."""
    listed = list(requests())
    if format_ == "postman" and output is None:
        click.echo(json_text(postman(listed)))
        return
    target = Path(output or "payment-sandbox-bruno")
    files = {target: json_text(postman(listed)) + "\n"}
    if format_ == "bruno":
        if target.is_file() or (target.is_dir() and any(target.iterdir())):
            stop(USAGE, [f"{target} exists already"])
        files = {target / name: text for name, text in bruno(listed).items()}
    for path, text in files.items():
        write(path, text, folders=True)
    click.echo(f"{target}: {len(listed)} requests")
