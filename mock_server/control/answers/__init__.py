"""The answers of the control API: one shape per object, whose rows write it and describe it in the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from mock_server.contract.answers.fields import AnswerShape, AsJson, Field, Kind, Many, Several
from mock_server.contract.answers.writing import fields_written, write
from mock_server.contract.notation import WHOLE, ref
from mock_server.dialects.interface import INTERFACE
from mock_server.http.binding import show
from mock_server.http.running import Answer

R = TypeVar("R")


def answer(shape: AnswerShape[Any], **values: object) -> Answer:
    """An answer in the interface's words, from values by the names of its rows."""
    return show(write(shape, values, INTERFACE))


def answer_of(shape: AnswerShape[R], record: R) -> Answer:
    """A record as an answer, in the interface's words."""
    return show(write(shape, record, INTERFACE))


def shown(shape: AnswerShape[Any], **values: object) -> dict[str, object]:
    """An object's fields in the interface's words, from values by the names of its rows."""
    return fields_written(write(shape, values, INTERFACE))


def counted(name: str, item: Kind, *more: Field) -> AnswerShape[Any]:
    """A list of the control API, which has no pages."""
    total = Field(
        "total_count", WHOLE, of=lambda values: values.get("total_count", len(values["data"])), nullable=False
    )
    return AnswerShape.inline(name, Field("data", Many(item), nullable=False), total, *more, keyed=True)


def of_values(name: str, *rows: Field | Several, inline: bool = True, about: str = "") -> AnswerShape[Any]:
    """An object from values by the names of its rows."""
    return AnswerShape(name, *rows, is_inline=inline, about=about, keyed=True)


DROPPED: Final = Field("dropped", WHOLE, nullable=False)
HEADERS: Final = AsJson(ref("HeaderPairs"))
