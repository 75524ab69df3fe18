"""`serve`, in a process of its own (decisions "Names")."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from mock_server import __version__
from mock_server.cli.output import STOPS
from mock_server.cli.port_file import PortFile
from mock_server.settings import ROWS
from tests.running import COMMAND, RunningSandbox, call, environment

DESCRIPTORS = 64


def test_the_ready_line_for_programs() -> None:
    with RunningSandbox(anew=True) as sandbox:
        ready = sandbox.ready
        assert ready == {
            "ready": True,
            "url": f"http://127.0.0.1:{ready['port']}",
            "host": "127.0.0.1",
            "port": ready["port"],
            "version": __version__,
            "pid": sandbox.process.pid,
        }
        assert httpx.get(f"{sandbox.base}/_sandbox/livez", timeout=None).status_code == 200


def test_the_ready_text_has_a_first_call_that_pays() -> None:
    with subprocess.Popen(
        [*COMMAND, "serve", "--port", "0"], env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(7)]
        base = re.fullmatch(rf"payment-sandbox {re.escape(__version__)} is ready on (http\S+)\n", lines[0])
        assert base
        pasted = "".join(lines[4:7])
        assert f"curl -s '{base[1]}/payments'" in pasted
        answer = subprocess.run(["bash", "-c", pasted], capture_output=True, text=True, check=True).stdout
        assert json.loads(answer)["status"] == "succeeded"
        process.terminate()
        assert process.wait() == 0


def test_the_port_file_comes_and_goes(tmp_path: Path) -> None:
    port_file = tmp_path / "port"
    port_file.write_text("1\n")  # from a run that was killed
    with RunningSandbox("--port-file", str(port_file)) as sandbox:
        assert port_file.read_text() == str(sandbox.ready["port"])
        assert list(tmp_path.iterdir()) == [port_file]
        assert call("ready", "--port-file", str(port_file)).returncode == 0
        assert call("wait", "--port-file", str(port_file)).returncode == 0
        assert sandbox.stop()[0] == 0
    assert not port_file.exists()


def test_a_port_file_of_another_run_is_left_alone(tmp_path: Path) -> None:
    port_file = tmp_path / "port"
    with RunningSandbox("--port-file", str(port_file)) as first:
        taken = call("serve", "--port", str(first.ready["port"]), "--port-file", str(port_file))
        assert taken.returncode == 1
        assert port_file.read_text() == str(first.ready["port"])
        with RunningSandbox("--port-file", str(port_file)) as second:
            first.stop()
            assert port_file.read_text() == str(second.ready["port"])
    assert list(tmp_path.iterdir()) == []


def link(path: Path) -> None:
    (path.parent / "elsewhere").write_text("kept")
    path.symlink_to("elsewhere")


def local_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(os.path.relpath(path))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (Path.mkdir, "it is a directory; only a regular file or a pipe can be written"),
        (link, "it is a symbolic link; only a regular file or a pipe can be written"),
        (local_socket, "it is no file; only a regular file or a pipe can be written"),
        (lambda path: path.write_text("mine"), "it holds something else than a port"),
    ],
)
def test_what_is_no_place_for_a_port_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    port_file = tmp_path / "port"
    make(port_file)
    before = [(one.name, one.lstat().st_mode, one.lstat().st_ino) for one in sorted(tmp_path.iterdir())]
    done = call("serve", "--port", "0", "--port-file", str(port_file))
    assert done.returncode == 2
    assert f"cannot write the port file {port_file}: {why}" in done.stderr
    assert [(one.name, one.lstat().st_mode, one.lstat().st_ino) for one in sorted(tmp_path.iterdir())] == before


def test_a_device_is_no_place_for_a_port() -> None:
    assert "only a regular file" in (
        PortFile(os.devnull).mistake() or ""
    )  # asked only: a mistake here would cost the device


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    # What measures coverage would want to write, too.
    unmeasured = {name: value for name, value in environment().items() if not name.startswith("COVERAGE_")}
    done = subprocess.run(
        [*COMMAND, "serve", "--port", "0", "--port-file", str(tmp_path / "port")],
        env=unmeasured,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert done.returncode == 1
    assert "cannot write the port file" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("with_signal", STOPS)
def test_it_stops_with_code_0(tmp_path: Path, with_signal: signal.Signals) -> None:
    with RunningSandbox("--port-file", str(tmp_path / "port"), anew=True) as sandbox:
        code, _, err = sandbox.stop(with_signal)
        assert (code, err) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_it_goes_on_when_its_terminal_is_closed_under_nohup() -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with RunningSandbox(before=ignore) as sandbox:
        # An answer alone could come from one that ends, before it handles the signal.
        status = Path(f"/proc/{sandbox.process.pid}/status").read_text()
        assert int(status.split("SigIgn:")[1].split()[0], 16) >> (signal.SIGHUP - 1) & 1
        sandbox.process.send_signal(signal.SIGHUP)
        assert httpx.get(f"{sandbox.base}/_sandbox/livez", timeout=None).status_code == 200
        assert sandbox.stop()[0] == 0


@pytest.mark.parametrize("with_signal", STOPS)
def test_it_stops_while_it_starts(tmp_path: Path, with_signal: signal.Signals) -> None:
    """As the first process of a container it has no handler but its own, so a start must have one as well."""
    config = tmp_path / "config.yaml"
    os.mkfifo(config)
    process = subprocess.Popen([*COMMAND, "serve", "--config", str(config)], env=environment())
    with config.open("w"):  # open as soon as the sandbox begins to read it
        process.send_signal(with_signal)
        assert process.wait() == 0


def test_it_stops_although_clients_hang() -> None:
    with RunningSandbox() as sandbox:
        address = ("127.0.0.1", sandbox.ready["port"])
        idle, half = socket.create_connection(address), socket.create_connection(address)
        with idle, half, httpx.Client(timeout=None) as client:
            half.sendall(b"POST /payments HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            client.get(f"{sandbox.base}/_sandbox/livez")
            assert sandbox.stop()[0] == 0


def test_a_port_that_is_taken_is_exit_code_1() -> None:
    with RunningSandbox() as sandbox:
        done = call("serve", "--port", str(sandbox.ready["port"]))
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {sandbox.ready['port']}: the port is in use" in done.stderr
    assert "--port" in done.stderr


def test_an_address_that_is_not_ours_is_exit_code_1() -> None:
    done = call("serve", "--host", "192.0.2.1", "--port", "0")
    assert done.returncode == 1
    assert "choose another with --host" in done.stderr


def test_a_port_file_that_cannot_be_written_is_exit_code_2(tmp_path: Path) -> None:
    done = call("serve", "--port", "0", "--port-file", str(tmp_path / "not there" / "port"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "port file" in done.stderr


def test_a_wrong_setting_is_exit_code_2_and_all_are_named() -> None:
    done = call("serve", "--port", "many", PAYMENT_SANDBOX_WORKSPACES="none")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "payment-sandbox: PAYMENT_SANDBOX_WORKSPACES (environment): 'none' is not valid; "
        "allowed is a whole number from 1 to 100000000",
        "  --port (flag): 'many' is not valid; allowed is a whole number from 0 to 65535",
    ]


def test_an_unknown_flag_is_exit_code_2() -> None:
    assert call("serve", "--prot", "1").returncode == 2


def test_an_unknown_variable_is_warned_of_in_the_log() -> None:
    with RunningSandbox(variables={"PAYMENT_SANDBOX_SEDE": "1"}) as sandbox:
        _, _, err = sandbox.stop()
    entry = json.loads(err)
    assert entry["level"] == "warning"
    assert "did you mean PAYMENT_SANDBOX_SEED?" in entry["message"]


def test_a_service_link_is_one_debug_line() -> None:
    variables = {"PAYMENT_SANDBOX_PORT": "tcp://10.0.0.1:12190"}
    with RunningSandbox("--log-level", "debug", variables=variables) as sandbox:
        _, _, err = sandbox.stop()
    assert [json.loads(line)["level"] for line in err.splitlines() if "ignored" in line] == ["debug"]


def test_settings_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("host: localhost\n")
    with RunningSandbox("--config", str(tmp_path / "s.yaml")) as sandbox:
        assert sandbox.ready["host"] == "localhost"


def test_every_setting_is_a_flag() -> None:
    output = call("serve", "--help").stdout
    assert [row.flag for row in ROWS.values() if f"  {row.flag} " not in output] == []


def test_it_outlives_a_time_without_file_descriptors() -> None:
    with RunningSandbox(before=few_descriptors) as sandbox, ExitStack() as stack:
        address = ("127.0.0.1", sandbox.ready["port"])
        crowd = [stack.enter_context(socket.create_connection(address)) for _ in range(2 * DESCRIPTORS)]
        crowd[0].sendall(b"GET /_sandbox/livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert crowd[0].recv(1000).startswith(b"HTTP/1.1 200")  # who is in, is served
        for one in crowd:
            one.close()
        assert httpx.get(f"{sandbox.base}/_sandbox/livez", timeout=None).status_code == 200
        code, _, err = sandbox.stop()
    assert code == 0
    told = {json.loads(line)["message"] for line in err.splitlines()}
    # What is loaded ahead of the first calls needs files too, if a busy machine has not loaded it by then.
    assert told - {"preloading for the first calls failed"} == {"no more connections can be opened for now"}


def few_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
