"""A JavaScript engine beside the tests, to ask what it would write."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Final

import pytest

# Not by its `readline`: since version 24 that also ends a line at U+2028, which may stand in a JSON text.
_SCRIPT: Final = """
let rest = ''
process.stdin.setEncoding('utf8').on('data', more => {
  const lines = (rest + more).split('\\n')
  rest = lines.pop()
  for (const line of lines) console.log(JSON.stringify(JSON.parse(line)))
})
"""


@pytest.fixture(scope="session")
def in_node() -> Iterator[Callable[[str], str]]:
    """Ask Node for `JSON.stringify(JSON.parse(text))`, one line after the other."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    with subprocess.Popen(
        [node, "-e", _SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", bufsize=1
    ) as process:
        asks, answers = process.stdin, process.stdout
        assert asks is not None
        assert answers is not None

        def ask(text: str) -> str:
            asks.write(text + "\n")
            return answers.readline().rstrip("\n")

        yield ask
        asks.close()
