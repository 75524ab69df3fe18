"""What a file can be that is no good, when a server starts with it and while one serves."""

from __future__ import annotations

import os
import resource
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.lasting.datafile import DataFile
from mock_server.store.protocol import StateRefused
from tests.lasting.shop import CARD, KEY, call, order
from tests.running import RunningSandbox, until
from tests.running import call as command
from tests.webhooks.receivers import Receiver, hangs

NOBODY = 65_534
CLEAN = "snd_reads_on"
UNSAVED = {"readyz": (503, "not_saving"), "livez": (200, "ok")}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


def serve(path: Path, *flags: str) -> RunningSandbox:
    return RunningSandbox("--data", str(path), "--log-level", "error", *flags)


def filled(path: Path) -> str:
    """A file with one payment; gives the payment's id."""
    with serve(path) as sandbox:
        status, payment = call(sandbox.ready["port"], "POST", "/payments", order(1))
    assert status == 200
    return str(payment["payment_id"])


def refused(path: Path, because: str) -> None:
    """A server that cannot use a file says so, and leaves it as it is."""
    before = path.read_bytes()
    done = command("serve", "--port", "0", "--data", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert because in done.stderr
    assert str(path) in done.stderr
    assert path.read_bytes() == before


# at the start


def test_a_new_file_is_its_owners_alone(path: Path) -> None:
    filled(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_holds_no_card_and_no_key(path: Path) -> None:
    number, code = "5425233430109903", "9174"
    card = {**CARD, "card_number": number, "card_cvc": code}
    with serve(path) as sandbox:
        port = sandbox.ready["port"]
        made = call(port, "POST", "/payments", order(1, confirm=False, payment_method_data=None, payment_link=True))
        for body in (order(2, payment_method_data={"card": card}), order(3, payment_method=number, amount=number)):
            call(port, "POST", "/payments", body)
        call(port, "POST", f"/payments/{made[1]['payment_id']}/confirm", {"payment_method_data": {"card": card}})
        call(port, "GET", f"/payments/list?limit={number}&card_cvc={code}")
        call(port, "POST", "/accounts", {"merchant_id": "shop_1"}, key="an_admins_key")
        issued = call(port, "POST", "/api_keys/shop_1", {"name": "shop", "expiration": "never"}, key="an_admins_key")[1]
        assert call(port, "GET", "/payments/list", key=issued["api_key"])[0] == 200
        customer = {"customer_id": call(port, "POST", "/customers", {})[1]["customer_id"]}
        ephemeral = call(port, "POST", "/ephemeral_keys", customer)[1]["secret"]
        text = b"".join(one.read_bytes() for one in sorted(path.parent.iterdir()))
    assert path.read_bytes() != text, "what was written is in the log beside it"
    text += path.read_bytes()
    assert str(made[1]["payment_id"]).encode() in text
    quoted, packed = f'"{code}"'.encode(), b"\xa4" + code.encode()
    for secret in (number.encode(), quoted, packed, KEY.encode(), issued["api_key"].encode(), ephemeral.encode()):
        assert secret not in text
    assert b"an_admins_key" not in text


def test_no_database(path: Path) -> None:
    path.write_text("amount,currency\n" * 1_000)
    refused(path, "is not a database")


def test_the_database_of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE orders (id INTEGER)")
    refused(path, "is the database of another program")


def test_a_newer_file(path: Path) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 99")
    refused(path, "was written by a newer version")


def test_a_damaged_file(path: Path) -> None:
    filled(path)
    data = bytearray(path.read_bytes())
    data[8192:16384] = b"\xff" * 8192
    path.write_bytes(data)
    refused(path, "is damaged")
    checked = CliRunner().invoke(main, ["data", "check", str(path)])
    assert (checked.exit_code, "damaged" in checked.stderr) == (1, True)


def test_a_file_in_use(path: Path) -> None:
    payment_id = filled(path)
    with serve(path) as sandbox:
        for arguments in (("serve", "--port", "0", "--data", str(path)), ("data", "check", str(path))):
            second = command(*arguments)
            assert second.returncode == 2
            assert "is in use" in second.stderr
        assert call(sandbox.ready["port"], "GET", f"/payments/{payment_id}")[0] == 200


@pytest.mark.parametrize("is_there", [True, False])
def test_a_place_that_is_read_only(is_there: bool) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state.sqlite"
        if is_there:
            path.touch(0o444)
        Path(folder).chmod(0o555)
        with without_rights(), pytest.raises(StateRefused, match=r"cannot (write|create)"):
            DataFile(str(path))


@contextmanager
def without_rights() -> Iterator[None]:
    """Goes on as a user without rights: for root no file is read-only."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(me)


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to(path.name), os.mkfifo])
def test_what_is_no_file(make: Callable[[Path], object], path: Path) -> None:
    make(path)
    with pytest.raises(StateRefused, match="is not a file"):
        DataFile(str(path))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    done = command("serve", "--port", "0", "--data", str(tmp_path / "none" / "state.sqlite"))
    assert (done.returncode, "No such file or directory" in done.stderr) == (2, True)


def test_a_sound_file(path: Path) -> None:
    filled(path)
    done = CliRunner().invoke(main, ["data", "check", str(path)])
    assert (done.exit_code, done.stdout) == (0, f"{path} is valid: 1 workspace\n")


# while a server serves


@pytest.fixture
def full(path: Path) -> Iterator[tuple[RunningSandbox, str]]:
    """A server whose disk has just become full, and a payment that it saved before."""
    with serve(path) as sandbox:
        status, payment = call(sandbox.ready["port"], "POST", "/payments", order(1))
        assert status == 200
        assert call(sandbox.ready["port"], "GET", "/payments/list", key=CLEAN)[0] == 200
        limit(sandbox.process.pid, 1 + max(one.stat().st_size for one in path.parent.iterdir()))
        yield sandbox, str(payment["payment_id"])


def limit(pid: int, size: int) -> None:
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_full_disk(full: tuple[RunningSandbox, str]) -> None:
    sandbox, payment_id = full
    port = sandbox.ready["port"]
    status, answer = call(port, "POST", "/payments", order(2), X_Idempotency_Key="two")
    assert (status, answer["error"]["code"]) == (503, "SB_02")
    assert "not known" in answer["error"]["message"], "its batch failed: nobody knows what came of it"
    status, answer = call(port, "POST", "/payments", order(3), key=CLEAN)
    assert (status, answer["error"]["code"]) == (503, "SB_02")
    assert "nothing was changed" in answer["error"]["message"], "known to be full"
    assert call(port, "GET", f"/payments/{payment_id}")[0] == 503, "the workspace has an unsaved change"
    assert call(port, "GET", "/payments/list", key=CLEAN)[0] == 200, "this one has none"
    for path, (expected, word) in UNSAVED.items():
        status, answer = call(port, "GET", f"/_sandbox/{path}")
        assert (status, answer["status"]) == (expected, word)

    limit(sandbox.process.pid, resource.RLIM_INFINITY)
    until(lambda: call(port, "GET", "/_sandbox/readyz")[0] == 200)
    status, answer = call(port, "POST", "/payments", order(2), X_Idempotency_Key="two")
    assert (status, answer["metadata"]) == (200, {"order": "2"})
    assert call(port, "GET", "/payments/list")[1]["total_count"] == 2, "nothing was done twice, and nothing was undone"
    sandbox.process.kill()
    sandbox.process.wait()


def test_a_file_that_vanishes_and_comes_back(path: Path) -> None:
    filled(path)
    with serve(path) as sandbox:
        port = sandbox.ready["port"]
        path.rename(path.with_suffix(".moved"))
        status, answer = call(port, "POST", "/payments", order(2), X_Idempotency_Key="two")
        assert (status, answer["error"]["code"]) == (503, "SB_02")
        assert "no longer exists" in call(port, "GET", "/_sandbox/readyz")[1]["data"]
        path.with_suffix(".moved").rename(path)
        until(lambda: call(port, "GET", "/_sandbox/readyz")[0] == 200)
        assert call(port, "POST", "/payments", order(2), X_Idempotency_Key="two")[0] == 200
    with serve(path) as sandbox:
        assert call(sandbox.ready["port"], "GET", "/payments/list")[1]["total_count"] == 2


def test_a_webhook_that_was_answered_meanwhile_holds_up_no_other(path: Path) -> None:
    with Receiver(hangs) as receiver, serve(path, "--webhook-url", receiver.url) as sandbox:
        port = sandbox.ready["port"]
        payment = call(port, "POST", "/payments", order(1))[1]
        receiver.wait_for(1)
        path.rename(path.with_suffix(".moved"))
        assert call(port, "POST", "/payments", order(2))[0] == 503
        receiver.release.set()
        until(lambda: "webhook_attempts_total{" in urlopen(f"{sandbox.base}/_sandbox/metrics").read().decode())
        path.with_suffix(".moved").rename(path)
        until(lambda: call(port, "GET", "/_sandbox/readyz")[0] == 200)
        refund = {"payment_id": payment["payment_id"], "amount": 1}
        assert call(port, "POST", "/refunds", refund)[0] == 200
        until(lambda: any(b"refund_succeeded" in request for request in tuple(receiver.requests)))


def test_a_file_that_is_replaced_is_not_written_to(path: Path) -> None:
    filled(path)
    with serve(path) as sandbox:
        assert call(sandbox.ready["port"], "GET", "/payments/list")[0] == 200, "what the start writes is written"
        path.unlink()
        path.write_bytes(b"")
        assert call(sandbox.ready["port"], "POST", "/payments", order(2))[0] == 503
        assert "is another file now" in call(sandbox.ready["port"], "GET", "/_sandbox/readyz")[1]["data"]
    assert path.read_bytes() == b""


@pytest.mark.parametrize("suffix", ["", "-wal"])
@pytest.mark.parametrize("done", ["deleted", "replaced", "cut"])
def test_nothing_is_answered_that_would_be_lost(path: Path, suffix: str, done: str) -> None:
    """Whatever another program does to the file or to its log, while a server has both open."""
    filled(path)
    answered = ["1"]
    with serve(path) as sandbox:
        port, victim = sandbox.ready["port"], Path(f"{path}{suffix}")
        for number in (2, 3):
            assert call(port, "POST", "/payments", order(number))[0] == 200
            answered.append(str(number))
        if done == "cut":
            os.truncate(victim, 0)
        else:
            victim.rename(f"{victim}.away")
            if done == "replaced":
                victim.write_bytes(b"")
        status, said = call(port, "POST", "/payments", order(4))
        assert (status, said["error"]["code"]) == (503, "SB_02")
        assert str(victim) in call(port, "GET", "/_sandbox/readyz")[1]["data"]
    if suffix and done != "cut":  # what was answered before, SQLite still has in the open log
        with serve(path) as sandbox:
            found = call(sandbox.ready["port"], "GET", "/payments/list")[1]["data"]
            assert sorted(one["metadata"]["order"] for one in found)[:3] == answered
