"""Every command, called wrongly in every way: the exit code, one message, and what to do; and what only looks.

The commands are those of the program; a new one is in these tests as soon as it has its row.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import click
import pytest

from mock_server.cli import COMMANDS
from mock_server.cli.acting import ACTS
from mock_server.connections import Http
from mock_server.contract.control_operations import EVERY
from mock_server.settings import ROWS
from tests.cli.leaves import (
    CALLING,
    KEY,
    LEAVES,
    LOOKING,
    NOWHERE,
    PROXIES,
    READY,
    Leaf,
    complaint,
    ids,
    typed,
)
from tests.counts import times
from tests.running import RunningSandbox

ACTING: Final = frozenset({"listen", "probe", "mcp", "conformance"})
"""Commands with a key that do more than look, beside those of the table `ACTS`."""


def same_as_json(leaf: Leaf, words: list[str], said: str, code: int, **env: str | None) -> None:
    """With --json, the same message is in one object."""
    if leaf.has("--json"):
        done = typed([*words, "--json"], **env)
        assert (done.exit_code, done.stdout) == (code, ""), done.output
        assert json.loads(done.stderr)["error"]["message"].splitlines()[0] == said.splitlines()[0]


def misspelled(word: str, chance: random.Random) -> str:
    """A word with one letter lost, doubled or swapped with the next, after its first one."""
    at = chance.randrange(3 if word.startswith("--") else 1, len(word))
    kind = chance.randrange(3)
    if kind == 0 and len(word) > 4:
        return word[:at] + word[at + 1 :]
    if kind == 1 and at + 1 < len(word) and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + word[at] + word[at:]


@pytest.mark.parametrize("leaf", LEAVES, ids=ids)
def test_without_its_arguments(leaf: Leaf) -> None:
    needed = [one for one in leaf.command.params if one.param_type_name == "argument" and one.required]
    if not needed:
        return
    said = complaint(typed(leaf.name.split()), 2)
    assert all(one.make_metavar(click.Context(leaf.command)).strip("[].") in said for one in needed[:1])
    same_as_json(leaf, leaf.name.split(), said, 2)


@pytest.mark.parametrize("leaf", LEAVES, ids=ids)
def test_with_a_misspelled_word(leaf: Leaf) -> None:
    """The command's last word, each option, and each word of a choice."""
    chance = random.Random(leaf.name)
    *before, last = leaf.name.split()
    known = [one.name for one in LEAVES] + [row.name for row in COMMANDS]
    options = [one for one in leaf.command.params if isinstance(one, click.Option)]
    for _ in range(times(1, soak=40)):
        wrong = misspelled(last, chance)
        if " ".join([*before, wrong]) not in known:
            assert "did you mean " in complaint(typed([*before, wrong]), 2).lower(), wrong
        for option in options:
            named = [name for one in options for name in (*one.opts, *one.secondary_opts)]
            wrong = misspelled(max(option.opts, key=len), chance)
            if any(name.startswith(wrong) for name in named):
                continue
            assert "Did you mean " in complaint(typed([*leaf.line, wrong]), 2) or len(wrong) < 8, wrong
            if isinstance(option.type, click.Choice):
                word = misspelled(str(option.type.choices[0]), chance)
                said = complaint(typed([*leaf.line, option.opts[0], word]), 2)
                assert all(str(one) in said for one in option.type.choices), said


@pytest.mark.parametrize("leaf", CALLING, ids=ids)
@pytest.mark.parametrize("key", ["nonsense", "pk_snd_0123456789", "prd_0123456789abcdef", None])
def test_with_a_wrong_key(leaf: Leaf, key: str | None) -> None:
    keyless = leaf.name in {"snapshot list", "snapshot delete"} or (leaf.name == "verdict" and key is None)
    words = [*leaf.line, "--url", NOWHERE, *(["--key", key] if key else [])]
    if keyless:
        return
    said = complaint(typed(words, PAYMENT_SANDBOX_API_KEY=None), 2)
    assert "snd_" in said and (key is None or key not in said)
    same_as_json(leaf, words, said, 2, PAYMENT_SANDBOX_API_KEY=None)


@pytest.mark.parametrize("leaf", [one for one in LEAVES if one.name in READY or one in CALLING], ids=ids)
def test_without_a_sandbox(leaf: Leaf) -> None:
    words = [*leaf.line, "--url", NOWHERE, *(["--timeout", "1ms"] if leaf.name == "wait" else [])]
    words += ["--no-follow"] if leaf.has("--no-follow") else []
    code = 2 if leaf.name == "verdict" else 1
    said = complaint(typed(words), code)
    assert f"cannot reach {NOWHERE}" in said and "--url" in said and "Errno" not in said
    assert "payment-sandbox serve" in said
    same_as_json(leaf, words, said, code)


