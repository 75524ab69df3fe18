"""Each button ends in the same state as the control call that it says it is."""

from __future__ import annotations

import re
import shlex
import uuid
from typing import Any, Final, NamedTuple

import pytest

from mock_server.dashboard.acting import DOES
from mock_server.engine.payments.settle import EXPIRES
from tests.dashboard.test_pages import SCENARIO, keep
from tests.dashboard.visitor import HOME, Visitor, count, said, text
from tests.wire import Wire, wire

BROKEN: Final = "version: 1\nname: rules\nrules:\n  - on: charge\n    then: {declin: lost_card}\n"


class Button(NamedTuple):
    """A button: its page, its fields, and where its state is read; `pay` is the card of the payment before it."""

    do: str
    page: str
    fields: dict[str, str]
    state: str
    pay: str = "visa_success"


PAYMENT: Final = "/payments/{payment}"
FAILED: Final = {"body.type": "payment_failed"}
DECLINES_NEXT: Final = {"body.on": "charge", "body.then.decline": "lost_card"}
SETTLES: Final = "visa_pending_succeeds"
BUTTONS: Final = (
    Button("authenticate", "payments/{payment}", {"body.result": "approved"}, PAYMENT, "visa_3ds_required"),
    Button("settle", "payments/{payment}", {"body.as": "failed", "body.amount:whole": ""}, PAYMENT, SETTLES),
    Button("fail", "payments/{payment}", {"body.decline": "lost_card"}, PAYMENT, "visa_pending_succeeds"),
    Button("expire", "payments/{payment}", {"body.what": "customer"}, PAYMENT, "visa_3ds_required"),
    Button("hold", "payments/{payment}", {}, PAYMENT, "visa_pending_succeeds"),
    Button("dispute", "payments/{payment}", {"body.reason": "duplicate", "body.amount:whole": "100"}, "/disputes/list"),
    Button("clock_freeze", "clock", {"body.at": "2026-03-02T11:00:00Z"}, "/_sandbox/clock"),
    Button("clock_advance", "clock", {"body.by": "24h"}, "/_sandbox/clock"),
    Button("clock_resume", "clock", {}, "/_sandbox/clock"),
    Button("put_scenario", "scenarios/rules", {"arg.name": "rules", "text": SCENARIO}, "/_sandbox/scenarios/rules"),
    Button("activate_scenario", "scenarios", {"arg.name": "flaky_1_percent"}, "/_sandbox/scenarios"),
    Button("put_next", "queue", {**DECLINES_NEXT, "body.times:whole": "2"}, "/_sandbox/next"),
    Button("put_next", "queue", {"body.on": "charge", "body.then:json": '{"challenge": "approved"}'}, "/_sandbox/next"),
    Button("set_webhook_target", "webhooks", {"body.url": "http://127.0.0.1:9/x"}, "/_sandbox/webhooks/target"),
    Button("trigger_webhook", "webhooks", {**FAILED, "body.object_id": "{payment}"}, "/events/list"),
    Button("forget_journal", "journal", {}, "/_sandbox/journal"),
)  # fmt: skip


def filled(value: str, payment: str) -> str:
    return value.replace("{payment}", payment)


def workspace(server: Wire, button: Button) -> tuple[Wire, str]:
    """A workspace in which a payment waits, the same each time but for its key."""
    api = server
    api.post("/_sandbox/clock/freeze", {"at": "2026-03-02T10:00:00Z"})
    return api, str(api.pay(button.pay, payment_id="pay_the_same")["payment_id"])


@pytest.mark.parametrize("button", BUTTONS, ids=lambda button: button.do)
def test_a_button_does_what_its_command_does(button: Button) -> None:
    """The command is taken from the page that the button's press leads to, and run in a twin of the workspace."""
    by_button, by_command = wire(), wire()
    api, payment = workspace(by_button, button)
    visitor = Visitor(api)
    fields = {name: filled(value, payment) for name, value in button.fields.items()}
    if button.page.startswith("payments/"):
        fields["arg.payment_id"] = payment
    reply = visitor.send(filled(button.page, payment), {"do": f"control.{button.do}", **fields})
    assert reply.status == 200, text(reply)
    twin, _ = workspace(by_command, button)
    run(twin, command_of(text(reply)), fields.get("text"))
    assert state(api, filled(button.state, payment)) == state(twin, filled(button.state, payment))


def command_of(page: str) -> str:
    notice = page[page.index('data-testid="notice"') :]
    return said(notice.replace("<code>", '<code data-testid="command">'), "command") if "<code>" in notice else ""


