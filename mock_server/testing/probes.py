"""The probe of a webhook receiver, for tests: an app of this process, or an address."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mock_server.clock import SystemClock
from mock_server.testing.receivers import transport_to
from mock_server.verdict.probing import TIMEOUT_S, Probed, Receiver, probe
from mock_server.webhooks.transport_http import Network

if TYPE_CHECKING:
    from mock_server.testing.sandbox import Sandbox


def probe_of(
    sandbox: Sandbox,
    receiver: Any,
    path: str = "/webhooks",
    *,
    state: Callable[[], object] | None = None,
    only: Sequence[str] = (),
    timeout: float = TIMEOUT_S,
    payment_id: str | None = None,
) -> list[Probed]:
    """Holds a receiver against every case, with the last event of a success in the workspace; else one is made."""
    told = sandbox.webhooks.all("payment_succeeded", payment_id=payment_id)
    if not told:
        sandbox.client.pay()
        told = sandbox.webhooks.all("payment_succeeded")
    is_near = not isinstance(receiver, str)
    url = f"http://testserver{path}" if is_near else receiver
    transport = transport_to(receiver) if is_near else Network(SystemClock().monotonic)
    event = json.loads(told[-1].payload)
    return probe(
        Receiver(url, sandbox.webhook_secret, event, transport, state, timeout_s=timeout, is_near=is_near), only
    )
