"""Given records: written out or made up, the same for the same seed, in order of time."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice

import pytest

from mock_server.domain.card_brands import luhn
from mock_server.domain.cards import by_name
from mock_server.domain.customer import Customer
from mock_server.domain.instants import DAY_MS
from mock_server.randomness import Randomness
from mock_server.scenario.given.generated_payments import PEOPLE_OF, Country, Crowd, PaymentSeed, Seed
from mock_server.scenario.given.plan import Given, plan, total
from mock_server.scenario.loading.load import load_text
from tests.running import seconds, until

NOW = 1_767_225_600_000
SEED = Randomness("seed", "workspace")
MANY = "{payments: {count: 500, over: 30d, status: {succeeded: 8, failed: 2}, refunds: 20%, disputes: 10%}}"


def given(text: str) -> Given:
    found = load_text(f"given: {text}", "g.yaml").scenario.given
    assert found is not None
    return found


def planned(text: str, randomness: Randomness = SEED) -> list[Seed]:
    return list(plan(given(text), randomness, NOW))


def payments(seeds: list[Seed]) -> list[PaymentSeed]:
    return [seed for seed in seeds if isinstance(seed, PaymentSeed)]


def test_as_many_as_were_asked_for() -> None:
    seeds = planned(MANY)
    assert len(seeds) == total(given(MANY)) == 600
    assert len(payments(seeds)) == 500


def test_the_same_seed_makes_the_same() -> None:
    assert planned(MANY) == planned(MANY, Randomness("seed", "workspace"))
    assert planned(MANY) != planned(MANY, Randomness("other", "workspace"))


def test_customers_come_first_and_payments_in_order_of_time() -> None:
    seeds = planned(MANY)
    kinds = [type(seed) for seed in seeds]
    assert kinds == [Customer] * 100 + [PaymentSeed] * 500
    times = [seed.created_at for seed in payments(seeds)]
    assert times == sorted(times)
    assert NOW - 30 * DAY_MS <= times[0] < NOW - 29 * DAY_MS
    assert NOW - DAY_MS < times[-1] <= NOW


def test_shares_are_kept() -> None:
    found = payments(planned(MANY))
    statuses = Counter(seed.status for seed in found)
    assert 70 < statuses["failed"] < 130
    paid = [seed for seed in found if seed.status == "succeeded"]
    assert 50 < sum(bool(seed.refunds) for seed in paid) < 110
    assert 20 < sum(bool(seed.disputes) for seed in paid) < 60
    assert not any(seed.refunds or seed.disputes for seed in found if seed.status == "failed")


def test_every_payment_could_have_happened() -> None:
    for seed in payments(planned(MANY)):
        assert 500 <= seed.amount <= 25_000
        assert (seed.decline is not None) is (seed.status == "failed")
        assert by_name(seed.card) is not None
        assert seed.customer is not None
        assert seed.email == seed.customer.email
        assert json.loads(seed.metadata) == {"order_id": seed.merchant_order_reference_id}
        for below in (*seed.refunds, *seed.disputes):
            assert 1 <= below["amount"] <= seed.amount
            assert seed.created_at <= below["created_at"] <= NOW


def test_a_declined_payment_has_the_card_that_declines_so() -> None:
    failed = [seed for seed in payments(planned(MANY)) if seed.status == "failed"]
    assert {seed.card for seed in failed} >= {"visa_insufficient_funds", "visa_do_not_honor"}


@pytest.mark.parametrize("country", PEOPLE_OF, ids=lambda row: row.code)
def test_people_fit_their_country(country: Country) -> None:
    code, dial = country.code, country.dial
    crowd = Crowd(SEED, NOW)
    for number in range(5):
        person = crowd.customer(number, code)
        address = json.loads(str(person.address))
        assert address["country"] == code
        assert person.phone_country_code == dial
        assert str(person.phone).isdecimal()
        assert address["first_name"]
        assert address["line1"]
        assert "\n" not in address["line1"]
        user, _, host = str(person.email).partition("@")
        assert user.replace(".", "").isascii()
        assert host in {"example.com", "example.net", "example.org"}


def test_names_look_real() -> None:
    crowd = Crowd(SEED, NOW)
    names = {crowd.customer(number, "DE").name for number in range(200)}
    assert len(names) > 190


def test_customers_of_one_name_have_addresses_of_their_own() -> None:
    seeds = planned("{payments: {count: 10, customers: 5000, country: DE}}")
    emails = [seed.email for seed in seeds if isinstance(seed, Customer)]
    assert len(emails) == 5000
    assert len(set(emails)) > 4900


def test_what_is_written_out_is_taken_as_it_stands() -> None:
    seeds = planned(
        "{customers: [{customer_id: anna, name: Anna, metadata: {vip: true}, country: DE}],"
        " payments: [{amount: 900, ago: 1d, customer_id: anna, currency: EUR, metadata: {order: 7},"
        " refunds: [{amount: 100, reason: broken}], disputes: [{stage: pre_dispute}]},"
        " {amount: 500, ago: 2d, status: failed, decline: lost_card, payment_id: pay_own},"
        " {amount: 700, status: requires_capture, customer_id: bert}]}"
    )
    anna, *rest = seeds
    assert isinstance(anna, Customer)
    assert (anna.customer_id, anna.name, anna.metadata) == ("anna", "Anna", '{"vip":true}')
    assert anna.email
    lost, paid, held = payments(rest)
    assert (lost.payment_id, lost.card, lost.decline) == ("pay_own", "visa_lost_card", "lost_card")
    assert (paid.customer, paid.country) == (anna, "DE")
    assert (paid.currency, paid.metadata, paid.created_at) == ("EUR", '{"order":7}', NOW - DAY_MS)
    assert (paid.refunds[0]["amount"], paid.refunds[0]["reason"]) == (100, "broken")
    assert (paid.disputes[0]["amount"], paid.disputes[0]["stage"]) == (900, "pre_dispute")
    assert (held.capture_method, held.customer and held.customer.customer_id) == ("manual", "bert")


def test_customers_alone() -> None:
    seeds = planned("{customers: 3}")
    assert [type(seed) for seed in seeds] == [Customer] * 3
    assert total(given("{customers: 3}")) == 3


def test_a_quarter_of_a_million_is_planned_in_a_breath() -> None:
    many = given("{payments: {count: 250000, customers: 2000, refunds: 5%}}")
    first = list[Seed]()
    # Or the whole would take longer than the minute that it may.
    until(lambda: seconds(lambda: first.extend(islice(plan(many, SEED, NOW), 20_000))) < 4)
    assert len(first) % 20_000 == 0 < len(first)


def test_the_cards_of_given_payments_are_no_made_up_numbers() -> None:
    assert all(luhn(row.number) for seed in payments(planned(MANY)) if (row := by_name(seed.card)))


def again(people: list[Customer], size: int) -> None:
    """After so many, the same people come again, with a number in their addresses."""
    emails = [str(one.email) for one in people]
    for number in (size, size + 1, 2 * size - 1, 2 * size):
        user, _, host = emails[number % size].partition("@")
        assert emails[number] == f"{user}{number // size}@{host}"
        assert people[number].name == people[number % size].name


def test_of_many_customers_the_same_people_come_again_with_other_addresses() -> None:
    seeds = planned("{customers: 4005}")
    again([seed for seed in seeds if isinstance(seed, Customer)], 2_000)
    rows = ", ".join(f"{{customer_id: cus_{number}, country: DE}}" for number in range(405))
    again([seed for seed in planned(f"{{customers: [{rows}]}}") if isinstance(seed, Customer)], 200)
