"""What small records say of themselves: each property on both sides of its edge."""

from __future__ import annotations

import itertools
import re
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs

from mock_server.domain import api_keys, blocklist, customer, limits, merchant
from mock_server.domain.blocklist import BlockKind, BlocklistEntry
from mock_server.domain.customer import Customer, Mandate, PaymentMethod
from mock_server.domain.events import Event, EventClass, EventType, is_success
from mock_server.domain.merchant import WebhookDetails
from mock_server.domain.outcomes import LEFT_ALONE, Challenge, Outcome, OutcomeStatus, Reason, Settles
from mock_server.domain.paging import Page
from mock_server.domain.report import Report, ReportKind
from mock_server.domain.statuses import MandateStatus, MethodStatus
from tests.domain.test_payment import CARD

MANDATE = Mandate(
    mandate_id="man_1",
    merchant_id="mer_1",
    profile_id="pro_1",
    customer_id="cus_1",
    payment_id="pay_1",
    payment_method_id="pm_1",
    status=MandateStatus.ACTIVE,
    created_at=0,
    modified_at=0,
)


@pytest.mark.parametrize(("amount", "used", "left"), [(None, 5, None), (9, 0, 9), (9, 4, 5), (9, 9, 0)])
def test_how_much_a_mandate_still_allows(amount: int | None, used: int, left: int | None) -> None:
    assert structs.replace(MANDATE, amount=amount, used_amount=used).left == left


@pytest.mark.parametrize(("starts", "ends"), list(itertools.product([None, 10], [None, 20])))
def test_a_mandate_holds_on_both_its_dates(starts: int | None, ends: int | None) -> None:
    mandate = structs.replace(MANDATE, starts_at=starts, ends_at=ends)
    inside = [now for now in (9, 10, 15, 20, 21) if mandate.holds_at(now)]
    assert inside == [now for now in (9, 10, 15, 20, 21) if (starts or 0) <= now <= (ends or 99)]


def test_a_page_says_whether_more_follow() -> None:
    for total, offset, count in itertools.product(range(6), range(4), range(4)):
        page = Page(tuple(range(total))[offset : offset + count], total, offset)
        more = len(tuple(range(total))[: offset + count]) < total and offset <= total
        assert page.has_more is more, (total, offset, count)


@pytest.mark.parametrize("status", [None, 0, 100, 199, 200, 204, 299, 300, 404, 500])
def test_any_2xx_is_a_success(status: int | None) -> None:
    assert is_success(status) is (status in (200, 204, 299))


@pytest.mark.parametrize("kind", list(BlockKind))
def test_an_entry_of_the_blocklist_is_found_by_kind_and_value(kind: BlockKind) -> None:
    assert BlocklistEntry(kind, "424242", 0).key == blocklist.key_of(kind, "424242") == f"{kind.value}:424242"


def test_of_a_deleted_customer_the_record_stays() -> None:
    texts = ("name", "email", "phone", "phone_country_code", "description", "tax_registration_id")
    forgotten = dict.fromkeys(("address", "metadata", "document_details", "default_payment_method_id"), "{}")
    bare = Customer(customer_id="cus_1", created_at=3)
    whole = structs.replace(bare, **dict.fromkeys(texts, "Jane"), **forgotten)
    for missing in (None, *texts):
        before = whole if missing is None else structs.replace(whole, **{missing: None})
        told = {name: None if name == missing else "Redacted" for name in texts}
        assert customer.redacted(before) == structs.replace(bare, redacted=True, **told)


@pytest.mark.parametrize("usage", ["off_session", "on_session"])
@pytest.mark.parametrize("card", [None, CARD])
def test_a_saved_method_is_charged_without_its_customer_or_asks_for_the_code(usage: str, card: Any) -> None:
    needed: dict[str, Any] = {
        "status": MethodStatus.ACTIVE,
        **{name: 0 if name.endswith("_at") else f"of {name}" for name in _needed(PaymentMethod) - {"status"}},
    }
    method = PaymentMethod(**{**needed, "usage": usage, "card": card})
    assert method.is_recurring is (usage == "off_session")
    assert method.requires_cvv is (usage == "on_session" and card is not None)


def _needed(kind: Any) -> set[str]:
    return {row.name for row in structs.fields(kind) if row.required}


