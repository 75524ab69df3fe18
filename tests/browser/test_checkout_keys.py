"""Any page can show a form and send it messages: it takes no key with which a page could make workspaces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.merchant import Merchant
from tests.browser.shop import HEAD, Shop
from tests.counts import times
from tests.running import RunningSandbox

MESSAGES: Final = times(24, soak=1_000)
KEPT: Final = 2
"""How many workspaces the server keeps."""
KEYS: Final = (
    "snd_page_{n:08}", "pk_snd_page_{n:08}", "epk_01234567-89ab-4cde-8f01-{n:012}", "prd_page_{n:08}", "admin {n}",
    " snd_page_{n:08}", "epk_snd_page_{n:08}",
)  # fmt: skip
ATTACK: Final = """async ([base, keys]) => {
  const frame = document.createElement("iframe");
  frame.src = `${base}/checkout/frame`;
  document.body.append(frame);
  await new Promise(resolve => frame.addEventListener("load", resolve));
  const {port1, port2} = new MessageChannel(), open = [], said = [];
  port1.onmessage = event => {
    if (!event.data.answer) return;
    if (event.data.result.error) said.push(event.data.result.error.message);
    open.shift()();
  };
  const kind = "paymentMethodsManagement";
  frame.contentWindow.postMessage({checkout: "start", key: keys[0], kind, group: {}}, "*", [port2]);
  for (const [id, ephemeralKey] of keys.entries()) {
    port1.postMessage({do: "update", group: {ephemeralKey}});
    port1.postMessage({do: "load", id: id + 1});
    await new Promise(resolve => open.push(resolve));
  }
  return said;
}"""


@pytest.fixture(params=["memory", "data"])
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[RunningSandbox, Path | None]]:
    file = tmp_path / "data" if request.param == "data" else None
    variables = {"PAYMENT_SANDBOX_WORKSPACES": str(KEPT), "PAYMENT_SANDBOX_RATE_LIMIT": "0"}
    with RunningSandbox(variables={**variables, **({"PAYMENT_SANDBOX_DATA": str(file)} if file else {})}) as running:
        yield running, file


def kept_in(file: Path) -> int:
    return sum(one.stat().st_size for one in file.parent.iterdir())


def test_no_message_of_a_page_makes_or_evicts_a_workspace(
    context: BrowserContext, shop: Shop, sandbox: tuple[RunningSandbox, Path | None]
) -> None:
    running, file = sandbox
    keys = [KEYS[number % len(KEYS)].format(n=number) for number in range(MESSAGES)]
    shop.pages["/attack"] = f"{HEAD}<title>Attack</title><body></body>"
    with Merchant(running.base) as first, Merchant(running.base) as second:
        for one in (first, second):
            one.post("/payments", {"amount": 6540, "currency": "EUR", "profile_id": "pro_shop"})
        before: Any = first.get("/_sandbox/workspaces")
        size = kept_in(file) if file else 0
        page = context.new_page()
        page.goto(f"{shop.base}/attack")
        said = page.evaluate(ATTACK, [running.base, keys])
        page.close()
        after: Any = first.get("/_sandbox/workspaces")
        assert [one["merchant_id"] for one in after["data"]] == [one["merchant_id"] for one in before["data"]]
        assert not file or kept_in(file) == size
        assert len(said) >= MESSAGES, "each of them was refused"
        assert any("takes a publishable key" in one for one in said)
