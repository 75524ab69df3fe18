"""The certificates of `serve --tls`, and `payment-sandbox ca`."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

import click

from mock_server.cli.output import USAGE, Stop
from mock_server.clock import SystemClock
from mock_server.settings import Settings

if TYPE_CHECKING:
    from mock_server.cli.authority import Authority

MISSING: Final = "TLS needs the extra payment-sandbox[tls]; in a checkout, run pip install '.[tls]'"
TRUST: Final = """\
The certificate authority of `payment-sandbox serve --tls` on this machine: {path}

To make a client trust it:

  export SSL_CERT_FILE={path}         # OpenSSL, Python, Go, Ruby, PHP's streams, .NET: instead of the system's
  export NODE_EXTRA_CA_CERTS={path}   # Node: in addition to its own
  export REQUESTS_CA_BUNDLE={path}    # Python's requests: instead of its own
  export CURL_CA_BUNDLE={path}        # curl: instead of its own; PHP's curl takes -d curl.cainfo={path}
  keytool -importcert -noprompt -alias payment-sandbox -file {path} -keystore trust.p12 -storepass changeit
  java -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit …

Anyone with the authority's key can sign for any host name. Keep {secret} secret.
Make single programs trust it, not the whole system. If its key leaks, remove the folder: the next start creates a
new authority.
"""


def wrapping(settings: Settings) -> Callable[[socket.socket], socket.socket]:
    """Return a function that wraps clients' sockets in TLS, with the certificate of the settings or the authority's.

    Raises Stop, with what is wrong, if there is none.
    """
    from mock_server.server.tls import secure

    if settings.tls_cert is not None:
        try:
            return secure(settings.tls_cert, settings.tls_key)
        except OSError as error:  # of OpenSSL, too
            paths = f"{settings.tls_cert} and {settings.tls_key}"
            said = f"cannot read the certificate and key from {paths}: {error.strerror or error}"
            raise Stop(USAGE, [said]) from None
    found = _authority()
    try:
        with found.leaf(settings.tls_name, SystemClock().now_ms()) as path:
            return secure(path)
    except OSError as error:
        raise Stop(USAGE, [_unwritable(found.secret.parent, error)]) from None


def _authority() -> Authority:
    try:
        from mock_server.cli.authority import authority, state_folder
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("cryptography"):
            raise
        raise Stop(USAGE, [MISSING]) from None
    try:
        folder = state_folder(os.environ)
    except RuntimeError:
        raise Stop(USAGE, ["no home directory for the certificate authority: set XDG_STATE_HOME"]) from None
    try:
        return authority(folder, SystemClock().now_ms())
    except OSError as error:
        raise Stop(USAGE, [_unwritable(folder, error)]) from None


def _unwritable(folder: Path, error: OSError) -> str:
    why = error.strerror or error
    return f"cannot write the certificate authority to {folder}: {why} (set XDG_STATE_HOME to move it)"


@click.command("ca")
@click.option("--pem", is_flag=True, help="Print the certificate.")
def ca(pem: bool) -> None:
    """Show where the certificate authority of `serve --tls` is, and how to make clients trust it."""
    found = _authority()
    if pem:
        click.echo(found.public.read_text("ascii"), nl=False)
    else:
        click.echo(TRUST.format(path=quote(str(found.public)), secret=found.secret), nl=False)
