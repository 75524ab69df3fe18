"""Calls of a running sandbox in another process, and what signs its events."""

from __future__ import annotations

import hashlib
import hmac
import json
import urllib.request
from typing import Any

from tests.running import RunningSandbox
from tests.wire import KEY


def ask(sandbox: RunningSandbox, method: str, path: str, body: object = None, key: str = KEY) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"api-key": key, "Content-Type": "application/json"}
    request = urllib.request.Request(sandbox.base + path, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def signature(secret: str, body: bytes) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha512).hexdigest()