def test_an_ephemeral_key_is_a_uuid_with_its_merchants_tag() -> None:
    tags = {api_keys.tag_of(f"mer_{number}") for number in range(100)}
    assert len(tags) == 100
    for tag, digit in zip(sorted(tags), "0123456789abcdef" * 7, strict=False):
        random = (digit * 15 + digit + "fedcba9876543210")[:32]
        rest = api_keys.rest_of(tag, random)
        assert str(UUID(rest)) == rest
        assert (UUID(rest).version, UUID(rest).variant) == (4, "specified in RFC 4122")
        assert rest.startswith(tag)
        assert re.sub("-", "", rest)[8:12] == random[:4]
    assert api_keys.rest_of("0" * 8, "0123456789abcdef0123456789abcdef") == "00000000-0123-4456-b789-0123456789ab"


@pytest.mark.parametrize(
    ("kind", "subject", "told"),
    [
        (ReportKind.PAYMENTS, "payments", "payment_report"),
        (ReportKind.REFUNDS, "refunds", "refund_report"),
        (ReportKind.DISPUTE, "disputes", "dispute_report"),
    ],
)
def test_a_report_says_what_it_is_about(kind: ReportKind, subject: str, told: str) -> None:
    assert (kind.subject, kind.told_as) == (subject, told)
    report = Report(
        report_id="rep_1",
        merchant_id="mer_1",
        kind=kind,
        start_at=0,
        end_at=0,
        created_at=0,
        expires_at=0,
        token="t",
        link_base="http://127.0.0.1",
    )
    assert report.download_url == "http://127.0.0.1/_sandbox/downloads/mer_1/rep_1.csv?token=t"


def test_webhook_details_keep_what_was_not_sent() -> None:
    old, new = WebhookDetails(webhook_url="http://a"), WebhookDetails(webhook_url="http://b")
    assert merchant.merged(None, None) is None
    assert merchant.merged(old, None) is old
    assert merchant.merged(None, new) == new
    for name in WebhookDetails.__struct_fields__:
        sent: Any = "sent" if name == "webhook_url" else ("sent",)
        part = WebhookDetails(**{name: sent})
        assert merchant.merged(old, part) == structs.replace(old, **{name: sent})
    assert merchant.merged(old, WebhookDetails()) == old


def test_the_statuses_that_raise_an_event() -> None:
    silent = {
        "payment_statuses_enabled": ["requires_payment_method", "requires_confirmation"],
        "refund_statuses_enabled": ["pending", "review"],
    }
    for name, statuses in merchant.FILTERED.items():
        assert [one for one in statuses if one not in merchant.SENT_STATUSES[name]] == silent[name]


@pytest.mark.parametrize(
    ("now", "real", "reset_s", "left_s"),
    [(0, 0, 60, 60), (1, 1, 60, 60), (1_000, 500_000, 559, 59), (59_999, 59_999, 60, 1), (60_000, 1, 61, 60)],
)
def test_a_windows_end_is_in_real_time(now: int, real: int, reset_s: int, left_s: int) -> None:
    for refuses, frozen in itertools.product((True, False), repeat=2):
        found = limits.usage(100, 7, now, real, refuses, frozen)
        assert found == limits.Usage(100, 7, reset_s, left_s, refuses, frozen)


@pytest.mark.parametrize("type", list(EventType))
def test_an_event_is_about_what_its_name_begins_with(type: EventType) -> None:
    kind = "payment" if type is EventType.ACTION_REQUIRED else type.value.split("_")[0]
    assert (type.about, type.content) == (EventClass(f"{kind}s"), f"{kind}_details")
    about = {"event_id": "e", "type": type, "merchant_id": "m", "profile_id": None, "created_at": 0, "number": 1}
    for payment_id in (None, "pay_1"):
        event = Event(**about, object=b"", object_id="ref_1", payment_id=payment_id)  # type: ignore[arg-type]  # mixed
        assert event.group == (payment_id or "ref_1")


@pytest.mark.parametrize("challenge", [None, *Challenge])
def test_how_an_outcome_ends_if_that_is_fixed(challenge: Challenge | None) -> None:
    for word in (None, *OutcomeStatus):
        settles = None if word is None else Settles(word)
        assert Outcome(OutcomeStatus.PENDING, challenge=challenge, settles=settles).ends == (challenge or word), word


def test_a_reason_decided_unless_it_only_lists_rules() -> None:
    assert [Reason(by, "").decided for by in ("card", "rule", LEFT_ALONE)] == [True, True, False]