def run(api: Wire, command: str, body: str | None) -> None:
    """Runs a command without a shell."""
    parts = shlex.split(command)
    url = next(part for part in parts if part.startswith("http"))
    method = parts[parts.index("-X") + 1] if "-X" in parts else "GET"
    raw = (
        body.encode()
        if "--data-binary" in parts and body
        else parts[parts.index("-d") + 1].encode()
        if "-d" in parts
        else b""
    )
    kind = "application/yaml" if "--data-binary" in parts else "application/json"
    answer = api.call(method, url.removeprefix("http://localhost"), raw=raw, headers={"Content-Type": kind})
    assert answer.status == 200, (command, answer.raw)


VOLATILE: Final = frozenset({"now", "request_id", "took_ms", "made_at"})


def state(api: Wire, path: str) -> Any:
    """What a call that looks says, without what real time makes of it."""
    return plain(api.get(path).json)


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items() if name not in VOLATILE}
    return [plain(one) for one in value] if isinstance(value, list) else value


WAITING: Final = {
    "visa_3ds_required": {},
    "visa_pending_succeeds": {},
    "visa_review": {},
    "visa_success": {},
    "visa_insufficient_funds": {},
    "mastercard_success": {"capture_method": "manual"},
}


@pytest.mark.parametrize("card", WAITING)
def test_what_a_payment_offers_can_be_done(server: Wire, card: str) -> None:
    for name, action in ACTIONS.items():
        visitor = Visitor(server.as_key(f"snd_offers_{card}_{name}"))
        payment = visitor.api.pay(card, **WAITING[card])["payment_id"]
        form = re.search(rf'data-testid="do-{action}".*?</form>', visitor.read(f"payments/{payment}"), re.DOTALL)
        if form is None:
            continue
        fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form[0]))
        fields |= dict(re.findall(r'<select name="([^"]+)"[^>]*><option>([^<]+)', form[0]))  # others say nothing first
        assert visitor.send(f"payments/{payment}", fields).status == 200, (action, fields)


ACTIONS: Final = {name: f"control.{name}" for name in ("authenticate", "settle", "fail", "expire", "hold", "dispute")}


STATES: Final[dict[str, tuple[str, dict[str, Any], str]]] = {
    "requires_confirmation": ("visa_success", {"confirm": False}, ""),
    "requires_action": ("visa_3ds_required", {}, ""),
    "pending": ("visa_pending_succeeds", {}, ""),
    "requires_merchant_action": ("visa_review", {}, ""),
    "requires_capture": ("visa_success", {"capture_method": "manual"}, ""),
    "partially_authorized_and_requires_capture": (
        "visa_partial_authorization",
        {"capture_method": "manual", "enable_partial_authorization": True},
        "",
    ),
    "partially_captured": ("visa_success", {"capture_method": "manual"}, "capture"),
    "partially_captured_and_capturable": ("visa_success", {"capture_method": "manual_multiple"}, "capture"),
    "succeeded": ("visa_success", {}, ""),
    "failed": ("visa_insufficient_funds", {}, ""),
    "cancelled": ("visa_success", {"capture_method": "manual"}, "cancel"),
    "cancelled_post_capture": ("visa_success", {}, "cancel_post_capture"),
}
"""How a payment comes to stand so: its card, its fields, the call after it."""
TRIGGERS: Final = (
    ("authenticate", {"result": "approved"}), ("settle", {"as": "succeeded"}), ("fail", {"decline": "lost_card"}),
    ("hold", {}), ("dispute", {}), *(("expire", {"what": what}) for what in EXPIRES),
)  # fmt: skip


@pytest.mark.parametrize("status", STATES)
def test_what_can_be_done_to_a_payment_is_offered(server: Wire, status: str) -> None:
    """What a trigger changes has its button: it is tried with a payment for each."""
    card, fields, call = STATES[status]
    for name, body in TRIGGERS:
        api = server.as_key(f"snd_{uuid.uuid4().hex}")
        payment = api.pay(card, **fields)["payment_id"]
        if call:
            api.post(f"/payments/{payment}/{call}", {"amount_to_capture": 1000} if call == "capture" else {})
        before = api.get(f"/payments/{payment}").json
        assert before["status"] == status
        form = re.search(
            rf'data-testid="do-control.{name}".*?</form>', Visitor(api).read(f"payments/{payment}"), re.DOTALL
        )
        does = api.post(f"/_sandbox/payments/{payment}/{name}", body).status == 200
        if does and api.get(f"/payments/{payment}").json != before:
            assert form, f"{name} has no button"
            assert all(f"<option>{value}" in form[0] or name != "expire" for value in body.values()), body


