"""Behind a proxy, the guard checks the browser's name for this server, and believes nobody else about it."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

import pytest

from mock_server.front import serve
from mock_server.http.asked import host_of, scheme_of
from mock_server.sandbox import build
from mock_server.settings import Settings, load
from mock_server.settings.table import EVERYWHERE, PROXIES
from tests.lasting import balancer
from tests.running import until

INNER: Final = "sandbox.payments.internal"
FOREIGN: Final = "evil.example"
TRUSTED: Final = ("127.0.0.1/32",)
NGINX: Final = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
LIES: Final = {
    "X-Forwarded-Host": "localhost", "X-Forwarded-Proto": "https", "X-Sandbox-Passed-On": "https 127.0.0.1 00",
    "Forwarded": "host=localhost", "X-Real-IP": "127.0.0.1",
}  # fmt: skip
"""What a page on a foreign name could send of itself."""


# which word is believed


@pytest.mark.parametrize(
    ("given", "networks"),
    [
        ("true", EVERYWHERE),
        ("off", ()),
        ("10.0.0.5", ("10.0.0.5/32",)),
        ("10.0.0.0/24, fd00::/8", ("10.0.0.0/24", "fd00::/8")),
    ],
)
def test_the_setting_takes_addresses(given: str, networks: tuple[str, ...]) -> None:
    assert PROXIES.read(given) == networks
    assert PROXIES.read(PROXIES.show(networks)) == networks


@pytest.mark.parametrize("given", ["proxy.example", "10.0.0.1/24", "10.0.0", "10.0.0.5:80"])
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(ValueError):
        PROXIES.read(given)


@pytest.mark.parametrize(
    ("trust", "peer", "is_believed"),
    [
        ((), "10.0.0.5", False),
        (EVERYWHERE, "10.0.0.5", True),
        (EVERYWHERE, "::1", True),
        (EVERYWHERE, "", True),
        (("10.0.0.0/24",), "10.0.0.5", True),
        (("10.0.0.0/24",), "::ffff:10.0.0.5", True),
        (("10.0.0.0/24",), "10.0.1.5", False),
        (("10.0.0.0/24",), "", False),
        (("fd00::/8",), "fd00::1", True),
        (("fd00::/8",), "10.0.0.5", False),
    ],
)
def test_a_proxy_is_believed_by_its_address(trust: tuple[str, ...], peer: str, is_believed: bool) -> None:
    environ = {
        "HTTP_HOST": INNER, "wsgi.url_scheme": "http", "REMOTE_ADDR": peer,
        "HTTP_X_FORWARDED_HOST": f"{FOREIGN}, Shop.Localhost", "HTTP_X_FORWARDED_PROTO": "https",
    }  # fmt: skip
    settings = Settings(trust_proxy=trust)
    expected = ("shop.localhost", "https") if is_believed else (INNER, "http")
    assert (host_of(environ, settings), scheme_of(environ, settings)) == expected


SPELLED: Final = ("10.0.0.5", "::ffff:10.0.0.5", "::FFFF:10.0.0.5")
"""One address, as a setting may say it, and as sockets of either kind say it."""


@pytest.mark.parametrize("said", [*SPELLED, "10.0.0.0/24", "10.0.0.1, ::ffff:10.0.0.5", "true"])
@pytest.mark.parametrize("peer", SPELLED)
def test_an_address_is_one_however_it_is_spelled(said: str, peer: str) -> None:
    settings = load({"trust_proxy": said}, {}, lambda path: "").settings
    environ = {
        "HTTP_HOST": INNER,
        "wsgi.url_scheme": "http",
        "REMOTE_ADDR": peer,
        "HTTP_X_FORWARDED_HOST": "shop.localhost",
    }
    assert host_of(environ, settings) == "shop.localhost"
    assert host_of({**environ, "REMOTE_ADDR": "10.0.1.6"}, settings) == ("shop.localhost" if said == "true" else INNER)


@pytest.mark.parametrize("trust", [(), EVERYWHERE])
def test_without_a_word_of_the_proxy_the_request_counts(trust: tuple[str, ...]) -> None:
    environ = {"HTTP_HOST": "Shop.Example", "wsgi.url_scheme": "http", "REMOTE_ADDR": "10.0.0.5"}
    settings = Settings(trust_proxy=trust)
    assert (host_of(environ, settings), scheme_of(environ, settings)) == ("shop.example", "http")


HOSTS: Final = (
    "shop.localhost", "Shop.Localhost:8443", "pay_1", "127.0.0.1:65535", "[::1]", "[::ffff:10.0.0.1]:8", "sandbox.",
    "x:",
)  # fmt: skip
BAD_HOSTS: Final = (
    "a b", "a.example/x", "u@x.example", "x:65536", "x:99999", "x:8a", "x:-1", "p\u00e4y.example",
    "p\u00c3\u00a4y.example", "::1", "[::1", "[x]", "[]", ":80", "a\\b", "a?b", "a#b", "a<b", "a\"b", "a'b", "a%2fb",
    "a;b", "a\u00a0b", "javascript:alert(1)", "a:1:2", "{{host}}", "$host",
)  # fmt: skip
BAD_SCHEMES: Final = ("javascript", "file", "ftp", "wss", "http://", "https:", "a b", "http s", "\u00fc", "$scheme")


def begins(server: str, headers: dict[str, str]) -> tuple[int, str]:
    """The status of a create on a page of ours, and how its link begins."""
    body = {"amount": 100, "currency": "EUR", "profile_id": "pro_shop", "payment_link": True}
    connection = http.client.HTTPConnection(server)
    own = {"Host": "localhost", "api-key": "snd_proxies_1", "Content-Type": "application/json", **headers}
    connection.request("POST", "/payments", json.dumps(body), {n: v.encode("latin-1") for n, v in own.items()})
    answer = connection.getresponse()
    made = json.loads(answer.read())
    connection.close()
    said = made["error"]["message"] if answer.status >= 400 else made["payment_link"]["link"]
    return answer.status, said.partition("/payment_link")[0]


def test_a_host_is_a_host_wherever_it_is_said() -> None:
    """Every spelling in `Host`, and in what a believed proxy says; nobody else's word is read."""
    wrong = []
    with serve(build(Settings(trust_proxy=TRUSTED)), "127.0.0.1", 0) as server:
        at = f"127.0.0.1:{server.port}"
        rows = [(name, host) for name in ("Host", "X-Forwarded-Host") for host in (*HOSTS, *BAD_HOSTS)]
        for name, host in rows:
            wanted = (200, f"http://{host.lower()}") if host in HOSTS else (400, "The request is not valid HTTP: ")
            status, said = begins(at, {name: host})
            if status != wanted[0] or not said.lower().startswith(wanted[1].lower()):
                wrong.append((name, host, status, said))
        for scheme in ("http", "HTTPS", "https", *BAD_SCHEMES):
            is_one = scheme not in BAD_SCHEMES
            status, said = begins(at, {"X-Forwarded-Proto": scheme})
            if status != (200 if is_one else 400) or (is_one and said != f"{scheme.lower()}://localhost"):
                wrong.append(("X-Forwarded-Proto", scheme, status, said))
    with serve(build(Settings()), "127.0.0.1", 0) as server:
        at = f"127.0.0.1:{server.port}"
        assert begins(at, {"X-Forwarded-Host": "a b", "X-Forwarded-Proto": "javascript"}) == (200, "http://localhost")
    assert wrong == []