@pytest.fixture(scope="module")
def guarded() -> Iterator[RunningSandbox]:
    with RunningSandbox(variables={"PAYMENT_SANDBOX_CONTROL_TOKEN": "hush"}) as running:
        yield running


@pytest.mark.parametrize(
    "leaf", [one for one in CALLING if one.name not in ("pay", "refund", "scenarios put")], ids=ids
)
def test_without_the_control_token(leaf: Leaf, guarded: RunningSandbox) -> None:
    """Commands of the API alone need none; all others say by which variable it is given."""
    done = typed([*leaf.line, "--url", guarded.base])
    assert (done.exit_code == 0) or "set PAYMENT_SANDBOX_CONTROL_TOKEN" in done.stderr or "last" in done.stderr, (
        done.output
    )
    assert "X-Sandbox-Token" not in done.stderr


URLS: Final = tuple(
    pytest.param(leaf, one, id=f"{leaf.name} {one.opts[0]}")
    for leaf in LEAVES
    for one in leaf.command.params
    if leaf.name != "serve" and (one.name == "receiver" or "URL" in (getattr(one, "help", None) or ""))
)
"""Every URL that a command takes; those of `serve` are settings."""
HOSTS: Final = ("localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "hooks.shop.test", "a-1.test:443")
PATHS: Final = ("", "/", "/hook", "/hook?to=http://a.test/b", "/a:b/c")
WRONG: Final = (
    "ftp://localhost",
    "http:/localhost",
    "http://",
    "//localhost",
    "/hook",
    ":8080",
    "localhost:many",
    "a:0",
)


@pytest.mark.parametrize(("leaf", "param"), URLS)
def test_a_url_with_or_without_its_scheme(leaf: Leaf, param: click.Parameter) -> None:
    context = click.Context(leaf.command)
    for host, path in product(HOSTS, PATHS):
        for scheme in ("http://", "https://", "HTTP://", ""):
            assert param.type_cast_value(context, scheme + host + path) == (scheme or "http://") + host + path
    for wrong in WRONG:
        rest = [] if param.param_type_name == "argument" else [param.opts[0]]
        words = leaf.name.split() if not rest else leaf.line
        assert f"{wrong} is not an http or https URL" in complaint(typed([*words, *rest, wrong]), 2)


@pytest.mark.parametrize("name", ["webhook_url", "public_url", "control_origins", "advertise"])
def test_a_setting_that_is_a_url(name: str) -> None:
    read = ROWS[name].kind.read
    for host in HOSTS:
        assert read(host) == read(f"http://{host}")
    for wrong in WRONG:
        with pytest.raises(ValueError):
            read(wrong)


def journal(base: str) -> Any:
    return asked(base, "/_sandbox/journal?limit=1000")["data"]


def asked(base: str, path: str) -> Any:
    """What a client gets."""
    return json.loads(Http(base, keeps=False).call("GET", path, None, {"api-key": KEY}, 5.0).body)


def test_each_command_looks_or_acts() -> None:
    """Every command with a key is in one of the tables of this file or of the program."""
    acts = {f"{row.group} {row.word}".strip(): EVERY[row.operation].method for row in ACTS}
    looks = {name for name, method in acts.items() if method == "GET"} - {"snapshot list"}
    assert looks <= set(LOOKING)
    assert {one.name for one in LEAVES if one.has("--key")} == set(LOOKING) | set(acts) | ACTING


def test_what_looks_leaves_nothing(sandbox: RunningSandbox) -> None:
    """No entry of the journal, no poll: the payment that settles with the second retrieve stays as it is."""
    env = {"PAYMENT_SANDBOX_URL": sandbox.base, **PROXIES}
    for line in ("pay --card visa_pending_succeeds", "scenarios next pending", "pay", "trigger dispute_opened"):
        assert typed(line.split(), **env).exit_code == 0
    asked(sandbox.base, "/payments/list")  # a verdict needs a client
    before = journal(sandbox.base)
    state = typed(["payments", "--json"], **env).stdout
    for name, words in LOOKING.items():
        for _ in range(times(3, soak=20)):
            done = typed([*name.split(), *words.split()], **env)
            assert done.exit_code == 0, done.output
    assert journal(sandbox.base) == before
    assert typed(["payments", "--json"], **env).stdout == state


def test_what_acts_leaves_its_own_call_only(sandbox: RunningSandbox) -> None:
    """`last` is found without a call of the API."""
    env = {"PAYMENT_SANDBOX_URL": sandbox.base}
    for line in ("pay", "refund last --amount 100", "dispute last --amount 100", "resend last", "pay", "reset"):
        assert typed(line.split(), **env).exit_code == 0
    assert [one["operation"] for one in journal(sandbox.base) if one["operation"].endswith((".list", "retrieve"))] == []


# lists and one object


def test_lists_and_objects(sandbox: RunningSandbox) -> None:
    env = {"PAYMENT_SANDBOX_URL": sandbox.base.removeprefix("http://")}  # without a scheme

    def says(line: str) -> str:
        done = typed(line.split(), **env)
        assert done.exit_code == 0, done.output
        return str(done.stdout)

    says("reset")
    assert says("payments") == "no payments\n"
    paid = json.loads(says("pay --json"))["payment_id"]
    says("pay --card visa_lost_card")
    refund = json.loads(says(f"refund {paid} --json"))["refund_id"]
    dispute = json.loads(says("trigger dispute_opened --json"))["object_id"]
    mandate = json.loads(says("trigger mandate_active --json"))["object_id"]
    event = json.loads(says("events --limit 1 --json"))["data"][0]["event_id"]
    assert [line.split()[0] for line in says("payments --status succeeded").splitlines()][-1] == paid
    assert says("payments --status failed --since 1h").count("\n") == 2
    assert json.loads(says("payments --limit 1 --json"))["total_count"] == 4
    assert says("payments --since 2099-01-01T00:00:00Z") == "no payments\n"
    for name, object_id in (("refunds", refund), ("disputes", dispute), ("mandates", mandate), ("events", event)):
        assert object_id in says(name)
        assert object_id in says(f"get {object_id}")
    assert [one["refund_id"] for one in json.loads(says(f"get {paid} --json"))["refunds"]] == [refund]
    assert says("get last") == says("payments --limit 1").partition("4 payments, 1 listed")[0]
    assert says("clock").startswith("the clock is running at ")
    assert json.loads(says("clock --json"))["frozen"] is False


@pytest.mark.parametrize(
    ("form", "sign"), [("pytest", "def test_"), ("curl", "curl -X POST"), ("har", '"log"'), ("scenario", "version: 1")]
)
def test_export(sandbox: RunningSandbox, form: str, sign: str, tmp_path: Any) -> None:
    env = {"PAYMENT_SANDBOX_URL": sandbox.base}
    typed(["pay"], **env)
    done = typed(["export", "last", "--as", form], **env)
    assert done.exit_code == 0 and sign in done.stdout, done.output
    typed(["export", "last", "--as", form, "-o", str(tmp_path / "kept")], **env)
    assert sign in (tmp_path / "kept").read_text()


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("pay --amount 10.50", 2, "amounts are in minor units: 1050 is 10.50 USD, and 10 is 0.10 USD"),
        ("refund last --amount 10,5", 2, "1050 is 10.50 USD"),
        ("trigger", 2, "name an event; the events are: payment_succeeded, "),
        ("trigger xyz last", 2, "xyz is not an event; the events are: payment_succeeded, "),
        ("snapshot restore piad", 1, "did you mean paid?"),
        ("snapshot delete piad", 1, "did you mean paid?"),
        ("scenarios on lost_respons", 1, "did you mean lost_response?"),
        ("scenarios put lost_respons", 2, "did you mean lost_response?"),
        ("scenarios put nothing.yaml", 2, "nothing.yaml cannot be read: No such file or directory"),
        ("scenarios put lost_response challenge_abandoned --name x", 2, "--name is for one scenario, not for 2"),
        ("tail --no-follow --operation payments.creat", 1, "did you mean payments.create?"),
        ("scenarios next failed --on payments.creat", 1, "did you mean payments.create?"),
        ("get ref_none", 1, "there is no refund ref_none in this workspace"),
        ("get none", 1, "there is no payment none in this workspace"),
        (
            "payments --since yesterday",
            2,
            "Invalid value for --since (2h, or 2026-01-31T09:05:00Z): 'yesterday' is not a",
        ),
    ],
)
def test_names_the_remedy(sandbox: RunningSandbox, line: str, code: int, said: str) -> None:
    env = {"PAYMENT_SANDBOX_URL": sandbox.base}
    typed(["snapshot", "save", "paid"], **env)
    assert said in complaint(typed(line.split(), **env), code)


def test_put_takes_what_check_takes(sandbox: RunningSandbox, tmp_path: Any) -> None:
    env = {"PAYMENT_SANDBOX_URL": sandbox.base}
    folder = tmp_path / "new" / "folder"
    for name in ("one", "two"):
        assert typed(["scenarios", "new", name, "--dir", str(folder)], **env).exit_code == 0
    done = typed(["scenarios", "put", str(folder), "lost_response"], **env)
    assert done.exit_code == 0, done.output
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["one", "two", "lost_response"]
