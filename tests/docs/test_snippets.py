"""Every snippet of the README and the docs runs as it stands, against a sandbox of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.sources import ROOT
from tests.docs.snippets import RUN, SHELLS, Block, Command, blocks, commands, documents, matches
from tests.running import RunningSandbox, environment

DOCUMENTED: Final = "http://127.0.0.1:12190"
MARK: Final = "\x01"


def to_run(path: Path) -> list[Block]:
    return [block for block in blocks(path.read_text("utf-8")) if block.language in RUN and block.left_out is None]


WITH_SNIPPETS: Final = [path for path in documents(ROOT) if to_run(path)]


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def run(programs: list[Command], base: str, folder: Path) -> list[tuple[Command, str, int]]:
    """Run commands one after another in one shell; return what each printed and its exit code."""
    lines = [f"{program.text}\nprintf '{MARK}%d{MARK}' $?" for program in programs]
    script = "\n".join(lines).replace(DOCUMENTED, base)
    pieces = _printed(["bash", "-c", f"exec 2>&1\n{script}"], folder).split(MARK)
    return [
        (program, pieces[2 * number].replace(base, DOCUMENTED), int(pieces[2 * number + 1]))
        for number, program in enumerate(programs)
    ]


def _printed(shell: list[str], folder: Path) -> str:
    """Run to the shell's end, and end what it left running in the background."""
    out = folder / ".printed"
    bins = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = environment(PATH=bins, XDG_STATE_HOME=str(folder / "state"))
    with (
        out.open("w") as stream,
        subprocess.Popen(shell, cwd=folder, env=variables, stdout=stream, start_new_session=True) as process,
    ):
        try:
            process.wait()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return out.read_text("utf-8")


@pytest.mark.parametrize("path", WITH_SNIPPETS, ids=shown)
def test_snippets_do_what_they_say(path: Path, tmp_path: Path) -> None:
    programs = [command for block in to_run(path) for command in commands(block)]
    with RunningSandbox() as sandbox:
        results = run(programs, sandbox.base, tmp_path)
    for command, printed, code in results:
        assert code == 0, f"{command.text}\nended with {code}:\n{printed}"
        if command.printed is not None:
            assert matches(command.printed, printed), f"{command.text}\nprinted:\n{printed}"


def test_what_is_not_run_has_a_language_or_a_reason() -> None:
    for path in documents(ROOT):
        text = path.read_text("utf-8")
        assert len(re.findall(r"^```", text, re.MULTILINE)) == 2 * len(list(blocks(text))), shown(path)


@pytest.mark.parametrize("path", documents(ROOT), ids=shown)
def test_every_command_is_run_or_says_why_not(path: Path) -> None:
    for block in blocks(path.read_text("utf-8")):
        assert block.language in RUN or block.language not in SHELLS, f"line {block.line}: write it as console"
        named = re.findall(r"(?:tests|examples)(?:/[\w.]+)+", block.left_out or "")
        assert all((ROOT / name).exists() for name in named), f"line {block.line}: {block.left_out}"


def test_the_readmes_first_call_is_among_them() -> None:
    assert any("curl" in block.text for block in to_run(ROOT / "README.md"))


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ('{"id": "pay_…", "a": 1}', '{"id":"pay_x","a":1}', True),
        ('{"id": "pay_…",\n "a": 1, …}', '{"id":"pay_x","a":1,"b":2}', True),
        ('{"a": 1}', '{"a":2}', False),
        ("one", "one two", False),
    ],
)
def test_what_counts_as_the_same(expected: str, printed: str, same: bool) -> None:
    assert matches(expected, printed) is same


def test_blocks_become_commands() -> None:
    document = (
        "text\n```console\n$ one \\\n  two\n$ curl -d '{\n  \"a\": 1}'\nout\nput\n$ three\n```\n"
        "<!-- not run: why -->\n```python\nx\n```\n"
    )
    console, python = blocks(document)
    assert [(command.text, command.printed) for command in commands(console)] == [
        ("one \\\n  two", None),
        ("curl -d '{\n  \"a\": 1}'", "out\nput"),
        ("three", None),
    ]
    assert (console.line, python.left_out) == (2, "why")


def test_a_snippet_that_does_not_hold_is_seen(tmp_path: Path) -> None:
    ((_, printed, code), (_, _, failed)) = run(
        [Command("echo this", "that"), Command("false", None)], DOCUMENTED, tmp_path
    )
    assert (printed, code, failed) == ("this\n", 0, 1)
    assert not matches("that", printed)