def test_the_clock_says_what_fell_due(visitor: Visitor) -> None:
    payment = visitor.api.pay("visa_pending_succeeds")["payment_id"]
    page = text(visitor.press("clock", "control.clock_advance", body__by="1m"))
    assert payment in said(page, "fired")
    assert said(page, "now") == "2026-03-02 10:01:00.000 UTC"


def test_a_broken_scenario_shows_each_mistake_at_its_line(visitor: Visitor) -> None:
    reply = visitor.press("scenarios/rules", "control.put_scenario", arg__name="rules", text=BROKEN)
    page = text(reply)
    assert reply.status == 400
    assert said(page, "mistake").startswith("line 5:12")
    assert "then: {declin: lost_card}" in said(page, "mistake")
    assert "declin: lost_card" in said(page, "text")
    assert visitor.api.get("/_sandbox/scenarios/rules").status == 404


def test_a_scenario_is_written_turned_on_checked_and_dropped(visitor: Visitor) -> None:
    kept = visitor.press(
        "scenarios/rules", "control.put_scenario", arg__name="rules", text=SCENARIO.replace("\n", "\r\n")
    )
    assert kept.status == 200
    assert "\r" not in visitor.api.get("/_sandbox/scenarios/rules")["text"]
    visitor.press("scenarios/rules", "control.activate_scenario", arg__name="rules")
    visitor.api.pay(amount=1)
    page = text(visitor.press("scenarios/rules", "control.check_scenario", arg__name="rules"))
    assert said(page, "holds") == "1 passed."
    assert said(page, "scenario-state") == "on"
    assert said(page, "counters") == "rule 1, issuer 1"
    visitor.press("scenarios/rules", "control.deactivate_scenario", arg__name="rules")
    page = text(visitor.press("scenarios/rules", "control.drop_scenario", arg__name="rules"))
    assert "new" in page
    assert visitor.api.get("/_sandbox/scenarios/rules").status == 404


def test_the_queue_is_emptied(visitor: Visitor) -> None:
    visitor.api.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}})
    for decline in ("stolen_card", "expired_card"):
        visitor.api.post("/_sandbox/next", {"on": "charge", "then": {"decline": decline}})
    number = visitor.api.get("/_sandbox/next")["next"][1]["number"]
    for _ in range(2):  # an entry that is gone is no mistake
        visitor.press("queue", "control.drop_next_one", arg__number=str(number))
        left = [one["then"]["decline"] for one in visitor.api.get("/_sandbox/next")["next"]]
        assert left == ["lost_card", "expired_card"]
    assert count(text(visitor.press("queue", "control.drop_next")), "empty") == 1
    assert visitor.api.get("/_sandbox/next")["next"] == []


def test_an_event_is_sent_again(visitor: Visitor) -> None:
    visitor.api.put("/_sandbox/webhooks/target", {"url": "http://127.0.0.1:9/x"})
    visitor.api.pay()
    event = visitor.api.get("/_sandbox/webhooks")["data"][0]
    reply = visitor.press(f"webhooks/{event['event_id']}", "control.resend_webhook", arg__event_id=event["event_id"])
    assert "connection was refused" in said(text(reply), "notice")
    assert count(text(reply), "attempt") == 1
    assert visitor.api.get(f"/_sandbox/webhooks/{event['event_id']}")["attempts"] == 1


def test_a_snapshot_is_kept_restored_and_dropped(visitor: Visitor) -> None:
    visitor.api.pay()
    name = visitor.place
    assert visitor.press("snapshots", "control.take_snapshot", arg__name=name).status == 200
    visitor.api.pay()
    page = text(visitor.press("snapshots", "control.restore_snapshot", arg__name=name))
    assert "The snapshot was restored" in said(page, "notice")
    assert count(visitor.read("payments"), "payment") == 1
    visitor.press("snapshots", "control.drop_snapshot", arg__name=name)
    assert name not in [row["name"] for row in visitor.api.get("/_sandbox/snapshots")["data"]]


@pytest.mark.parametrize("lost", [("GET", "/health"), ("DELETE", "/_sandbox/journal"), ("POST", "/_sandbox/reset")])
def test_what_a_restored_snapshot_replaces_is_said_and_can_be_saved_first(
    visitor: Visitor, lost: tuple[str, str]
) -> None:
    name, api = f"{visitor.place}_2", visitor.api
    api.put(f"/_sandbox/snapshots/{name}")
    api.get("/health")
    assert api.call(*lost).status == 200
    for _ in range(3):
        api.pay()
    calls = api.get("/_sandbox/journal?limit=1000")["data"]
    entries = len(calls) + len(api.get("/_sandbox/journal?limit=1000&operation=control.*")["data"])
    asks = said(visitor.read("snapshots"), f"do-restore-{name}")
    assert f"Lost: 3 payments, and the journal’s {entries} entries" in asks
    visitor.press("snapshots", "control.restore_snapshot", arg__name=name, keep=f"before_{name}")
    assert count(visitor.read("payments"), "empty") == 1
    visitor.press("snapshots", "control.restore_snapshot", arg__name=f"before_{name}")
    assert count(visitor.read("payments"), "payment") == 3
    assert len(api.get("/_sandbox/journal?limit=1000")["data"]) == len(calls)


