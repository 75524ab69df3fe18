"""The checkouts in other languages, each by its own test against one sandbox, wherever its tools are installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import httpx
import pytest
from click.testing import CliRunner

from mock_server.cli import main
from tests.architecture.sources import ROOT
from tests.conftest import IN_CI
from tests.counts import SOAK
from tests.running import QUICK_JAVA, RunningSandbox, environment

EXAMPLES: Final = ROOT / "examples"


class Language(NamedTuple):
    """Its folder, the program that must be there, its test, and how that says that all six promises were kept."""

    name: str
    tool: str
    command: str
    kept: str


LANGUAGES: Final = (
    Language("node", "node", "node --test --test-reporter=tap", r"^# pass 6$"),
    Language("go", "go", "go test -v -count=1 .", r"(?s)(--- PASS.*){6}"),
    Language(
        "java", "javac", "javac -Xlint:all -Werror -d $OUT *.java && java -cp $OUT CheckoutTest", r"(?s)(^ok - .*){6}"
    ),
    Language("php", "php", "php checkout_test.php", r"(?s)(^ok - .*){6}"),
    Language("ruby", "ruby", "ruby -w checkout_test.rb", r"(?s)(^ok - .*){6}"),
)


class Mistake(NamedTuple):
    """In a language's `file`, `old` (which stands there once) becomes `new`; then tests of that name fail alone."""

    language: str
    file: str
    old: str
    new: str
    test: str


KEY: Final = r"a_?lost_?answer|answers_?are_?all_?lost"
REPEATED: Final = r"answers_?are_?all_?lost"
SIGNATURE: Final = r"only_?signed_?events"
LATE: Final = r"a_?late_?event"
MISTAKES: Final = (
    Mistake("node", "checkout.mjs", "if (key) headers", "if (false) headers", KEY),
    Mistake("node", "checkout.mjs", "!timingSafeEqual(own, theirs)", "false", SIGNATURE),
    Mistake("node", "checkout.mjs", "attempt === `${order.attempt}`", "attempt", LATE),
    Mistake("node", "checkout.mjs", 'state: "waiting", ', "", REPEATED),
    Mistake("go", "checkout.go", 'if key != "" {', 'if key == "-" {', KEY),
    Mistake("go", "checkout.go", "!hmac.Equal(mac.Sum(nil), theirs)", "len(theirs) == 1", SIGNATURE),
    Mistake("go", "checkout.go", "Attempt == strconv.Itoa(order.Attempt)", 'Attempt != ""', LATE),
    Mistake("go", "checkout.go", 'order.State, order.PaymentID = "waiting", ""', 'order.PaymentID = ""', REPEATED),
    Mistake("java", "Checkout.java", "if (key != null) {", "if (false) {", KEY),
    Mistake(
        "java", "Checkout.java", "isEqual(sign(body)", "isEqual(theirs.length > 0 ? theirs : sign(body)", SIGNATURE
    ),
    Mistake("java", "Checkout.java", "Integer.toString(order.attempt).equals(", '!"".equals(', LATE),
    Mistake("java", "Checkout.java", "before.paymentId != null && !declined", "false", REPEATED),
    Mistake("php", "checkout.php", "if ($key !== null) {", "if (false) {", KEY),
    Mistake("php", "checkout.php", "!hash_equals(", "false && hash_equals(", SIGNATURE),
    Mistake("php", "checkout.php", """=== "{$order['attempt']}")""", "!== '')", LATE),
    Mistake("ruby", "checkout.rb", "== order.attempt.to_s\n", "!= ''\n", LATE),
    Mistake("php", "checkout.php", "'state' => 'waiting', ", "", REPEATED),
    Mistake("ruby", "checkout.rb", "if order.payment_id && ", "if false && ", REPEATED),
    Mistake("ruby", "checkout.rb", '"X-Idempotency-Key" => key }', '"X-Other" => key }', KEY),
    Mistake(
        "ruby", "checkout.rb", "unless signature && OpenSSL.secure_compare(own, signature)", "unless own", SIGNATURE
    ),
)
THERE: Final = [one for one in LANGUAGES if shutil.which(one.tool)]
QUICK: Final = ("php", "ruby")
MADE: Final = [
    one for one in MISTAKES if (SOAK or one.language in QUICK) and any(one.language == there.name for there in THERE)
]
MISSING: Final = [one.name for one in LANGUAGES if one not in THERE]


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with RunningSandbox() as sandbox:
        yield sandbox.base


