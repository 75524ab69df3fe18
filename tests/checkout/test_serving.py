"""What the stand-in is served as: by whom it may be loaded, what it names, and what a scenario does to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mock_server import checkout
from mock_server.checkout.serving import POLICY
from mock_server.domain.cards import find
from tests.wire import Wire

ASSETS = Path(checkout.__file__).with_name("assets")
MOST_BYTES = 40_000


@pytest.mark.parametrize("path", checkout.SCRIPTS)
@pytest.mark.parametrize("key", [None, "pk_snd_of_nobody_at_all"])
def test_the_script_is_served_to_any_page_and_belongs_to_nobody(api: Wire, path: str, key: str | None) -> None:
    reply = api.as_key(None).get(path if key is None else f"{path}?key={key}", origin="https://shop.example.test")
    assert reply.status == 200
    assert reply.raw == ASSETS.joinpath("HyperLoader.js").read_bytes()
    assert reply.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert reply.headers["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_the_script_is_small_and_names_no_address() -> None:
    text = ASSETS.joinpath("HyperLoader.js").read_text("utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert re.findall(r"\w+://\w|\w\.(?:com|io|org|net|dev|test)\b|localhost|\d+\.\d+\.\d+\.\d+", text) == []


def test_every_language_has_the_words_of_a_customer() -> None:
    text = ASSETS.joinpath("words.js").read_text("utf-8")
    english, *others = re.findall(r"^(?:const ENGLISH =|  [a-z]{2}:) \{(.*?)^ *\},?;?$", text, re.MULTILINE | re.DOTALL)
    assert len(others) == 2
    words = set(re.findall(r"(\w+): \"", english)) - {"strip", "choose", "stripHint"}
    assert [words - set(re.findall(r"(\w+): \"", other)) for other in others] == [set(), set()]


def test_the_frame_may_be_shown_anywhere_and_loads_from_here_alone(api: Wire) -> None:
    reply = api.as_key(None).get("/checkout/frame")
    assert reply.headers["Content-Security-Policy"] == POLICY
    assert "X-Frame-Options" not in reply.headers
    assert "'unsafe" not in POLICY
    parts = re.findall(rb'(?:src|href)="(/checkout/[^"]+)"', reply.raw)
    assert len(parts) == 2
    for part in parts:
        answer = api.as_key(None).get(part.decode())
        assert (answer.status, "immutable" in answer.headers["Cache-Control"]) == (200, True)
    assert b"<script>" not in reply.raw
    assert b"<style" not in reply.raw


@pytest.mark.parametrize(
    "path", ["/checkout/0123456789abcdef/frame.js", "/checkout/x/HyperLoader.js", "/checkout/x/..."]
)
def test_nothing_else_is_served_there(api: Wire, path: str) -> None:
    assert api.as_key(None).get(path).status == 404


def test_the_test_cards_are_those_of_the_table(api: Wire) -> None:
    groups = api.as_key(None).get("/checkout/cards").json
    assert [group["title"] for group in groups] == ["Succeeded", "Declined", "3-D Secure", "Something else"]
    rows = [row for group in groups for row in group["cards"]]
    assert all((card := find(row["number"])) is not None and card.name == row["name"] for row in rows)
    assert len({row["number"] for row in rows}) == len(rows) > 50


@pytest.mark.parametrize(("name", "path"), [("script", "/HyperLoader.js"), ("frame", "/checkout/frame")])
def test_a_scenario_of_the_keys_workspace_decides_whether_it_arrives(api: Wire, name: str, path: str) -> None:
    rule = {"on": f"checkout.{name}", "then": {"respond": {"status": 503, "body": "down"}}, "times": 1}
    text = {"version": 1, "name": "script_down", "rules": [rule]}
    assert api.put("/_sandbox/scenarios/script_down", text).status in (200, 201)
    assert api.post("/_sandbox/scenarios/script_down/activate").status == 200
    keyed = f"{path}?key={api.page().key}"
    assert api.as_key(None).get(path).status == 200, "without a key it is no workspace's"
    refused = api.as_key(None).get(keyed)
    assert (refused.status, refused.raw) == (503, b"down")
    assert "script_down" in str(refused.headers["X-Sandbox-Because"])
    assert api.as_key(None).get(keyed).status == 200
    entries = api.get(f"/_sandbox/journal?operation=checkout.{name}")["data"]
    assert [entry["status"] for entry in entries] in ([200, 503], [503, 200])
    assert str(api.page().key) not in str(entries)


def test_an_error_of_the_catalogue_is_an_answer_too(api: Wire) -> None:
    api.post("/_sandbox/next", {"on": "checkout.frame", "then": {"error": "HE_00"}})
    refused = api.as_key(None).get(f"/checkout/frame?key={api.page().key}")
    assert (refused.status, refused.error["code"]) == (500, "HE_00")