@pytest.mark.parametrize("length", [40, 57, 58, 64])
def test_a_snapshot_is_restored_as_the_page_proposes_it(visitor: Visitor, length: int) -> None:
    """What is there now is saved under another name, however long the snapshot's is, and then replaced."""
    name = (f"{visitor.place}_" + "before_" * 9)[:length]
    visitor.api.put(f"/_sandbox/snapshots/{name}")
    visitor.api.pay()
    kept = re.search(rf'value="([^"]+)" checked data-testid="keep-{name}"', visitor.read("snapshots"))
    assert kept
    assert kept[1] != name
    assert visitor.press("snapshots", "control.restore_snapshot", arg__name=name, keep=kept[1]).status == 200
    assert count(visitor.read("payments"), "empty") == 1
    visitor.press("snapshots", "control.restore_snapshot", arg__name=kept[1])
    assert count(visitor.read("payments"), "payment") == 1


def test_a_workspace_is_reset(visitor: Visitor) -> None:
    visitor.api.pay()
    before = visitor.api.get("/_sandbox/clock")["frozen"]
    assert visitor.press("snapshots", "control.reset").status == 200
    assert before and not visitor.api.get("/_sandbox/clock")["frozen"]
    assert count(visitor.read("payments"), "empty") == 1


def test_all_workspaces_are_reset_from_the_front_page() -> None:
    api = wire()
    api.pay()
    assert Visitor(api).send(HOME, {"do": "reset"}).status == 303
    assert api.sandbox.workspaces() == []


def test_what_is_done_by_hand_stands_in_the_story_as_after_a_call(visitor: Visitor) -> None:
    payment = visitor.api.pay("visa_3ds_required")["payment_id"]
    visitor.press(f"payments/{payment}", "control.authenticate", arg__payment_id=payment, body__result="declined")
    steps = visitor.api.get(f"/_sandbox/payments/{payment}/timeline")["data"]
    by_hand = next(step for step in steps if step["kind"] == "by_hand")
    assert (by_hand["operation"], by_hand["asked"]) == ("control.authenticate", {"result": "declined"})


def test_what_is_refused_says_so_in_the_control_apis_words(visitor: Visitor) -> None:
    payment = visitor.api.pay()["payment_id"]
    control = visitor.api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": "approved"})
    reply = visitor.press(
        f"payments/{payment}", "control.authenticate", arg__payment_id=payment, body__result="approved"
    )
    assert reply.status == 400
    assert control.error["message"] in said(text(reply), "notice")


@pytest.mark.parametrize(
    ("do", "fields", "status"),
    [
        ("control.journal", {}, 400),
        ("nonsense", {}, 400),
        ("", {}, 400),
        ("control.put_next", {"body.on": "charge", "body.then:json": "{", "body.times:whole": "1"}, 400),
        ("control.put_next", {"body.on": "charge", "body.times:whole": "many"}, 400),
        ("control.settle", {"arg.payment_id": "pay_nobody", "body.as": "succeeded"}, 400),
        ("control.activate_scenario", {"arg.name": "../../etc"}, 400),
        ("control.settle", {}, 400),
    ],
)
def test_a_form_that_makes_no_sense_does_nothing(
    visitor: Visitor, do: str, fields: dict[str, str], status: int
) -> None:
    reply = visitor.send("queue", {"do": do, **fields})
    assert reply.status in (status, 400)
    assert visitor.api.get("/_sandbox/next")["next"] == []


def test_every_form_of_a_page_asks_for_a_call_there_is() -> None:
    api = wire()
    api.pay("visa_3ds_required")
    keep(api)
    visitor = Visitor(api)
    payment = api.get("/payments/list")["data"][0]["payment_id"]
    asked = {
        do
        for path in (f"payments/{payment}", "clock", "webhooks", "scenarios/rules", "queue", "snapshots", "journal")
        for do in re.findall(r'name="do" value="([^"]+)"', visitor.read(path))
    }
    assert asked <= DOES
    assert len(asked) > 10
