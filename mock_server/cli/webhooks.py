"""`payment-sandbox listen` and `sign`: the webhooks of a merchant."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import click

from mock_server.cli.asking import RunningSandbox, ServerAddress, asks_sandbox, key_of, takes_key
from mock_server.cli.completion import events
from mock_server.cli.following import Followed
from mock_server.cli.output import Stop, json_line, json_text, show
from mock_server.cli.saying import event_line
from mock_server.cli.serve import read_settings
from mock_server.clock import SystemClock
from mock_server.domain.events import OWN_HEADERS
from mock_server.settings import Settings
from mock_server.settings.load import read_file
from mock_server.webhooks.signing import headers

if TYPE_CHECKING:
    from mock_server.webhooks.transport import Transport

PATIENCE_S: Final = 30.0
"""How long `listen` waits for a receiver's answer."""
ANSWER_SHOWN: Final = 200
"""How many characters of it are printed."""


@click.command("listen")
@click.option("--forward-to", "address", type=ServerAddress(), required=True, help="URL to post events to.")
@click.option("--type", "event_type", shell_complete=events, help="Only events of this type.")
@asks_sandbox
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per event; answers go to stderr.")
def listen(sandbox: RunningSandbox, address: str, event_type: str | None, as_json: bool) -> None:
    """Post every new event to a URL of yours, until Ctrl-C, and print the answers. Waits for a sandbox that restarts.

    The body and headers are those of a real webhook. This does not change the endpoint and is not a delivery attempt.
    Events of a profile with a URL of its own are signed with its own secret. Those of a restored snapshot come again.

    \b
    Example:
      payment-sandbox listen --forward-to http://localhost:8000/webhooks
    """
    from mock_server.webhooks.transport_http import Network

    events = Followed(sandbox, "webhooks", ("event_id", "created"), {"type": event_type or None})
    events.so_far(0)
    secret, network = sandbox.get("webhooks/target")["secret"], Network(SystemClock().monotonic)
    show(f"forwarding events to {address}, signed with {secret}", err=as_json)
    with suppress(KeyboardInterrupt):
        while True:
            for event in events.more():
                with suppress(Stop):  # it may be away again
                    earlier, secret = secret, sandbox.get("webhooks/target")["secret"]
                    if secret != earlier:
                        show(f"the secret is another one now: events are signed with {secret}", err=as_json)
                show(json_line(event) if as_json else event_line(event))
                show(f"  {posted(network, as_sent(sandbox, event), address)}", err=as_json)


def as_sent(sandbox: RunningSandbox, event: Any) -> Any:
    """The event with headers as its receiver gets them: the inbox hides the values of a profile's own."""
    asked = {"body": event["payload"], "profile_id": event["profile_id"]}
    is_whole = all(name.lower() in OWN_HEADERS for name, _ in event["headers"])
    return event if is_whole else {**event, **sandbox.ask("POST", "/_sandbox/webhooks/sign", asked)}


def posted(network: Transport, event: Any, address: str) -> str:
    """Post the same bytes and headers, and return the answer or the error as text."""
    from mock_server.webhooks.sending import kept_answer
    from mock_server.webhooks.transport import Unanswered, Wire

    try:
        answer = network.send(address, event["payload"].encode(), event["headers"], PATIENCE_S, Wire())
    except Unanswered as wrong:
        return f"cannot reach {address}: {wrong}"
    return f"answered {answer.status} {kept_answer(answer.body)[:ANSWER_SHOWN].strip()}".rstrip()


@click.command("sign")
@click.argument("file", default="-")
@click.option("--secret", help="Secret to sign with; by default the setting webhook_secret, then that of the key.")
@takes_key
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sign(file: str, secret: str | None, key: str | None, as_json: bool) -> None:
    """Print the signature headers for the body in FILE (or standard input). Works without a running sandbox."""
    body = read_file(file, Settings().max_control_body, click.open_file)  # as much as the server signs
    secret = secret or read_settings({}).settings.webhook_secret
    if not secret:
        from mock_server.sandbox import identity

        secret = identity.make(identity.OF_KEYS + key_of(key).digest, None, 0).webhook_secret
    made = headers(body, secret, {})
    click.echo(json_text(dict(made)) if as_json else "\n".join(f"{name}: {value}" for name, value in made))
