"""A server from its settings: build, listen, print the address, serve, and stop on a signal."""

from __future__ import annotations

import errno
import gc
import json
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any, Final

import click

from mock_server import __version__
from mock_server.api import ENDPOINTS
from mock_server.cli.logs import set_up
from mock_server.cli.memory import NO_THREAD, MemoryWatch
from mock_server.cli.output import FAILED, STOPS, USAGE, Stop
from mock_server.cli.port_file import PortFile
from mock_server.clock import SystemClock
from mock_server.contract.operations import BY_NAME
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.engine.kinds import CUSTOMERS, EVENTS, PAYMENTS, PROFILES
from mock_server.front import serve as listen
from mock_server.sandbox import Sandbox, StateRefused, build, identity
from mock_server.server import Server
from mock_server.settings import LoadedSettings, Settings
from mock_server.settings.load import at_odds
from mock_server.settings.table import EVERYWHERE
from mock_server.store.records import codec_of

FIRST_KEY: Final = "snd_first_steps"
FIRST_CALL: Final = {
    "amount": 4200,
    "currency": "EUR",
    "profile_id": "pro_first_steps",
    "confirm": True,
    "payment_method": "card",
    "payment_method_data": {
        "card": {"card_number": "4242424242424242", "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123"}
    },
}
SMALL: Final = 5_000  # records for which no progress bar is needed (ours)
Progress = Callable[[int, int], None]
_ADVICE: Final = {
    errno.EADDRINUSE: (
        "the port is in use: stop the other program, or choose another port with {flag} (0 chooses a free one)"
    ),
    errno.EACCES: "ports below 1024 need more privileges: choose another with {flag}",
    errno.EADDRNOTAVAIL: "this machine does not have this address: choose another with --host",
}


def serve(loaded: LoadedSettings) -> int:
    """Serve until one of `STOPS`; return the exit code."""
    settings = loaded.settings
    logger = set_up(settings)
    _log_notes(logger, loaded)
    port_files = {path: PortFile(path) for path in (settings.tls_port_file, settings.port_file) if path}
    unwritable = [mistake for file in port_files.values() if (mistake := file.mistake())]
    if mistakes := [*at_odds(settings), *unwritable]:
        return _refused(logger, mistakes)
    try:
        sandbox = build(settings, clock=SystemClock())
    except StateRefused as refused:
        return _refused(logger, [str(refused)])
    try:
        code = _serve(sandbox, port_files, logger)
    finally:
        sandbox.stop()
        _remove(port_files)
    return FAILED if sandbox.lasting is not None and sandbox.lasting.saver.has_lost else code


def _remove(port_files: Mapping[str, PortFile]) -> None:
    for file in port_files.values():
        file.remove()


def _serve(sandbox: Sandbox, port_files: Mapping[str, PortFile], logger: logging.Logger) -> int:
    settings = sandbox.settings
    if mistakes := sandbox.scenarios.mistakes():
        return _refused(logger, mistakes)
    if settings.scenarios:
        sandbox.scenarios.warn()
    try:
        server = listen(sandbox, settings.host, settings.port)
    except OSError as error:
        logger.error("cannot listen on %s port %d: %s", settings.host, settings.port, _advice(error))
        return FAILED
    if settings.dialect == "interface" and (
        public := [name for name in settings.tls_name if name.endswith(".hyperswitch.io")]
    ):
        logger.warning("clients of %s expect the public API: --dialect hyperswitch has its answers", ", ".join(public))
    if settings.tls and (code := _listen_over_tls(server, settings, logger)):
        server.shutdown()
        return code
    memory = MemoryWatch(logger.handlers[0], lambda: _remove(port_files))
    logger.handlers[0].addFilter(memory)
    try:
        memory.start()
        for file in port_files.values():
            file.forget()
        sandbox.start()
        # Before there are workspaces: objects with reference cycles, as workspaces have, are never freed once frozen.
        pass_over_what_is_there()
        _make_workspaces(sandbox)
        warm_later(sandbox)
        return _run(server, settings, port_files, logger)
    except MemoryError:
        memory.leave()
    except RuntimeError as error:
        if "new thread" in str(error):  # the system has no more of them
            memory.leave(NO_THREAD)
        raise


def _listen_over_tls(server: Server, settings: Settings, logger: logging.Logger) -> int:
    """Let the server listen on the second port; return 0, or the exit code if it cannot."""
    from mock_server.cli.tls import wrapping

    try:
        server.listen_over_tls(settings.tls_port, wrapping(settings))
    except Stop as refused:
        return _refused(logger, [str(refused)])
    except OSError as error:
        logger.error("cannot listen on %s port %d: %s", settings.host, settings.tls_port, _advice(error, "--tls-port"))
        return FAILED
    return 0


def _refused(logger: logging.Logger, mistakes: Iterable[str]) -> int:
    for mistake in mistakes:
        logger.error("%s", mistake)
    return USAGE


def _make_workspaces(sandbox: Sandbox) -> None:
    """Create the workspaces of the settings' keys, with records of scenarios. Other keys get theirs when they call."""
    if not (sandbox.settings.keys and sandbox.settings.scenario):
        return
    for text in sandbox.settings.keys:
        key = parse(text)
        if isinstance(key, ApiKey):
            with progress(f"given records of {key.redacted}") as progressed:
                sandbox.scenarios.on_given = progressed
                sandbox.workspace(key)
    sandbox.scenarios.on_given = None


