"""Another call comes between any two steps of a call: what both answer, and what is left, is that of one order of them.

A step is what a call does at once: a transaction, a line of a log, a claim of a key. Nothing is held between two.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass
from functools import cache, partial
from itertools import count, product
from threading import Thread
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from mock_server.http import running
from mock_server.store.space import Space
from tests.api.money_places import NOT_THE_SAME, fine
from tests.api.saving import off_session, saved
from tests.causes.raising import ADMIN
from tests.counts import SOAK
from tests.pages.browser import Browser, Shown, link
from tests.pages.challenges import challenged
from tests.pages.link_pages import linked
from tests.standing import Standing
from tests.wire import Reply, Wire, card_data, card_payment, wire

STEPS: Final = ("transact", "append", "claim", "settle_claim")
ONCE: Final = {"X-Idempotency-Key": "order-1"}
DECLINES: Final = b"name: declines\nrules:\n  - {on: charge, times: 1, then: {decline: lost_card}}\n"
HISTORY: Final = b"name: history\ngiven:\n  payments: {count: 101, over: 30d}\n"
SHOP: Final = {"amount": 6540, "currency": "USD", "profile_id": "pro_shop"}
DECLINED: Final = "4000000000009995"
ASKED: Final = "visa_3ds_required"
ONLY_COUNTED: Final = ("rates", "claims")
"""What a snapshot has of calls that changed nothing."""


@dataclass
class Shop:
    """A merchant's workspace, what the acts are about, and the pages that its customers have open."""

    api: Wire
    ids: dict[str, Any]
    pages: dict[str, Shown]

    def post(self, path: str, body: object = None, **headers: str) -> Reply:
        return self.api.call("POST", path.format(**self.ids), {} if body is None else body, headers=headers)

    def admin(self, method: str, path: str, body: object = None) -> Reply:
        return self.api.as_key(ADMIN).call(method, path.format(**self.ids), body)

    def put(self, name: str, text: bytes) -> Reply:
        headers = {"Content-Type": "application/yaml"}
        return self.api.call("PUT", f"/_sandbox/scenarios/{name}", raw=text, headers=headers)

    def press(self, page: str, button: str, **typed: str) -> Reply:
        came = Browser(self.api).press(self.pages[page], button, **typed)
        return Reply(came.status, came.text.encode(), came.headers)


Act = Callable[[Shop], Any]


def begun() -> Shop:
    """A frozen clock, so that times are equal, and a payment of each kind."""
    api = wire(workspaces=5)
    fine(api.post("/_sandbox/clock/freeze"))
    fine(api.put("/_sandbox/webhooks/target", {"url": "http://127.0.0.1:9/hook"}))
    return Shop(api, {}, {})


def paying() -> Shop:
    shop = begun()
    manual: dict[str, Any] = {"capture_method": "manual", "request_incremental_authorization": True}
    made = {"open": shop.post("/payments", card_payment()), "held": shop.api.pay(**manual), "paid": shop.api.pay()}
    shop.ids = {name: fine(reply)["payment_id"] for name, reply in made.items()}
    return shop


PAYING: Final[dict[str, Act]] = {
    "confirm": lambda shop: shop.post("/payments/{open}/confirm"),
    "change": lambda shop: shop.post("/payments/{open}", {"amount": 777}),
    "cancel": lambda shop: shop.post("/payments/{open}/cancel"),
    "capture": lambda shop: shop.post("/payments/{held}/capture", {"amount_to_capture": 1000}, **ONCE),
    "capture more": lambda shop: shop.post("/payments/{held}/capture", {"amount_to_capture": 2000}, **ONCE),
    "void": lambda shop: shop.post("/payments/{held}/cancel"),
    "increase": lambda shop: shop.post("/payments/{held}/incremental_authorization", {"amount": 7000}),
    "extend": lambda shop: shop.post("/payments/{held}/extend_authorization"),
    "refund": lambda shop: shop.post("/refunds", {"payment_id": shop.ids["paid"], "amount": 5000}),
    "dispute": lambda shop: shop.post("/_sandbox/payments/{paid}/dispute"),
    "create": lambda shop: shop.post("/payments", {**card_payment(), "confirm": True, "payment_id": "pay_own"}),
    "a day": lambda shop: shop.post("/_sandbox/clock/advance", {"by": "1d"}),
    "a week": lambda shop: shop.post("/_sandbox/clock/freeze", {"at": "2026-01-08T00:00:00Z"}),
    "a month": lambda shop: shop.post("/_sandbox/clock/freeze", {"at": "2026-02-08T00:00:00Z"}),
    "reset": lambda shop: shop.post("/_sandbox/reset"),
}


