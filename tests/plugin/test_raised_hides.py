"""The report of a failing test repeats an app's exception, without the card data that an event gave it."""

from __future__ import annotations

import pytest

from mock_server.testing.webhooks import raised_lines
from tests.api.canaries import new, shown


@pytest.mark.parametrize("form", ["{}", "got {}", '{{"description": "{}"}}', "[('note', '{}')]"])
def test_an_exceptions_text_shows_none(form: str) -> None:
    for canary in new("an event"):
        (line,) = raised_lines([ValueError(form.format(canary.text))])
        assert line.startswith("the connected app raised ValueError: ")
        assert not shown([canary], line)
