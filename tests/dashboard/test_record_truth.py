"""A record's page, read back: its object is the API's, and each link to what belongs to it leads to all of that."""

from __future__ import annotations

import re
from random import Random

import pytest

from mock_server.contract.operations import BY_NAME
from mock_server.dashboard.places import LISTINGS, Listing
from tests.counts import times
from tests.dashboard.life import Life
from tests.dashboard.line_facts import facts
from tests.dashboard.trees import Tree, lines
from tests.dashboard.truths import rows_of
from tests.dashboard.visitor import HOME, Visitor
from tests.wire import Wire


@pytest.fixture(scope="module", params=range(times(1, soak=10)))
def life(server: Wire, request: pytest.FixtureRequest) -> Life:
    api = server.as_key(f"snd_records_{request.param}")
    api.post("/_sandbox/clock/freeze", {"at": "2026-03-02T10:00:00Z"})
    return Life(api, Random(request.param)).lived(times(60, soak=200))


@pytest.mark.parametrize("kind", LISTINGS, ids=lambda row: row.page)
def test_a_records_page_is_what_the_api_says_of_it(life: Life, kind: Listing) -> None:
    visitor, path = Visitor(life.api), BY_NAME[kind.operation].path
    ids = [
        re.findall(rf'href="{HOME}/\w+/{kind.page}/([^"]+)"', row[2])[0]
        for row in rows_of(visitor, life.now, kind.page)
    ]
    assert ids
    for id in ids[:10]:
        page = visitor.read(f"{kind.page}/{id}")
        found = life.api.get(re.sub("<.*?>", id, path)).json
        tree = Tree()
        tree.feed(page.partition('aria-label="The record">')[2].partition('<details class="curl">')[0])
        assert tree.said == lines(found)
        said = dict(facts(page))
        at = found.get("created") or found.get("created_at")
        assert at is None or said["Created"] == f"{at[:10]} {at[11:23]}"
        for name in ("payment_id", "customer_id"):
            if kind.part != name and found.get(name):
                assert f'href="{HOME}/{visitor.place}/{name[:-3]}s/{found[name]}"' in page, name


def test_what_belongs_to_a_customer_is_all_there(life: Life) -> None:
    visitor = Visitor(life.api)
    of = {
        "payments": [(one.customer, one.id) for one in life.payments],
        "refunds": [(one.customer, id) for one in life.payments for id, *_ in one.refunds],
        "methods": [(one.customer, one.id) for one in life.methods.values()],
    }
    for buyer in life.buyers.values():
        page = visitor.read(f"customers/{buyer.id}")
        for name, owned in of.items():
            (link,) = re.findall(rf'href="{HOME}/\w+/({name}\?customer_id={buyer.id})"', page)
            rows = rows_of(visitor, life.now, link) if 'class="none"' not in visitor.read(link) else ()
            shown = re.findall(rf'/{name}/(\w+)"', " ".join(row[2] for row in rows))
            assert sorted(shown) == sorted(id for who, id in owned if who == buyer.id), (name, buyer.id)
