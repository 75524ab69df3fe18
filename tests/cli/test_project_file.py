"""`.payment-sandbox.toml`: found upwards, read by commands that ask a sandbox, and by no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mock_server.cli import main
from mock_server.cli.asking import PROJECT_KEYS, project_file
from mock_server.cli.serve import read_settings
from tests.running import RunningSandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with RunningSandbox("--port-file", str(tmp_path_factory.mktemp("port") / "port")) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project; the commands are typed two folders below."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    yield tmp_path
    project_file.cache_clear()


def typed(*words: str, **variables: str) -> Result:
    project_file.cache_clear()
    env: dict[str, str | None] = {"PAYMENT_SANDBOX_API_KEY": None, "PAYMENT_SANDBOX_URL": None, **variables}
    return CliRunner().invoke(main, words, env=env)


def test_it_is_found_upwards(folder: Path, sandbox: RunningSandbox) -> None:
    (folder / ".payment-sandbox.toml").write_text(f'url = "{sandbox.base}/"\nkey = "snd_project_file_1"\n')
    assert typed("pay").exit_code == 0
    assert typed("why", "last").exit_code == typed("ready").exit_code == 0
    (folder / "a" / ".payment-sandbox.toml").write_text(f'url = "{sandbox.base}"\n')
    assert typed("pay").exit_code == 2, "the nearest one counts, alone"


def test_a_port_file_is_beside_it(folder: Path, sandbox: RunningSandbox) -> None:
    (folder / "port").write_text(sandbox.base.rpartition(":")[2])
    (folder / ".payment-sandbox.toml").write_text('port_file = "port"\nkey = "snd_project_file_1"\n')
    assert typed("pay").exit_code == 0
    (folder / "port").unlink()
    gone = typed("pay")
    assert (gone.exit_code, "port" in gone.stderr) == (1, True)


def test_flags_go_before_variables_before_the_file(folder: Path, sandbox: RunningSandbox) -> None:
    (folder / ".payment-sandbox.toml").write_text('url = "http://127.0.0.1:1"\nkey = "snd_project_file_1"\n')
    assert typed("pay").exit_code == 1
    assert typed("pay", PAYMENT_SANDBOX_URL=sandbox.base).exit_code == 0
    assert typed("pay", PAYMENT_SANDBOX_PORT=sandbox.base.rpartition(":")[2]).exit_code == 0
    assert typed("pay", "--url", sandbox.base, PAYMENT_SANDBOX_URL="http://127.0.0.1:1").exit_code == 0
    (folder / ".payment-sandbox.toml").write_text(f'url = "{sandbox.base}"\nkey = "nonsense"\n')
    assert typed("pay").exit_code == 2
    assert typed("pay", PAYMENT_SANDBOX_API_KEY="snd_project_file_2").exit_code == 0
    assert typed("pay", "--key", "snd_project_file_3", PAYMENT_SANDBOX_API_KEY="nonsense").exit_code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('kye = "snd_1"', "kye is not one of url, key, port_file (did you mean key?)"),
        ("key = ", "not TOML"),
        ("key = {}", "key must be a string"),
    ],
)
def test_mistakes_in_it_end_with_2(folder: Path, text: str, said: str) -> None:
    (folder / ".payment-sandbox.toml").write_text(text)
    done = typed("pay")
    assert (done.exit_code, said in done.stderr) == (2, True), done.output
    assert ".payment-sandbox.toml" in done.stderr


WRONG = ("5", "1.5", "true", "2026-01-31", "12:00:00", "[]", '["a"]', "{}", '{a = "b"}', '""', "inf")


@pytest.mark.parametrize("value", WRONG)
@pytest.mark.parametrize("name", PROJECT_KEYS)
def test_a_value_of_another_type_is_named(folder: Path, name: str, value: str) -> None:
    (folder / ".payment-sandbox.toml").write_text(f"{name} = {value}\n")
    done = typed("pay", "--key", "snd_project_file_1")
    assert (done.exit_code, done.output.count("\n")) == (2, 1), done.output
    assert f".payment-sandbox.toml: {name} must be a string" in done.stderr


def test_every_mistake_is_named_and_text_that_is_no_utf8_too(folder: Path) -> None:
    (folder / ".payment-sandbox.toml").write_text("key = 1\nurl = 2\nkye = 3\n")
    assert typed("pay").stderr.count("\n") == 3
    (folder / ".payment-sandbox.toml").write_bytes(b'key = "\xff"\n')
    done = typed("pay")
    assert (done.exit_code, ".payment-sandbox.toml: cannot be read" in done.stderr) == (2, True), done.output


def test_without_any_of_it_the_command_says_what_to_do(folder: Path) -> None:
    done = typed("pay")
    assert done.exit_code == 2
    assert "--key snd_…, PAYMENT_SANDBOX_API_KEY or key in .payment-sandbox.toml" in done.stderr


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("snd_short", "has 5 characters after snd_: a key is snd_ and 8 to 128"),
        ("sk_test_1234567890", "does not begin with snd_ or pk_snd_"),
        ("prd_1234567890", "this is a production key"),
    ],
)
def test_a_key_that_is_none_is_named_as_what_is_wrong(folder: Path, key: str, said: str) -> None:
    done = typed("pay", "--key", key)
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr
    assert key not in done.stderr


def test_serve_does_not_read_it(folder: Path) -> None:
    (folder / ".payment-sandbox.toml").write_text("port_file = nonsense")
    assert read_settings({}).settings.port_file is None
