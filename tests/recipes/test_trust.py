"""Each client of the guide's table trusts the authority by the setting of its row, and does not trust it without."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.architecture.sources import ROOT
from tests.running import QUICK_JAVA, RunningSandbox, environment

GUIDE: Final = (ROOT / "docs/how-to/answer-under-a-hard-wired-name.md").read_text("utf-8")
UNTESTED: Final = {".NET on Linux": "not on this machine", "WordPress": "needs a site"}
PYTHON: Final = "import urllib.request as r, sys; print(r.urlopen(sys.argv[1]).read().decode())"
REQUESTS: Final = "import requests, sys; print(requests.get(sys.argv[1]).text)"
RUBY: Final = "require 'net/http'; puts Net::HTTP.get(URI(ARGV[0]))"
PHP: Final = "echo file_get_contents($argv[1]);"
PHP_CURL: Final = "$c = curl_init($argv[1]); curl_setopt($c, CURLOPT_RETURNTRANSFER, true); echo curl_exec($c);"
NODE: Final = "fetch(process.argv[1]).then(answer => answer.text()).then(console.log)"
JAVA: Final = """import java.net.*;
class One { public static void main(String[] a) throws Exception {
  System.out.println(new String(new URL(a[0]).openStream().readAllBytes())); } }"""
GO: Final = """package main
import ("fmt"; "io"; "net/http"; "os")
func main() {
  r, e := http.Get(os.Args[1]); if e != nil { panic(e) }
  b, _ := io.ReadAll(r.Body); fmt.Println(string(b))
}"""


class Client(NamedTuple):
    """A row of the table: the program, what it is called with, and how it is told; `needs` is tried first."""

    command: tuple[str, ...]
    variable: str = ""
    options: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    source: tuple[str, str] = ("", "")


CLIENTS: Final = {
    "curl": Client(("curl", "-sS"), "CURL_CA_BUNDLE"),
    "Python (`ssl`, `urllib`, httpx)": Client((sys.executable, "-c", PYTHON), "SSL_CERT_FILE"),
    "Python's requests": Client(
        (sys.executable, "-c", REQUESTS), "REQUESTS_CA_BUNDLE", needs=(sys.executable, "-c", "import requests")
    ),
    "Ruby": Client(("ruby", "-e", RUBY), "SSL_CERT_FILE"),
    "PHP, streams": Client(("php", "-r", PHP), "SSL_CERT_FILE"),
    "PHP, curl": Client(
        ("php", "-r", PHP_CURL), options=("-d", "curl.cainfo={pem}"), needs=("php", "-r", "curl_init();")
    ),
    "Go": Client(("go", "run", "one.go"), "SSL_CERT_FILE", source=("one.go", GO)),
    "Node": Client(("node", "-e", NODE), "NODE_EXTRA_CA_CERTS"),
    "Java": Client(
        ("java", "One.java"), source=("One.java", JAVA),
        options=("-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStorePassword=changeit"),
    ),
}  # fmt: skip


def test_the_table_has_these_rows() -> None:
    part = GUIDE.split("## Make clients trust it")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|", part, re.MULTILINE))
    assert rows.keys() - {"Client", "---"} == {*CLIENTS, *UNTESTED}
    for name, client in CLIENTS.items():
        wanted = client.variable or client.options[0].lstrip("-d").partition("=")[0] or "curl.cainfo"
        assert wanted.removeprefix("D") in rows[name], name


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def address(state: Path) -> Iterator[str]:
    variables = {"PAYMENT_SANDBOX_TLS": "true", "PAYMENT_SANDBOX_TLS_PORT": "0", "XDG_STATE_HOME": str(state)}
    with RunningSandbox(variables=variables) as sandbox:
        yield f"https://localhost:{sandbox.ready['tls_port']}/_sandbox/readyz"


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_trusts_the_authority_by_its_setting_alone(
    name: str, address: str, state: Path, tmp_path: Path
) -> None:
    client = CLIENTS[name]
    program, *arguments = client.command
    if shutil.which(program) is None or (
        client.needs and subprocess.run(client.needs, capture_output=True, check=False).returncode
    ):
        pytest.skip(f"needs {program}, with what the row names")
    if client.source[0]:
        tmp_path.joinpath(client.source[0]).write_text(client.source[1])
    pem, store = state / "payment-sandbox/authority.pem", tmp_path / "trust.p12"
    if program == "java":
        named = ("-alias", "payment-sandbox", "-file", str(pem), "-keystore", str(store), "-storepass", "changeit")
        subprocess.run(
            ["keytool", "-importcert", "-noprompt", *named],
            env=environment(**QUICK_JAVA),
            check=True,
            capture_output=True,
        )
    told = [one.format(pem=pem, store=store) for one in client.options]

    def call(options: list[str], **variables: str) -> str:
        done = subprocess.run(
            [program, *options, *arguments, address], cwd=tmp_path, env=environment(**QUICK_JAVA, **variables),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout

    assert '"status":"ok"' not in call([])
    assert '"status":"ok"' in call(told, **({client.variable: str(pem)} if client.variable else {}))