def _run(server: Server, settings: Settings, port_files: Mapping[str, PortFile], logger: logging.Logger) -> int:
    server.stop_on_signals(settings.shutdown_grace, STOPS)
    try:
        for path, port in ((settings.tls_port_file, server.tls_port), (settings.port_file, server.port)):
            if path and port is not None:  # the last one is that others wait for
                port_files[path].write(port)
    except OSError as error:
        logger.error("cannot write the port file %s: %s", error.filename, error.strerror)
        return FAILED
    text = ready_text(server.address, settings, server.tls_address)
    if settings.log_format == "json":
        line = {"ready": True, "url": server.address, "host": settings.host, "port": server.port}
        over_tls = {} if server.tls_port is None else {"tls_url": server.tls_address, "tls_port": server.tls_port}
        text = json.dumps({**line, "version": __version__, "pid": os.getpid(), **over_tls})
    with suppress(OSError):  # a server can serve although nobody reads its output
        click.echo(text)
    server.serve_forever()
    return 0


def ready_text(base: str, settings: Settings, tls_base: str | None = None) -> str:
    """Return the text for people: the address, a first call, the dashboard, and where webhooks are sent."""
    body = json.dumps(FIRST_CALL)
    webhooks = told = ""
    if not (is_open := FIRST_KEY in (settings.keys or (FIRST_KEY,))):
        told = f", with one of your keys instead of {FIRST_KEY}"
    if settings.unknown_profiles == "refuse":
        told += f", with a profile that you created instead of {FIRST_CALL['profile_id']}"
    if settings.webhook_url is not None:
        key = parse(FIRST_KEY)
        assert isinstance(key, ApiKey)
        derived = identity.make(identity.OF_KEYS + key.digest, None, 0).webhook_secret
        by_key = f"{derived} for this key" if is_open else "a secret for each key (GET /_sandbox/webhooks/target)"
        secret = "the setting webhook_secret" if settings.webhook_secret else by_key
        webhooks = f"\nWebhooks are sent to {settings.webhook_url}, signed with {secret}.\n"
    over_tls = f" and on {tls_base}" if tls_base else ""
    return (
        f"payment-sandbox {__version__} is ready on {base}{over_tls}\n\n"
        f"To make a first payment, paste this into another terminal{told}:\n\n"
        f"  curl -s '{base}/payments' \\\n"
        f"    -H 'api-key: {FIRST_KEY}' -H 'Content-Type: application/json' \\\n"
        f"    -d '{body}'\n\n"
        f"Dashboard: {base}/_sandbox/ui\n{webhooks}"
    )


def _log_notes(logger: logging.Logger, loaded: LoadedSettings) -> None:
    for warning in loaded.warnings:
        logger.warning("%s", warning)
    if loaded.settings.trust_proxy == EVERYWHERE:
        logger.warning(
            "trust_proxy believes everybody: any client can say which host it called; name the proxies' addresses"
        )
    for note in loaded.passed_over:
        logger.debug("%s", note)


def _advice(error: OSError, flag: str = "--port") -> str:
    advice = _ADVICE.get(error.errno or 0)
    return advice.format(flag=flag) if advice else error.strerror or str(error)


@contextmanager
def progress(label: str) -> Iterator[Progress]:
    """A function that takes how many records are done, and of how many; on a terminal it draws a bar on stderr."""
    bar: list[Any] = []

    def progressed(done: int, many: int) -> None:
        if not bar and many > SMALL and sys.stderr.isatty():
            bar.append(click.progressbar(length=many, label=label, file=sys.stderr))
        for shown in bar:
            shown.update(done - shown.pos)

    try:
        yield progressed
    finally:
        for shown in bar:
            shown.render_finish()


AFTER_S: Final = 0.25
"""By then a client that waits for the server has its first answer; an earlier call loads what it needs itself."""


def warm_later(sandbox: Sandbox, after_s: float = AFTER_S) -> Thread:
    """Start a thread that waits, loads, and ends."""

    def later() -> None:
        Event().wait(after_s)
        try:
            warm(sandbox)
            # Objects with reference cycles, as workspaces have, are never freed once they are frozen.
            if not sandbox.workspaces():
                pass_over_what_is_there()
        except Exception:  # such as too many open files: then each call loads what it needs
            logging.getLogger("mock_server.warming").exception("preloading for the first calls failed")

    thread = Thread(target=later, name="payment-sandbox-warming", daemon=True)
    thread.start()
    return thread


def warm(sandbox: Sandbox) -> None:
    """Import the views, and compile the readers of the most common bodies and records."""
    ENDPOINTS.load()
    # Of the control API, a reset; its other calls, which have threads, import what they need.
    from mock_server.control import workspaces  # noqa: F401  # it registers its views
    from mock_server.control.requests import RESET

    body, _ = BY_NAME["payments.create"].takes
    if body is not None:
        body.of(sandbox.dialect).warm()
    RESET.warm()
    if sandbox.lasting is not None:
        from mock_server.sandbox import soundness  # noqa: F401  # each workspace that is loaded is checked
    for kind in (PAYMENTS, PROFILES, CUSTOMERS, EVENTS):
        codec_of(kind.type)


def pass_over_what_is_there() -> None:
    """Start the garbage collector again, for new objects only (`serve.py` says why)."""
    gc.freeze()
    gc.set_threshold(5_000)  # the records that are kept decoded come and go by hundreds, and make no cycles
    gc.enable()
