"""Classes that several threads convert to first, at once: the process goes on, which with msgspec alone it does not."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from tests.counts import times

PROGRAM: Final = """
import sys, threading
import msgspec
from mock_server.store.records import convert

sys.setswitchinterval(1e-6)
for number in range(int(sys.argv[1])):
    inner = msgspec.defstruct(f"Inner{number}", [(f"field_{at}", int | None, None) for at in range(30)])
    kind = msgspec.defstruct(f"Outer{number}", [("a", inner), ("b", list[inner]), ("c", dict[str, inner])])
    gate = threading.Barrier(4)

    def learn():
        gate.wait()
        assert convert({"a": {}, "b": [{}], "c": {"x": {}}}, kind) == kind(inner(), [inner()], {"x": inner()})

    threads = [threading.Thread(target=learn) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_that_learn_a_class_at_once_do_not_end_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(times(100, soak=3_000))], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
