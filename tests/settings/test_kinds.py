"""Reading one value (the spellings are named in the settings' reference)."""

from __future__ import annotations

import contextlib
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.addresses import is_address
from mock_server.http.asked import is_own_host
from mock_server.settings import ROWS, SettingRow, Settings, duration_ms
from mock_server.settings import table as k
from mock_server.settings.durations import show_duration
from mock_server.webhooks.planning import is_allowed


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("250ms", 250),
        ("30s", 30_000),
        ("15m", 900_000),
        ("24h", 86_400_000),
        ("30d", 2_592_000_000),
        ("900", 900_000),
        ("1.5s", 1_500),
        ("0", 0),
        ("30 s", 30_000),
    ],
)
def test_durations(text: str, ms: int) -> None:
    assert duration_ms(text) == ms


@pytest.mark.parametrize(
    "text", ["", "s", "-1s", "1w", "1h30m", "1e3", "٣s", "1,5s", " 30s", "30s ", "inf", "0x10", "9" * 400]
)
def test_no_durations(text: str) -> None:
    with pytest.raises(ValueError):
        duration_ms(text)


FAR_OUT: Final = (
    "9" * 400,
    "9" * 5_000,
    "9" * 400 + "d",
    "9" * 400 + "MiB",
    "1e999",
    "\0",
    "\ud800",
    "٣" * 9,
    "a," * 9_999,
)


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_every_setting_is_read_or_refused(row: SettingRow) -> None:
    for text in FAR_OUT:
        with contextlib.suppress(ValueError):
            row.kind.read(text)


@given(st.integers(0, 10**14))
def test_a_shown_duration_reads_the_same(ms: int) -> None:
    assert duration_ms(show_duration(ms)) == ms


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (k.YES_OR_NO, "true", True),
        (k.YES_OR_NO, "OFF", False),
        (k.YES_OR_NO, "1", True),
        (k.PORT, "0", 0),
        (k.PORT, "65535", 65_535),
        (k.SIZE, "65536", 65_536),
        (k.SIZE, "8MiB", 8 << 20),
        (k.SIZE, "512KiB", 512 << 10),
        (k.URL, "https://pay.example.test/", "https://pay.example.test"),
        (k.URL, "pay.example.test:8080/", "http://pay.example.test:8080"),
        (k.URL, "http://[::1]:8080/base", "http://[::1]:8080/base"),
        (k.TARGET, "http://localhost:9/hook/?a=1", "http://localhost:9/hook/?a=1"),
        (k.NAMES, "a, b,,c\n# not d\ne", ("a", "b", "c", "e")),
        (k.ORIGINS, "http://LocalHost:3000/,https://a.test", ("http://localhost:3000", "https://a.test")),
        (k.HOSTS, "Hooks.Example.test, b", ("hooks.example.test", "b")),
        (k.KEYS, "snd_first_key # the first\nsnd_second_key\n", ("snd_first_key", "snd_second_key")),
        (k.real_time(0, 60_000), "250ms", 0.25),
        (k.workspace_time(0, 60_000), "1m", 60_000),
        (k.choice("a", "b"), "b", "b"),
    ],
)
def test_values(kind: k.SettingKind[Any], text: str, value: object) -> None:
    assert kind.read(text) == value


HOSTS: Final = (
    *("127.0.0.1", "::1", "localhost", "my_app", "hooks.example.test", "xn--bcher-kva.test", "a.test."),
    *("*", "*.test", "*.localhost", "a.*", "a.test:9000", "127.0.0.1:9", "[::1]", "[::1]:9", "::1:x", "a..test", ".a"),
    *("http://a.test", "a.test/hook", "a.test?b", "b@a.test", "a b", "a\\b", "300.1.1.1.1:", "%41.test"),
)


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_that_is_accepted_is_met_by_some_address(host: str) -> None:
    """And one that none has is refused: it would allow nothing, silently."""
    url = f"http://[{host}]/" if host.count(":") > 1 else f"http://{host}/"
    is_one = is_address(url) and "*" not in host
    assert (is_one and is_allowed(url, (host,))) or not accepts("webhook_hosts", host)
    assert accepts("webhook_hosts", host) or host not in HOSTS[:6]
    is_own = "*" not in host and is_own_host(host, Settings(allowed_hosts=(host,)))
    assert is_own or not accepts("allowed_hosts", host)
    assert accepts("control_origins", url) is (is_one and urlsplit(url).path == "/" and not set("?#") & set(url))


def accepts(name: str, text: str) -> bool:
    try:
        return bool(ROWS[name].kind.read(text))
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (k.YES_OR_NO, "maybe"),
        (k.PORT, "65536"),
        (k.PORT, "-1"),
        (k.PORT, "1.0"),
        (k.PORT, "80 "),
        (k.PORT, "٣"),
        (k.COUNT, "0"),
        (k.COUNT, "9" * 5_000),
        (k.SIZE, "1023"),
        (k.SIZE, "2GiB"),
        (k.SIZE, "1MB"),
        (k.URL, "mailto:pay.example.test"),
        (k.URL, "ftp://a.test"),
        (k.URL, "http://a.test/?q=1"),
        (k.URL, "http://[::1"),
        (k.TARGET, "/hook"),
        (k.ORIGINS, "http://a.test/path"),
        (k.HOSTS, "http://a.test"),
        (k.real_time(1, 60_000), "0"),
        (k.workspace_time(0, 60_000), "61s"),
        (k.choice("a", "b"), "c"),
    ],
)
def test_refused_values(kind: k.SettingKind[Any], text: str) -> None:
    with pytest.raises(ValueError):
        kind.read(text)


@pytest.mark.parametrize("row", [row for row in ROWS.values() if row.default is not None], ids=lambda row: row.name)
def test_every_shown_default_reads_as_the_default(row: SettingRow) -> None:
    assert row.kind.read(row.shown_default()) == row.default
