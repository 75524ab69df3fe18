"""What mutants are made of: a layer around the app that changes what is asked, or what is answered."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

CONTROL: Final = "/_sandbox/"


@dataclass
class Ask:
    """A call on its way in; header names have small letters."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body's value; an empty object where it holds none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    def put(self, value: object) -> None:
        self.body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    @property
    def key(self) -> str:
        return self.headers.get("api-key", "")

    @property
    def idempotency(self) -> str | None:
        return self.headers.get("x-idempotency-key")

    def as_get(self, path: str) -> Ask:
        """A look in the same name."""
        return Ask("GET", path, "", {"api-key": self.key}, b"")

    def again(self, **changes: Any) -> Ask:
        return replace(self, **{"headers": dict(self.headers), **changes})


@dataclass
class Said:
    """An answer on its way out."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    def put(self, value: object) -> None:
        self.body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        self.drop("Content-Length")

    def drop(self, *names: str) -> None:
        gone = {name.lower() for name in names}
        self.headers = [pair for pair in self.headers if pair[0].lower() not in gone]

    def set(self, name: str, value: str) -> None:
        self.drop(name)
        self.headers.append((name, value))

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def code(self) -> str | None:
        """The code of an error."""
        found = self.json
        return found["error"].get("code") if isinstance(found, dict) and isinstance(found.get("error"), dict) else None


Next = Callable[[Ask], Said]
Mutation = Callable[[Ask, Next], Said]
Where = Callable[[Ask], bool]


def around(app: WSGIApplication, mutation: Mutation) -> WSGIApplication:
    """The app with a mutation before it."""

    def layer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        said = mutation(_read(environ), lambda ask: _called(app, environ, ask))
        said.set("Content-Length", str(len(said.body)))
        start_response(f"{said.status} Mutated", said.headers)
        return [said.body]

    return layer


def _read(environ: WSGIEnvironment) -> Ask:
    headers = {name[5:].replace("_", "-").lower(): text for name, text in environ.items() if name.startswith("HTTP_")}
    if environ.get("CONTENT_TYPE"):
        headers["content-type"] = environ["CONTENT_TYPE"]
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length) if length else b""
    return Ask(environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("QUERY_STRING", ""), headers, body)


def _called(app: WSGIApplication, environ: WSGIEnvironment, ask: Ask) -> Said:
    said = Said(500, [], b"")

    def start(status: str, headers: list[tuple[str, str]], *_: Any) -> Callable[[bytes], object]:
        said.status, said.headers = int(status.split()[0]), list(headers)
        return lambda data: None

    rest = {name: value for name, value in environ.items() if not name.startswith(("HTTP_", "CONTENT_", "werkzeug."))}
    named = {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in ask.headers.items()}
    kind = named.pop("HTTP_CONTENT_TYPE", "")
    asked = {
        "REQUEST_METHOD": ask.method, "PATH_INFO": ask.path, "QUERY_STRING": ask.query, "CONTENT_TYPE": kind,
        "CONTENT_LENGTH": str(len(ask.body)), "wsgi.input": io.BytesIO(ask.body),
        "RAW_URI": ask.path + (f"?{ask.query}" if ask.query else ""),
    }  # fmt: skip
    asked["REQUEST_URI"] = asked["RAW_URI"]
    said.body = b"".join(app({**rest, **named, **asked}, start))
    return said


# where


def at(method: str, *paths: str) -> Where:
    """Calls of this method (`*`: any) whose path is one of these; `*` stands for one part of a path, `**` for any."""
    forms = [re.escape(path).replace(r"\*\*", ".*").replace(r"\*", "[^/]+") for path in paths]
    found = re.compile("|".join(forms))
    return lambda ask: method in ("*", ask.method) and found.fullmatch(ask.path) is not None


def anywhere(ask: Ask) -> bool:
    """Any call of the API."""
    return not ask.path.startswith(CONTROL)


CREATE: Final = at("POST", "/payments")
LIST: Final = at("*", "/payments/list")
PAYMENTS: Final = at("*", "/payments", "/payments/*", "/payments/*/*")
RETRIEVE: Final = at("GET", "/payments/*")
CONFIRM: Final = at("POST", "/payments/*/confirm")
CAPTURE: Final = at("POST", "/payments/*/capture")
CANCEL: Final = at("POST", "/payments/*/cancel")
REFUND: Final = at("POST", "/refunds")


# how


def asking(where: Where, change: Callable[[Ask], object]) -> Mutation:
    """Changes what is asked."""

    def mutation(ask: Ask, proceed: Next) -> Said:
        if where(ask):
            change(ask)
        return proceed(ask)

    return mutation


def answering(where: Where, change: Callable[[Said, Ask], object]) -> Mutation:
    """Changes what is answered."""

    def mutation(ask: Ask, proceed: Next) -> Said:
        said = proceed(ask)
        if where(ask):
            change(said, ask)
        return said

    return mutation


def body(where: Where, change: Callable[[dict[str, Any]], object]) -> Mutation:
    """Changes the JSON object that is sent."""

    def fix(ask: Ask) -> None:
        value = ask.json
        if isinstance(value, dict) and ask.body:
            change(value)
            ask.put(value)

    return asking(where, fix)


def shown(where: Where, change: Callable[[dict[str, Any]], object]) -> Mutation:
    """Changes the JSON object of good answers."""

    def fix(said: Said, ask: Ask) -> None:
        value = said.json
        if said.status == 200 and isinstance(value, dict):
            change(value)
            said.put(value)

    return answering(where, fix)


def listed(change: Callable[[dict[str, Any], Ask], object], where: Where = LIST) -> Mutation:
    """Changes the envelope of a list."""

    def fix(said: Said, ask: Ask) -> None:
        value = said.json
        if said.status == 200 and "data" in value:
            change(value, ask)
            said.put(value)

    return answering(where, fix)


def coded(old: str, new: str, where: Where = anywhere, status: int | None = None) -> Mutation:
    """Another code, and another status where one is given, in place of an error's."""

    def fix(said: Said, ask: Ask) -> None:
        if said.code == old:
            value = said.json
            value["error"]["code"] = new
            said.put(value)
            said.status = status or said.status

    return answering(where, fix)


