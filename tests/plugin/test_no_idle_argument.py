"""Each argument of the fixture has an effect beside each other one: it changes what is done, or is refused.

Methods and arguments are those of the classes; a new one needs a value here with which it changes something.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any, Final

import pytest

from mock_server.testing import RunningServer, Sandbox
from mock_server.testing.client import Client
from mock_server.testing.control import ControlClient, Triggers, WorkspaceClock
from mock_server.testing.journal import Journal
from mock_server.testing.outcomes import outcomes
from mock_server.testing.scenarios import Scenarios, source_of
from mock_server.testing.servers import AnyServer
from mock_server.testing.webhooks import Webhooks
from tests.counts import SOAK
from tests.overheard import KEY, OTHER, RECEIVER, Overheard
from tests.plugin.conftest import Run

pytest_plugins = "pytester"

ROOMS: Final[dict[str, type]] = {
    "": Sandbox, "client": Client, "clock": WorkspaceClock, "control": ControlClient, "journal": Journal,
    "scenarios": Scenarios, "trigger": Triggers, "webhooks": Webhooks,
}  # fmt: skip
HOW_LONG: Final = frozenset({
    "probe timeout", "client.request timeout", "client.pay timeout", "webhooks.settle timeout",
    "webhooks.deliver timeout", "webhooks.connect host",
})  # fmt: skip
"""A limit of what takes no time here; and how a server in another machine reaches this one."""
IN_ADDRESS, IN_EVENT = f"address{RECEIVER}", "the last event"
APP, STATE = object(), object()
BASES: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "probe": ({"receiver": APP, "only": ["valid"]}, {"receiver": IN_ADDRESS, "only": ["valid"]}),
    "next": ({},),
    "client.request": ({"method": "PUT", "path": "/x"},),
    "client.get": ({"path": "/payments/list"},),
    "client.post": ({"path": "/payments"},),
    "client.put": ({"path": "/payments"},),
    "client.delete": ({"path": "/payments"},),
    "control.get": ({"path": "/journal"},),
    "control.post": ({"path": "/reset"},),
    "control.put": ({"path": "/scenarios/x"},),
    "journal.wait_for": ({"operation": "payments.*", "timeout": 0},),
    "journal.assert_called": ({"operation": "payments.*"},),
    "journal.assert_not_called": ({"operation": "refunds.create"},),
    "trigger.authenticate": ({"payment": "pay_x"},),
    "trigger.settle": ({"payment": "pay_x"},),
    "trigger.fail": ({"payment": "pay_x"},),
    "trigger.expire": ({"payment": "pay_x"},),
    "trigger.dispute": ({"payment": "pay_x"},),
    "trigger.settle_refund": ({"refund": "ref_x"},),
    "trigger.webhook": ({"type": "payment_failed", "object_id": "pay_x"},),
    "webhooks.wait_for": ({"type": "payment_succeeded", "timeout": 0.01},),
    "webhooks.none": ({"type": "dispute_won", "within": 0},),
    "webhooks.connect": ({"app": APP},),
    "webhooks.send_to": ({"url": IN_ADDRESS},),
    "webhooks.deliver": tuple({"to": to, **told} for to in (APP, IN_ADDRESS) for told in ({}, {"told": IN_EVENT})),
}
"""Arguments with which a method does something; several sets where a value decides what the others mean."""
VALUES: Final[dict[str, Any]] = {
    "amount": 7, "as_": "failed", "at": "2031-01-01T00:00:00Z", "body": {"amount": {1}}, "by": "5s",
    "card": "lost_card",
    "client.pay fields": {"amount": 7}, "client.payment fields": {"amount": 7}, "decline": "lost_card",
    "deliver": False, "delivered": False, "filters": {"status": 404}, "headers": {"X-Other": "1"},
    "idempotency_key": "k", "journal": True, "kind": "application/yaml", "more": {"headers": {"X-Other": "1"}},
    "name": "kept", "on": "refunds.create", "only": ["twice"], "operation": "refunds.create",
    "outcome": {"decline": "lost_card"}, "overrides": {"amount": 5}, "params": {"limit": 1}, "path": "/other",
    "payment_id": "pay_held", "profile_id": "pro_x", "query": {"limit": 1}, "reason": "other", "result": "declined",
    "secret": "hush", "stage": "pre_dispute", "state": STATE, "status": 404, "then": {"fault": "reset"},
    "times": 3, "timeout": 0.02, "to": "2031-01-01T00:00:00Z", "told": "payment_authorized",
    "type": "payment_authorized",
    "unit": {"hours": 1}, "url": "http://shop.test/hook", "wait_s": 0.05, "what": "session", "within": 0.05,
    "webhooks.none type": "payment_authorized", "client.request timeout": 9, "webhooks.resend_all delivered": True,
    "webhooks.wait_for delivered": True,
}  # fmt: skip
EMPTY: Final = frozenset({"idempotency_key", "path", "name", "secret", "on", "type", "status", "at", "timeout"})
"""As of a variable that is not set: it is refused, or means something, and is not as if it were not there."""


def methods() -> Iterator[tuple[str, dict[str, inspect.Parameter]]]:
    """Every public method with its arguments that can be left out."""
    for room, cls in ROOMS.items():
        for name, method in inspect.getmembers(cls, inspect.isfunction):
            listed = [*inspect.signature(method).parameters.values()][1:]
            left_out = {one.name: one for one in listed if one.default is not one.empty or one.kind is one.VAR_KEYWORD}
            if not name.startswith("_") and left_out:
                yield f"{room}.{name}".lstrip("."), left_out


DRAWN: Final = (
    r"[a-z]{12}\.localhost|test-\w{20}|0x\w+|127\.0\.0\.1:\d+/(?!r)|(?<=_)[A-Za-z0-9]{20}\b"
    r"|'(?:x-request-id|x-ratelimit-\w+|date)': '[^']*'"
    r'|"(?:network_transaction_id|connector_transaction_id|reference_id|sdk_authorization)": ?"[^"]*"'
)
"""What a call does not say: names that are drawn, and the time."""


def value_of(method: str, name: str) -> Any:
    return VALUES[key] if (key := f"{method} {name}") in VALUES else VALUES[name]


def cases() -> Iterator[Any]:
    for method, left_out in methods():
        names = [name for name in left_out if f"{method} {name}" not in HOW_LONG]
        for number, base in enumerate(BASES.get(method, ({},))):
            for before in (None, *names):
                for name in names:
                    if name != before and not (before is None and name in base):
                        yield pytest.param(method, base, before, name, id=f"{method}{number or ''} {before} {name}")


@pytest.fixture(scope="module")
def ground() -> Iterator[Overheard]:
    with Overheard() as made:
        yield made


def of_one_run(text: str) -> str:
    """Without names that are drawn anew each time."""
    return re.sub(DRAWN, "…", text)


def does(ground: Overheard, method: str, given: dict[str, Any]) -> tuple[object, ...]:
    """What is seen of a call: its result, the calls that it makes, and what an app gets."""
    ground.begin()
    seen: list[Any] = []

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        seen.append((environ["PATH_INFO"], environ["wsgi.input"].read()))
        start_response("200 OK", [])
        return [b""]

    with RunningServer(ground.one.address) as server:
        sandbox = Sandbox(server=server, api_key=KEY)
        meant = {
            APP: app,
            STATE: lambda: seen.append("asked"),
            IN_ADDRESS: f"{ground.one.address}{RECEIVER}",
            IN_EVENT: sandbox.webhooks._found()[0][-1],
        }
        arguments: dict[str, Any] = {}
        for name, value in given.items():
            is_several = name in ("filters", "more", "fields", "outcome", "unit")
            arguments |= value if is_several else {name: meant.get(value, value) if value.__hash__ else value}
        room, _, name = method.rpartition(".")
        called = getattr(getattr(sandbox, room) if room else sandbox, name)
        kinds = inspect.signature(called).parameters
        bare = [one for one, kind in kinds.items() if kind.kind is kind.POSITIONAL_ONLY and one in arguments]
        try:
            result = repr(called(*[arguments.pop(one) for one in bare], **arguments))
        except Exception as refused:
            result = f"{type(refused).__name__} {refused}"
        finally:
            sandbox.webhooks.disconnect()
    if method == "probe":  # whose events are new each time
        result, seen = re.sub("evt_.*", "", result), [one if one == "asked" else one[0] for one in seen]
        ground.calls = [call[:-1] for call in ground.calls]
    return of_one_run(result), of_one_run(str(seen)), of_one_run(str(ground.calls))


CASES: Final = [*cases()]


@pytest.mark.parametrize(("method", "base", "before", "name"), CASES if SOAK else CASES[::7])
def test_each_has_an_effect_beside_the_other(
    method: str, base: dict[str, Any], before: str | None, name: str, ground: Overheard
) -> None:
    without = {**base, **({before: value_of(method, before)} if before else {})}
    usual = does(ground, method, without)
    assert does(ground, method, without) == usual, "what is compared says nothing"
    if "TypeError" not in str(usual[0]):  # what is refused anyway
        assert does(ground, method, {**without, name: value_of(method, name)}) != usual
        if name in EMPTY and before is None:
            assert does(ground, method, {**without, name: 0 if name == "timeout" else ""}) != usual


MADE: Final[dict[str, Any]] = {
    "url": IN_ADDRESS, "server": APP, "api_key": OTHER, "seed": "s", "name": "n", "label": "l",
    "scenario": {"rules": [{"on": "charge", "then": {"decline": "lost_card"}}]},
    "clock": "2031-01-01T00:00:00Z", "dialect": "hyperswitch", "config": {"rate_limit": 5}, "control_token": "token",
    "scenarios": [source_of({"rules": []}, "slow")], "outcome": outcomes(["lost_card"])[0],
}  # fmt: skip
"""Each argument of `Sandbox(…)`."""


def makes(ground: Overheard, given: dict[str, Any], then: Callable[[Sandbox], object]) -> tuple[object, ...]:
    """What is seen of a sandbox while it is made, used, begun again and closed."""
    ground.begin()
    meant = dict(given)
    with RunningServer(ground.other.address) as server:
        meant |= {"server": server} if "server" in given else {}
        meant |= {"url": ground.other.address} if "url" in given else {}
        try:
            with Sandbox(**meant) as made:
                seen = [made.seed, made.name, made.outcome, made.server_note, made.client.pay().json(), then(made)]
        except Exception as refused:
            seen = [type(refused).__name__, str(refused)]
    return tuple(
        re.sub(rf"snd_test_\w+|'sdk_authorization': '[^']*'|{DRAWN}", "…", str(one)) for one in (seen, ground.calls)
    )


PAIRS: Final = [*((None, name) for name in MADE), *permutations(MADE, 2)]


@pytest.mark.parametrize(("before", "name"), PAIRS if SOAK else PAIRS[::4])
def test_each_of_a_sandbox_has_an_effect(
    before: str | None, name: str, ground: Overheard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAYMENT_SANDBOX_URL", ground.one.address)
    without = {"name": "m", **({before: MADE[before]} if before else {})}  # a name: so its ids are the same each time
    usual = makes(ground, without, Sandbox.reset)
    assert makes(ground, without, Sandbox.reset) == usual, "what is compared says nothing"
    assert makes(ground, {**without, name: MADE[name]}, Sandbox.reset) != usual


def test_the_arguments_of_a_sandbox_are_known() -> None:
    assert {*MADE} == {*inspect.signature(Sandbox).parameters}


KEYS: Final = (
    "sk_test",
    "",
    "pk_snd_0123456789",
    "prd_0123456789",
    "snd_",
    "snd_short",
    f"snd_{'a' * 129}",
    "snd_é1234567",
)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("near", [True, False])
def test_what_is_no_key_of_a_workspace_is_refused_at_once(
    key: str, near: bool, ground: Overheard, inside: AnyServer
) -> None:
    with pytest.raises(ValueError, match="snd_") as refused:
        Sandbox(server=inside if near else RunningServer(ground.one.address), api_key=key)
    assert key in ("", "snd_") or key not in str(refused.value)


def test_a_control_token_is_of_a_server_that_runs() -> None:
    with pytest.raises(TypeError, match="control_token"):
        Sandbox(control_token="token")


MARKED: Final = """
import pytest

@pytest.mark.payment_sandbox(seed="")
def test_seed(payment_sandbox):
    assert payment_sandbox.seed == ""

@pytest.mark.payment_sandbox(seed=None, dialect=None, clock=None, scenario=None)
def test_none(payment_sandbox):
    assert payment_sandbox.seed == "tests"

@pytest.mark.payment_sandbox(dialect="")
def test_dialect(payment_sandbox): ...

@pytest.mark.payment_sandbox(clock="")
def test_clock(payment_sandbox): ...

@pytest.mark.payment_sandbox(scenario="")
def test_scenario(payment_sandbox): ...

@pytest.mark.payment_outcomes("lost_card", on="")
def test_on(payment_sandbox): ...
"""


def test_an_empty_value_of_a_marker_is_not_as_if_it_were_not_there(run: Run) -> None:
    run(MARKED).assert_outcomes(passed=2, errors=4)
