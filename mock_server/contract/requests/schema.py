"""The base of every request's schema: unknown keys are refused, `null` in an optional field means absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import RAISE, Schema, ValidationError, validates_schema
from marshmallow.exceptions import SCHEMA
from marshmallow.fields import Field

from mock_server.contract.requests.rules import Cross


class Body(Schema):
    """An object of a request. `required` are names that this use of the shape demands beyond its own."""

    crosses: ClassVar[tuple[Cross, ...]] = ()
    error_messages: dict[str, str] = {"type": "must be an object", "unknown": "is not a known field"}  # noqa: RUF012 — marshmallow's own form

    class Meta:
        unknown = RAISE
        register = False

    def __init__(self, *, required: frozenset[str] = frozenset(), **more: Any) -> None:
        self.demanded = required
        super().__init__(**more)

    def on_bind_field(self, field_name: str, field_obj: Field[Any]) -> None:
        """An optional field takes `null` (decisions "Words on the wire")."""
        field_obj.required = field_obj.required or field_name in self.demanded
        field_obj.allow_none = not field_obj.required

    @validates_schema(skip_on_field_errors=False)
    def hold_crosses(self, data: Mapping[str, Any], **_: Any) -> None:
        """Every rule over several fields, once its fields are there."""
        broken = [cross for cross in self.crosses if cross.is_broken_by(data)]
        if broken:
            raise ValidationError({cross.blames or SCHEMA: [cross.says] for cross in broken})


class Shown(Body):
    """An object that is given back: absent keys are loaded as `null`, all in the order of the fields here.

    So what was loaded is what an answer shows, and this order is the documented one.
    """

    def on_bind_field(self, field_name: str, field_obj: Field[Any]) -> None:
        super().on_bind_field(field_name, field_obj)
        if not field_obj.required:
            field_obj.load_default = None
