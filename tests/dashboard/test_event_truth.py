"""An event's page, read back: its delivery, its attempts, its body and its signature are those of the control API."""

from __future__ import annotations

import hmac
import json
import re
import shlex
from html import unescape
from random import Random
from typing import Any, Final

import pytest

from tests.counts import times
from tests.dashboard.line_facts import facts
from tests.dashboard.test_overview_failures import lived
from tests.dashboard.truths import plain
from tests.dashboard.visitor import Visitor, said
from tests.wire import Wire

ATTEMPT: Final = re.compile(r'<details class="card attempt" id="([^"]*)"[^>]*>(.*?)</details>', re.DOTALL)
PILL: Final = re.compile(r'<span class="pill (\w+)"[^>]*>(.*?)</span>', re.DOTALL)


def code(html: str, name: str) -> str:
    found = re.search(rf'data-testid="{name}"><code>(.*?)</code>', html, re.DOTALL)
    assert found is not None
    return unescape(found[1])


def summary(attempt: dict[str, Any]) -> str:
    """What the head of an attempt says."""
    copy = f", copy {attempt['copy']}" if attempt["copy"] > 1 else ""
    kind = "" if attempt["kind"] == "initial_attempt" else f", {attempt['kind'].replace('_', ' ')}"
    at = f"{attempt['made_at'][:10]} {attempt['made_at'][11:23]}"
    answer = attempt["error"] or attempt["status"]
    return f"{answer} attempt {attempt['number']}{copy}{kind}, {at}, {attempt['took_ms']} ms {attempt['attempt_id']}"


def went(event: dict[str, Any]) -> tuple[str, str]:
    """The tone and the words of a delivery; an event that nobody received and nobody will is bad."""
    if event["is_delivered"]:
        return "good", "delivered"
    if event["deliveries"]:
        last = event["deliveries"][-1]
        return "bad", last["error"] or f"answered {last['status']}"
    tone = "bad" if event["fate"] == "given_up" else "plain" if event["fate"] else "wait"
    return tone, event["why"] or "on its way"


@pytest.mark.parametrize("seed", range(times(4, soak=100)))
def test_an_events_page_is_what_the_control_api_has_of_it(seed: int) -> None:
    api: Wire = lived(Random(seed))
    target = api.get("/_sandbox/webhooks/target")
    visitor = Visitor(api)
    events = api.get("/_sandbox/webhooks?limit=1000")["data"]
    rows = plain(visitor.read("webhooks"))
    for event in events:
        html = visitor.read(f"webhooks/{event['event_id']}")
        (tone, words) = went(event)
        head = html[html.index("<h1>") :]
        assert PILL.findall(head)[0] == (tone, words)
        assert words[:40] in rows
        named = dict(facts(head.partition("</dl>")[0]))
        assert named["Created"] == f"{event['created'][:10]} {event['created'][11:23]}"
        assert (named["Object"], named["Profile"]) == (event["object_id"], event["profile_id"])
        attempts = ATTEMPT.findall(html)
        assert f'Attempts <span class="count">{len(event["deliveries"])}</span>' in html
        for (id, inside), one in zip(attempts, event["deliveries"], strict=True):
            assert id == one["attempt_id"] and plain(inside.partition("</summary>")[0]) == summary(one)
            assert PILL.findall(inside)[0][0] == ("bad" if one["error"] or not 200 <= one["status"] < 300 else "good")
            assert plain(re.findall(r"<p>To <code>(.*?)</code>", inside)[0]) == one["url"]
            assert list(facts(inside.partition("<h3>Answer</h3>")[0])) == [tuple(pair) for pair in one["headers"]]
        assert code(html, "payload") == json.dumps(event["body"], indent=2, ensure_ascii=False)
        command = shlex.split(code(html, "curl-receiver"))
        raw = command[command.index("--data-binary") + 1].encode()
        assert command[3] == target["url"] and f"{len(raw):,} bytes" in html and json.loads(raw) == event["body"]
        sent = dict(command[at + 1].split(": ", 1) for at, word in enumerate(command) if word == "-H")
        right = hmac.new(target["secret"].encode(), raw, "sha512").hexdigest()
        assert said(html, "signature") == sent["X-Webhook-Signature-512"] == right