def on_pages() -> Shop:
    shop = begun()
    made = linked(shop.api, return_url=None)
    profile = f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"
    fine(shop.api.post(profile, {"is_manual_retry_enabled": True}))
    asked, browser = challenged(shop.api), Browser(shop.api)
    shop.ids = {"linked": made["payment_id"], "asked": asked["payment_id"]}
    paths = {"link": urlsplit(made["payment_link"]["link"]).path, "challenge": link(asked)}
    shop.pages = {name: browser.open(path) for name, path in paths.items()}
    return shop


def pays(number: str) -> Act:
    typed = {**card_data(number), "method": "card"}
    return lambda shop: shop.press("link", "pay", **typed)


def retry(shop: Shop) -> Reply:
    """The customer fails, and the shop tries another time."""
    shop.post("/_sandbox/payments/{asked}/authenticate", {"result": "declined"})
    card = {name: value for name, value in card_payment(ASKED).items() if name.startswith("payment_method")}
    return shop.post("/payments/{asked}/confirm", card)


ON_PAGES: Final[dict[str, Act]] = {
    "pay": pays("4242424242424242"),
    "pay in vain": pays(DECLINED),
    "pay and be asked": pays("4000003800000446"),
    "change": lambda shop: shop.post("/payments/{linked}", {"amount": 9900}),
    "describe": lambda shop: shop.post("/payments/{linked}", {"description": "Two seats"}),
    "cancel": lambda shop: shop.post("/payments/{linked}/cancel"),
    "expire": lambda shop: shop.post("/_sandbox/payments/{linked}/expire", {"what": "session"}),
    "approve": lambda shop: shop.press("challenge", "approved"),
    "decline": lambda shop: shop.press("challenge", "declined"),
    "approve by API": lambda shop: shop.post("/_sandbox/payments/{asked}/authenticate", {"result": "approved"}),
    "retry": retry,
    "void": lambda shop: shop.post("/payments/{asked}/cancel"),
    "an hour": lambda shop: shop.post("/_sandbox/clock/advance", {"by": "1h"}),
}


def steering() -> Shop:
    shop = begun()
    fine(shop.put("declines", DECLINES))
    fine(shop.put("history", HISTORY))
    shop.ids = {"open": fine(shop.post("/payments", card_payment()))["payment_id"]}
    return shop


def activate(shop: Shop) -> tuple[Reply, object]:
    """What is there after it counts for its answer."""
    reply = shop.post("/_sandbox/scenarios/history/activate")
    return reply, shop.api.get("/payments/list?limit=1")["total_count"]


STEERING: Final[dict[str, Act]] = {
    "pay": lambda shop: shop.post("/payments", {**card_payment(), "confirm": True}),
    "upload": lambda shop: shop.put("declines", DECLINES.replace(b"1", b"2")),
    "activate": lambda shop: shop.post("/_sandbox/scenarios/declines/activate"),
    "deactivate": lambda shop: shop.post("/_sandbox/scenarios/declines/deactivate"),
    "drop": lambda shop: shop.api.delete("/_sandbox/scenarios/declines"),
    "give": activate,
    "queue": lambda shop: shop.post("/_sandbox/next", {"then": {"decline": "expired_card"}}),
    "clear": lambda shop: shop.api.delete("/_sandbox/next"),
    "a day": lambda shop: shop.post("/_sandbox/clock/advance", {"by": "1d"}),
    "label": lambda shop: shop.api.call("GET", "/payments/list", headers={"X-Sandbox-Label": "shop"}).status,
    "end": lambda shop: shop.api.delete("/_sandbox/workspace"),
    "reset all": lambda shop: shop.api.as_key(None).post("/_sandbox/reset"),
}


