"""The shipped scenarios as Markdown: what each is about, its file, and what a client sees, as its story says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from mock_server.cli.output import TextTable
from mock_server.scenario.loading.library import bundled_files
from mock_server.scenario.loading.load import load_bytes
from mock_server.scenario.model.scenario import Scenario

COUNTED: Final = ("payments", "refunds", "disputes", "customers")
BROKEN: Final = {
    "reset": "the connection is reset",
    "empty": "the connection ends without an answer",
    "truncated": "the answer is truncated",
    "malformed": "the answer is not JSON",
    "timeout": "no answer",
}


def shipped() -> list[Scenario]:
    """Return every shipped scenario, by name."""
    return [load_bytes(path.read_bytes(), path.name).scenario for _, path in sorted(bundled_files().items())]


def overview() -> TextTable:
    """Return the scenarios with what each is about."""
    return TextTable(
        ("scenario", "what happens"), tuple((f"[{one.name}](#{one.name})", one.summary) for one in shipped())
    )


def entries() -> str:
    """Return one section a scenario."""
    return "".join(_entry(one) for one in shipped())


def _entry(scenario: Scenario) -> str:
    document = yaml.safe_load(scenario.text)
    rows = "".join(f"| {_done(step)} | {_seen(step.get('see') or {})} |\n" for step in document.get("story", ()))
    table = f"The story, and what the client sees:\n\n| call | result |\n|---|---|\n{rows}\n" if rows else ""
    return (
        f"\n## {scenario.name}\n\n{scenario.summary}\n\n{table}"
        f"The file `scenarios/{scenario.name}.yaml`:\n\n```yaml\n{scenario.text.rstrip()}\n```\n"
    )


def _done(step: Mapping[str, Any]) -> str:
    """The call of a step, short: what decides its outcome, and nothing of what every call has."""
    if "do" not in step:
        return "*(no call)*"
    sent = step.get("with") or {}
    told = [f"{name} {_value(sent[name])}" for name in ("card", "capture_method", "amount_to_capture") if name in sent]
    told += [f"by {step['by']}"] if "by" in step else []
    told += [f"result {_value(step[name])}" for name in ("result",) if name in step]
    told += [f"key `{step['key']}`"] if "key" in step else []
    call = "the same call again" if step["do"] == "again" else f"`{step['do']}`"
    return f"{call}: {', '.join(told)}" if told else call


def _seen(see: Mapping[str, Any]) -> str:
    return "; ".join(_said(see))


def _said(see: Mapping[str, Any]) -> Iterator[str]:
    for name, wanted in see.items():
        if name == "http":
            yield f"HTTP {_value(wanted)}"
        elif name == "connection":
            yield BROKEN.get(wanted, f"the connection: {wanted}")
        elif name == "replayed":
            yield "the stored answer" if wanted else "a new answer"
        elif name == "webhooks":
            yield "sent by webhook: " + (", ".join(f"`{event}`" for event in wanted) or "nothing")
        elif name in COUNTED:
            yield f"number of {name}: {_value(wanted)}"
        else:
            yield f"`{name}` {_value(wanted)}"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name} {_value(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return f"`{value}`" if isinstance(value, str) else str(value).lower()
