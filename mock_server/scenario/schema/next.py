"""An entry of the one-shot queue."""

from __future__ import annotations

from typing import Any, ClassVar

from marshmallow import pre_load

from mock_server.scenario.schema.answers import ThenBlock
from mock_server.scenario.schema.block import Nested
from mock_server.scenario.schema.containers import ListOf
from mock_server.scenario.schema.kinds import Whole
from mock_server.scenario.schema.rule import Answering


class NextBlock(Answering):
    """What the next calls are answered; `on` is the charge if not said."""

    what: ClassVar[str] = "an entry of the queue"
    then = ListOf(Nested(ThenBlock), "The answer.", lone=True, most=1, partly=True, required=True)
    times = Whole(1, 1_000, "How many calls take it.")

    @pre_load
    def _charge(self, data: Any, **kwargs: Any) -> Any:
        return {"on": "charge", **data}
