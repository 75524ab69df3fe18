"""The templates of all pages, of customers' and of the dashboard's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, select_autoescape

_PACKAGE: Final = Path(__file__).parent.parent


class Templates(Environment):
    """Templates without the spaces before their lines, which lists would send for each row."""

    def preprocess(self, source: str, name: str | None = None, filename: str | None = None) -> str:
        return re.sub("\n +", "\n", super().preprocess(source, name, filename))


_TEMPLATES: Final = Templates(
    loader=FileSystemLoader([_PACKAGE / "pages/templates", _PACKAGE / "dashboard/templates"]),
    autoescape=select_autoescape(),
    auto_reload=False,
)


def render(template: str, **values: object) -> str:
    """A template's text with these values."""
    return _TEMPLATES.get_template(template).render(values)
