"""What real clients make of a broken line."""

from __future__ import annotations

import json
import shutil
import subprocess

import httpx
import pytest
import urllib3

from mock_server.domain.faults import LineFault, LinePlan
from tests.server.conftest import Serve
from tests.server.planned import planned


def by_urllib3(url: str, patience_s: float | None) -> str:
    try:
        with urllib3.PoolManager(retries=False, timeout=patience_s) as pool:
            return str(pool.request("GET", url).json()["id"])
    except (urllib3.exceptions.HTTPError, json.JSONDecodeError) as error:
        return type(error).__name__


def by_httpx(url: str, patience_s: float | None) -> str:
    try:
        return str(httpx.get(url, timeout=patience_s).json()["id"])
    except (httpx.HTTPError, json.JSONDecodeError) as error:
        return type(error).__name__


def by_curl(url: str, patience_s: float | None) -> str:
    command = ["curl", "-s", "-m", str(patience_s or 0), url]
    run = subprocess.run(command, capture_output=True, check=False, env={"no_proxy": "*"})
    try:
        return f"exit {run.returncode}" if run.returncode else str(json.loads(run.stdout)["id"])
    except json.JSONDecodeError as error:
        return type(error).__name__


SEEN = [
    (LineFault.CONNECTION_RESET, "ProtocolError", "ReadError", "exit 56"),
    (LineFault.EMPTY_RESPONSE, "ProtocolError", "RemoteProtocolError", "exit 52"),
    (LineFault.TRUNCATED_BODY, "ProtocolError", "RemoteProtocolError", "exit 18"),
    (LineFault.MALFORMED_JSON, "JSONDecodeError", "JSONDecodeError", "JSONDecodeError"),
    (LineFault.SLOW_BODY, "pay_1", "pay_1", "pay_1"),
    (LineFault.HANG, "ReadTimeoutError", "ReadTimeout", "exit 28"),
]


@pytest.mark.parametrize(("fault", "urllib3_sees", "httpx_sees", "curl_sees"), SEEN)
def test_what_clients_see(serve: Serve, fault: LineFault, urllib3_sees: str, httpx_sees: str, curl_sees: str) -> None:
    url = serve(planned(LinePlan(fault=fault, pieces=3, pause_s=0.01))).address + "/plan"
    patience_s = 0.5 if fault is LineFault.HANG else None  # nobody waits long for what never comes
    assert by_urllib3(url, patience_s) == urllib3_sees
    assert by_httpx(url, patience_s) == httpx_sees
    if shutil.which("curl"):
        assert by_curl(url, patience_s) == curl_sees


def test_the_table_of_clients_has_every_fault() -> None:
    assert {row[0] for row in SEEN} == set(LineFault)
