"""Client sockets with TLS, read and written like plain ones; each read continues OpenSSL's handshake."""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


RECORD: Final = 16_384
"""The most that one record of TLS holds, in bytes."""
REFUSED: Final = (
    "a client refused the TLS handshake: %s. Does it trust this server's authority? `payment-sandbox ca` shows how"
)


class TlsSocket(ssl.SSLSocket):
    """Reports that it has to wait with the same exceptions as other sockets.

    If OpenSSL needs to write before it can read, or the other way round, the client renegotiates or floods; this
    stays an OSError, which closes the connection.
    """

    _has_spoken = False
    """Whether the client has sent anything after the handshake."""

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        try:
            data = super().recv(buflen, flags)
        except ssl.SSLWantReadError:
            raise BlockingIOError from None
        except ssl.SSLError as error:
            if error.reason == "HTTP_REQUEST":
                logging.getLogger("mock_server.server").warning("a client spoke plain HTTP to the port for TLS")
            _, alert, reason = (error.reason or "").partition("_ALERT_")
            if alert and not self._has_spoken:
                logging.getLogger("mock_server.server").warning(REFUSED, reason.lower().replace("_", " "))
            raise
        self._has_spoken = True
        return data

    def send(self, data: ReadableBuffer, flags: int = 0) -> int:
        """Send as much as the client accepts now; OpenSSL would only report progress at the end."""
        whole, sent = memoryview(data), 0
        try:
            while sent < len(whole):
                sent += super().send(whole[sent : sent + RECORD], flags)
        except ssl.SSLWantWriteError:
            if not sent:
                raise BlockingIOError from None
        return sent

    def shutdown(self, how: int) -> None:
        self._take_leave()
        super().shutdown(how)

    def close(self) -> None:
        """Close the connection, after a close_notify, unless it was set to reset."""
        if self.fileno() >= 0 and not self.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER):
            self._take_leave()
        super().close()

    def _take_leave(self) -> None:
        """Send a close_notify: without it, a client treats the end as an attack."""
        with suppress(OSError, ValueError):  # the client's own farewell is not waited for
            self.unwrap()


def secure(certificate: str, key: str | None = None) -> Callable[[socket.socket], socket.socket]:
    """Return a function that adds TLS to client sockets; OSError or ssl.SSLError if the files cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key, password="")
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    context.sslsocket_class = TlsSocket

    def wrap(sock: socket.socket) -> socket.socket:
        sock.getpeername()  # Raises OSError where the client has gone: `ssl` would leave a socket of its own open.
        # Without a close_notify, a client may have closed normally or failed; Python does not distinguish this.
        return context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False, suppress_ragged_eofs=False)

    return wrap
