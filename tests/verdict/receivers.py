"""A correct receiver of webhooks, and one that is broken for each case of the probe."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any

from mock_server.domain.events import EventType
from mock_server.openapi.examples import recorded

Environ = dict[str, Any]
Json = dict[str, Any]


class Correct:
    """Checks the signature over the raw bytes, handles an event once and under a lock, and lets no older one win."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.lock = Lock()
        self.seen: dict[str, None] = {}
        self.status = ""
        self.updated = ""
        self.parcels = 0

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = self.read(environ)
        status = self.answer(body, environ.get("HTTP_X_WEBHOOK_SIGNATURE_512"), environ.get("CONTENT_TYPE", ""))
        start_response(f"{status} Said", [("Content-Length", "0")])
        return [b""]

    def read(self, environ: Environ) -> bytes:
        return bytes(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))

    def answer(self, body: bytes, signature: str | None, kind: str) -> int:
        if not self.is_signed(body, signature):
            return 401
        event = self.parsed(body)
        with self.lock:
            if not self.is_new(event):
                return 200
            return self.handle(event)

    def signed(self, body: bytes) -> str:
        return hmac.new(self.secret.encode(), body, hashlib.sha512).hexdigest()

    def is_signed(self, body: bytes, signature: str | None) -> bool:
        return hmac.compare_digest(self.signed(body), signature or "")

    def parsed(self, body: bytes) -> Json:
        found: Json = json.loads(body)
        return found

    def is_new(self, event: Json) -> bool:
        new = event["event_id"] not in self.seen
        self.seen[event["event_id"]] = None
        return new

    def handle(self, event: Json) -> int:
        if event["event_type"] == "payment_succeeded":
            self.parcels += 1
        self.settle(event["timestamp"], event["content"]["object"])
        return 200

    def settle(self, told_at: str, payment: Json) -> None:
        if payment["updated"] >= self.updated:
            self.status, self.updated = payment["status"], payment["updated"]

    def state(self) -> object:
        return {"status": self.status, "parcels": self.parcels}


class Valid(Correct):
    def is_signed(self, body: bytes, signature: str | None) -> bool:
        return False


class SignatureWrong(Correct):
    """Compares the beginning alone."""

    def is_signed(self, body: bytes, signature: str | None) -> bool:
        return len(signature or "") == 128 and (signature or "")[:32] == self.signed(body)[:32]


class SignatureMissing(Correct):
    def is_signed(self, body: bytes, signature: str | None) -> bool:
        return signature is None or super().is_signed(body, signature)


class SignatureEmpty(Correct):
    """Takes an empty header for a proxy's test of whether it is there."""

    def is_signed(self, body: bytes, signature: str | None) -> bool:
        return signature == "" or super().is_signed(body, signature)


class SignatureCut(Correct):
    """Compares as far as both go."""

    def is_signed(self, body: bytes, signature: str | None) -> bool:
        pairs = zip(signature or "", self.signed(body), strict=False)
        return bool(signature) and all(one == other for one, other in pairs)


class SignatureOfAnotherSecret(Correct):
    """Takes any HMAC that fits the body: it tries the secrets of all tenants, and one of them is known."""

    def is_signed(self, body: bytes, signature: str | None) -> bool:
        other = hmac.new(f"not {self.secret}".encode(), body, hashlib.sha512).hexdigest()
        return signature == other or super().is_signed(body, signature)


class SignatureOfAnotherBody(Correct):
    """Remembers which signatures were good."""

    def __init__(self, secret: str) -> None:
        super().__init__(secret)
        self.good: set[str] = set()

    def is_signed(self, body: bytes, signature: str | None) -> bool:
        if super().is_signed(body, signature):
            self.good.add(signature or "")
        return signature in self.good


class ReorderedKeys(Correct):
    """Wants the keys where it always saw them."""

    def parsed(self, body: bytes) -> Json:
        assert re.search(rb'"event_id".*"content"', body, re.DOTALL)
        return super().parsed(body)


class Escapes(Correct):
    """Signs what it wrote anew, and not the bytes that came."""

    def is_signed(self, body: bytes, signature: str | None) -> bool:
        anew = json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False).encode()
        return super().is_signed(anew, signature)


class UnknownFields(Correct):
    def parsed(self, body: bytes) -> Json:
        event = super().parsed(body)
        assert event.keys() <= recorded()["webhooks"]["payment_succeeded"].keys()
        return event


class UnknownEvent(Correct):
    def handle(self, event: Json) -> int:
        return super().handle(event) if event["event_type"] in set(EventType) else 422


class Twice(Correct):
    def is_new(self, event: Json) -> bool:
        return True


class AtTheSameMoment(Correct):
    """Looks, and writes down later: once another copy has looked too, or none comes."""

    def __init__(self, secret: str) -> None:
        super().__init__(secret)
        self.looking = Counter[str]()

    def answer(self, body: bytes, signature: str | None, kind: str) -> int:
        if not self.is_signed(body, signature):
            return 401
        event = self.parsed(body)
        if event["event_id"] in self.seen:
            return 200
        with self.lock:
            self.looking[event["event_id"]] += 1
        for tries in range(60):  # on a busy machine this takes longer, as all else does
            senders = sum(one.name.startswith("ThreadPoolExecutor") for one in threading.enumerate())
            if self.looking[event["event_id"]] > 1 or (tries > 15 and senders < 2):
                break
            time.sleep(0.005)
        self.seen[event["event_id"]] = None
        with self.lock:
            return self.handle(event)


class AgainLater(Correct):
    """Remembers the last few."""

    def is_new(self, event: Json) -> bool:
        new = super().is_new(event)
        while len(self.seen) > 5:
            self.seen.pop(next(iter(self.seen)))
        return new


class OutOfOrder(Correct):
    """Believes what comes last."""

    def settle(self, told_at: str, payment: Json) -> None:
        self.status = payment["status"]


class StaleObject(Correct):
    """Believes the event that was told last, whatever moment its object shows."""

    def settle(self, told_at: str, payment: Json) -> None:
        if told_at >= self.updated:
            self.status, self.updated = payment["status"], told_at


class AnotherMerchant(Correct):
    def parsed(self, body: bytes) -> Json:
        event = super().parsed(body)
        assert event["merchant_id"] != "mer_of_somebody_else"
        return event


class Large(Correct):
    def read(self, environ: Environ) -> bytes:
        assert int(environ["CONTENT_LENGTH"]) < 500_000
        return super().read(environ)


class WrongContentType(Correct):
    def answer(self, body: bytes, signature: str | None, kind: str) -> int:
        assert kind == "application/json"
        return super().answer(body, signature, kind)


class SlowSending(Correct):
    """Takes what is there at once for the whole."""

    def read(self, environ: Environ) -> bytes:
        return bytes(environ["wsgi.input"].read1(int(environ["CONTENT_LENGTH"])))


class Flood(Correct):
    """Has room for 200 events until they are handled at night."""

    def handle(self, event: Json) -> int:
        return super().handle(event) if len(self.seen) < 200 else 503