def statused(old: int, new: int, where: Where = anywhere) -> Mutation:
    """Another HTTP status."""

    def fix(said: Said, ask: Ask) -> None:
        if said.status == old:
            said.status = new

    return answering(where, fix)


def forgiving(where: Where, code: str, found: Callable[[Ask, Next], Said]) -> Mutation:
    """Answers otherwise where the real answer is this error."""

    def mutation(ask: Ask, proceed: Next) -> Said:
        said = proceed(ask.again())
        return found(ask, proceed) if where(ask) and said.code == code else said

    return mutation


def instead(where: Where, found: Callable[[Ask, Next], Said]) -> Mutation:
    """Never asks the app."""
    return lambda ask, proceed: found(ask, proceed) if where(ask) else proceed(ask)


def as_it_stands(ask: Ask, proceed: Next) -> Said:
    """The object that a path is about, as if the call had done its work."""
    return proceed(ask.as_get("/".join(ask.path.split("/")[:3])))


def refusal(status: int, code: str) -> Said:
    error = {"error": {"type": "invalid_request", "code": code, "message": "This mutant refuses what it should take."}}
    said = Said(status, [("Content-Type", "application/json")], b"")
    said.put(error)
    return said


def good(value: object) -> Said:
    said = Said(200, [("Content-Type", "application/json")], b"")
    said.put(value)
    return said


def query_without(*names: str) -> Callable[[Ask], None]:
    """Takes parameters out of the query and the body."""

    def fix(ask: Ask) -> None:
        kept = [pair for pair in ask.query.split("&") if pair.partition("=")[0] not in names]
        ask.query = "&".join(kept)
        value = ask.json
        if ask.body and isinstance(value, dict):
            ask.put({name: item for name, item in value.items() if name not in names})

    return fix


def sets(**fields: Any) -> Callable[[dict[str, Any]], None]:
    """Puts values into an object; a function is given the object."""

    def fix(value: dict[str, Any]) -> None:
        for name, item in fields.items():
            value[name] = item(value) if callable(item) else item

    return fix


def drops(*names: str) -> Callable[[dict[str, Any]], None]:
    """Takes keys out of an object."""

    def fix(value: dict[str, Any]) -> None:
        for name in names:
            value.pop(name, None)

    return fix


def when(status: str, change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], None]:
    """Changes only objects of this status."""

    def fix(value: dict[str, Any]) -> None:
        if value.get("status") == status:
            change(value)

    return fix
