"""Checks a signature, and finds what is wrong: the body, the header or the secret."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from mock_server import jsontext
from mock_server.dashboard.visit import ActionResult, Visit
from mock_server.domain.events import signature
from mock_server.webhooks.signing import HEADER

VERIFY: Final = "signature.verify"
LOOKED_AT: Final = 1_000
"""How many of the newest events are searched for this signature (ours)."""
_DIGITS: Final = re.compile(r"[0-9a-fA-F]+")
_LENGTH: Final = 128
_PASTED: Final = re.compile(rf"""\A(?i:(?:-H\s*)?["']?{HEADER}["']?\s*[:=])?\s*["']?([^"',\s]*)["',]*\Z""")
"""A header's value, perhaps with its name and quotes, as logs and commands show it."""


def verified(visit: Visit, form: Mapping[str, str]) -> ActionResult:
    """The result of a check; nothing of it is stored."""
    body, header, secret = (form.get(name, "") for name in ("body", "header", "secret"))
    target, digits = visit.ask("control.webhook_target")["secret"], _PASTED.sub(r"\1", header.strip())
    wrong = list(problems(body.replace("\r\n", "\n"), digits, secret, target))
    if wrong and (known := _known(visit, digits.lower(), target)):
        wrong.append(f"The header is the signature of {known}, under this workspace's secret.")
    said = "The signature is valid." if not wrong else "The signature is not valid."
    sent = {"body": body, "header": header}
    return ActionResult(VERIFY, said, not wrong, "", None, tuple(("", one) for one in wrong), sent)


def problems(body: str, header: str, secret: str, target: str) -> Iterator[str]:
    """Everything that is wrong; `target` is the secret of the workspace."""
    if not (header and secret):
        yield f"The {'secret' if header else f'header {HEADER}'} is missing."
        return
    if hmac.compare_digest(header.encode(), signature(secret, body.encode()).encode()):
        return
    digits = header.rpartition("=")[2].strip().lower() if not header.endswith("=") else header
    found = list(_of_header(header, digits))
    yield from found
    if len(digits) == _LENGTH and _DIGITS.fullmatch(digits):
        because = next(_of_secret_and_body(body, digits, secret, target), "")
        if because:
            yield because
        elif not found or digits != signature(secret, body.encode()):
            yield (
                "The header does not match this body and this secret, and none of the common "
                "mistakes explains it. Check that both belong to the same request."
            )


def _of_header(header: str, digits: str) -> Iterator[str]:
    if not _DIGITS.fullmatch(digits):
        yield f"The header must have {_LENGTH} hexadecimal digits. This is another encoding, such as Base64."
        return
    if len(digits) != _LENGTH:
        name = {32: "MD5", 40: "SHA-1", 64: "SHA-256", 96: "SHA-384"}.get(len(digits))
        yield f"Digits in the header: {len(digits)}{f', as {name} has' if name else ''}; SHA-512 has {_LENGTH}."
    if "=" in header:
        yield f"The header is the digits alone, without {header.rpartition('=')[0]}= before them."
    elif header != digits:
        yield "The hexadecimal digits must be in lower case."


def _of_secret_and_body(body: str, digits: str, secret: str, target: str) -> Iterator[str]:
    """Which other secret or other form of the body has this signature."""
    secrets = {"": secret, "The secret has spaces around it.": secret.strip()}
    secrets["The secret is wrong: the header was signed with this workspace's secret."] = target
    for about_body, text in _writings(body):
        for about_secret, key in secrets.items():
            if signature(key, text.encode()) == digits:
                yield " ".join(filter(None, (about_secret, about_body)))
    if hashlib.sha512(body.encode()).hexdigest() == digits:
        yield "The header is a plain SHA-512 of the body. It must be an HMAC with the secret as key."
    for both in (secret + body, body + secret):
        if hashlib.sha512(both.encode()).hexdigest() == digits:
            yield "The header is a SHA-512 of secret and body together. It must be an HMAC with the secret as key."


def _writings(body: str) -> Iterator[tuple[str, str]]:
    """The body, and the forms into which programs change it."""
    yield "", body
    yield "The body has extra spaces or line breaks around it that were not sent.", body.strip()
    yield "The line break at the end of the body is missing.", body + "\n"
    yield "The body's line breaks were changed.", body.replace("\n", "\r\n")
    try:
        value: Any = jsontext.parse(body.encode(), jsontext.LARGEST_WRITTEN)
    except jsontext.JsonMistake:
        return
    says = "The body was parsed and serialised again. Verify the raw bytes of the request."
    for is_ascii in (False, True):
        yield from ((says, json.dumps(value, separators=by, ensure_ascii=is_ascii)) for by in ((",", ":"), None))
    yield says, jsontext.canonical(value)


def _known(visit: Visit, header: str, target: str) -> str:
    """The newest event with this signature, or empty."""
    if len(header) != _LENGTH:
        return ""
    for one in reversed(visit.ask("control.webhooks", [("limit", str(LOOKED_AT))])["data"]):
        if signature(target, one["payload"].encode()) == header:
            return str(one["event_id"])
    return ""
