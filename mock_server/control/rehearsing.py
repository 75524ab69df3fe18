"""An export, played in a scratch server before it is handed out: it says whether it leads to where it says.

The scratch server is made for it and goes with it. Nothing of the workspace that is exported is touched, nothing is
sent to any receiver, and what would wait does not.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.faults import LineFault
from mock_server.sandbox import Sandbox
from mock_server.scenario.story.client import LineBroken, StoryReply
from mock_server.scenario.story.requests import CONTROL
from mock_server.server.emulate import ERRORS

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

KEY: Final = "snd_rehearsal_of_an_export"
MOST_S: Final = 10.0
"""How long a rehearsal may take before it is given up (ours)."""
BROKEN: Final = {
    ERRORS[LineFault.CONNECTION_RESET][1]: "reset",
    ERRORS[LineFault.EMPTY_RESPONSE][1]: "empty",
    ERRORS[LineFault.TRUNCATED_BODY][1]: "truncated",
    ERRORS[LineFault.HANG][1]: "timeout",
}


def rehearse(sandbox: Sandbox, document: Mapping[str, Any]) -> str:
    """What came of playing it, in one sentence that begins with `verified` or `not verified`."""
    from mock_server.scenario.loading.load import load_mapping
    from mock_server.scenario.model.mistakes import ScenarioErrors
    from mock_server.scenario.story.player import play

    if sandbox.scratch is None:
        return "not verified: this server makes no scratch server"
    until = sandbox.clock.monotonic() + MOST_S
    try:
        scenario = load_mapping(document).scenario
        client = InProcess(sandbox.scratch())
        client.control("PUT", f"scenarios/{scenario.name}", document)
        client.control("POST", f"scenarios/{scenario.name}/activate", None)
        for step in play(scenario, client):
            if not step.holds:
                return _one_line(f"not verified: step {step.step.number}, {step.did}: {'; '.join(step.problems)}")
            if sandbox.clock.monotonic() > until:
                return f"not verified: playing it took over {MOST_S:g} seconds"
        found = client.control("POST", f"scenarios/{scenario.name}/check", None)
    except (ScenarioErrors, Refused) as wrong:
        return _one_line(f"not verified: {wrong}")
    failed = [f"{one['expect']}: {one['because']}" for one in found["expect"] if not one["holds"]]
    if failed:
        return _one_line(f"not verified: {'; '.join(failed)}")
    return f"verified: played in a fresh workspace, all {len(scenario.story)} steps came out as they stand here"


def _one_line(text: str) -> str:
    return " ".join(text.split()).encode("ascii", "replace").decode()[:500]


class Refused(Exception):
    """What the scratch server did not take."""


class InProcess:
    """A client of an app that is called where it is (see `playing.Client`)."""

    def __init__(self, app: WSGIApplication) -> None:
        from werkzeug.test import Client

        self._ask: Callable[..., Any] = Client(app).open
        key = parse(KEY)
        assert isinstance(key, ApiKey)
        self._key = key

    @property
    def publishable_key(self) -> str:
        """The key that a browser would use."""
        return self._key.twin().text

    def control(self, method: str, path: str, body: object) -> Any:
        """The answer of a control call. Raises Refused."""
        reply = self.request(method, CONTROL + path, body, {})
        if reply.status != 200:
            raise Refused(f"{path}: {reply.status} {reply.body}")
        return reply.body

    def request(self, method: str, path: str, json: object, headers: Mapping[str, str]) -> StoryReply:
        """Sends one request with JSON in it (None: no body). Raises LineBroken."""
        sent = {"api-key": self._key.text, **headers}
        kind = {} if json is None else {"data": jsonlib.dumps(json), "content_type": "application/json"}
        try:
            answer = self._ask(path, method=method, headers=sent, **kind)
            raw = answer.get_data()
        except ConnectionError as wrong:
            raise LineBroken(BROKEN.get(str(wrong), "reset")) from None
        return StoryReply(answer.status_code, {name.lower(): value for name, value in answer.headers}, _body(raw))


def _body(raw: bytes) -> Any:
    try:
        return jsonlib.loads(raw) if raw else None
    except ValueError:
        raise LineBroken("malformed") from None