def tried(language: Language, folder: Path, base: str, out: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", language.command],
        cwd=folder,
        env=environment(PAYMENT_SANDBOX_URL=base, OUT=str(out), GOTOOLCHAIN="local", GOFLAGS="-mod=mod", **QUICK_JAVA),
        capture_output=True,
        text=True,
        check=False,
    )


def asked(*command: str) -> None:
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("language", THERE, ids=lambda one: one.name)
def test_the_checkout_keeps_its_promises(language: Language, base: str, tmp_path: Path) -> None:
    asked("reset", "--all", "--url", base)
    told = tried(language, EXAMPLES / language.name, base, tmp_path)
    assert told.returncode == 0, told.stdout + told.stderr
    asked("verdict", "--all", "--strict", "--url", base)
    assert len(httpx.get(f"{base}/_sandbox/verdicts", timeout=None).json()["data"]) >= 4, "so many shops were judged"
    assert re.search(language.kept, told.stdout, re.MULTILINE), told.stdout
    assert "warning" not in told.stderr.lower(), told.stderr


@pytest.mark.parametrize("mistake", MADE, ids=lambda one: f"{one.language}: {one.new}")
def test_its_test_notices_a_mistake(mistake: Mistake, base: str, tmp_path: Path) -> None:
    language = next(one for one in LANGUAGES if one.name == mistake.language)
    folder, out = tmp_path / "copy", tmp_path / "out"
    out.mkdir()
    shutil.copytree(EXAMPLES / language.name, folder)
    source = (folder / mistake.file).read_text("utf-8")
    assert source.count(mistake.old) == 1
    (folder / mistake.file).write_text(source.replace(mistake.old, mistake.new), "utf-8")
    told = tried(language, folder, base, out)
    failed = re.findall(r"^(?:not ok \d* ?-|--- FAIL:) (.*)", told.stdout, re.MULTILINE)
    assert told.returncode != 0, told.stdout
    assert failed, told.stdout + told.stderr
    assert all(re.search(mistake.test, one.replace(" ", "_"), re.IGNORECASE) for one in failed), failed


@pytest.mark.filterwarnings("default")
def test_what_could_not_be_tried_is_said() -> None:
    if MISSING:
        warnings.warn(f"not installed here, so not tried: {', '.join(MISSING)}", stacklevel=1)
    assert not (IN_CI and MISSING), f".ci/run installs what CI needs, and here is no {', '.join(MISSING)}"


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.name)
def test_every_language_has_a_readme_of_five_lines(language: Language) -> None:
    lines = (EXAMPLES / language.name / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 7
    assert "PAYMENT_SANDBOX_URL" in " ".join(lines)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.name)
def test_no_language_needs_a_package_of_ours_or_others(language: Language) -> None:
    sources = [path.read_text("utf-8") for path in (EXAMPLES / language.name).iterdir() if path.is_file()]
    assert not any(re.search(r"require .*gem|composer|node_modules|github\.com/", text) for text in sources)
    assert all(
        any(word in text.lower() for text in sources) for word in ("x-idempotency-key", "x-webhook-signature-512")
    )


def test_every_example_is_tried() -> None:
    folders = {path.name for path in EXAMPLES.iterdir() if any(path.glob("*.md"))}
    assert folders - {"shop", "ci"} == {one.name for one in LANGUAGES}
