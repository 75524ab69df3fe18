"""Forms with files: every part missing, empty, wrong, misspelled, in capitals, twice and of another kind.

A form is not JSON: no error of one says so, and each is of the code that the public API has for that part (facts §4.2).
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from urllib3.filepost import encode_multipart_formdata

from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.api.money_places import PDF, Part
from tests.routes.good import GOOD
from tests.wire import wire

ROWS: Final = {row.name: row for row in OPERATIONS if row.multipart}
CODES: Final = {"file": "IR_33", "dispute_id": "IR_34", "purpose": "IR_35", "evidence_type": "IR_04"}
"""Of a part that is missing, or has no value that it can have."""
Parts = list[tuple[str, Part]]


def without(parts: Parts, name: str) -> Parts:
    return [one for one in parts if one[0] != name]


def wrongs(parts: Parts, name: str) -> dict[str, tuple[Parts, str]]:
    """Forms with one wrong part, and the code of each."""
    rest, ((_, good),) = without(parts, name), [one for one in parts if one[0] == name]
    code = CODES[name]
    made: dict[str, tuple[Parts, str]] = {
        "missing": (rest, code),
        "empty": ([*rest, (name, "")], code),
        "misspelled": ([*rest, (f"{name}s", good)], code),
        "in capitals": ([*rest, (name.upper(), good)], code),
        "wrong": ([*rest, (name, "nope")], "HE_04" if name == "dispute_id" else code),
        "twice": ([*parts, (name, good)], "IR_06"),
    }
    if name != "file":
        made["a file"] = ([*rest, (name, PDF)], "IR_04")
        made["in capital letters"] = ([*rest, (name, str(good).upper())], "HE_04" if name == "dispute_id" else code)
    return made


def cases() -> list[Any]:
    kinds = ("missing", "empty", "misspelled", "in capitals", "wrong", "twice", "a file", "in capital letters")
    names = {"disputes.attach_evidence": "evidence_type", "files.create": "purpose"}
    assert names.keys() == ROWS.keys()
    return [
        (row, part, kind)
        for row, own in names.items()
        for part in ("file", "dispute_id", own)
        for kind in kinds[: 6 if part == "file" else None]
    ]


@pytest.mark.parametrize(("name", "part", "kind"), cases())
def test_a_wrong_part_has_the_code_of_that_part(name: str, part: str, kind: str) -> None:
    api, row = wire(dialect=HYPERSWITCH), ROWS[name]
    good = GOOD[name](api)
    parts, code = wrongs(list((good.form or {}).items()), part)[kind]
    raw, content_type = encode_multipart_formdata(parts)
    reply = api.call(row.method, good.path(row), raw=raw, headers={"Content-Type": content_type})
    assert reply.status in (400, 404), reply.raw
    assert reply.error["code"] == code, reply.raw
    assert "type" in reply.error and "Json" not in reply.error["message"], reply.raw
