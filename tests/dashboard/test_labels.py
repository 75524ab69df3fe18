"""What a workspace is for, in its users' words: said in a header, kept with its place, no part of what a seed gives."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from tests.dashboard.visitor import HOME, Visitor, count, said, text
from tests.wire import Wire, wire

NUMBER = "4000056655665556"
UNKNOWN = "5425233430109903"


@pytest.fixture
def server() -> Wire:
    return wire(workspaces=5)


@pytest.fixture
def api(server: Wire) -> Wire:
    return server.as_key("snd_labelled_0001")


def labelled(api: Wire, label: str, method: str = "POST", path: str = "/customers") -> None:
    sent = label.encode().decode("latin-1")  # as a client sends text in UTF-8
    assert api.call(method, path, {} if method == "POST" else None, headers={"X-Sandbox-Label": sent}).status == 200


def labels(api: Wire) -> list[str | None]:
    return [row["label"] for row in api.get("/_sandbox/workspaces")["data"]]


def front(api: Wire, query: str = "") -> str:
    with api.app.test_client() as client:
        answer = client.get(f"{HOME}{query}")
    assert answer.status_code == 200
    return answer.get_data(as_text=True)


def names(page: str) -> list[str]:
    """The workspaces on the front page, by their label or name, in its order."""
    cards = re.findall(r'data-testid="workspace">(.*?)</a>', page, re.DOTALL)
    return [unescape(re.search(r'class="name"[^>]*>(?:<code>|<bdi>)?([^<]*)', card)[1]) for card in cards]  # type: ignore[index]  # each has one


def test_a_call_says_what_its_workspace_is_for_and_who_says_nothing_leaves_it(api: Wire) -> None:
    api.post("/customers", {})
    assert labels(api) == [None]
    labelled(api, "the shop’s checkout ✓")
    api.post("/customers", {})
    assert labels(api) == ["the shop’s checkout ✓"]
    labelled(api, "the other", "GET", "/_sandbox/clock")
    assert labels(api) == ["the other"]
    assert said(Visitor(api).read("payments"), "label") == "the other"
    labelled(api, "")
    assert labels(api) == [None]


def test_it_stays_with_a_reset_and_a_snapshot_and_goes_with_all(api: Wire) -> None:
    label = {"X-Sandbox-Label": "mine"}
    assert api.call("POST", "/_sandbox/reset", {}, headers=label)["workspace"]["label"] == "mine"
    assert api.call("PUT", "/_sandbox/snapshots/kept").status == 200
    assert api.post("/_sandbox/reset", {"seed": "7"})["workspace"]["label"] == "mine"
    assert api.post("/_sandbox/snapshots/kept/restore")["workspace"]["label"] == "mine"
    api.as_key(None).post("/_sandbox/reset")
    api.post("/customers", {})
    assert labels(api) == [None]


def test_it_goes_with_the_workspace_that_makes_room(server: Wire) -> None:
    for number in range(7):
        labelled(server.as_key(f"snd_shop_{number:08}"), f"shop {number}")
    server.as_key("snd_shop_00000000").post("/customers", {})
    assert sorted(map(str, labels(server))) == ["None", "shop 3", "shop 4", "shop 5", "shop 6"]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (f"pays with {NUMBER}", None),
        ("of snd_the_key_of_a_shop", None),
        ("two\tlines \x1b[31mred", "two lines  [31mred"),
        ("a" * 120, "a" * 120),
        ("a" * 121, "a" * 119 + "…"),
        ("a" * 4_000, "a" * 119 + "…"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
def test_what_is_kept_of_it(api: Wire, sent: str, kept: str | None) -> None:
    labelled(api, sent)
    (found,) = labels(api)
    if kept is None:
        assert found is not None
        assert not {NUMBER, "snd_the_key_of_a_shop"} & set(found.split())
    else:
        assert found == kept
    assert "<script>alert" not in front(api)
    assert NUMBER not in front(api) + Visitor(api).read("payments")


def test_bytes_that_are_no_text_are_no_mistake(api: Wire) -> None:
    assert api.call("POST", "/customers", {}, headers={"X-Sandbox-Label": "\xff\xfe"}).status == 200
    assert labels(api) == ["\ufffd\ufffd"]


def test_it_is_no_part_of_what_follows_from_a_seed() -> None:
    told = []
    for label in ({}, {"X-Sandbox-Label": "mine"}):
        api = wire()
        api.post("/_sandbox/clock/freeze", {"at": "2026-03-02T10:00:00Z"})
        replies = [api.call("POST", "/customers", {"name": "Ada"}, headers=label).raw, api.pay(payment_id="pay_1").raw]
        api.call("PUT", "/_sandbox/snapshots/kept", headers=label)
        told.append([*replies, json.dumps(api.get("/_sandbox/snapshots/kept").json)])
    assert told[0] == told[1]


def test_it_outlives_the_process_with_a_data_file(tmp_path: Path) -> None:
    file = str(tmp_path / "kept.sqlite")
    first = wire(data=file, workspaces=2)
    for number in range(4):  # two of them rest in the file
        labelled(first.as_key(f"snd_shop_{number:08}"), f"shop {number}")
    first.sandbox.stop()
    again = wire(data=file, workspaces=2)
    assert sorted(map(str, labels(again))) == ["shop 0", "shop 1", "shop 2", "shop 3"]
    assert sorted(names(front(again))) == ["shop 0", "shop 1", "shop 2", "shop 3"]
    again.sandbox.stop()


# the front page


def test_the_last_activity_stands_first_and_looking_is_none(server: Wire) -> None:
    shops = {name: server.as_key(f"snd_{name}_00000001") for name in ("one", "two", "three")}
    for name, shop in shops.items():
        labelled(shop, name)
    assert names(front(server)) == ["three", "two", "one"]
    shops["one"].pay()
    Visitor(shops["two"]).read("payments")
    assert names(front(server)) == ["one", "three", "two"]
    shops["two"].post("/_sandbox/clock/freeze", {})
    assert names(front(server)) == ["two", "one", "three"]


def test_failed_ones_stand_first_where_one_wants_that(server: Wire) -> None:
    shops = {name: server.as_key(f"snd_{name}_00000001") for name in ("bad", "good", "worse")}
    for name, shop in shops.items():
        labelled(shop, name)
        shop.pay("success" if name == "good" else "insufficient_funds")
    shops["good"].pay()
    assert names(front(server)) == ["good", "worse", "bad"]
    page = front(server, "?order=failed")
    assert names(page) == ["worse", "bad", "good"]
    assert '<option value="failed" selected>' in page
    assert names(front(server, "?order=nonsense")) == ["good", "worse", "bad"]


def test_they_are_found_by_label_and_name(server: Wire) -> None:
    for label in ("tests/test_shop.py::test_pays", "tests/test_shop.py::test_refunds"):
        labelled(server.as_key(f"snd_{label[-6:]}_0001"), label)
    server.as_key("snd_another_0001").post("/_sandbox/reset", {"name": "the third"})
    assert names(front(server, "?find=REFUNDS+test_shop")) == ["tests/test_shop.py::test_refunds"]
    assert names(front(server, "?find=third")) == ["the third"]
    page = front(server, f"?find={UNKNOWN}%3Cb%3E")
    assert (names(page), count(page, "no-results")) == ([], 1)
    assert UNKNOWN not in page
    assert text(Visitor(server).look(f"{HOME}?find=")).count('data-testid="workspace"') == 4


def test_the_page_stays_small_with_many_workspaces() -> None:
    api = wire(workspaces=200)
    for number in range(120):
        labelled(api.as_key(f"snd_shop_{number:08}"), f"{number:03} " + "tests/a/long/path/of/test_shop.py::" * 3)
    page = front(api)
    assert len(page.encode()) < 60_000
    assert (len(names(page)), "70 more" in page) == (50, True)
