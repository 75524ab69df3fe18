"""What each way of breaking a line looks like to clients people use; the table of the docs says the same."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import httpx
import pytest
import urllib3

from mock_server.domain.faults import LineFault
from tests.architecture.sources import ROOT
from tests.scenarios_e2e.wire import KEY, control, pay, put, raw_call, served
from tests.wire import card_payment

PAGE: Final = ROOT / "docs" / "reference" / "faults.md"
BODY: Final = {**card_payment(), "confirm": True}
HEADERS: Final = {"api-key": KEY, "Content-Type": "application/json"}
PATIENCE_S: Final = 0.7
"""How long a client waits for what does not come; for everything else as long as it takes."""
SCENARIO: Final = """\
version: 1
rules:
{rules}
"""
RULE: Final = "  - {{on: payments.create, when: {{header.X-Fault: {name}}}, then: {then}}}\n"
FAULTS: Final = {fault.value: f"{{fault: {fault.value}}}" for fault in LineFault}
ANSWERS: Final = {
    "error": "{error: HE_00}",
    "error_429": "{error: {code: RL_01, status: 429, message: Slow down.}}",
    "respond": "{respond: {status: 502, headers: {Content-Type: text/html}, body: <h1>Bad gateway</h1>}}",
    "delay": "{delay: 300ms}",
}


def patience_s(fault: str, *given_up: str) -> float | None:
    return PATIENCE_S if fault in ("hang", *given_up) else None


def by_socket(base: str, fault: str) -> str:
    seen = raw_call(base, "POST", "/payments", BODY, {"X-Fault": fault}, patience_s(fault))
    if not seen.raw:
        return {"reset": "reset", "closed": "closed without a byte", "open": "nothing, and the line stays open"}[
            seen.end
        ]
    length = int(re.search(rb"Content-Length: (\d+)", seen.raw)[1])  # type: ignore[index]  # every answer has one
    if len(seen.body) < length:
        return (
            "a part of the body, and the line stays open" if seen.end == "open" else "a part of the body, then closed"
        )
    try:
        json.loads(seen.body)
    except ValueError:
        return f"{seen.status}, no JSON"
    return f"{seen.status}"


def by_urllib3(base: str, fault: str) -> str:
    with urllib3.PoolManager(retries=False, timeout=patience_s(fault)) as pool:
        try:
            answer = pool.request("POST", f"{base}/payments", json=BODY, headers={**HEADERS, "X-Fault": fault})
            return said(answer.status, answer.json)
        except urllib3.exceptions.HTTPError as wrong:
            return type(wrong).__name__


def by_httpx(base: str, fault: str) -> str:
    try:
        headers = {**HEADERS, "X-Fault": fault}
        answer = httpx.post(f"{base}/payments", json=BODY, headers=headers, timeout=patience_s(fault), trust_env=False)
        return said(answer.status_code, answer.json)
    except httpx.HTTPError as wrong:
        return type(wrong).__name__


def said(status: int, parse: Callable[[], object]) -> str:
    try:
        parse()
    except ValueError:
        return f"{status}, no JSON"
    return f"{status}"


def by_curl(base: str, fault: str) -> str:
    headers = [part for name, value in {**HEADERS, "X-Fault": fault}.items() for part in ("-H", f"{name}: {value}")]
    limit = str(patience_s(fault, "slow_body") or 0)
    command = ["curl", "-s", "--noproxy", "*", "--max-time", limit, "-w", "\n%{http_code}", *headers]
    done = subprocess.run(
        [*command, "--data", json.dumps(BODY), f"{base}/payments"], capture_output=True, text=True, check=False
    )
    body, _, status = done.stdout.rpartition("\n")
    return f"exit {done.returncode}" if done.returncode else said(int(status), lambda: json.loads(body))


CLIENTS: Final[dict[str, Callable[[str, str], str]]] = {
    "a raw socket": by_socket,
    "urllib3": by_urllib3,
    "httpx": by_httpx,
    "curl": by_curl,
}


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with served() as (address, _):
        rules = "".join(RULE.format(name=name, then=then) for name, then in {**FAULTS, **ANSWERS}.items())
        put(address, "faults", SCENARIO.format(rules=rules))
        yield address


@pytest.fixture(scope="module")
def slow(base: str) -> Iterator[dict[str, Future[str]]]:
    """What each client sees of a slow body, asked for by all of them at once."""
    with ThreadPoolExecutor(len(CLIENTS)) as pool:
        yield {client: pool.submit(ask, base, LineFault.SLOW_BODY) for client, ask in CLIENTS.items()}


def table() -> dict[str, dict[str, str]]:
    """The docs' table: by fault, what each client sees."""
    rows = [
        [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
        for line in PAGE.read_text("utf-8").partition("## Clients")[0].splitlines()
        if line.startswith("| ")
    ]
    head, *rest = rows
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rest}


def test_the_table_speaks_of_every_fault_and_client() -> None:
    assert set(table()) == {*FAULTS, *ANSWERS}
    assert all({f"{client}" for client in CLIENTS} <= set(row) for row in table().values())


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("fault", [*FAULTS, *ANSWERS])
def test_a_client_sees_what_the_table_says(base: str, slow: dict[str, Future[str]], fault: str, client: str) -> None:
    if client == "curl" and shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    told = slow[client].result() if fault == LineFault.SLOW_BODY else CLIENTS[client](base, fault)
    assert told == table()[fault][client]


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != LineFault.SLOW_BODY])
@pytest.mark.parametrize(("effect", "made"), [("none", 0), ("kept", 1)])
def test_the_operation_takes_place_only_if_its_effect_is_kept(fault: str, effect: str, made: int) -> None:
    with served() as (address, _):
        put(address, "one", SCENARIO.format(rules=RULE.format(name="x", then=f"{{fault: {fault}, effect: {effect}}}")))
        raw_call(address, "POST", "/payments", BODY, {"X-Fault": "x"}, patience_s(fault))
        assert raw_call(address, "GET", "/payments/list").json["total_count"] == made


def test_a_hundred_calls_that_hang_slow_nobody_else() -> None:
    import socket
    from urllib.parse import urlsplit

    with served() as (address, _):
        put(address, "one", SCENARIO.format(rules=RULE.format(name="hang", then="{fault: hang}")))
        host, data = urlsplit(address), json.dumps(BODY).encode()
        head = f"POST /payments HTTP/1.1\r\nHost: x\r\napi-key: {KEY}\r\nX-Fault: hang\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        lines = [socket.create_connection((host.hostname or "", host.port or 0)) for _ in range(100)]
        try:
            for line in lines:
                line.sendall(head.encode() + data)
            assert [pay(address).status for _ in range(20)] == [200] * 20
            hung = control(address, "GET", "journal?operation=payments.create&limit=1000")["data"]
            assert sum(line["fault"] == "hang" for line in hung) == 100
        finally:
            for line in lines:
                line.close()
