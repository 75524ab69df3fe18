"""A file of coverage that cannot be written is said in one line and fails the run."""

from __future__ import annotations

import resource
from typing import Final

import pytest

from tests.plugin.conftest import Run

pytest_plugins = "pytester"

TEST: Final = "def test_it(payment_sandbox):"
BREAK: Final = {
    "a full disk": "resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))",
    "a folder that is gone": "Path('below').rename('moved')",
    "a folder in its place": "Path('below/found').unlink(missing_ok=True); Path('below/found').mkdir()",
}
"""What happens during the run, after the options were found good."""


@pytest.mark.parametrize("is_there", [False, True], ids=["new", "there"])
@pytest.mark.parametrize("form", ["json", "html"])
@pytest.mark.parametrize("kind", BREAK)
def test_what_cannot_be_written_is_said(
    kind: str, form: str, is_there: bool, run: Run, pytester: pytest.Pytester
) -> None:
    below, limits = pytester.mkdir("below"), resource.getrlimit(resource.RLIMIT_FSIZE)
    if is_there:
        (below / "found").write_text("of a run")
    test = f"import resource\nfrom pathlib import Path\n{TEST}\n    {BREAK[kind]}\n"
    try:
        done = run(test, f"--payment-sandbox-coverage={form}:below/found")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert done.ret == 1
    done.stdout.fnmatch_lines(["FAILED: cannot write below/found: *", "*1 passed*"])
    assert "Traceback" not in done.stdout.str() + done.stderr.str()
