"""`ready` and `wait`: asking a running sandbox."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from mock_server.addresses import reachable
from mock_server.cli import main


@contextmanager
def answering(*statuses: int) -> Iterator[tuple[int, list[tuple[str, str | None]]]]:
    """A server that answers so, with the last status from then on; yields its port and what it was asked."""
    asked: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["X-Sandbox-Token"]))
            self.send_response(statuses[min(len(asked), len(statuses)) - 1])
            self.send_header("X-Request-Id", "req_1")
            self.end_headers()
            self.wfile.write(b'{"status": "said"}')

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port, asked
        finally:
            server.shutdown()
            thread.join()


def run(*arguments: str, **variables: str) -> tuple[int, str]:
    settings = {f"PAYMENT_SANDBOX_{name}": value for name, value in variables.items()}
    result = CliRunner().invoke(main, arguments, env=settings)
    return result.exit_code, result.output


def test_ready_says_so() -> None:
    with answering(200) as (port, asked):
        code, output = run("ready", "--url", f"http://127.0.0.1:{port}")
    assert (code, output) == (0, f'http://127.0.0.1:{port} answered 200 {{"status": "said"}}\n')
    assert asked == [("/_sandbox/readyz", None)]


def test_not_ready_is_exit_code_1() -> None:
    with answering(503) as (port, _):
        code, output = run("ready", "--url", f"http://127.0.0.1:{port}/")
    assert code == 1
    assert output == f'payment-sandbox: not ready: http://127.0.0.1:{port} answered 503 {{"status": "said"}}\n'


def test_nobody_there_is_exit_code_1() -> None:
    with answering(200) as (port, _):
        pass
    code, output = run("ready", PORT=str(port))
    assert code == 1
    assert "cannot reach" in output


@pytest.mark.parametrize("by", ["settings", "url", "port file", "port file setting"])
def test_the_target_is_found(by: str, tmp_path: Path) -> None:
    with answering(200) as (port, asked):
        (tmp_path / "port").write_text(f"{port}\n")
        variables = {
            "settings": {"PORT": str(port), "HOST": "0.0.0.0"},
            "url": {"URL": f"http://localhost:{port}", "PORT": "1"},
            "port file": {},
            "port file setting": {"PORT_FILE": str(tmp_path / "port"), "PORT": "1"},
        }[by]
        flags = ["--port-file", str(tmp_path / "port")] if by == "port file" else []
        assert run("ready", *flags, **variables)[0] == 0
    assert len(asked) == 1


def test_the_control_token_goes_along() -> None:
    with answering(200) as (port, asked):
        assert run("ready", PORT=str(port), CONTROL_TOKEN="hush")[0] == 0
    assert asked == [("/_sandbox/readyz", "hush")]


@pytest.mark.parametrize("url", ["http:nonsense://", "ftp://127.0.0.1", "http://"])
def test_a_target_that_is_no_address(url: str) -> None:
    code, output = run("ready", "--url", url)
    assert code == 2
    assert "is not an http or https URL" in output


def test_a_broken_setting_is_exit_code_2() -> None:
    assert run("ready", PORT="many")[0] == 2


def test_a_port_file_that_is_not_there_yet_is_not_ready(tmp_path: Path) -> None:
    code, output = run("wait", "--port-file", str(tmp_path / "port"), "--timeout", "1ms")
    assert code == 1
    assert "not ready after 0.001 s" in output


def test_wait_refuses_a_time_out_that_is_no_duration() -> None:
    assert run("wait", "--timeout", "soon")[0] == 2


def test_wait_ends_with_the_first_yes() -> None:
    with answering(503, 503, 200) as (port, asked):
        code, output = run("wait", "--url", f"http://127.0.0.1:{port}", "--timeout", "10m")
    assert (code, len(asked)) == (0, 3)
    assert "answered 200" in output


def test_wait_gives_up_in_time_with_the_last_answer() -> None:
    with answering(503) as (port, asked):
        code, output = run("wait", "--url", f"http://127.0.0.1:{port}", "--timeout", "250ms")
    assert code == 1
    assert asked
    assert "not ready after 0.25 s" in output
    assert "answered 503" in output


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("fe80::1", "http://[fe80::1]:80"),
        ("sandbox", "http://sandbox:80"),
    ],
)
def test_where_a_server_can_be_reached(host: str, base: str) -> None:
    assert reachable(host, 80) == base
