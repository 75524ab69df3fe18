"""Sorts of values that only the line has: error codes, header names, spans of time."""

from __future__ import annotations

import re
from typing import Any, Final

from marshmallow import ValidationError

from mock_server.scenario.conditions.on import ERROR_CODES
from mock_server.scenario.conditions.when import show
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema.kinds import Duration, Json, Kind, wrong


class ErrorCode(Kind):
    """A code of the catalogue of errors: `HE_00`."""

    FORM: Final = re.compile(r"[A-Z]{2}_[0-9]{2}", re.ASCII)

    def json(self) -> Json:
        known = ERROR_CODES.get()
        return {"enum": sorted(known)} if known else {"type": "string", "pattern": f"^{self.FORM.pattern}$"}

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or self.FORM.fullmatch(value) is None:
            raise wrong(value, "an error code such as HE_00")
        known = ERROR_CODES.get()
        if known is not None and value not in known:
            raise ValidationError(f"names no error of the catalogue: {show(value)}{nearest(value, known)}")
        return value


class HeaderName(Kind):
    """The name of a header."""

    FORM: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}", re.ASCII)

    def json(self) -> Json:
        return {"type": "string", "pattern": f"^{self.FORM.pattern}$"}

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or self.FORM.fullmatch(value) is None:
            raise wrong(value, "a header name")
        return value


class HeaderValue(Kind):
    """What a header says; numbers become their digits, line breaks are refused."""

    def json(self) -> Json:
        return {"type": ["string", "number"], "maxLength": 4_000}

    def read(self, value: Any) -> str:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or len(value) > 4_000 or any(sign < " " and sign != "\t" for sign in value):
            raise wrong(value, "a header's text in one line")
        try:
            value.encode("latin-1")
        except UnicodeEncodeError:
            raise wrong(value, "a header's text in Latin-1") from None
        return value


class Span(Kind):
    """Two durations, the shorter first."""

    def json(self) -> Json:
        return {"type": "array", "items": Duration().json(), "minItems": 2, "maxItems": 2}

    def read(self, value: Any) -> tuple[int, int]:
        if not isinstance(value, list) or len(value) != 2:
            raise wrong(value, "two durations such as [100ms, 2s]")
        kind = Duration()
        low, high = kind.read(value[0]), kind.read(value[1])
        if low >= high:
            raise ValidationError(f"must have the shorter duration first, not {show(value)}")
        return low, high
