"""Tools that record or stop the calls of a program, by what they replace in the process, as VCR.py and pook do."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from typing import Any, Final, NoReturn

import urllib3.connection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

Replace = Callable[[Any, str, Any], None]
KINDS: Final = ("HTTPConnection", "HTTPSConnection")


class Caught(Exception):
    """A call that a tool has caught."""


def catches(*_: Any, **__: Any) -> NoReturn:
    raise Caught


class Recording:
    """What takes a connection's place."""

    __init__ = catches


def connections(replace: Replace) -> None:
    for name in KINDS:
        replace(http.client, name, Recording)


def requests(replace: Replace) -> None:
    replace(http.client.HTTPConnection, "request", catches)


def connections_of_pools(replace: Replace) -> None:
    for name, pool in zip(KINDS, (HTTPConnectionPool, HTTPSConnectionPool), strict=True):
        replace(urllib3.connection, name, Recording)
        replace(pool, "ConnectionCls", Recording)


def pools(replace: Replace) -> None:
    replace(HTTPConnectionPool, "urlopen", catches)


TOOLS: Final = (connections, requests, connections_of_pools, pools)
