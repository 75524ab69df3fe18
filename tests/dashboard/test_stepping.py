"""A payment's page shows it after each change as a GET did at that moment, and where there is no copy, it says so."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.counts import times
from tests.dashboard.visitor import Visitor, count, said
from tests.wire import Wire, card_payment

CARDS: Final = (
    "visa_success",
    "visa_success",
    "visa_success",
    "visa_3ds_required",
    "visa_insufficient_funds",
    "visa_pending_succeeds",
    "visa_review",
)
METHOD: Final = {name: value for name, value in card_payment().items() if name.startswith("payment_")}
PATH: Final = "/payments/{id}"
CONTROL: Final = "/_sandbox/payments/{id}"
ACTS: Final[tuple[tuple[str, Any], ...]] = (
    (f"{CONTROL}/authenticate", {"result": "approved"}),
    (f"{CONTROL}/authenticate", {"result": "declined"}),
    (f"{CONTROL}/settle", {"as": "succeeded"}),
    (f"{CONTROL}/dispute", {"amount": 100}),
    ("/_sandbox/disputes/{dispute}/advance", {"to": "won"}),
    ("/disputes/evidence", {"dispute_id": "{dispute}", "uncategorized_text": "sent"}),
    (f"{PATH}/confirm", METHOD),
    (f"{PATH}/capture", {"amount_to_capture": 700}),
    (f"{PATH}/capture", {"amount_to_capture": 300}),
    (f"{PATH}/capture", {"amount_to_capture": 200}),
    (f"{PATH}/cancel", {}),
    (f"{PATH}/approve", {}),
    (PATH, {"metadata": {"seen": "{number}"}}),
    ("/refunds", {"payment_id": "{id}", "amount": 100, "metadata": {"seen": "{number}"}}),
    ("/refunds", {"payment_id": "{id}", "amount": 150}),
    ("/_sandbox/clock/advance", {"by": "90s"}),
    ("/_sandbox/clock/advance", {"by": "1s"}),
)


def filled(template: Any, **values: object) -> Any:
    """A path or a body with its values."""
    if isinstance(template, str):
        return re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), template)
    return {key: filled(value, **values) if isinstance(value, str | dict) else value for key, value in template.items()}


class Life:
    """A payment with random acts; `states` are its GETs after each act, which leave no copy of it."""

    def __init__(self, api: Wire, chance: random.Random, forgets: bool) -> None:
        self.api, self.chance, self.forgets = api, chance, forgets
        fields = {"capture_method": chance.choice(("automatic", "manual", "manual_multiple", "manual_multiple"))}
        made = api.pay(chance.choice(CARDS), confirm=chance.random() < 0.8, **fields)
        self.id = str(made["payment_id"])
        self.states = [self.look()]

    def look(self) -> dict[str, Any]:
        found: dict[str, Any] = self.api.get(f"/payments/{self.id}?expand_attempts=true").json
        del found["attempts"]
        return found

    def act(self, number: int) -> None:
        path, body = self.chance.choice(ACTS)
        disputes = self.states[-1]["disputes"] or [{"dispute_id": "dp_none"}]
        values = {"id": self.id, "dispute": disputes[-1]["dispute_id"], "number": number}
        self.api.post(filled(path, **values), filled(body, **values))
        if self.chance.random() < 0.1:
            self.api.get(f"/payments/{self.id}")
        now = self.look()
        self.states += [now] if now != self.states[-1] else []
        if self.forgets and self.chance.random() < 0.2:
            self.api.delete("/_sandbox/journal")


def steps_of(visitor: Visitor, payment: str) -> Iterator[dict[str, Any]]:
    """The payment after each change; empty where the page says that there is no copy."""
    changes = int(re.findall(r"</b> of (\d+)</h2>", visitor.read(f"payments/{payment}"))[0])
    for number in range(1, changes + 1):
        state = json.loads(visitor.read(f"payments/{payment}?step={number}&as=json"))
        page = visitor.read(f"payments/{payment}?step={number}") if number % 4 == 1 or not state else None
        if page is not None:
            assert said(page, "step") == str(number)
            assert (count(page, "whole"), count(page, "gap")) == ((1, 0) if state else (0, 1))
        yield state


@pytest.mark.parametrize("seed", range(298, 298 + times(8, soak=400)))
def test_each_step_is_what_a_get_said_then(api: Wire, seed: int) -> None:
    chance = random.Random(seed)
    life = Life(api, chance, forgets=seed % 2 == 1)
    for number in range(chance.randint(4, 24)):
        life.act(number)
    sent = [json.loads(event["payload"])["content"]["object"] for event in api.get("/_sandbox/webhooks")["data"]]
    at, is_after_gap, copies = -1, False, 0
    for state in steps_of(Visitor(api), life.id):
        if not state:
            is_after_gap = True
            continue
        copies += 1
        if state not in life.states and state in sent:  # one call made two changes
            continue
        assert state in life.states[max(at, 0) :], f"after {at}"
        found = life.states.index(state, max(at, 0))
        assert found <= at + 1 or is_after_gap, f"{found - at - 1} changes after {at} are passed over in silence"
        at, is_after_gap = found, False
    assert at == len(life.states) - 1
    assert copies > 1 or life.forgets or len(life.states) == 1


def test_a_life_after_a_restored_snapshot_has_its_steps(api: Wire) -> None:
    payment = api.pay("visa_3ds_required")["payment_id"]
    visitor = Visitor(api)
    name = f"steps_{visitor.place}"
    api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": "approved"})
    before = list(steps_of(visitor, payment))
    assert [one["status"] for one in before] == ["requires_action", "succeeded"]
    api.put(f"/_sandbox/snapshots/{name}")
    api.post(f"/_sandbox/snapshots/{name}/restore")
    assert list(steps_of(visitor, payment)) == before


def test_without_a_copy_it_is_said_what_the_call_left(api: Wire) -> None:
    """An answer with much metadata is kept in part: the journal has no copy of the payment then."""
    visitor = Visitor(api)
    payment = api.pay(confirm=False, metadata={str(number): "x" * 500 for number in range(45)})["payment_id"]
    for amount in (700, 800):
        api.post(f"/payments/{payment}", {"amount": amount})
    assert "The journal says what the call left: status requires_confirmation amount 700" in text_of(visitor, payment)
    paid = api.pay()["payment_id"]
    api.post("/refunds", {"payment_id": paid, "amount": 100})
    assert "The refund is in its event: status succeeded amount 1.00 USD" in text_of(visitor, paid)


def text_of(visitor: Visitor, payment: str) -> str:
    """What is said of the second change."""
    return said(visitor.read(f"payments/{payment}?step=2"), "state")


def test_what_changed_is_marked_and_named(api: Wire) -> None:
    visitor = Visitor(api)
    payment = api.pay(capture_method="manual")["payment_id"]
    api.post(f"/payments/{payment}/capture", {"amount_to_capture": 1000})
    page = visitor.read(f"payments/{payment}?step=2")
    assert said(page, "new-fields") == (
        'status "requires_capture" "partially_captured" amount_capturable 6540 0 amount_received null 1000'
    )
    assert re.findall(r'<li class="new"><b>(\w+)</b>', page) == ["status", "amount_capturable", "amount_received"]


def test_of_a_long_life_the_rows_around_each_change_are_shown(api: Wire) -> None:
    """The page stays small, and every change and every row can be come to."""
    visitor = Visitor(api)
    payment = api.pay(capture_method="manual_multiple")["payment_id"]
    for number in range(70):
        api.post(f"/payments/{payment}/capture", {"amount_to_capture": 1}) if number % 2 else api.get(
            f"/payments/{payment}"
        )
    whole = visitor.read(f"payments/{payment}?all=1")
    assert (
        count(visitor.read(f"payments/{payment}"), "row")
        < count(whole, "row")
        == int(said(visitor.read(f"payments/{payment}"), "part").split()[2])
    )
    for step in range(1, 37):
        page = visitor.read(f"payments/{payment}?step={step}")
        (row,) = re.findall(r'<li class="[^"]* current" data-testid="row">(.*?)</li>', page, re.DOTALL)
        assert f'href="?step={step}"' in row
        assert re.search(rf'href="\?step={step}"[^>]*\saria-current="step"', page), step
        assert re.search(r'data-testid="timeline">\s*<li[^>]*>\s*<h3 class="day-head">', page)
