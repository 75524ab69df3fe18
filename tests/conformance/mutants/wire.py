"""Mutants of what holds of every answer, and of keys."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

import re
from hashlib import blake2b
from itertools import count
from typing import Any, Final

from tests.conformance.mutants.calls import (
    CANCEL,
    CREATE,
    PAYMENTS,
    Ask,
    Next,
    Said,
    answering,
    anywhere,
    as_it_stands,
    asking,
    at,
    coded,
    forgiving,
    good,
    instead,
    query_without,
    refusal,
    shown,
    statused,
)
from tests.conformance.mutants.mutant import Mutant

HEALTH: Final = at("GET", "/health")
numbers: Final = count()


def lends_key(ask: Ask) -> None:
    if not ask.key:
        ask.headers["api-key"] = "snd_lent_to_everybody"


def as_html(said: Said, ask: Ask) -> None:
    if said.status >= 400:
        said.set("Content-Type", "text/html; charset=utf-8")


def reads_anything(ask: Ask) -> None:
    if ask.body:
        ask.headers["content-type"] = "application/json"


def wants_body(ask: Ask, proceed: Next) -> Said:
    return proceed(ask) if ask.body else refusal(400, "IR_06")


def any_key(ask: Ask) -> None:
    if ask.key and not re.match(r"(pk_)?(snd|prd)_.{8}|epk_", ask.key):
        ask.headers["api-key"] = f"snd_{blake2b(ask.key.encode(), digest_size=8).hexdigest()}"


def takes_bearer(ask: Ask) -> None:
    if "authorization" in ask.headers:
        ask.headers["api-key"] = ask.headers["authorization"].removeprefix("Bearer ")


def takes_production(ask: Ask) -> None:
    ask.headers["api-key"] = ask.key.replace("prd_", "snd_")


def repeats_key(said: Said, ask: Ask) -> None:
    if said.status == 401:
        value = said.json
        value["error"]["message"] += f" You sent {ask.key}."
        said.put(value)


def one_key(ask: Ask) -> None:
    if ask.key.startswith("snd_"):
        ask.headers["api-key"] = "snd_one_workspace_for_all"
    elif ask.key.startswith("pk_snd_"):
        ask.headers["api-key"] = "pk_snd_one_workspace_for_all"


class LeakingLists:
    """An empty list is filled from the workspace that was asked before."""

    def __init__(self) -> None:
        self.before = ""

    def __call__(self, ask: Ask, proceed: Next) -> Said:
        if not ask.path.endswith("/list"):
            self.before = ask.key or self.before
            return proceed(ask)
        said = proceed(ask.again())
        if said.status == 200 and said.json.get("total_count") == 0:
            ask.headers["api-key"] = self.before
            return proceed(ask)
        return said


class IdsOfAll:
    """Who takes an id takes it from all merchants."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def __call__(self, ask: Ask, proceed: Next) -> Said:
        wanted = ask.json.get("payment_id") if CREATE(ask) else None
        if wanted in self.taken:
            return refusal(400, "HE_01")
        self.taken |= {wanted} if wanted else set()
        return proceed(ask)


def new_merchant(value: dict[str, Any]) -> None:
    if "merchant_id" in value:
        value["merchant_id"] = f"mer_{next(numbers):020}"


def is_browser(ask: Ask) -> bool:
    return ask.key.startswith("pk_")


def becomes_server(ask: Ask) -> None:
    query_without("client_secret")(ask)
    ask.headers["api-key"] = ask.key.removeprefix("pk_")


def has_secret(ask: Ask) -> bool:
    return "client_secret" in ask.query or "client_secret" in ask.json


class KeysOfEverybody:
    """An ephemeral key does what the key does that made it."""

    def __init__(self) -> None:
        self.makers: dict[str, str] = {}

    def __call__(self, ask: Ask, proceed: Next) -> Said:
        maker = ask.key
        ask.headers["api-key"] = self.makers.get(maker, maker)
        said = proceed(ask)
        if ask.path == "/ephemeral_keys" and said.status == 200:
            self.makers[said.json["secret"]] = maker
        return said


