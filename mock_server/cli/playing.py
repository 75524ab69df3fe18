"""Plays a scenario's story with a new server on a free port and a receiver of webhooks, over real sockets."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIEnvironment

from msgspec import structs

from mock_server.cli.asking import refusal
from mock_server.contract.control_operations import PREFIX
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.events import signature
from mock_server.front import serve
from mock_server.sandbox import build
from mock_server.scenario.expectations import ExpectationResult
from mock_server.scenario.model.scenario import Scenario
from mock_server.scenario.story.over_http import PATIENCE_S, OverHttp
from mock_server.scenario.story.player import StepResult, play
from mock_server.scenario.story.settling import awaited, settle
from mock_server.server import Server
from mock_server.settings import Settings
from mock_server.webhooks.signing import HEADER

KEY: Final = "snd_story_of_a_scenario"
SEED: Final = "story"
SECRET: Final = "whsec_story"
SETTLE_S: Final = 5.0
"""How long assertions about webhooks can take to become true (real time)."""


class CannotPlay(Exception):
    """Why a story was not played."""


Line = StepResult | ExpectationResult


@contextmanager
def stage(patience_s: float = PATIENCE_S, data: str | None = None) -> Iterator[OverHttp]:
    """A client of a new sandbox, which runs as `serve` would run it, with a receiver of its webhooks."""
    sandbox = build(Settings(seed=SEED, data=data))
    key = parse(KEY)
    assert isinstance(key, ApiKey)
    with serve(sandbox, "127.0.0.1", 0) as server, Server(receiver) as inbox:
        sandbox.start()
        try:
            client = OverHttp(server.address, key, patience_s=patience_s)
            control(client, "PUT", "webhooks/target", {"url": f"{inbox.address}/inbox", "secret": SECRET})
            yield client
        finally:
            sandbox.stop()


def receiver(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """A shop's receiver of webhooks: it accepts events with a valid signature, and refuses all others."""
    body = environ["wsgi.input"].read()
    said = environ.get("HTTP_" + HEADER.upper().replace("-", "_"), "")
    is_right = hmac.compare_digest(said.encode(), signature(SECRET, body).encode())
    start_response("200 OK" if is_right else "401 Unauthorized", [("Content-Length", "0")])
    return [b""]


def control(client: OverHttp, method: str, path: str, body: object = None) -> Any:
    """The answer of a control call. Raises CannotPlay if it is refused."""
    reply = client.request(method, PREFIX + path, body, {})
    if reply.status != 200:
        raise CannotPlay(f"{path}: {'; '.join(refusal(reply))}")
    return reply.body


def perform(scenario: Scenario, needed: Sequence[Scenario], client: OverHttp) -> Iterator[Line]:
    """Plays a scenario; `needed` are those that it extends, the last one first. Raises CannotPlay."""
    for part in (*needed, scenario):
        kind = "application/json" if part.file.lower().endswith(".json") else "application/yaml"
        reply = client.send("PUT", f"{PREFIX}scenarios/{part.name}", part.text.encode(), kind)
        if reply.status != 200:
            raise CannotPlay(f"{part.file}: {'; '.join(refusal(reply))}")
    control(client, "POST", f"scenarios/{scenario.name}/activate")
    for result in play(scenario, client, needed):
        said = result.because
        if not said and result.got.startswith("connection"):  # only the journal has the reason of a lost answer
            calls = control(client, "GET", "journal?limit=1")["data"]
            said = "; ".join(note["text"] for call in calls for note in call["because"])
        for part in (*needed, scenario) if said else ():
            said = str(said).replace(f" at {part.name}:", f" at {part.file}:")  # the sandbox has only the text
        yield structs.replace(result, because=said or None)
    yield from expectations(scenario, client)


def expectations(scenario: Scenario, client: OverHttp) -> Iterator[ExpectationResult]:
    """The scenario's assertions, when no event is on its way, and they are true or nothing can make them so in time."""
    if not scenario.expect:
        return
    read = partial(control, client, "GET")

    def check() -> Any:
        settle(read, PATIENCE_S)
        return control(client, "POST", f"scenarios/{scenario.name}/check")

    answer = awaited(read, check, itemgetter("holds"), SETTLE_S)
    for expect, row in zip(scenario.expect, answer["expect"], strict=True):
        yield ExpectationResult(row["holds"], row["expect"], row["because"], expect.place, row["empty"])
