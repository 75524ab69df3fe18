"""A signature is verified on a page, and what is wrong is named; the inbox has pages, and events to select."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Final

import pytest

from mock_server.dashboard.visit import PAGE
from mock_server.domain.events import signature
from tests.counts import times
from tests.dashboard.reading import Page
from tests.dashboard.visitor import Visitor, count, said, text

SECRET: Final = "whsec_mine"
BODY: Final = '{"a":1,"b":"é"}'
RIGHT: Final = signature(SECRET, BODY.encode())
SPACED: Final = json.dumps(json.loads(BODY), ensure_ascii=False)


def verified(visitor: Visitor, body: str, header: str, secret: str) -> tuple[int, str]:
    reply = visitor.send("webhooks", {"do": "signature.verify", "body": body, "header": header, "secret": secret})
    return reply.status, text(reply)


def test_a_right_signature_is_right(visitor: Visitor) -> None:
    status, page = verified(visitor, BODY, RIGHT, SECRET)
    assert (status, "The signature is valid." in page) == (200, True)
    assert SECRET not in page, "a secret is never shown again"


NAME: Final = "X-Webhook-Signature-512"
PASTED: Final = (
    "'{}'", "-H '" + NAME + ": {}'", '"' + NAME + '": "{}",', NAME.lower() + ":{}", "{}", " {}\t", '"{}",',
    NAME + ": {}", "-H " + NAME + ":{}", "'" + NAME + "': '{}'", '"' + NAME + ': {}"', NAME + " = {}",
)  # fmt: skip
"""A header as logs, commands and programs show it."""


@pytest.mark.parametrize("pasted", PASTED[: times(4, soak=12)])
def test_a_header_is_pasted_as_it_was_shown(visitor: Visitor, pasted: str) -> None:
    """What is wrong with it is said all the same, and of nothing else."""
    assert verified(visitor, BODY, pasted.format(RIGHT), SECRET)[0] == 200
    status, page = verified(visitor, BODY, pasted.format(f"sha512={RIGHT}"), SECRET)
    assert (status, "without sha512= before them" in page) == (400, True)
    assert "Base64" not in page


@pytest.mark.parametrize("typed", ["{}", " {}", "{} ", "\t{}\t ", " ", "", "{ }\u00a0"])
def test_what_is_signed_is_what_was_typed(visitor: Visitor, typed: str) -> None:
    """With what stands around it: two forms of one page do not differ."""
    form = next(one for one in Page(visitor.read("webhooks")).forms if one.test_id == "do-control.sign_webhook")
    signed = text(visitor.send("webhooks", [(one.name, typed if one.is_seen else one.value) for one in form.fields]))
    secret = visitor.api.get("/_sandbox/webhooks/target")["secret"]
    (header,) = re.findall(r"\b[0-9a-f]{128}\b", said(signed, "signed"))
    assert verified(visitor, typed, header, secret)[0] == 200


@pytest.mark.parametrize(
    ("body", "header", "secret", "says"),
    [
        (BODY, "", SECRET, "The header X-Webhook-Signature-512 is missing"),
        (BODY, RIGHT, "", "The secret is missing"),
        (BODY, f"sha512={RIGHT}", SECRET, "without sha512= before them"),
        (BODY, RIGHT.upper(), SECRET, "must be in lower case"),
        (BODY, hashlib.sha256(b"x").hexdigest(), SECRET, "as SHA-256 has; SHA-512 has 128"),
        (BODY, base64.b64encode(bytes.fromhex(RIGHT)).decode(), SECRET, "such as Base64"),
        (BODY, RIGHT, f" {SECRET}\t", "The secret has spaces around it."),
        (f"{BODY}\r\n", RIGHT, SECRET, "were not sent"),
        (SPACED, RIGHT, SECRET, "parsed and serialised again"),
        (BODY, hashlib.sha512(BODY.encode()).hexdigest(), SECRET, "plain SHA-512 of the body"),
        (BODY, hashlib.sha512(f"{SECRET}{BODY}".encode()).hexdigest(), SECRET, "SHA-512 of secret and body together"),
        (BODY, "0" * 128, SECRET, "none of the common mistakes explains it"),
        ("\x00{", "é" * 128, "\x00", "such as Base64"),
    ],
)
def test_what_is_wrong_is_named(visitor: Visitor, body: str, header: str, secret: str, says: str) -> None:
    status, page = verified(visitor, body, header, secret)
    assert status == 400
    assert says in page


def test_a_wrong_secret_and_a_changed_body_are_told_apart(visitor: Visitor) -> None:
    visitor.api.pay()
    event = visitor.api.get("/_sandbox/webhooks")["data"][0]
    header = dict(event["headers"])["X-Webhook-Signature-512"]
    assert "signed with this workspace&#39;s secret" in verified(visitor, event["payload"], header, "whsec_other")[1]
    ours = visitor.api.get("/_sandbox/webhooks/target")["secret"]
    page = verified(visitor, event["payload"].replace("6540", "6541"), header, ours)[1]
    assert "none of the common mistakes explains it" in page and f"the signature of {event['event_id']}" in page


def test_the_inbox_has_its_pages(visitor: Visitor) -> None:
    for _ in range(53):
        visitor.api.pay()
    total = visitor.api.get("/_sandbox/webhooks")["total_count"]
    assert count(visitor.read("webhooks"), "event") == PAGE < total
    assert f"offset={PAGE}" in visitor.read("webhooks")
    assert count(visitor.read(f"webhooks?offset={PAGE}"), "event") == total - PAGE


def test_the_events_that_are_selected_are_sent_again_and_no_others(visitor: Visitor) -> None:
    visitor.api.put("/_sandbox/webhooks/target", {"url": "http://127.0.0.1:9/x"})
    for _ in range(3):
        visitor.api.pay()
    ids = [one["event_id"] for one in visitor.api.get("/_sandbox/webhooks")["data"]]
    boxes = [("body.event_ids:list", value) for value in ("", ids[2], ids[0])]
    form = [("do", "control.resend_webhooks"), *boxes]
    assert text(visitor.send("webhooks", form)).count("The events are being resent.") == 1
    resent = visitor.api.post("/_sandbox/webhooks/resend", {"event_ids": [ids[2], ids[0]]})["event_ids"]
    assert resent == [ids[0], ids[2]], "in the order in which they were told"
    assert visitor.api.post("/_sandbox/webhooks/resend", {"event_ids": []})["event_ids"] == []
    assert visitor.api.post("/_sandbox/webhooks/resend", {"event_ids": ["evt_nobody"]}).status == 404
