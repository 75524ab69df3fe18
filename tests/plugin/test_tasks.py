"""What a method of `aio` returns is a coroutine: everything of asyncio that takes one takes it."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, coroutine
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer


async def in_a_group(call: Any) -> Any:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(call)
    return task.result()


async def plain(call: Any) -> Any:
    return await call


async def first_completed(call: Any) -> Any:
    done, _ = await asyncio.wait([asyncio.create_task(call)])
    return done.pop().result()


async def as_completed(call: Any) -> Any:
    (one,) = asyncio.as_completed([call])
    return await one


async def elsewhere(call: Any) -> Any:
    loop = asyncio.get_running_loop()
    return await asyncio.to_thread(lambda: asyncio.run_coroutine_threadsafe(call, loop).result())


async def gathered(call: Any) -> Any:
    return (await asyncio.gather(call))[0]


TAKERS: Final[dict[str, Callable[[Any], Awaitable[Any]]]] = {
    "await": plain,
    "create_task": lambda call: asyncio.create_task(call),
    "ensure_future": asyncio.ensure_future,
    "gather": gathered,
    "wait_for": lambda call: asyncio.wait_for(call, None),
    "shield": asyncio.shield,
    "TaskGroup": in_a_group,
    "wait": first_completed,
    "as_completed": as_completed,
    "run_coroutine_threadsafe": elsewhere,
}


class Poster:
    """A client of httpx whose answers are awaited."""

    __module__ = "httpx"

    async def post(self, path: str, **sent: object) -> str:
        return path


CALLS: Final[dict[str, Callable[[Sandbox], Any]]] = {
    "wait_for": lambda sandbox: sandbox.aio.webhooks.wait_for("payment_succeeded"),
    "pay": lambda sandbox: sandbox.aio.client.pay(),
    "property": lambda sandbox: sandbox.aio.webhook_secret,
    "advance": lambda sandbox: sandbox.aio.clock.advance(hours=1),
    "deliver": lambda sandbox: sandbox.aio.webhooks.deliver(to=Poster()),
}


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("call", CALLS)
def test_it_is_taken_where_a_coroutine_is(inside: SandboxServer, taker: str, call: str) -> None:
    with Sandbox(server=inside) as sandbox:
        sandbox.client.pay()

        async def main() -> Any:
            made = CALLS[call](sandbox)
            assert inspect.isawaitable(made)
            assert asyncio.iscoroutine(made)
            return await TAKERS[taker](made)

        assert asyncio.run(main()) is not None


def test_run_takes_it_itself_and_its_error_arrives(inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        assert asyncio.run(sandbox.aio.client.pay())["status"] == "succeeded"

        async def late() -> None:
            with pytest.raises(AssertionError, match="refund_failed"):
                await asyncio.create_task(sandbox.aio.webhooks.wait_for("refund_failed", timeout=0.01))

        asyncio.run(late())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("steps", [0, 1])
def test_a_task_that_is_cancelled_ends(inside: SandboxServer, steps: int) -> None:
    """Before it began, and while it waits."""
    with Sandbox(server=inside) as sandbox:

        async def main() -> None:
            task = asyncio.create_task(sandbox.aio.webhooks.wait_for("refund_failed", timeout=0.2))
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())


def driven(call: Any) -> Any:
    """Runs a coroutine as trio does: without a loop of asyncio, and in threads of its own."""
    steps = call.__await__()
    try:
        while True:
            assert next(steps) == "a step of trio"
    except StopIteration as done:
        return done.value


class ToThread:
    """The threads of trio."""

    @staticmethod
    @coroutine
    def run_sync(work: Callable[..., Any], *arguments: Any) -> Generator[str, None, Any]:
        yield "a step of trio"
        with ThreadPoolExecutor(1) as threads:
            found = threads.submit(work, *arguments).result()
        if asyncio.iscoroutine(found):
            found.close()
            raise TypeError("trio expected a sync function")
        return found


@pytest.mark.parametrize("name", CALLS)
def test_trio_awaits_it_too(name: str, inside: SandboxServer, monkeypatch: pytest.MonkeyPatch) -> None:
    trio = ModuleType("trio")
    vars(trio)["to_thread"] = ToThread
    monkeypatch.setitem(sys.modules, "trio", trio)
    with Sandbox(server=inside) as sandbox:
        sandbox.client.pay()
        driven(CALLS[name](sandbox))

        async def block() -> None:
            async with sandbox.aio.scenario("slow_network"):
                await sandbox.aio.client.pay()

        driven(block())
        sandbox.journal.assert_called("payments.create")


@pytest.mark.parametrize("name", CALLS)
def test_without_a_loop_of_either_it_says_so(name: str, inside: SandboxServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """As under a reactor of Twisted."""
    monkeypatch.delitem(sys.modules, "trio", raising=False)
    with (
        Sandbox(server=inside) as sandbox,
        pytest.raises(RuntimeError, match="needs a running loop of asyncio or trio"),
    ):
        driven(CALLS[name](sandbox))
