"""The morning: a shop with a database and its sandbox go down and up, and yesterday's payment is refunded."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml

from tests.architecture.sources import ROOT
from tests.lasting.shop import call, order
from tests.running import RunningSandbox

GUIDE = ROOT / "docs" / "how-to" / "keep-your-payments.md"


class RememberingShop:
    """A shop that keeps its orders in a database, as the one of the tutorial would."""

    def __init__(self, path: Path, port: int) -> None:
        self.path = path
        self.port = port
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE IF NOT EXISTS orders (number INTEGER PRIMARY KEY, payment TEXT)")

    def sell(self, number: int) -> None:
        status, payment = call(self.port, "POST", "/payments", order(number), X_Idempotency_Key=f"order-{number}")
        assert (status, payment["status"]) == (200, "succeeded")
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute("INSERT INTO orders VALUES (?, ?)", (number, payment["payment_id"]))

    def refund(self, number: int) -> dict[str, Any]:
        with closing(sqlite3.connect(self.path)) as database:
            (payment_id,) = database.execute("SELECT payment FROM orders WHERE number = ?", (number,)).fetchone()
        body = {"payment_id": payment_id, "amount": order(number)["amount"]}
        status, refund = call(self.port, "POST", "/refunds", body, X_Idempotency_Key=f"refund-{number}")
        assert status == 200, refund
        return refund


def test_yesterdays_payment_is_refunded(tmp_path: Path) -> None:
    flags = ("--data", str(tmp_path / "payments.sqlite"))
    with RunningSandbox(*flags) as yesterday:
        RememberingShop(tmp_path / "orders.sqlite", yesterday.ready["port"]).sell(1)
    with RunningSandbox(*flags) as today:
        refund = RememberingShop(tmp_path / "orders.sqlite", today.ready["port"]).refund(1)
    assert (refund["status"], refund["amount"]) == ("succeeded", order(1)["amount"])


def test_the_guide_keeps_the_file_in_a_volume_that_down_leaves() -> None:
    """Every named volume of the compose file is declared, and the file that is said to last is in one."""
    found = re.search(r"```yaml\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    compose = yaml.safe_load(found[1])
    row = compose["services"]["payment-sandbox"]
    (volume, mounted), *_ = (mount.split(":") for mount in row["volumes"])
    assert volume in compose["volumes"]
    assert Path(row["environment"]["PAYMENT_SANDBOX_DATA"]).parent == Path(mounted)
    assert 'VOLUME ["/state"]' in (ROOT / "Dockerfile").read_text("utf-8")
    ours = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
    assert "state:/state" in ours["services"]["payment-sandbox"]["volumes"]
    assert "state" in ours["volumes"]
