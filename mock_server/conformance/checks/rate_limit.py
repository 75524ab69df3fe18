"""The rate limit and its headers (interface §8.4)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from typing import Final

from mock_server.conformance.answer import Answer, Phrase
from mock_server.conformance.check import Check
from mock_server.conformance.client import Client
from mock_server.conformance.target import Ability

NAMES: Final = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
WINDOW_S: Final = 60
ALLOWED: Final = 3


def figures(answer: Answer) -> tuple[int, int, int]:
    """Limit, remaining and reset. Broken where one is missing or no number."""
    found = [(name, answer.header(name)) for name in NAMES]
    for name, text in found:
        answer.expect(f"the header {name}", Phrase("a whole number"), text, text.isdigit())
    limit, remaining, reset = (int(text) for _, text in found)
    return limit, remaining, reset


def headers(api: Client) -> None:
    good, lost = api.get("/health"), api.payment("pay_nowhere")
    wrong, nowhere, nobody = api.post("/payments", {}), api.get("/nowhere"), api.with_key(None).get("/health")
    for answer in (good, lost, wrong, nowhere, nobody, api.delete("/payments")):
        limit, remaining, _ = figures(answer)
        answer.expect("remaining", Phrase(f"from 0 to {limit}"), remaining, 0 <= remaining <= limit)


def counts_down(api: Client) -> None:
    for _ in range(2):  # a window may end between two calls, but not twice
        (_, first, window), (_, second, same_window) = figures(api.get("/health")), figures(api.payment("pay_nowhere"))
        if window == same_window:
            api.get("/health").expect("remaining after one more call", first - 1, second)
            return


def reset(api: Client) -> None:
    now_s = api.means.clock.now_ms() // 1000
    answer = api.get("/health")
    _, _, at = figures(answer)
    ahead = at - now_s
    answer.expect("the seconds until the window ends", Phrase(f"0 to {WINDOW_S}"), ahead, -2 <= ahead <= WINDOW_S + 2)


def limited(api: Client) -> Answer:
    """The call after the last that is allowed."""
    document = {"version": 1, "name": "conformance", "settings": {"rate_limit": ALLOWED}}
    api.control("POST", "clock/freeze", {})
    api.control("PUT", "scenarios/conformance", {**document, "summary": "Three calls a minute."})
    api.control("POST", "scenarios/conformance/activate")
    for left in (2, 1, 0):
        answer = api.get("/health").is_(200)
        answer.expect("limit and remaining", [ALLOWED, left], list(figures(answer)[:2]))
    return api.get("/health")


def exceeded(api: Client) -> None:
    answer = limited(api).refused(429, "RL_01", "rate_limit")
    wait = answer.header("Retry-After")
    answer.expect("Retry-After", Phrase(f"0 to {WINDOW_S} seconds"), wait, wait.isdigit() and int(wait) <= WINDOW_S)
    figures(answer)


def nothing_happens(api: Client) -> None:
    answer = limited(api)
    refused = api.create(payment_id="too_much").refused(429, "RL_01", "rate_limit")
    answer.expect("two refusals", answer.status, refused.status)
    api.advance(f"{WINDOW_S}s")
    api.payment("too_much").refused(404, "HE_02")


def window_ends(api: Client) -> None:
    limited(api).is_(429)
    api.advance(f"{WINDOW_S}s")
    answer = api.get("/health").is_(200)
    answer.expect("limit and remaining in a new window", [ALLOWED, ALLOWED - 1], list(figures(answer)[:2]))


CLOCK: Final = frozenset({Ability.CONTROL, Ability.OWN_WORKSPACES})
ROWS: Final = (
    Check("rate_limit.headers", "Every answer says limit, remaining and reset, errors too.", "interface §8.4", headers),
    Check("rate_limit.counts_down", "Each call takes one of what remains.", "interface §8.4", counts_down),
    Check("rate_limit.reset", "The reset is an instant in seconds, at most a minute ahead.", "interface §8.4", reset),
    Check("rate_limit.exceeded", "One call too many is 429, with the seconds to wait.", "interface §8.4", exceeded, CLOCK),
    Check("rate_limit.no_effect", "A call that is refused for its number does nothing.", "interface §8.4", nothing_happens, CLOCK),
    Check("rate_limit.window_ends", "After a minute calls are taken again.", "interface §8.4", window_ends, CLOCK),
)  # fmt: skip
