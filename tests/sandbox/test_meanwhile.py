"""A call stands at a line of how workspaces are found and replaced, and another one is made wholly meanwhile.

What is left is what one of the two left after the other, in one order or the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count, product
from threading import Thread
from types import ModuleType
from typing import Any, Final

import pytest

from mock_server.sandbox import Sandbox, identity, workspaces
from mock_server.store import memory
from tests.counts import SOAK
from tests.standing import Standing
from tests.wire import Wire, wire

Act = Callable[[Wire], object]
ACTS: Final[dict[str, Act]] = {
    "pay": lambda api: api.pay(),
    "reset": lambda api: api.post("/_sandbox/reset"),
    "reset all": lambda api: api.as_key(None).post("/_sandbox/reset"),
    "end": lambda api: api.delete("/_sandbox/workspace"),
    "restore": lambda api: api.post("/_sandbox/snapshots/kept/restore"),
    "keep": lambda api: api.put("/_sandbox/snapshots/other"),
    "register": lambda api: api.as_key(None).post("/accounts", {"merchant_id": "mer_other"}, api_key="admin"),
    "make room": lambda api: api.as_key("snd_other_0123456789").pay(),
    "list": lambda api: api.as_key(None).get("/_sandbox/workspaces"),
    "look": lambda api: api.sandbox.run_once(api.sandbox.clock.now_ms()),
}
REPLACE: Final = {"reset", "reset all", "end", "restore", "make room"}
MODULES: Final = (workspaces, memory)
PAIRS: Final = [(one, other) for one, other in product(ACTS, ACTS) if {one, other} & REPLACE and one != "register"]
"""Of registering, which is two steps, only the whole is tried."""
PARTS: Final = 3
"""Of the lines at which a call can stand, one in each part of them is tried, and under `make soak` every one."""


class NoLock:
    """Free while the thread that asks holds no lock of the server, so that another one is not kept waiting."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def acquire(self, *, blocking: bool) -> bool:
        store = self._sandbox.store
        locks = [store._lock, *(space._gate._lock for space in [*store._spaces.values()])]
        viewing: Any = self._sandbox._viewing
        return not (viewing._is_owned() or any(lock.locked() for lock in locks))

    def release(self) -> None:
        """There is nothing to give back."""


class NeverFree(NoLock):
    """Lets nobody stand, and keeps the numbers of the lines at which one could."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox)
        self.tried, self.free = count(), list[int]()

    def acquire(self, *, blocking: bool) -> bool:
        passed = next(self.tried)
        if super().acquire(blocking=blocking):
            self.free.append(passed)
        return False


def begun() -> Wire:
    """A merchant with a payment, one more than its snapshot has."""
    api = wire(workspaces=1)
    api.pay(amount=100)
    api.put("/_sandbox/snapshots/kept")
    api.pay(amount=200)
    return api


def left(api: Wire) -> dict[str, Any]:
    """What pages find of each workspace before its next call, how many payments a merchant has, what is kept."""
    sandbox, here = api.sandbox, {space.name: space for space in api.sandbox.store.here()}
    return {
        "by merchant": {
            name: [one.space.name for one in sandbox.workspaces_of(merchant_of(space))] for name, space in here.items()
        },
        "not as it is": [name for name, view in sandbox._views.items() if view.space is not here.get(name)],
        "kept": api.get("/_sandbox/snapshots").json,
        "payments": api.get("/payments/list").json["total_count"],
    }


def act(name: str, api: Wire, then: Callable[[], object]) -> None:
    """Makes a call, and tells of its end."""
    try:
        ACTS[name](api)
    finally:
        then()


def merchant_of(space: Any) -> str:
    return str(space.fact(identity.FACT)["merchant_id"])


@cache
def in_turn(*names: str) -> dict[str, Any]:
    """What is left after these."""
    api = begun()
    for name in names:
        ACTS[name](api)
    return left(api)


@cache
def places(name: str, module: ModuleType) -> list[int]:
    """After how many lines of a module a call stands."""
    api = begun()
    lock = NeverFree(api.sandbox)
    with Standing(module, 0, lock):
        acting = Thread(target=ACTS[name], args=(api,))
        acting.start()
        acting.join()
    free = lock.free
    return free if SOAK else sorted({free[len(free) * part // (2 * PARTS)] for part in range(1, 2 * PARTS, 2)})


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_whatever_comes_meanwhile_comes_before_or_after(one: str, other: str, module: ModuleType) -> None:
    orders = [in_turn(one, other), in_turn(other, one)]
    for passed in places(one, module):
        api = begun()
        with Standing(module, passed, NoLock(api.sandbox)) as standing:
            acting = Thread(target=act, args=(one, api, standing.reached.release))
            acting.start()
            standing.reached.acquire()
            ACTS[other](api)
        acting.join()
        assert standing.has_stood
        assert left(api) in orders, f"after {passed} lines"
