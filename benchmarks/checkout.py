"""How long a shop's page takes to its form, beside a stub that only draws inputs: `python -m benchmarks.checkout`.

Medians in ms from the page's navigation until the form is ready, in one Chromium, the three in turns.
"""

from __future__ import annotations

import statistics
import sys
from typing import Final

from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import FLAGS, executable
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant
from tests.browser.shop import HEAD, Shop
from tests.browser.till import Till
from tests.running import RunningSandbox

RUNS: Final = 20
STUB: Final = f"""{HEAD}<title>Stub</title><div id="here"></div><script>
for (const name of ["cardnumber", "exp-date", "cvc"]) {{
  document.getElementById("here").append(Object.assign(document.createElement("input"), {{name}}));
}}
requestAnimationFrame(() => {{ window.took = performance.now(); }});
</script>"""
WATCH: Final = """
const look = () => {
  if (window.events?.some(event => event[1] === "ready")) window.took = performance.now();
  else if (!window.took) requestAnimationFrame(look);
};
if (top === window) look();
"""
"""Looks with each picture that the browser draws, as the stub does."""


def took(page: Page) -> float:
    page.wait_for_function("() => window.took")
    return float(page.evaluate("() => took"))


def main() -> None:
    """Measures and prints."""
    found: dict[str, list[float]] = {"stub": [], "card": [], "payment": []}
    with (
        RunningSandbox(variables={"PAYMENT_SANDBOX_RATE_LIMIT": "0"}) as sandbox,
        Merchant(sandbox.base) as merchant,
        Shop() as shop,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
        page = browser.new_page()
        page.add_init_script(WATCH)
        till = Till(shop, merchant, Customer(page), sandbox.base)
        shop.pages["/stub"] = STUB
        till.order()
        for _ in range(RUNS + 1):
            page.goto(f"{shop.base}/stub")
            found["stub"].append(took(page))
            for kind in ("card", "payment"):
                till.open(kind, waits=False)
                found[kind].append(took(page))
        browser.close()
    for name, times in found.items():  # the first of each fills the browser's cache
        sys.stdout.write(f"{name}: {statistics.median(times[1:]):.0f} ms\n")


if __name__ == "__main__":
    main()