# Traefik: the headers that it sets itself, as its manual lists them ("Forwarded Headers"); it has removed a client's.


@pytest.mark.parametrize(("called", "status"), [("localhost", 200), ("pay.localhost:8443", 200), (FOREIGN, 403)])
@pytest.mark.parametrize("host", [INNER, "as called"])
def test_behind_traefik(called: str, status: int, host: str) -> None:
    with serve(build(Settings(trust_proxy=TRUSTED)), "127.0.0.1", 0) as server:
        sent = {
            "Host": called if host == "as called" else host, "X-Forwarded-For": "192.0.2.7",
            "X-Forwarded-Host": called, "X-Forwarded-Port": "443", "X-Forwarded-Proto": "https",
            "X-Forwarded-Server": "traefik-7c", "X-Real-Ip": "192.0.2.7",
        }  # fmt: skip
        assert asked(f"127.0.0.1:{server.port}", sent) == status


# the others, as they are installed


@contextmanager
def nginx(port: int, folder: Path) -> Iterator[str]:
    """nginx in front of a server under a name with dots, as its manual has it with the two headers."""
    assert NGINX is not None
    (own,) = balancer.addresses(1)
    folder.joinpath("nginx.conf").write_text(f"""
        daemon off; master_process off; pid {folder}/pid; error_log {folder}/log;
        events {{ }}
        http {{
          access_log off; client_body_temp_path {folder}/1; proxy_temp_path {folder}/2;
          fastcgi_temp_path {folder}/3; uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
          upstream {INNER} {{ server 127.0.0.1:{port}; }}
          server {{
            listen {own};
            location / {{
              proxy_pass http://{INNER};
              proxy_set_header X-Forwarded-Host $http_host;
              proxy_set_header X-Forwarded-Proto $scheme;
            }}
          }}
        }}
    """)
    command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "log")]
    process = subprocess.Popen(command)
    try:
        yield own
    finally:
        process.terminate()
        process.wait()


@contextmanager
def haproxy(port: int, folder: Path) -> Iterator[str]:
    """HAProxy as the examples have it."""
    with balancer.balanced(*[f"127.0.0.1:{port}"] * 3) as made:
        yield f"127.0.0.1:{made.port}"


def asked(place: str, headers: dict[str, str], path: str = "/_sandbox/version") -> int:
    """The status; 0 while nobody listens there."""
    connection = http.client.HTTPConnection(place)
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    except ConnectionError:
        return 0
    finally:
        connection.close()


Front = Callable[[int, Path], AbstractContextManager[str]]
FRONTS: Final = [
    pytest.param(nginx, marks=pytest.mark.skipif(NGINX is None, reason="nginx is not installed")),
    pytest.param(haproxy, marks=pytest.mark.skipif(balancer.PROGRAM is None, reason=balancer.MISSING)),
]


@pytest.mark.parametrize("front", FRONTS)
def test_the_browsers_name_counts_behind_a_proxy(front: Front, tmp_path: Path) -> None:
    with serve(build(Settings(trust_proxy=TRUSTED)), "127.0.0.1", 0) as server, front(server.port, tmp_path) as place:
        until(lambda: asked(place, {}, "/_sandbox/livez") == 200)
        assert asked(place, {"Host": "localhost"}) == 200
        assert asked(place, {"Host": "pay.localhost:8443"}) == 200
        assert asked(place, {"Host": FOREIGN}) == 403
        assert asked(place, {"Host": FOREIGN, **LIES}) == 403


@pytest.mark.parametrize("front", FRONTS)
def test_without_trust_the_host_counts(front: Front, tmp_path: Path) -> None:
    with serve(build(Settings()), "127.0.0.1", 0) as server, front(server.port, tmp_path) as place:
        until(lambda: asked(place, {}, "/_sandbox/livez") == 200)
        inner = 403 if front is nginx else 200  # nginx calls by the name with dots, which is none of this server's
        assert asked(place, {"Host": "localhost"}) == inner
        assert asked(place, {"Host": FOREIGN, **LIES}) == 403
