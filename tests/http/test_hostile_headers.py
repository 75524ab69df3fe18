"""No value of a header that anything here reads breaks a call, on any route."""

from __future__ import annotations

import re
from itertools import cycle, islice
from typing import Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from tests.architecture.sources import modules
from tests.counts import times
from tests.http.from_pages import path_of
from tests.routes.hostile import FAR
from tests.wire import Wire, wire

READ: Final = sorted(
    {name.replace("_", "-").upper() for module in modules() for name in re.findall(
        r'"(?:HTTP_(?=[A-Z]))?((?:X-|(?<=HTTP_))[A-Za-z_-]+)"', module.source
    )} | {"CONTENT-TYPE"}
)  # fmt: skip
"""Every header whose name the package has, as WSGI or as people write it."""
HOSTILE: Final = (
    "", " ", ",", ";", "=", "*", "null", "%", "%00", "\\", '"', "{", "[", "[]", "[::", "[a.b]", "[a.b]:80", "[.]",
    "[1:2]", "[::1%25lo]", "::1", ":", ":80", "a:b", "a:99999999999", "a:²", "127.0.0.1:", "http://", "http://[",
    "http://[x]", "http://a]", "http://[1.2.3.4]", "http://[::1]:x", "http://a:99999999", "http://\xa0", "//[",
    "https://[a.b]/", "]", "\xff\xfe", "\xc3", "²", "1e999", "-1", "0x10", "9" * 400, "9" * 5_000, "NaN", "a=1;q=²",
    "*/*;q=9", "gzip;q=" + "9" * 400, "Bearer ", "Basic =", "Basic \xff", "publishable_key=", "snd_", "pk_snd_",
    "ek_", "multipart/form-data; boundary=", "multipart/form-data; boundary=\xff", "application/json; charset=\xff",
    "application/json; charset=idna", "same-origin", "cross-site", "\u202e".encode().decode("latin-1"), "a" * 8_000,
    "," * 8_000, "a=b;" * 2_000, "(" * 8_000,
)  # fmt: skip
BESIDE: Final[tuple[dict[str, str], ...]] = (
    {},
    {"Origin": "http://localhost"},
    {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin", "Referer": "http://localhost/_sandbox/docs"},
    {"Origin": "https://shop.example", "User-Agent": "Mozilla/5.0"},
)
"""What stands beside the header: as programs, our own pages and others' send it."""
PAGES: Final = (
    ("GET", "/_sandbox/dashboard"),
    ("GET", "/_sandbox/docs"),
    ("GET", "/nowhere"),
    ("OPTIONS", "/payments"),
)
ROUTES: Final = (
    *PAGES, *((row.method, path_of(row)) for row in (*OPERATIONS, *CONTROL_OPERATIONS) if row.name not in FAR),
)  # fmt: skip
EACH: Final = times(1, soak=8)
"""On how many routes each value of a header is tried, each time beside other headers."""


@pytest.fixture(scope="module", params=[(), ("0.0.0.0/0", "::/0")], ids=["no proxy", "behind a proxy"])
def api(request: pytest.FixtureRequest) -> Wire:
    return wire(trust_proxy=request.param, public_url="https://sandbox.example")


@pytest.mark.parametrize("name", READ)
def test_no_value_of_a_header_breaks_a_call(api: Wire, name: str) -> None:
    calls = islice(cycle(zip(ROUTES, cycle(BESIDE), strict=False)), READ.index(name) * 37, None)
    failed = []
    for value in HOSTILE:
        for (method, path), beside in islice(calls, EACH):
            others = {one: said for one, said in beside.items() if one.upper() != name}
            body: dict[str, str] | None = {} if method in ("POST", "PUT", "PATCH") else None
            try:
                status = str(api.call(method, path, body, headers={**others, name: value}).status)
            except Exception as error:
                status = f"500 {error!r}"
            if status.startswith("500"):
                failed.append((method, path, value[:20], beside, status))
    assert not failed
