"""What a health check sees of the flags that the container's first process was given."""

from __future__ import annotations

from pathlib import Path

import pytest

from mock_server.cli import asking


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        ("/opt/bin/python /opt/bin/payment-sandbox serve --port 8080", {"port": "8080"}),
        ("payment-sandbox serve --port=8080 --scenario a --scenario b", {"port": "8080", "scenario": "a,b"}),
        ("/sbin/docker-init -- payment-sandbox serve --config /c.yaml --trust-proxy",
         {"config": "/c.yaml", "trust_proxy": "true"}),
        ("payment-sandbox --port 8080", {"port": "8080"}),
        ("payment-sandbox serve", {}),
        ("payment-sandbox wait --timeout 3s", {}),
        ("/sbin/init splash", {}),
        ("payment-sandbox", {}),
    ],
)  # fmt: skip
def test_flags_of_the_first_process(command: str, flags: dict[str, str], tmp_path: Path) -> None:
    told = tmp_path / "cmdline"
    told.write_bytes(b"".join(word.encode() + b"\0" for word in command.split()))
    assert asking.flags_of_first_process(told) == flags


def test_a_system_that_does_not_tell_has_no_flags(tmp_path: Path) -> None:
    assert asking.flags_of_first_process(tmp_path / "cmdline") == {}
