"""`serve --tls` and `payment-sandbox ca`, in processes of their own, and the authority itself."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import socket
import ssl
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

from mock_server.cli.authority import SECRET_FILE, authority
from mock_server.cli.output import Stop
from mock_server.clock import SystemClock
from tests.running import COMMAND, QUICK_JAVA, RunningSandbox, call, environment

NAME: Final = "sandbox.hyperswitch.io"
DAY_MS: Final = 86_400_000
KEY: Final = "snd_hard_wired_names"
PAYMENT: Final = json.dumps(
    {
        "amount": 100,
        "currency": "EUR",
        "profile_id": "pro_tls",
        "confirm": True,
        "return_url": "https://shop.example/back",
        "payment_method": "card",
        "payment_method_data": {
            "card": {
                "card_number": "4000000000003220",
                "card_exp_month": "12",
                "card_exp_year": "2035",
                "card_cvc": "123",
            }
        },
    }
)
"""A payment that has its customer sent to a page."""


def now_ms() -> int:
    return SystemClock().now_ms()


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def trusted(state: Path) -> str:
    """Where the authority's certificate is, by the command's own word."""
    said = call("ca", XDG_STATE_HOME=str(state))
    assert (said.returncode, said.stderr) == (0, "")
    found = re.search(r"export SSL_CERT_FILE=(.+)", said.stdout)
    assert found
    return shlex.split(found[1])[0]


@pytest.fixture(scope="module")
def sandbox(state: Path, trusted: str) -> Iterator[RunningSandbox]:
    flags = ("--tls", "--tls-port", "0", "--tls-name", NAME)
    with RunningSandbox(*flags, variables={"XDG_STATE_HOME": str(state)}) as running:
        yield running


def curl(sandbox: RunningSandbox, trusted: str, path: str, *arguments: str, host: str = NAME) -> Any:
    """What curl reads when it asks for a name that leads here."""
    port = sandbox.ready["tls_port"]
    words = ["curl", "-sS", "--cacert", trusted, "--resolve", f"{NAME}:{port}:127.0.0.1", *arguments]
    done = subprocess.run([*words, f"https://{host}:{port}{path}"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Internal error" not in done.stdout, sandbox.stop()
    return json.loads(done.stdout)


def names_of(certificate: x509.Certificate) -> list[str]:
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return [str(name.value) for name in names]


def presented(sandbox: RunningSandbox, trusted: str) -> x509.Certificate:
    """The certificate that a server shows."""
    context = ssl.create_default_context(cafile=trusted)
    address = ("127.0.0.1", sandbox.ready["tls_port"])
    with socket.create_connection(address) as sock, context.wrap_socket(sock, server_hostname="127.0.0.1") as secure:
        shown = secure.getpeercert(binary_form=True)
    assert shown
    return x509.load_der_x509_certificate(shown)


# Clients.


needs_curl: Final = pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")


@needs_curl
@pytest.mark.parametrize("host", [NAME, "localhost", "127.0.0.1"])
def test_curl_is_answered_under_each_name(sandbox: RunningSandbox, trusted: str, host: str) -> None:
    assert curl(sandbox, trusted, "/_sandbox/readyz", host=host)["status"] == "ok"


@needs_curl
def test_links_made_over_tls_are_https(sandbox: RunningSandbox, trusted: str) -> None:
    headers = ("-H", f"api-key: {KEY}", "-H", "Content-Type: application/json", "-d", PAYMENT)
    made = curl(sandbox, trusted, "/payments", *headers)
    link = made["next_action"]["redirect_to_url"]
    assert link.startswith(f"https://{NAME}:{sandbox.ready['tls_port']}/")


@needs_curl
def test_a_name_of_the_certificate_is_a_name_of_the_server(sandbox: RunningSandbox, trusted: str) -> None:
    key = ("-H", f"api-key: {KEY}")
    assert "now" in curl(sandbox, trusted, "/_sandbox/clock", *key)
    foreign = curl(sandbox, trusted, "/_sandbox/clock", *key, "-H", "Host: evil.example")
    assert foreign["error"]["code"] == "IR_22"


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
def test_node_is_answered_under_a_hard_wired_name(sandbox: RunningSandbox, trusted: str) -> None:
    program = """
        const https = require('node:https');
        const lookup = (name, options, done) =>
            options.all ? done(null, [{address: '127.0.0.1', family: 4}]) : done(null, '127.0.0.1', 4);
        const agent = new https.Agent({keepAlive: true, lookup});
        const [port, body] = process.argv.slice(1);
        const ask = (left) => https.request(
            {host: 'sandbox.hyperswitch.io', port, path: '/payments', method: 'POST', agent,
             headers: {'api-key': 'snd_hard_wired_names', 'Content-Type': 'application/json'}},
            (answer) => {
                let text = '';
                answer.on('data', (piece) => { text += piece; });
                answer.on('end', () => {
                    if (left) return ask(left - 1);
                    console.log(JSON.stringify({status: answer.statusCode, reused: answer.req.reusedSocket, text}));
                    agent.destroy();
                });
            }).end(body);
        ask(2);
    """
    command = ["node", "-e", program, str(sandbox.ready["tls_port"]), PAYMENT]
    variables = environment(NODE_EXTRA_CA_CERTS=trusted)
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["status"], answer["reused"]) == (200, True)
    assert json.loads(answer["text"])["next_action"]["redirect_to_url"].startswith(f"https://{NAME}:")


def test_health_is_asked_over_both(sandbox: RunningSandbox, trusted: str) -> None:
    assert call("ready", "--url", sandbox.base).returncode == 0
    secure = sandbox.ready["tls_url"]
    assert call("ready", "--url", secure, SSL_CERT_FILE=trusted).returncode == 0
    distrusted = call("ready", "--url", secure)
    assert distrusted.returncode == 1
    assert "TLS failed: unable to get local issuer certificate" in distrusted.stderr


# The server.


def test_port_files_and_the_end(state: Path, trusted: str, tmp_path: Path) -> None:
    plain, secure = tmp_path / "port", tmp_path / "tls-port"
    flags = ("--tls", "--tls-port", "0", "--port-file", str(plain), "--tls-port-file", str(secure))
    with RunningSandbox(*flags, variables={"XDG_STATE_HOME": str(state)}) as running:
        assert plain.read_text() == str(running.ready["port"])
        assert secure.read_text() == str(running.ready["tls_port"])
        address = ("127.0.0.1", running.ready["tls_port"])
        context = ssl.create_default_context(cafile=trusted)
        with (
            socket.create_connection(address),
            socket.create_connection(address) as sock,
            context.wrap_socket(sock, server_hostname="localhost", suppress_ragged_eofs=False) as idle,
        ):
            code, _, log = running.stop()
            assert (code, log) == (0, "")
            assert idle.recv(1) == b""  # told so, and not cut off
    assert list(tmp_path.iterdir()) == []


def test_each_start_has_a_certificate_of_its_own(sandbox: RunningSandbox, state: Path, trusted: str) -> None:
    first = presented(sandbox, trusted)
    assert names_of(first) == ["localhost", "127.0.0.1", "::1", NAME]
    assert first.not_valid_after_utc - first.not_valid_before_utc == timedelta(days=397)
    with RunningSandbox("--tls", "--tls-port", "0", variables={"XDG_STATE_HOME": str(state)}) as again:
        second = presented(again, trusted)
    assert second.serial_number != first.serial_number
    assert names_of(second) == ["localhost", "127.0.0.1", "::1"]
    assert sorted(path.name for path in Path(trusted).parent.iterdir()) == [
        "authority-key.pem", "authority.pem", "lock",
    ]  # fmt: skip


def test_a_certificate_of_ones_own_needs_no_authority_and_no_extra(state: Path, trusted: str, tmp_path: Path) -> None:
    certificate, key = own_pair(state, tmp_path)
    flags = ("--tls", "--tls-port", "0", "--tls-cert", str(certificate), "--tls-key", str(key))
    variables = {"XDG_STATE_HOME": str(tmp_path / "none"), **without_extra(tmp_path)}
    with RunningSandbox(*flags, variables=variables) as running:
        assert names_of(presented(running, trusted))[-1] == "shop.test"
    assert not (tmp_path / "none").exists()


def own_pair(state: Path, folder: Path) -> tuple[Path, Path]:
    with authority(state / "payment-sandbox", now_ms()).leaf(["shop.test"], now_ms()) as path:
        both = Path(path).read_bytes()
    end = both.index(b"-----BEGIN CERTIFICATE")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    key.write_bytes(both[:end])
    certificate.write_bytes(both[end:])
    return certificate, key


def without_extra(folder: Path) -> dict[str, str]:
    """Variables of a Python that has no cryptography."""
    shadow = folder / "shadow" / "cryptography"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").write_text("raise ModuleNotFoundError('it is not here', name='cryptography')\n")
    return {"PYTHONPATH": str(shadow.parent)}


def test_what_is_plain_stays_plain(tmp_path: Path) -> None:
    variables = {"XDG_STATE_HOME": str(tmp_path / "none"), **without_extra(tmp_path)}
    with RunningSandbox(variables=variables) as running:
        assert not running.ready.keys() & {"tls_port", "tls_url"}
    assert not (tmp_path / "none").exists()


# What cannot be done.


@pytest.mark.parametrize(
    "command", [("ca",), ("serve", "--port", "0", "--tls", "--tls-port", "0")], ids=lambda one: one[0]
)
def test_without_the_extra_it_says_which(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = call(*command, XDG_STATE_HOME=str(tmp_path), **without_extra(tmp_path))
    assert done.returncode == 2
    assert "payment-sandbox[tls]" in done.stderr


@pytest.mark.parametrize(
    "command", [("ca",), ("serve", "--port", "0", "--tls", "--tls-port", "0")], ids=lambda one: one[0]
)
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "file").touch()
    done = call(*command, XDG_STATE_HOME=str(tmp_path / "file"))
    assert done.returncode == 2
    assert f"cannot write the certificate authority to {tmp_path}/file/payment-sandbox" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--tls", "--tls-cert", "here.pem"), "tls_cert and tls_key must be set together"),
        (("--tls", "--tls-cert", "no.pem", "--tls-key", "no.pem"), "no.pem and no.pem: No such file"),
        (("--tls-name", NAME), "tls_name has no effect without tls"),
        (("--tls-port", "8443"), "tls_port has no effect without tls"),
        (("--data-sync", "full"), "data_sync has no effect without data"),
        (("--tls", "--tls-name", "sandbox.test:443"), "allowed is host names in ASCII or IP addresses"),
        (("--tls", "--tls-name", "bücher.test"), "allowed is host names in ASCII or IP addresses"),
        (("--tls", "--tls-port-file", "p", "--port-file", "p"), "port_file and tls_port_file name the same file"),
        (("--advertise", "http://here:8080"), "advertise has no effect without a database"),
        (("--scenarios-writable",), "scenarios_writable has no effect without a directory"),
        (("--tls", "--tls-port-file", "."), "cannot write the port file .: it is a directory"),
    ],
)
def test_settings_that_cannot_be_are_refused(tmp_path: Path, flags: tuple[str, ...], said: str) -> None:
    done = call("serve", "--port", "0", *flags, XDG_STATE_HOME=str(tmp_path))
    assert done.returncode == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_key_with_a_password_is_refused_and_not_asked_for(state: Path, tmp_path: Path) -> None:
    certificate, key = own_pair(state, tmp_path)
    made = rsa.generate_private_key(65_537, 2048)
    key.write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))
    done = call("serve", "--port", "0", "--tls", "--tls-cert", str(certificate), "--tls-key", str(key))
    assert done.returncode == 2
    assert "cannot read the certificate and key" in done.stderr


def test_a_port_that_is_taken_is_said_by_its_flag(state: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = call("serve", "--port", "0", "--tls", "--tls-port", port, XDG_STATE_HOME=str(state))
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in done.stderr
    assert "--tls-port" in done.stderr


# The authority.


def test_ca_says_what_to_set_and_what_it_means(state: Path, trusted: str) -> None:
    said = call("ca", XDG_STATE_HOME=str(state)).stdout
    for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "javax.net.ssl.trustStore"):
        assert name in said
    assert "Anyone with the authority's key can sign for any host name" in said
    assert call("ca", "--pem", XDG_STATE_HOME=str(state)).stdout == Path(trusted).read_text()


@pytest.mark.skipif(not shutil.which("keytool"), reason="needs Java")
def test_java_takes_it_into_a_trust_store(trusted: str, state: Path, tmp_path: Path) -> None:
    said = call("ca", XDG_STATE_HOME=str(state)).stdout
    line = next(line for line in said.splitlines() if "keytool" in line)
    env = environment(**QUICK_JAVA)
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "trust.p12").exists()


def test_only_its_owner_reads_the_key(trusted: str) -> None:
    public = Path(trusted)
    assert stat.S_IMODE(public.with_name("authority-key.pem").stat().st_mode) == 0o600
    assert stat.S_IMODE(public.stat().st_mode) == 0o644
    assert b"PRIVATE" not in public.read_bytes()
    certificate = x509.load_pem_x509_certificate(public.read_bytes())
    assert certificate.not_valid_after_utc - datetime.now(UTC) > timedelta(days=3650)


def test_processes_that_start_together_have_one_authority(tmp_path: Path) -> None:
    variables = environment(XDG_STATE_HOME=str(tmp_path))
    command = [*COMMAND, "ca", "--pem"]
    started = [subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    said = {process.communicate()[0] for process in started}
    assert [process.returncode for process in started] == [0] * 6
    assert said == {(tmp_path / "payment-sandbox" / "authority.pem").read_text()}


def test_it_is_made_once_and_again_when_its_time_is_over(tmp_path: Path) -> None:
    made = authority(tmp_path, now_ms())
    assert authority(tmp_path, now_ms() + 9 * 365 * DAY_MS).certificate == made.certificate
    late = now_ms() + 11 * 365 * DAY_MS
    again = authority(tmp_path, late)
    assert again.certificate != made.certificate
    assert again.public.read_bytes() == again.certificate.public_bytes(Encoding.PEM)
    assert authority(tmp_path, late).certificate == again.certificate


def test_no_certificate_outlives_its_authority(tmp_path: Path) -> None:
    late = now_ms() + 3600 * DAY_MS
    made = authority(tmp_path, now_ms())
    with made.leaf((), late) as path:
        leaf = x509.load_pem_x509_certificate(Path(path).read_bytes())
    assert leaf.not_valid_after_utc == made.certificate.not_valid_after_utc
    assert not Path(path).exists()


def test_a_certificate_for_clients_that_was_lost_comes_back(tmp_path: Path) -> None:
    made = authority(tmp_path, now_ms())
    made.public.unlink()
    assert authority(tmp_path, now_ms()).certificate == made.certificate
    assert made.public.exists()


@pytest.mark.parametrize("text", [b"", b"nonsense"])
def test_a_file_that_holds_no_authority_is_left_alone(tmp_path: Path, text: bytes) -> None:
    (tmp_path / SECRET_FILE).write_bytes(text)
    with pytest.raises(Stop, match=r"authority-key\.pem is not a certificate authority"):
        authority(tmp_path, now_ms())
    assert (tmp_path / SECRET_FILE).read_bytes() == text


def test_a_key_of_another_certificate_is_no_authority(tmp_path: Path) -> None:
    ours, theirs = authority(tmp_path / "a", now_ms()), authority(tmp_path / "b", now_ms())
    key = ours.secret.read_bytes().partition(b"-----BEGIN CERTIFICATE")[0]
    ours.secret.write_bytes(key + theirs.public.read_bytes())
    with pytest.raises(Stop):
        authority(tmp_path / "a", now_ms())


def test_a_client_with_pythons_strictest_rules_trusts_it(sandbox: RunningSandbox, trusted: str) -> None:
    context = ssl.create_default_context(cafile=trusted)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    address = ("127.0.0.1", sandbox.ready["tls_port"])
    with socket.create_connection(address) as sock, context.wrap_socket(sock, server_hostname=NAME) as secure:
        assert secure.version() == "TLSv1.3"


def test_a_user_without_a_home_is_told_what_to_set(tmp_path: Path) -> None:
    program = "import os; from pathlib import Path; Path.home = lambda: (_ for _ in ()).throw(RuntimeError('no home'))"
    code = f"{program}\nfrom mock_server.cli import main; main(['ca'])"
    variables = {name: value for name, value in environment().items() if name != "XDG_STATE_HOME"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 2
    assert "XDG_STATE_HOME" in done.stderr