def set_up() -> Shop:
    shop = begun()
    saver = saved(shop.api)
    merchant = fine(shop.post("/payments", SHOP))["merchant_id"]
    shop.ids = {"merchant": merchant, "method": saver, "key": shop.api.key}
    key = fine(shop.admin("POST", "/api_keys/{merchant}", {"name": "one", "expiration": "never"}))
    shop.ids |= {"key": key["key_id"], "text": key["api_key"]}
    return shop


SET_UP: Final[dict[str, Act]] = {
    "read": lambda shop: shop.admin("GET", "/accounts/{merchant}"),
    "rename": lambda shop: shop.admin("POST", "/accounts/{merchant}", {"merchant_name": "New"}),
    "set up": lambda shop: shop.post("/account/{merchant}/business_profile/pro_shop", {"profile_name": "Two"}),
    "revoke": lambda shop: shop.admin("DELETE", "/api_keys/{merchant}/{key}"),
    "pay": lambda shop: shop.api.as_key(shop.ids["text"]).pay(),
    "pay with saved": lambda shop: off_session(shop.api, "payment_method_id", shop.ids["method"]),
    "delete customer": lambda shop: shop.api.delete("/customers/cus_saver"),
}
EMPTY: Final[dict[str, Act]] = {
    "interface": lambda shop: shop.api.put("/_sandbox/dialect", {"dialect": "interface"}).status,
    "hyperswitch": lambda shop: shop.api.put("/_sandbox/dialect", {"dialect": "hyperswitch"}).status,
}
WORLDS: Final[dict[str, tuple[Callable[[], Shop], dict[str, Act]]]] = {
    "paying": (paying, PAYING),
    "on pages": (on_pages, ON_PAGES),
    "steering": (steering, STEERING),
    "set up": (set_up, SET_UP),
    "empty": (lambda: Shop(wire(workspaces=5), {}, {}), EMPTY),
}
MANY_STEPS: Final = {"a day", "an hour", "a week", "a month", "retry", "give", "reset", "reset all", "end"}
"""What is several calls, lasts, or answers with what is there after it; it only comes between the steps of others."""
FIRST: Final = (
    ("paying", "refund", "a week"),
    ("paying", "refund", "dispute"),
    ("paying", "capture", "capture more"),
    ("on pages", "pay", "change"),
    ("on pages", "pay in vain", "pay in vain"),
    ("on pages", "decline", "approve"),
    ("on pages", "pay", "an hour"),
    ("steering", "queue", "queue"),
    ("steering", "give", "give"),
    ("steering", "label", "end"),
    ("steering", "activate", "a day"),
    ("steering", "activate", "drop"),
    ("set up", "read", "rename"),
    ("empty", "interface", "hyperswitch"),
)
EVERY: Final = [
    (world, *pair) for world, (_, acts) in WORLDS.items() for pair in product(acts, acts) if pair[0] not in MANY_STEPS
]


def told(came: Any) -> Any:
    """What an act answered, without what differs between any two runs."""
    if isinstance(came, tuple):
        return [told(one) for one in came]
    if not isinstance(came, Reply):
        return came
    if came.headers.get("Content-Type") != "application/json":  # a page leads to what has come of the payment since
        return came.headers.get("X-Sandbox-Because")
    headers = {name: text for name, text in came.headers.items() if name not in NOT_THE_SAME}
    return came.status, came.raw, {name: text for name, text in headers.items() if "RateLimit" not in name}


