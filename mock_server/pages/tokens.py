"""Proofs that a form or a refresh comes from a page that we showed: HMACs under a key of the workspace (ours)."""

from __future__ import annotations

import hmac
from typing import Final

from mock_server.domain.errors import Cause, Refusal
from mock_server.pages.links import Link

KEY: Final = "pages"
FORM: Final = "form"
FINISH: Final = "finish"


def token(link: Link, purpose: str) -> str:
    """The token of a link's page for one purpose; it is of no use on another link, nor once the page is done."""
    message = f"{purpose}/{link.subject}".encode()
    return hmac.digest(link.workspace.randomness.sha_key(KEY), message, "sha256").hex()[:40]


def check(link: Link, purpose: str, given: str | None) -> None:
    """Refused as `page_token_wrong`."""
    if not hmac.compare_digest(token(link, purpose).encode(), (given or "").encode()):
        raise Refusal(Cause.PAGE_TOKEN_WRONG)
