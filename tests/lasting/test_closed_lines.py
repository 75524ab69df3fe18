"""A line to a database that is closed, or fails, while it is opened leaves no connection behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

import psycopg
import pytest

from mock_server.lasting.batches import DataLost
from mock_server.lasting.lines import DatabaseLine
from tests.lasting.clusters import Cluster


def fail(line: DatabaseLine) -> NoReturn:
    raise psycopg.OperationalError("it was cut")


HAPPENS: Final[dict[str, Callable[[DatabaseLine], None]]] = {"closed": DatabaseLine.close, "fails": fail}
AT: Final = [("closed", 0), *((what, moment) for what in HAPPENS for moment in (1, 2))]
"""What happens once it is connected, before its first or before its second statement."""


@pytest.mark.parametrize(("what", "moment"), AT)
def test_no_connection_stays(cluster: Cluster, what: str, moment: int) -> None:
    opened: list[psycopg.Connection[Any]] = []
    moments = iter(range(3))

    class Watched(psycopg.Connection[Any]):
        @classmethod
        def connect(cls, *given: Any, **options: Any) -> Any:
            opened.append(super().connect(*given, **options))
            comes()
            return opened[0]

        def execute(self, *given: Any, **options: Any) -> Any:
            comes()
            return super().execute(*given, **options)

    def comes() -> None:
        if next(moments) == moment:
            HAPPENS[what](line)

    line = DatabaseLine(cluster.database(), "test", Watched)
    with pytest.raises(DataLost):
        line.all("SELECT 1")
    line.close()
    assert [made.closed for made in opened] == [True]
