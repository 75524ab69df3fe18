"""A story as a file: YAML, or a pytest test with the same calls by the fixture `payment_sandbox`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from mock_server.contract.operations import OPERATIONS
from mock_server.scenario.story.requests import KEY_HEADER, OWNERS, PARTS, PROFILE, REFERENCE, STEPS

Step = Mapping[str, Any]
_ROWS: Final = {row.name: row for row in OPERATIONS}
_IDS: Final = {"payments": "payment_id", "refunds": "refund_id", "disputes": "dispute_id"}


def as_yaml(document: Mapping[str, Any]) -> str:
    """A scenario's file."""
    import yaml  # late: a tenth of a second that only an export costs

    return str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110))


def as_pytest(document: Mapping[str, Any], said: str, name: str = "") -> str:
    """The test's text; `said` is the result of playing it."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", name or str(document["name"]))
    scenario = {key: document[key] for key in ("given", "settings", "rules") if key in document}
    lines = [
        f'"""{document["summary"]}',
        "",
        f"{said[0].upper()}{said[1:]}.".replace("\\", "/").replace('"', "'"),
        '"""',
        "",
    ]
    breaks = any("connection" in step.get("see", {}) for step in document["story"])
    lines += ["from http.client import HTTPException", "", "import pytest", ""] if breaks else []
    lines += [
        "",
        f"def test_{name}(payment_sandbox):",
        "    client, control = payment_sandbox.client, payment_sandbox.control",
    ]
    if scenario:
        lines.append(f"    payment_sandbox.scenario({set_out({'name': document['name'], **scenario}, '    ')})")
    for step in document["story"]:
        lines += [f"    {line}" for line in _step(step)]
    return "\n".join(lines) + "\n"


def _step(step: Step) -> Iterator[str]:
    row = STEPS.get(step["do"])
    call = _control(step) if row is not None else _api(step)
    see = dict(step.get("see", {}))
    if "connection" in see:
        timeout = ", timeout=1.0" if see["connection"] == "timeout" else ""
        yield "with pytest.raises((OSError, HTTPException, ValueError)):"
        yield f"    {call[:-1]}{timeout}).json()"
        return
    if row is not None:
        yield f"{step['as']} = {call}" if "as" in step else call
        return
    name = step.get("as", "answer")
    yield f"{name} = {call}"
    for path, expected in see.items():
        if path == "http":
            yield f"assert {name}.status == {expected!r}"
        else:
            keys = "".join(f"[{int(key) if key.isdecimal() else key!r}]" for key in path.split("."))
            yield f"assert {name}{keys} == {set_out(_filled(expected), '    ')}"


def _control(step: Step) -> str:
    row = STEPS[step["do"]]
    ident = Code(_of(step["of"], _IDS.get(row.path.split("/", 1)[0], ""))) if "of" in step else ""
    path = _path(f"/{row.path}", {"<id>": ident})
    by = {"by": step["by"]} if "by" in step else {}
    return f"control.post({path}, {set_out({**row.body, **by, **_filled(step.get('with', {}))}, '    ')})"


def _api(step: Step) -> str:
    row = _ROWS[step["do"]]
    body = _filled(step.get("with", {}))
    parts = PARTS.findall(row.path)
    path = _path(row.path, {f"<{part}>": Code(_of(step["of"], part)) for part in parts})
    if "of" in step and not parts:
        owner = OWNERS.get(row.name.split(".", 1)[0], "payment_id")
        body[owner] = Code(_of(step["of"], owner))
    if "card" in body:
        card = {"card": Code(f"payment_sandbox.cards[{body.pop('card')!r}].as_data()")}
        body |= {"payment_method": "card", "payment_method_type": "credit", "payment_method_data": card}
    if row.name == "payments.create" and not step.get("bare"):
        body.setdefault("profile_id", PROFILE)
    headers = {**_filled(step.get("headers", {})), **({KEY_HEADER: step["key"]} if "key" in step else {})}
    more = f", headers={set_out(headers, '    ')}" if headers else ""
    if row.method == "GET":
        return f"client.get({path}{', ' + set_out(body, '    ') if body else ''}{more})"
    return f"client.request({row.method!r}, {path}, {set_out(body, '    ')}{more})"


def _path(path: str, parts: Mapping[str, object]) -> str:
    for name, code in parts.items():
        path = path.replace(name, f"{{{code!r}}}" if code else "")
    return f'f"{path}"' if "{" in path else f'"{path}"'


def _of(text: str, part: str) -> str:
    """The code for the object in `of`: for an answer its id, for a path in it the value."""
    found = REFERENCE.fullmatch(text)
    if found is None:
        return repr(text)
    return f"{_code(found)}[{part!r}]" if not found[2] or found[2].split(".")[-1].isdecimal() else _code(found)


def _code(found: re.Match[str]) -> str:
    if found[1] == "publishable_key":
        return "payment_sandbox.publishable_key"
    return found[1] + "".join(f"[{int(key) if key.isdecimal() else key!r}]" for key in found[2].split(".")[1:])


def _filled(value: Any) -> Any:
    """A value with its references as code."""
    if isinstance(value, Mapping):
        return {key: _filled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item) for item in value]
    found = REFERENCE.fullmatch(value) if isinstance(value, str) and not value.startswith("$$") else None
    if found is None:
        return value[1:] if isinstance(value, str) and value.startswith("$$") else value
    return Code(_code(found))


class Code:
    """A part of a value that is written as Python code."""

    def __init__(self, code: str) -> None:
        self._code = code

    def __repr__(self) -> str:
        return self._code


def set_out(value: object, margin: str) -> str:
    """The value in the layout of a formatted call."""
    inner = f"{margin}    "
    if isinstance(value, dict) and value:
        parts = [f"{inner}{name!r}: {set_out(one, inner)},\n" for name, one in value.items()]
        return "{\n" + "".join(parts) + margin + "}"
    if isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        return "[\n" + "".join(f"{inner}{set_out(one, inner)},\n" for one in value) + margin + "]"
    return repr(value)
