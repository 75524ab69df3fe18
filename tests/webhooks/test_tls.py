"""HTTPS: a receiver is believed if the machine believes its certificate."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import Unanswered, Wire
from mock_server.webhooks.transport_http import Network
from tests.webhooks.receivers import Receiver, receiver_over_tls

HEADERS: Headers = (("Content-Type", "application/json"),)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that nobody signed but itself, with its key in the same file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed: HTTPS receivers are not tested")
    path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(path), "-out", f"{path}.crt"]
    subprocess.run(command, check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


def url_of(receiver: Receiver) -> str:
    return f"https://localhost:{receiver.port}/hook"


def test_one_that_nobody_knows_is_not_believed(certificate: Path) -> None:
    refused = pytest.raises(Unanswered, match=r"TLS failed: self.signed certificate")
    with receiver_over_tls(certificate) as receiver, refused:
        Network(time.monotonic).send(url_of(receiver), b"{}", HEADERS, 5.0, Wire())
    assert receiver.requests == []


def test_one_that_the_machine_knows_is(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SSL_CERT_FILE is OpenSSL's own way to say whom to believe; a container sets it."""
    monkeypatch.setenv("SSL_CERT_FILE", f"{certificate}.crt")
    network = Network(time.monotonic)
    with receiver_over_tls(certificate) as receiver:
        for _ in range(2):
            assert network.send(url_of(receiver), b"{}", HEADERS, 5.0, Wire()).status == 200
    assert receiver.connections == [1, 1]
