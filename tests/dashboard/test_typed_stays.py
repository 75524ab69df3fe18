"""What was typed into a form that is refused stands in the answer's page, with what is wrong at its field, in whatever
dialect the answer is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from mock_server.dialects import DIALECTS, get
from tests.counts import times
from tests.dashboard.reading import Form, Page
from tests.dashboard.test_forms import pages_of, shop
from tests.dashboard.visitor import Visitor, said, text

__all__ = ["shop"]
WRONG: Final = ("no such thing ☃", "1_0", "24", '{"fault": "x"}', "ftp://x", "2020-01-01", "-1", "9" * 300, "0")
NAMED: Final = re.compile(r"<li><code>|Invalid value for ")
"""How an answer names a wrong field, in its own words or in the reason of it."""
SECRET: Final = frozenset({"secret", "card", "mark"})
"""Fields that are typed again, or are of the page."""
UNTRIED: Final = (
    "control.reset",
    "control.restore_snapshot",
    "control.drop_snapshot",
    "control.put_scenario",
    "replay",
    "restore-",
)
"""Forms without a field that can be wrong, that leave no other form, or that have tests of their own."""


def told_apart(form: Form) -> tuple[object, ...]:
    hidden = [pair for pair in form.fields if not pair.is_seen and pair.name not in ("seen", "mark")]
    return form.test_id, [(one.name, one.value) for one in hidden]


def twin(visitor: Visitor, path: str, form: Form) -> Form | None:
    return same(Page(visitor.read(path)), form)


def same(page: Page, form: Form) -> Form | None:
    return next((one for one in page.forms if told_apart(one) == told_apart(form)), None)


def typed(form: Form) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each field with something wrong in it, beside others that are as somebody may have typed them."""
    for wrong in form.fields:
        if wrong.is_seen and not wrong.choices:
            for text_of in WRONG[: times(2, soak=9)]:
                yield (
                    wrong.name,
                    [
                        (one.name, text_of if one is wrong else one.choices[-1] if one.choices else one.value)
                        for one in form.fields
                    ],
                )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_refused_form_keeps_what_was_typed(shop: Visitor, dialect: str) -> None:
    shop.api.put("/_sandbox/dialect", {"dialect": dialect})
    shop.api.speaks = get(dialect)
    kept, lost, unmarked = set[tuple[str, str]](), set[tuple[str, str]](), set[tuple[str, str]]()
    for path in dict.fromkeys(pages_of(shop)):
        for form in Page(shop.read(path)).forms:
            if form.method != "post" or form.test_id.removeprefix("do-").startswith(UNTRIED):
                continue
            for name, sent in typed(form):
                if twin(shop, path, form) is None:
                    break  # an earlier one was accepted
                reply = shop.send(path, sent)
                if reply.status != 400 or form.test_id == "verify":
                    continue
                after = same(Page(text(reply)), form)
                assert after is not None, (path, form)
                values = [(one.name, one.value) for one in after.fields if one.name not in SECRET]
                place = (form.test_id, name)
                (kept if values == [pair for pair in sent if pair[0] not in SECRET] else lost).add(place)
                if NAMED.search(text(reply)) and not any(one.is_wrong for one in after.fields):
                    unmarked.add(place)
    assert (lost, unmarked) == (set(), set())
    assert len(kept) > 15


@pytest.mark.parametrize(("typed_by", "is_taken"), [("24h", True), ("1.5d", True), ("24", False), ("1 day", False)])
def test_the_clock_reads_a_time_as_the_commands_do(visitor: Visitor, typed_by: str, is_taken: bool) -> None:
    form = next(
        one for one in Page(visitor.read("clock")).forms if any("body.by" in f.name and f.is_seen for f in one.fields)
    )
    sent = [(one.name, typed_by if one.is_seen else one.value) for one in form.fields]
    reply = visitor.send("clock", sent)
    assert reply.status == (200 if is_taken else 400)
    assert is_taken or "24s or 24ms" in text(reply) or "is not a duration" in text(reply)


def test_a_limit_of_time_is_said_in_a_unit_for_people(visitor: Visitor) -> None:
    by = visitor.api.post("/_sandbox/clock/advance", {"by": "999999d"})
    assert by.error["fields"] == [{"field": "by", "message": "must be at most 3650d"}]


def test_an_endpoint_can_be_typed_without_its_scheme(visitor: Visitor) -> None:
    form = next(one for one in Page(visitor.read("webhooks")).forms if "set_webhook_target" in one.test_id)
    sent = [(one.name, "localhost:8080/hook" if one.is_seen else one.value) for one in form.fields]
    assert visitor.send("webhooks", sent).status == 200
    assert visitor.api.get("/_sandbox/webhooks/target")["url"] == "http://localhost:8080/hook"


def test_no_event_is_resent_unless_one_is_selected(visitor: Visitor) -> None:
    visitor.api.pay()
    visitor.api.pay()
    form = next(one for one in Page(visitor.read("webhooks")).forms if one.test_id == "resend-selected")
    reply = visitor.send("webhooks", form.values)
    assert (reply.status, "select" in said(text(reply), "notice").lower()) == (400, True)
