"""Settings that a test suite gives its server mean what they mean in a file, and each has an effect or is refused."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.settings import ROWS, Settings, SettingsRefused, load
from mock_server.testing import SandboxServer
from mock_server.testing.servers import as_texts
from tests.architecture.sources import PACKAGE, modules
from tests.architecture.test_settings_are_read import names_read
from tests.plugin.conftest import Run, imported, run

__all__ = ["imported", "run"]
pytest_plugins = "pytester"

VALUES: Final = (
    0,
    1,
    2,
    60,
    300,
    3600,
    86_400,
    65_536,
    -1,
    1.5,
    0.25,
    90.0,
    10**30,
    True,
    False,
    "5m",
    "8MiB",
    "off",
    "a b",
)
LISTS: Final = (["a", "b"], ["snd_only_this_one"], ["10.0.0.0/8", "10.0.0.5"], [1, 2])


def absent(path: str) -> str:
    raise FileNotFoundError(path)


def given(name: str, value: Any) -> Settings | None:
    """The settings of a suite with this one; None if it is refused."""
    try:
        return load(as_texts({name: value}), {}, absent).settings
    except SettingsRefused:
        return None


def filed(name: str, value: Any) -> Settings | None:
    """The same of a file with this setting."""
    document = json.dumps({name: value})
    try:
        return load({"config": "c.json"}, {}, lambda path: document if path == "c.json" else absent(path)).settings
    except SettingsRefused:
        return None


@pytest.mark.parametrize("name", ROWS)
def test_a_value_means_what_it_means_in_a_file(name: str) -> None:
    found = {repr(value): (given(name, value), filed(name, value)) for value in (*VALUES, *LISTS)}
    assert {value: both for value, both in found.items() if both[0] != both[1]} == {}


ODD: Final[tuple[Any, ...]] = ({"a": 1}, b"x", {"a"}, object(), timedelta(minutes=5), [{"a": 1}], [None])


@pytest.mark.parametrize("which", range(len(ODD)))
def test_what_no_file_can_have_is_refused_by_name(which: int) -> None:
    value = ODD[which]
    for name, row in ROWS.items():
        with pytest.raises(SettingsRefused, match=f"{name} must be a string, a number") as refused:
            as_texts({name: value})
        assert not row.kind.secret or repr(value) not in str(refused.value)


NOT_OF_IT: Final = (f"{PACKAGE}.cli.", f"{PACKAGE}.settings.")
OF_THE_COMMAND: Final = (
    "log_format",
    "log_level",
    "port_file",
    "shutdown_grace",
    "tls",
    "tls_cert",
    "tls_key",
    "tls_port",
    "tls_port_file",
)


def test_some_settings_are_the_commands_alone() -> None:
    read = set().union(*(names_read(one) for one in modules() if not one.name.startswith(NOT_OF_IT)))
    assert set(ROWS) - read == {*OF_THE_COMMAND}


@pytest.mark.parametrize("name", OF_THE_COMMAND)
def test_a_setting_without_an_effect_is_refused(name: str) -> None:
    with pytest.raises(SettingsRefused, match=f"{name} has no effect"):
        SandboxServer({name: ROWS[name].shown_default() or "0"})


REFUSED_BY_SERVE: Final[dict[str, dict[str, Any]]] = {
    "there is no scenario slow_netwrk .did you mean slow_network": {"scenario": "slow_netwrk"},
    "there is no scenario b": {"scenario": ["slow_network", "b"]},
    "is not a directory": {"scenarios": "there/is/none"},
    "not valid YAML": {"scenarios_inline": "bad: ["},
    "not a valid decline": {"scenarios_inline": "name: a\nrules: [{on: charge, then: {decline: insuficient_funds}}]\n"},
    "scenarios_writable has no effect": {"scenarios_writable": True},
    "advertise has no effect": {"advertise": "http://10.0.0.1:1"},
    "data_sync has no effect": {"data_sync": "full"},
    f"{Path(__file__).parent.name} is not a file": {"data": str(Path(__file__).parent)},
    "cannot create there/is/none.db .No such file": {"data": "there/is/none.db"},
    f"{Path(__file__).name} is not a database": {"data": __file__},
    "cannot listen on 192.0.2.1 port 0: ": {"host": "192.0.2.1"},
    "cannot listen on 2001:db8::1 port 0: ": {"host": "2001:db8::1"},
}


@pytest.mark.parametrize("said", REFUSED_BY_SERVE)
def test_what_stops_the_command_stops_a_server_in_the_process(said: str) -> None:
    with pytest.raises((SettingsRefused, ValueError), match=said):
        SandboxServer(REFUSED_BY_SERVE[said])


def test_one_that_could_not_listen_leaves_its_port_and_file_to_others(tmp_path: Path) -> None:
    data = str(tmp_path / "kept.db")
    with SandboxServer() as other:
        port = int(other.url.rpartition(":")[2])
        with pytest.raises(SettingsRefused, match=f"cannot listen on 127.0.0.1 port {port}: Address already in use"):
            SandboxServer({"data": data, "port": port})
    with SandboxServer({"data": data, "port": port}) as server:
        assert server.url.endswith(f":{port}")


WRONG: Final = {
    "config": ({"scenario": "slow_netwrk"}, "payment_sandbox_config: there is no scenario slow_netwrk*"),
    "a number": ({"rate_limit": b"5"}, "payment_sandbox_config: rate_limit must be a string*"),
    "no file of ours": ({"data": "latin"}, "payment_sandbox_config: * is not a file"),
    "no folder": ("there/is/none", "payment_sandbox_scenarios: *there/is/none*"),
    "no file": (["none.yaml"], "payment_sandbox_scenarios: *none.yaml*"),
    "a number for a folder": (5, "payment_sandbox_scenarios: *"),
    "other letters": ("latin", "payment_sandbox_scenarios: *latin*a.yaml*UTF-8*"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_fixture_gives_wrong_is_said_in_a_line(name: str, run: Run, pytester: pytest.Pytester) -> None:
    value, said = WRONG[name]
    Path(pytester.mkdir("latin"), "a.yaml").write_bytes("name: é\n".encode("latin-1"))
    fixture = said.split(":")[0]
    conftest = f"import pytest\n@pytest.fixture(scope='session')\ndef {fixture}(): return {value!r}\n"
    result = run("def test_x(payment_sandbox): pass", conftest=conftest)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])
    assert "Traceback" not in result.stdout.str()
    assert "During handling" not in result.stdout.str()
    assert "mock_server/testing" not in result.stdout.str()


OF_WORKSPACES: Final = {
    "seed": ("5", "payment_sandbox.seed"),
    "dialect": ("hyperswitch", "payment_sandbox.control.get('/dialect')['dialect']"),
    "scenario": ("slow_network", "payment_sandbox.control.get('/scenarios')['active'][0]"),
    "webhook_secret": ("whsec_of_all", "payment_sandbox.webhook_secret"),
}
"""What a server gives each workspace that says nothing else, and where it is seen."""


@pytest.mark.parametrize("name", OF_WORKSPACES)
def test_the_fixtures_workspaces_have_what_their_server_is_set_to(
    name: str, run: Run, pytester: pytest.Pytester
) -> None:
    value, seen = OF_WORKSPACES[name]
    config = {name: value}
    conftest = f"import pytest\n@pytest.fixture(scope='session')\ndef payment_sandbox_config(): return {config}\n"
    run(f"def test_x(payment_sandbox): assert {seen} == {value!r}", conftest=conftest).assert_outcomes(passed=1)


def test_the_options_seed_is_before_the_servers(run: Run) -> None:
    conftest = "import pytest\n@pytest.fixture(scope='session')\ndef payment_sandbox_config(): return {'seed': 5}\n"
    source = "def test_x(payment_sandbox): assert payment_sandbox.seed == '6'"
    run(source, "--payment-sandbox-seed", "6", conftest=conftest).assert_outcomes(passed=1)