def left(shop: Shop) -> Any:
    """Everything in the workspace, and what the server knows of it; what happened can be told."""
    for one in shop.ids.values():
        assert shop.api.get(f"/_sandbox/payments/{one}/timeline").status < 500
    spoken = shop.api.get("/_sandbox/dialect").json
    lines = shop.api.get("/_sandbox/journal")["data"]
    called = sorted((line["operation"], line["at"]) for line in lines if line["events"])
    fine(shop.api.put("/_sandbox/snapshots/left"))
    kept = fine(shop.api.get("/_sandbox/snapshots/left")).json["workspace"]
    return (
        {part: value for part, value in kept.items() if part not in ONLY_COUNTED},
        spoken,
        called,
        shop.api.as_key(None).get("/_sandbox/workspaces").json,
    )


@cache
def in_turn(world: str, one: str, other: str) -> tuple[Any, Any, Any]:
    """What two acts answer and leave, one after the other."""
    begin, acts = WORLDS[world]
    shop = begin()
    return told(acts[one](shop)), told(acts[other](shop)), left(shop)


def between(patch: pytest.MonkeyPatch, passed: int, act: Callable[[], object]) -> list[object]:
    """After so many beginnings and ends of steps, the act is made; gives what it answered, once it was."""
    left_to_pass, came = [passed], list[object]()

    def passes() -> None:
        left_to_pass[0] -= 1
        if left_to_pass[0] == -1:
            came.append(Context().run(act))

    def watched(name: str) -> Any:
        plain = getattr(Space, name)

        def step(space: Space, *args: Any, **named: Any) -> Any:
            passes()
            result = plain(space, *args, **named)
            passes()
            return result

        return step

    for name in STEPS:
        patch.setattr(Space, name, watched(name))
    return came


@pytest.mark.parametrize(("world", "one", "other"), dict.fromkeys([*FIRST, *EVERY]) if SOAK else FIRST)
def test_what_comes_between_the_steps_of_a_call_comes_before_or_after(world: str, one: str, other: str) -> None:
    before, after, then = in_turn(world, one, other)
    last, first, instead = in_turn(world, other, one)
    orders, begin, acts = [(before, after, then), (first, last, instead)], *WORLDS[world]
    passed, came = 0, [object()]
    while came:
        shop = begin()
        with pytest.MonkeyPatch.context() as patch:
            came = between(patch, passed, partial(acts[other], shop))
            answered = acts[one](shop)
        if came and not is_in_flight(came[0]):
            assert (told(answered), told(came[0]), left(shop)) in orders, f"{passed} passed"
        passed += 1


class Free:
    """A lock that nobody holds."""

    def acquire(self, *, blocking: bool) -> bool:
        return True

    def release(self) -> None:
        """There is nothing to give back."""


@pytest.mark.parametrize("one", ["capture", "void", "increase", "refund"] if SOAK else ["capture"])
def test_a_call_passes_over_no_deadline_while_the_clock_moves(one: str) -> None:
    """The call has looked at what is due, and goes on between any two steps of the one that moves the clock."""
    last, first, instead = in_turn("paying", "a month", one)
    orders = [in_turn("paying", one, "a month"), (first, last, instead)]
    for passed in count():
        shop, answered = paying(), list[object]()
        acting = Thread(target=lambda shop, answered: answered.append(PAYING[one](shop)), args=(shop, answered))
        with Standing(running, 0, Free()) as standing, pytest.MonkeyPatch.context() as patch:
            acting.start()
            standing.reached.acquire()
            gone_on = between(patch, passed, partial(goes_on, standing, acting))
            froze = PAYING["a month"](shop)
        acting.join()
        assert (told(answered[0]), told(froze), left(shop)) in orders, f"{passed} passed"
        if not gone_on:
            break


def goes_on(standing: Standing, acting: Thread) -> None:
    standing.goes_on.set()
    acting.join()


def is_in_flight(came: object) -> bool:
    """Whether it repeated a call that still ran: it is refused, and can be repeated."""
    return isinstance(came, Reply) and came.status == 409
