"""Health checks of containers: they can send no header, so they work whatever limits who may call."""

from __future__ import annotations

import re
from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.operations import HEALTH
from tests.architecture.sources import ROOT, files
from tests.wire import wire

EXAMPLES: Final = ROOT / "examples"
PROBED: Final = {
    path.relative_to(EXAMPLES).as_posix(): sorted(found)
    for path in files()
    if EXAMPLES in path.parents and path.suffix in (".yaml", ".yml", ".cfg", ".mjs", ".py", ".js")
    if (found := set(re.findall(r"/_sandbox/(?:livez|readyz)", path.read_text("utf-8"))))
}
"""What our own manifests, proxies and scripts ask without a header of ours."""
LIMITS: Final[dict[str, dict[str, Any]]] = {
    "control_token": {"control_token": "hush"},
    "keys": {"keys": frozenset({"snd_the_only_one"})},
    "host": {"host": "sandbox.internal"},
    "public_url": {"public_url": "https://pay.example.test"},
    "allowed_hosts": {"allowed_hosts": ("tools.example",)},
    "control_origins": {"control_origins": ("http://ui.example:3000",)},
    "rate_limit": {"rate_limit": 1},
    "plain_headers": {"plain_headers": True},
}
"""Settings that limit who may call, or how often."""
HOSTS: Final = ("10.42.0.7:12190", "sandbox.shop.svc.cluster.local", "sandbox")
ALL: Final = {name: value for limit in LIMITS.values() for name, value in limit.items()}


def test_the_examples_ask_the_paths_that_are_open() -> None:
    assert {path for paths in PROBED.values() for path in paths} == HEALTH


@pytest.mark.parametrize("limit", [*LIMITS, "all"])
def test_a_health_check_without_any_header_of_ours(limit: str) -> None:
    api = wire(**(ALL if limit == "all" else LIMITS[limit])).as_key(None)
    for path, host, method in product(sorted(HEALTH), HOSTS, ("GET", "HEAD")):
        for _ in range(2):
            assert api.call(method, path, headers={"Host": host}).status == 200, (path, host)


@pytest.mark.parametrize("path", sorted(HEALTH))
def test_a_health_check_is_no_data_for_pages(path: str) -> None:
    reply = wire(control_token="hush").call("GET", path, headers={"Origin": "http://evil.example"})
    assert (reply.status, reply.error["code"]) == (403, "IR_22")


def test_the_guide_is_right_about_probes() -> None:
    guide = " ".join((EXAMPLES.parent / "docs/how-to/run-in-a-container.md").read_text("utf-8").split())
    assert "Probes need neither a token nor a known host name" in guide
    api = wire(control_token="hush", host="sandbox.internal").as_key(None)
    statuses = {api.call("GET", path, headers={"Host": "10.42.0.7:12190"}).status for path in HEALTH}
    assert statuses == {200}
    assert api.call("GET", "/_sandbox/journal", headers={"Host": "10.42.0.7:12190"}).status in (401, 403, 421)
