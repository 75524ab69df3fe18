"""The cluster that other tests use does what they rely on."""

from __future__ import annotations

import signal

import psycopg
import pytest

from tests.lasting.clusters import Cluster


def test_databases_are_apart_and_outlive_a_crash(cluster: Cluster) -> None:
    one, other = cluster.database(), cluster.database()
    cluster.ask("CREATE TABLE things (name text)", one)
    assert cluster.ask("SELECT to_regclass('things')", other) == [(None,)]
    cluster.stop(signal.SIGQUIT)
    with pytest.raises(psycopg.OperationalError):
        cluster.ask("SELECT 1")
    cluster.start()
    assert cluster.ask("SELECT count(*) FROM things", one) == [(0,)]
