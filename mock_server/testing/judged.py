"""What a workspace says of its client, and what it makes of a receiver of webhooks: two methods of `Sandbox`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from mock_server.clock import SystemClock

if TYPE_CHECKING:
    from mock_server.testing.parts import SandboxParts
    from mock_server.verdict.judging import Verdict
    from mock_server.verdict.probing import Probed

TIMEOUT_S: Final = 30.0


def verdict(sandbox: SandboxParts) -> Verdict:
    """What is to be said of the client, by everything that this workspace has kept of it."""
    from mock_server.verdict.judging import judge

    return judge(sandbox.evidence(), base=sandbox.url)


def probe(
    sandbox: SandboxParts,
    receiver: Any,
    path: str = "/webhooks",
    *,
    state: Callable[[], object] | None = None,
    only: Sequence[str] = (),
    timeout: float = TIMEOUT_S,
) -> list[Probed]:
    """Holds a receiver of webhooks, a WSGI or ASGI app or an address, against forged, doubled and late events.

    They are made of the last event of a success; without one a payment is made. `state` tells how it stands.
    """
    from mock_server.testing.receivers import transport_to
    from mock_server.verdict import probing
    from mock_server.verdict.receiver import Receiver
    from mock_server.webhooks.transport_http import Network

    if not sandbox.webhooks.all("payment_succeeded"):
        sandbox.client.pay()
    event = json.loads(sandbox.webhooks.all("payment_succeeded")[-1].payload)
    near = not isinstance(receiver, str)
    at = f"http://testserver{path}" if near else receiver
    transport = transport_to(receiver) if near else Network(SystemClock().monotonic)
    known = Receiver(at, sandbox.webhooks.secret, event, transport, state, timeout_s=timeout, is_near=near)
    return probing.probe(known, only)
