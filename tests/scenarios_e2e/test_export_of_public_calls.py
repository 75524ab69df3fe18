"""What a client of the public API did is exported as a story that runs, though stories are in the interface's words.

Every method, and every field of a payment's creation with each kind of value that only that dialect takes too; and the
tests, in a run whose sandboxes have either dialect.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.methods import public_words
from mock_server.testing.sandbox import Sandbox
from tests.api.paying import EXPECTED
from tests.counts import times
from tests.dialects.public_values import SCHEMAS, kinds, parts
from tests.exported import run_exported
from tests.openapi.agreeing import Disagreement
from tests.wire import Reply, Wire, card_payment, wire

ADDRESS: Final = {"country": "DE", "city": "Ulm", "line1": "Platz 1", "zip": "89073", "last_name": "Doe"}
CUSTOMER: Final = {"email": "jo@example.com", "billing": {"address": ADDRESS, "email": "jo@example.com"}}
PAYS: Final = {"amount": 6540, "currency": "EUR", "return_url": "https://shop.example.com/", "confirm": True}
CARD: Final = {name: value for name, value in card_payment().items() if name.startswith("payment_method")}
METHODS: Final = {public_words(*pair): row.data for pair, row in EXPECTED.items()}
ONLY_THERE: Final = ("country_code", "currency", "payment_method", "payment_method_type")
"""Fields whose value the interface can refuse, as the export then says: nothing else would be meant."""


def exported(api: Wire, payment: Reply, form: str = "application/json") -> Reply:
    """The export; as JSON, a header says whether it was verified."""
    return api.get(f"/_sandbox/payments/{payment['payment_id']}/export", Accept=form)


def emptied(value: Any) -> Any:
    """A value whose texts are empty."""
    if isinstance(value, dict):
        return {name: emptied(inner) for name, inner in value.items()}
    return "" if isinstance(value, str) else value


def values() -> Iterator[tuple[str, Any]]:
    """Every field of a creation with each kind of value, and with empty texts."""
    for name, schema in parts(SCHEMAS["PaymentsCreateRequest"])[0].items():
        for value in kinds(schema, name):
            yield from ((name, value), (name, emptied(value)))


@pytest.mark.parametrize("method", list(METHODS)[:: times(11, soak=1)], ids="-".join)
@pytest.mark.parametrize("dialect", ["interface", "hyperswitch"])
def test_an_exported_test_passes_where_sandboxes_have_any_dialect(
    payment_sandbox: Sandbox, method: tuple[str, str], dialect: str
) -> None:
    named = dict(zip(("payment_method", "payment_method_type"), method, strict=True))
    api = wire(dialect=HYPERSWITCH)
    made = api.post("/payments", {**PAYS, **CUSTOMER, **named, "payment_method_data": METHODS[method]})
    source = exported(api, made, "text/x-python").raw.decode()
    assert "\nVerified: " in source, source
    assert f"def test_replay_{made['payment_id']}(" in source
    run_exported(source, payment_sandbox, dialect)
    records = (api.get("/_sandbox/records/payments")["data"], payment_sandbox.control.get("/records/payments")["data"])
    assert len({(row["status"], row["amount"], row["payment_method"]) for found in records for row in found}) == 1


def test_an_export_runs_whatever_the_public_dialect_took() -> None:
    server, wrong, seen = wire(dialect=HYPERSWITCH), [], 0
    for number, (name, value) in enumerate(list(values())[:: times(150, soak=1)]):
        api = server.as_key(f"snd_taken_there_{number:04}")
        api.post("/customers", {"customer_id": "cus_1"})
        try:
            made = api.post("/payments", {**PAYS, **CARD, "customer_id": "cus_1", name: value})
        except Disagreement:  # an answer that the public API does not give: unread fields, as they were sent
            continue
        if made.status != 200:
            continue
        seen += 1
        said = exported(api, made).headers["X-Sandbox-Verified"]
        if not said.startswith("verified") and not any(f"{one}: " in said for one in ONLY_THERE):
            wrong.append((name, value, said))
    assert not wrong, (len(wrong), wrong[:3])
    assert seen
