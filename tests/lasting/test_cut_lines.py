"""Connections to the database that are cut, each at any moment: what stderr has is log lines, and nothing else."""

from __future__ import annotations

import json
from contextlib import suppress
from threading import Event, Thread

from tests.counts import times
from tests.lasting.clusters import Cluster
from tests.lasting.shop import call, order
from tests.running import RunningSandbox

CUTS = times(12, soak=200)
PAUSE_S = 0.05
CUT = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'payment-sandbox %'"


def test_every_line_on_stderr_is_one_of_the_log(cluster: Cluster) -> None:
    place, stop = cluster.database(), Event()
    with RunningSandbox("--data", place, "--advertise", "http://127.0.0.1:1", "--rate-limit", "0") as sandbox:
        port = sandbox.ready["port"]

        def pay() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                with suppress(OSError):
                    call(port, "POST", "/payments", order(number))
                    call(port, "POST", "/accounts", {}, key="an_admin")

        shops = [Thread(target=pay) for _ in range(3)]
        for shop in shops:
            shop.start()
        for _ in range(CUTS):  # from the first tenths of a second on, while it still imports
            cluster.ask(CUT)
            Event().wait(PAUSE_S)
        stop.set()
        for shop in shops:
            shop.join()
        log = sandbox.stop()[2].splitlines()
    assert log
    for line in log:
        assert json.loads(line)["level"], line
    assert not [line for line in log if "a thread failed" in line]
