"""What a browser without scripts does with a form: it reloads what came, sends it twice, has it in two tabs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from typing import Any, Final

import pytest
from werkzeug.test import create_environ

from mock_server.dashboard import acting
from mock_server.dashboard.acting import DOES
from mock_server.dashboard.live import mark_of
from mock_server.dashboard.places import PAGES
from mock_server.dashboard.serving import AGAIN, KEPT, Dashboard
from mock_server.dashboard.visit import ActionResult
from mock_server.http.running import Answer
from tests.counts import SOAK
from tests.dashboard.reading import Form, Page
from tests.dashboard.test_forms import pages_of, shop
from tests.dashboard.visitor import Visitor, count, said, text

__all__ = ["shop"]
Pairs = list[tuple[str, str]]
TYPED: Final = {
    "control.take_snapshot": {"arg.name": "{place}_more"},
    "control.clock_advance": {"body.by": "1h"},
    "control.clock_freeze": {"body.at": "2026-03-02T11:00:00Z"},
    "control.set_webhook_target": {"body.url:address": "http://127.0.0.1:9/other"},
    "control.trigger_webhook": {"body.object_id": "{paid}"},
    "control.resend_webhooks": {"body.event_ids:list": "{event}"},
    "control.put_scenario": {"arg.name": "written", "text": "rules: []\n"},
    "refunds.create": {"body.amount:USD": "1.00"},
    "control.dispute": {"body.amount:USD": "1.00"},
}
"""What somebody types into a form that is not sent as it comes."""
NOTHING: Final = frozenset({"control.check_scenario", "control.sign_webhook", "signature.verify"})
"""The acts that change nothing."""
EMPTY: Final = frozenset({"control.set_dialect"})
"""The acts for a workspace without anything, which this is not."""


def acts(visitor: Visitor) -> Iterator[tuple[str, Form, str]]:
    """Every act with its page and its form, from the same state: each once; in a soak run, each form of each page."""
    pages, found, state = pages_of(visitor), list[tuple[str, int, str]](), f"once_{visitor.place}"
    for path in pages:
        for number, form in enumerate(Page(visitor.read(path)).forms):
            do = dict(form.values).get("do", "")
            if do and (SOAK or do not in {one[2] for one in found}) and do not in EMPTY:
                found.append((path, number, do))
    assert visitor.api.call("PUT", f"/_sandbox/snapshots/{state}?journal=1").status == 200
    for path, number, do in found:
        assert visitor.api.post(f"/_sandbox/snapshots/{state}/restore").status == 200
        yield path, Page(visitor.read(path)).forms[number], do


def filled(visitor: Visitor, form: Form, do: str) -> Pairs:
    names = {"place": visitor.place, "paid": visitor.api.get("/payments/list")["data"][0]["payment_id"],
             "event": visitor.api.get("/_sandbox/webhooks")["data"][0]["event_id"]}  # fmt: skip
    typed = {name: value.format(**names) for name, value in TYPED.get(do, {}).items()}
    sent = {**dict(form.values), "card": "visa_success", **typed}
    return [(name, sent[name]) for name in dict(form.values)]


def standing(visitor: Visitor) -> Any:
    """What the workspace has, and what happened in it."""
    sandbox = visitor.api.sandbox
    space = sandbox.store.space(visitor.place)
    assert space is not None
    asked = ("clock", "next", "scenarios", "snapshots", "webhooks/target") if SOAK else ("clock",)
    return mark_of(sandbox.view(visitor.place, space)), [visitor.api.get(f"/_sandbox/{path}").json for path in asked]


def test_an_act_is_done_once_and_the_page_says_what_was_done(shop: Visitor) -> None:
    """A browser reloads by sending again what the page came from; another tab or a second press sends the same."""
    done, twice, untrue, unmarked = set[str](), list[str](), list[str](), list[str]()
    for path, form, do in acts(shop):
        sent, before = filled(shop, form, do), standing(shop)
        reply = shop.post(path, sent)
        after, page = standing(shop), text(shop.follow(path, reply))
        if after == before:
            continue
        done.add(do)
        if after[0] == before[0]:
            unmarked.append(f"{path} {form.test_id}")
        reloaded = shop.follow(path, reply) if reply.status == 303 else shop.post(path, sent)
        pressed_again = shop.send(path, sent)
        if standing(shop) != after:
            twice.append(f"{path} {form.test_id}")
        says = [count(text(one), "notice") and said(text(one), "notice") for one in (reloaded, pressed_again)]
        first = said(page, "notice")
        if says != [first, f"Already done, and not done again: {first}"]:
            untrue.append(f"{path} {form.test_id}")
    assert (len(twice), len(untrue), len(unmarked), twice, untrue, unmarked) == (0, 0, 0, [], [], [])
    assert done >= DOES - NOTHING - EMPTY


def test_two_presses_at_the_same_moment_are_one(shop: Visitor) -> None:
    api = shop.api
    payment = api.pay()["payment_id"]
    form = next(one for one in Page(shop.read(f"payments/{payment}")).forms if one.test_id == "do-refunds.create")
    sent = filled(shop, form, "refunds.create")
    with ThreadPoolExecutor(4) as many:
        replies = list(many.map(lambda _: shop.post(f"payments/{payment}", sent), range(8)))
    assert {(one.status, one.headers["Location"].removesuffix(AGAIN)) for one in replies} == {
        (303, replies[0].headers["Location"].removesuffix(AGAIN))
    }
    assert len(api.get(f"/payments/{payment}")["refunds"]) == 1


def test_the_same_act_is_done_again_from_the_page_that_tells_of_the_first(shop: Visitor) -> None:
    payment = shop.api.pay()["payment_id"]
    page = shop.read(f"payments/{payment}")
    for number in (1, 2):
        form = next(one for one in Page(page).forms if one.test_id == "do-refunds.create")
        page = text(shop.send(f"payments/{payment}", filled(shop, form, "refunds.create")))
        assert len(shop.api.get(f"/payments/{payment}")["refunds"]) == number


def test_a_refused_act_is_tried_again(shop: Visitor) -> None:
    form = next(one for one in Page(shop.read("clock")).forms if "body.by:duration" in dict(one.values))
    wrong = [(name, "never" if name == "body.by:duration" else value) for name, value in form.values]
    assert [shop.post("clock", wrong).status for _ in range(2)] == [400, 400]


def test_what_is_kept_of_an_act_has_no_card_data() -> None:
    sent = {"json": "1", "body": '{"card_number": "4539578763621486", "card_cvc": "987"}', "card_cvc": "987"}
    kept = repr(acting._result("payments.create", Answer(200, b"{}"), "", sent, ""))
    assert "4539578763621486" not in kept
    assert "987" not in kept


def test_an_act_of_another_page_is_answered_where_it_was_sent(shop: Visitor) -> None:
    assert shop.post("new-payment", {"do": "control.clock_freeze"}).status == 303


def test_no_page_of_another_workspace_says_that_it_was_done(shop: Visitor) -> None:
    form = {"do": "control.clock_advance", "body.by": "1h"}
    done = shop.post("clock", form).headers["Location"].partition("?")[2]
    other = Visitor(shop.api.as_key("snd_another_workspace"))
    other.api.pay()
    assert 'data-testid="notice"' not in other.read(f"clock?{done}")
    assert 'data-testid="notice"' in shop.read(f"clock?{done}")


@pytest.mark.parametrize(("others", "each"), [(1, KEPT + 40), (3, KEPT // 2), (KEPT // 2, 1)])
def test_acts_in_other_workspaces_have_none_done_again(shop: Visitor, others: int, each: int) -> None:
    """Whoever does much forgets its own acts first: one that does few, as people do, still sees what it did."""
    refund, payment = {"do": "refunds.create", "mark": "seen"}, shop.api.pay()["payment_id"]
    mine = [("body.payment_id", payment), ("body.amount:USD", "1.00"), *refund.items()]
    page = f"payments/{payment}"
    assert shop.post(page, mine).status == 303
    for number in range(others):
        other = Visitor(shop.api.as_key(f"snd_another_workspace_{number}"))
        for _ in range(each):
            assert other.post("clock", {"do": "control.clock_advance", "body.by": "1s"}).status == 303
    assert shop.post(page, mine).headers["Location"].endswith(AGAIN)
    assert len(shop.api.get(f"/payments/{payment}")["refunds"]) == 1


@pytest.mark.parametrize("excess", [0, 1, 5])
@pytest.mark.parametrize(
    "in_progress", [range(0), range(1), range(3), range(KEPT, KEPT + 3), range(0, KEPT, 2)], ids=str
)
def test_acts_in_progress_are_not_forgotten_and_of_others_all_that_are_too_many(
    shop: Visitor, in_progress: range, excess: int
) -> None:
    """However many ended at the same moment, and in whatever order they began."""
    dashboard, clock = Dashboard(shop.api.sandbox), next(page for page in PAGES if page.name == "clock")
    for number in range(KEPT + excess + len(in_progress)):
        dashboard._done[shop.place, str(number)] = act = Future[ActionResult]()
        if number not in in_progress:
            act.set_result(ActionResult("control.clock", "done", True, ""))
    finished = [pressed for pressed, act in dashboard._done.items() if act.done()]
    form = BytesIO(b"do=control.clock_advance&body.by=1s")
    environ = create_environ(method="POST", input_stream=form, content_type="application/x-www-form-urlencoded")
    assert dashboard.page({**environ, "CONTENT_LENGTH": str(len(form.getvalue()))}, clock, shop.place).status == 303
    assert [pressed for pressed, act in dashboard._done.items() if not act.done()] == [
        (shop.place, str(number)) for number in in_progress
    ]
    assert [pressed for pressed, act in dashboard._done.items() if act.done()][:-1] == finished[excess + 1 :]