ROWS: Final = (
    Mutant("health_is_open", "/health answers without a key.", ("http.health", "keys.missing"), asking(HEALTH, lends_key)),
    Mutant("no_request_id", "Answers have no X-Request-Id.", ("http.request_id",), answering(anywhere, lambda said, ask: said.drop("X-Request-Id"))),
    Mutant("one_request_id", "All answers have the same X-Request-Id.", ("http.request_id",), answering(anywhere, lambda said, ask: said.set("X-Request-Id", "req_1"))),
    Mutant("errors_in_html", "Errors have the content type text/html.", ("http.content_type",), answering(anywhere, as_html)),
    Mutant("unknown_route_is_405", "An unknown path gets 405.", ("http.unknown_route",), coded("IR_02", "IR_03", status=405)),
    Mutant("wrong_method_is_404", "A wrong method gets 404.", ("http.method_not_allowed",), coded("IR_03", "IR_02", status=404)),
    Mutant("no_allow", "405 has no Allow header.", ("http.method_not_allowed",), answering(anywhere, lambda said, ask: said.drop("Allow"))),
    Mutant("bad_json_is_422", "Invalid JSON gets 422.", ("http.bad_json", "http.content_type_wrong", "validation.unknown_field", "lists.unknown_parameter"), coded("IR_06", "IR_06", status=422)),
    Mutant("reads_any_type", "A body with any content type is read as JSON.", ("http.content_type_wrong",), asking(at("POST", "/payments"), reads_anything)),
    Mutant("large_body_is_400", "A body that is too large gets 400.", ("http.large_body",), statused(413, 400)),
    Mutant("wants_a_body", "A cancellation without a body is refused.", ("http.empty_body",), instead(CANCEL, wants_body)),
    Mutant("no_cross_origin", "Answers allow no other origin.", ("http.cross_origin",), answering(PAYMENTS, lambda said, ask: said.drop("Access-Control-Allow-Origin"))),
    Mutant("missing_key_is_403", "A missing or invalid key gets 403.", ("keys.missing", "keys.malformed", "http.health"), statused(401, 403)),
    Mutant("takes_any_key", "Any text is accepted as a key.", ("keys.malformed",), asking(anywhere, any_key)),
    Mutant("takes_bearer", "The key may be in Authorization.", ("keys.in_the_header",), asking(anywhere, takes_bearer)),
    Mutant("takes_production_keys", "A production key opens a sandbox workspace.", ("keys.production",), asking(anywhere, takes_production)),
    Mutant("repeats_the_key", "The error message repeats the refused key.", ("keys.production",), answering(anywhere, repeats_key)),
    Mutant("one_workspace_for_all", "Objects of one key are visible with every other.", ("keys.isolated", "keys.lists_apart", "keys.merchants_apart", "keys.same_id_apart", "idempotency.by_merchant"), asking(lambda ask: True, one_key)),
    Mutant("lists_leak", "A list contains another merchant's objects.", ("keys.lists_apart",), LeakingLists()),
    Mutant("new_merchant_each_time", "A key has another merchant each time.", ("keys.merchants_apart",), shown(PAYMENTS, new_merchant)),
    Mutant("ids_of_all", "A payment_id is used up for all merchants.", ("keys.same_id_apart",), IdsOfAll()),
    Mutant("no_publishable_keys", "Publishable keys are refused.", ("keys.browser_reads", "keys.browser_confirms"), instead(is_browser, lambda ask, proceed: refusal(401, "IR_01"))),
    Mutant("no_client_secret_needed", "A publishable key needs no client_secret.", ("keys.browser_needs_secret",), asking(lambda ask: is_browser(ask) and not has_secret(ask), becomes_server)),
    Mutant("any_client_secret", "Any client_secret is accepted.", ("keys.wrong_secret", "keys.session_ends"), asking(lambda ask: is_browser(ask) and has_secret(ask), becomes_server)),
    Mutant("wrong_secret_is_expired", "A wrong client_secret is reported as expired.", ("keys.wrong_secret",), coded("IR_09", "IR_08")),
    Mutant("sessions_never_end", "A client_secret never expires.", ("keys.session_ends",), forgiving(is_browser, "IR_08", lambda ask, proceed: proceed(ask.as_get(ask.path).again(headers={"api-key": ask.key.removeprefix("pk_")})))),
    Mutant("browser_is_server", "A publishable key can do everything that a secret key can.", ("keys.browser_is_no_server",), asking(lambda ask: is_browser(ask) and not re.match(r"/payments/[^/]+(/confirm)?$", ask.path), becomes_server)),
    Mutant("secrets_mix", "A secret key can be sent with a client_secret.", ("keys.secret_with_secret",), asking(lambda ask: ask.key.startswith("snd_"), query_without("client_secret"))),
    Mutant("ephemeral_key_of_everybody", "An ephemeral key gives access to everything.", ("keys.ephemeral",), KeysOfEverybody()),
    Mutant("revoked_key_works", "A revoked key still works.", ("keys.issued",), instead(at("DELETE", "/api_keys/*/*"), lambda ask, proceed: good({"revoked": True}))),
    Mutant("issued_key_is_another_workspace", "An issued key has its own workspace.", ("keys.issued",), shown(at("POST", "/api_keys/*"), lambda value: value.update(api_key="snd_somebody_elses_key"))),
    Mutant("takes_teleports", "An unknown action returns the payment.", ("http.unknown_route",), forgiving(at("POST", "/payments/*/*"), "IR_02", as_it_stands)),
)  # fmt: skip
