"""The shipped files: sound, documented, and no other than those that are promised."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mock_server.scenario.loading.library import Library, bundled_directory, bundled_files
from mock_server.scenario.loading.load import load_bytes
from mock_server.scenario.loading.reading import read_yaml
from mock_server.scenario.schema.top import json_schema

PROMISED = [
    "lost_response",
    "retry_after_timeout",
    "issuer_down_then_up",
    "rate_limited",
    "slow_network",
    "flaky_1_percent",
    "decline_then_success",
    "challenge_abandoned",
    "challenge_declined_then_approved",
    "async_settlement",
    "async_failure",
    "partial_capture",
    "authorization_expires",
    "manual_review",
    "refund_pending_then_fails",
    "dispute_lost",
    "dispute_won",
    "duplicate_webhooks",
    "webhooks_out_of_order",
    "webhook_bad_signature",
    "webhook_before_response",
    "stale_webhook",
    "expired_session",
    "month_of_history",
]
FILES = sorted(bundled_files().values())


def test_what_is_promised_is_shipped() -> None:
    assert sorted(bundled_files()) == sorted(PROMISED)
    assert bundled_directory()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_file_is_sound_and_tells_its_story(path: Path) -> None:
    loaded = load_bytes(path.read_bytes(), path.name)
    assert loaded.warnings == ()
    assert loaded.scenario.name == path.stem
    assert loaded.scenario.summary.endswith(".")
    assert loaded.scenario.story
    assert loaded.scenario.expect


def test_a_shipped_file_is_found_by_its_name() -> None:
    library = Library()
    assert all((found := library.find(name)) and found.file == f"scenarios/{name}.yaml" for name in PROMISED)


# The JSON Schema, read by the few keywords that it is written in.


def complaints(value: Any, schema: dict[str, Any], defs: dict[str, Any], way: str = "") -> list[str]:
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    found = [
        f"{way}: {value!r} breaks {key}"
        for key, broken in KEYWORDS.items()
        if key in schema and broken(value, schema[key])
    ]
    if "anyOf" in schema and all(complaints(value, way_, defs) for way_ in schema["anyOf"]):
        found.append(f"{way}: {value!r} is none of the ways")
    if isinstance(value, dict):
        for key, item in value.items():
            below = schema.get("properties", {}).get(key, schema.get("additionalProperties", {}))
            found += [f"{way}: unknown {key}"] if below is False else complaints(item, below, defs, f"{way}.{key}")
            found += complaints(key, schema.get("propertyNames", {}), defs, f"{way}.{key}")
    if isinstance(value, list) and "items" in schema:
        found += [line for item in value for line in complaints(item, schema["items"], defs, f"{way}[]")]
    return found


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


TYPES: dict[str, Any] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": is_number,
}
KEYWORDS: dict[str, Any] = {
    "type": lambda v, kinds: not any(TYPES[kind](v) for kind in ([kinds] if isinstance(kinds, str) else kinds)),
    "enum": lambda v, words: v not in words,
    "const": lambda v, word: v != word,
    "pattern": lambda v, text: isinstance(v, str) and not re.search(text, v),
    "minimum": lambda v, low: is_number(v) and v < low,
    "maximum": lambda v, high: is_number(v) and v > high,
    "exclusiveMinimum": lambda v, low: is_number(v) and v <= low,
    "maxLength": lambda v, most: isinstance(v, str) and len(v) > most,
    "minItems": lambda v, least: isinstance(v, list) and len(v) < least,
    "maxItems": lambda v, most: isinstance(v, list) and len(v) > most,
    "maxProperties": lambda v, most: isinstance(v, dict) and len(v) > most,
    "format": lambda v, form: form == "email" and isinstance(v, str) and "@" not in v,
    "minProperties": lambda v, least: isinstance(v, dict) and len(v) < least,
    "required": lambda v, names: isinstance(v, dict) and any(name not in v for name in names),
}
READ = {*KEYWORDS, "$ref", "$defs", "$schema", "title", "description", "anyOf", "properties", "items"} | {
    "additionalProperties",
    "propertyNames",
}
SCHEMA = json_schema()


def plain(path: Path) -> Any:
    root = read_yaml(path.read_text(encoding="utf-8"), path.name).root
    return None if root is None else root.plain()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_file_fits_the_json_schema(path: Path) -> None:
    assert complaints(plain(path), SCHEMA, SCHEMA["$defs"]) == []


UNFIT = [
    "unknown_top_key",
    "version_2",
    "on_missing",
    "decline_unknown",
    "times_zero",
    "fault_unknown",
    "delay_number",
    "during_unknown_key",
    "repeat_unknown",
    "later_unknown",
    "settings_unknown",
    "given_count_missing",
    "per_unknown",
]


@pytest.mark.parametrize("name", UNFIT)
def test_a_broken_file_does_not_fit_the_json_schema(name: str) -> None:
    path = Path(__file__).with_name("broken") / f"{name}.yaml"
    assert complaints(plain(path), SCHEMA, SCHEMA["$defs"])


def test_the_json_schema_uses_no_other_keywords() -> None:
    def used(schema: Any, free: bool = False) -> set[str]:
        if isinstance(schema, list):
            return {key for item in schema for key in used(item)}
        if not isinstance(schema, dict):
            return set()
        below = {key for name, item in schema.items() for key in used(item, name in ("properties", "$defs"))}
        return below if free else below | set(schema)

    assert used(SCHEMA) <= READ
