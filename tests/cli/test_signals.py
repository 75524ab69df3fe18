"""A signal just before the server begins to wait: Python calls handlers between two of its steps, and none follows."""

from __future__ import annotations

import select
import signal
import subprocess
import sys

import pytest

from mock_server.cli.output import STOPS
from tests.running import environment

LATE = """
import os, select, sys
from functools import partial
from operator import call

class Late:
    def __init__(self, epoll=select.epoll):
        self._epoll = epoll()

    def __getattr__(self, name):
        return getattr(self._epoll, name)

    def poll(self, timeout, most):
        if timeout >= 0:
            return self._epoll.poll(timeout, most)
        # `list` makes both calls, so no step of Python's is between them; `os.kill` would call the handler itself.
        _, ready = list(map(call, (partial(os.killpg, 0, int(sys.argv[1])), partial(self._epoll.poll, 20, most))))
        if not ready:
            sys.stderr.write("it waits, and knows nothing of the signal\\n")
        return ready

select.epoll = Late
from mock_server.cli import main
main(["serve", "--port", "0"])
"""


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="this system has no epoll to come before")
@pytest.mark.parametrize("with_signal", STOPS)
def test_a_signal_just_before_the_wait_ends_the_server(with_signal: signal.Signals) -> None:
    late = [sys.executable, "-c", LATE, str(int(with_signal))]
    done = subprocess.run(late, env=environment(), capture_output=True, text=True, check=False, start_new_session=True)
    assert (done.returncode, done.stderr) == (0, "")
