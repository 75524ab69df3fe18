"""Settings from flags, environment and file (decisions "Names")."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields

import pytest

from mock_server.cli.serve import texts
from mock_server.settings import ROWS, LoadedSettings, SettingRow, Settings, SettingsRefused, load
from mock_server.settings.table import EVERYWHERE

FILES = {
    "a.yaml": "rate-limit: 7\nunknown_cards: decline\nseed: off\nport:\n",
    "a.toml": 'rate_limit = 7\ntrust_proxy = true\nscenario = ["one", "two"]\nsession_expiry = "30s"\n',
    "a.TOML": 'rate_limit = 7\ntrust_proxy = true\nscenario = ["one", "two"]\nsession_expiry = "30s"\n',
    "a.json": '{"rate_limit": 7, "control_origins": ["http://a.test"]}',
    "empty.yaml": "",
    "list.yaml": "- rate_limit\n",
    "broken.yaml": "rate_limit: [1\n",
    "broken.toml": "rate_limit = \n",
    "nested.yaml": "rate_limit: {a: 1}\n",
    "nested.toml": "[rate_limit]\na = 1\n",
    "twice.yaml": "rate-limit: 1\nrate_limit: 2\n",
    "typo.yaml": "rate_limits: 1\n",
    "tab.yaml": "a:\t\x01b",
    "keys.txt": "snd_first_key\n# later\nsnd_second_key\n",
}


def read_file(path: str) -> str:
    if path == "binary.yaml":
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    if path not in FILES:
        raise FileNotFoundError(2, "No such file or directory")
    return FILES[path]


def loaded(flags: Mapping[str, str] | None = None, **environ: str) -> LoadedSettings:
    variables = {f"PAYMENT_SANDBOX_{name}": value for name, value in environ.items()}
    return load(flags or {}, {"HOME": "/nowhere", **variables}, read_file)


def mistakes(flags: Mapping[str, str] | None = None, **environ: str) -> tuple[str, ...]:
    with pytest.raises(SettingsRefused) as refused:
        loaded(flags, **environ)
    return refused.value.mistakes


def test_nothing_given_gives_the_defaults() -> None:
    assert loaded() == LoadedSettings(Settings())


def test_flag_goes_before_environment_before_file_before_default() -> None:
    assert loaded({"config": "a.yaml", "rate_limit": "9"}, RATE_LIMIT="8").settings.rate_limit == 9
    assert loaded({"config": "a.yaml"}, RATE_LIMIT="8").settings.rate_limit == 8
    assert loaded({"config": "a.yaml"}).settings.rate_limit == 7
    assert loaded().settings.rate_limit == 4_800


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_every_setting_has_a_flag_a_variable_and_a_line_in_a_file(row: SettingRow) -> None:
    text = {"": "snd_some_text" if row.kind.from_file else "some"}.get(row.shown_default(), row.shown_default())
    if row.name in {"advertise", "public_url", "webhook_url", "control_origins"}:
        text = "http://a.test"
    by_flag = load({row.name: text}, {}, read_file).settings
    by_variable = load({}, {row.variable: text}, read_file).settings
    by_file = load({"config": "c.yaml"}, {}, lambda path: f"{row.name}: {text}").settings
    assert by_flag == by_variable == by_file
    assert row.doc.endswith(".")
    assert row.source


def test_yaml_values_are_read_as_they_are_written() -> None:
    settings = loaded({"config": "a.yaml"}).settings
    assert (settings.seed, settings.unknown_cards, settings.port) == ("off", "decline", 12190)


def test_toml_and_json_files() -> None:
    toml = loaded(CONFIG="a.toml").settings
    assert loaded(CONFIG="a.TOML").settings == toml
    assert (toml.rate_limit, toml.trust_proxy, toml.scenario, toml.session_expiry) == (
        7,
        EVERYWHERE,
        ("one", "two"),
        30_000,
    )
    assert loaded(CONFIG="a.json").settings.control_origins == ("http://a.test",)
    assert loaded(CONFIG="empty.yaml").settings == Settings()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("missing.yaml", "missing.yaml: cannot be read: No such file"),
        ("binary.yaml", "binary.yaml: cannot be read: 'utf-8' codec"),
        ("list.yaml", "list.yaml:1: expected a mapping of settings"),
        ("broken.yaml", "broken.yaml:2:1: not YAML: "),
        ("tab.yaml", "tab.yaml: not YAML: "),
        ("broken.toml", "broken.toml: not TOML: "),
        ("nested.yaml", "nested.yaml:1: rate_limit must be a string, a number"),
        ("nested.toml", "nested.toml: rate_limit must be a string, a number"),
        ("twice.yaml", "twice.yaml:2: rate_limit is set twice"),
        (
            "typo.yaml",
            "typo.yaml:1: rate_limits: there is no setting rate_limits (did you mean rate_limit?)",
        ),
    ],
)
def test_a_bad_file_stops_the_start(config: str, said: str) -> None:
    (mistake,) = mistakes({"config": config})
    assert mistake.startswith(said)


VALUES = ["off", 7, 1.5, True, False, ["one", "two"], [], [1, True], {}, {"a": 1}, [{}], [["one"]]]


def in_format(config: str, value: object) -> LoadedSettings | tuple[str, ...]:
    """What a file with one value, under two spellings of two names, is read as."""
    shown = re.sub("^{.*}$", "{}", json.dumps(value)) if config == "c.toml" else json.dumps(value)
    equals = " = " if config == "c.toml" else ": "
    lines = [f"{name}{equals}{shown}\n" for name in ("seed", "control-token", "scenario", "allowed_hosts")]
    try:
        return load({"config": config}, {}, lambda path: "".join(lines))
    except SettingsRefused as refused:
        return tuple(re.sub(r"c\.\w+:(\d+:)? ", "", mistake) for mistake in refused.mistakes)


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_a_file_says_the_same_in_every_format(value: object) -> None:
    toml, yaml = in_format("c.toml", value), in_format("c.yaml", value)
    assert toml == yaml


@pytest.mark.parametrize(("config", "sign"), [("c.yaml", ":"), ("c.json", ":"), ("c.toml", "=")])
@pytest.mark.parametrize(("first", "second"), [("rate-limit", "rate_limit"), ("rate_limit", "rate-limit")])
def test_no_file_sets_one_setting_twice(config: str, sign: str, first: str, second: str) -> None:
    lines = f'"{first}"{sign} 1\n"{second}"{sign} 2\n'
    text = "{" + lines.replace("1\n", "1,\n") + "}" if config == "c.json" else lines
    with pytest.raises(SettingsRefused, match=f"{second} is set twice"):
        load({"config": config}, {}, lambda path: text)


def test_everything_that_is_wrong_in_a_file_is_said_at_once() -> None:
    text = "rate_limits: 1\nrate_limit: {a: 1}\nport: no\nport: 1\n"
    with pytest.raises(SettingsRefused) as refused:
        load({"config": "c.yaml"}, {}, lambda path: text)
    assert [mistake.split(":")[1] for mistake in refused.value.mistakes] == ["1", "2", "4", "3"]


def test_all_mistakes_are_said_at_once_each_with_its_place() -> None:
    said = mistakes({"config": "a.yaml", "port": "no"}, MAX_BODY="1", UNKNOWN_FIELDS="keep")
    assert said == (
        "PAYMENT_SANDBOX_MAX_BODY (environment): '1' is not valid; "
        "allowed is a size from 1KiB to 1GiB, such as 65536, 512KiB or 8MiB",
        "PAYMENT_SANDBOX_UNKNOWN_FIELDS (environment): 'keep' is not valid; allowed is one of refuse, ignore",
        "--port (flag): 'no' is not valid; allowed is a whole number from 0 to 65535",
    )


def test_a_wrong_value_is_a_mistake_also_where_a_stronger_one_hides_it() -> None:
    assert len(mistakes({"port": "1"}, PORT="x")) == 1


def test_a_list_is_refused_where_one_value_is_wanted() -> None:
    with pytest.raises(SettingsRefused, match=r"c\.yaml:1: port: \('1', '2'\) is not valid"):
        load({"config": "c.yaml"}, {}, lambda path: "port: [1, 2]")


@pytest.mark.parametrize("name", ["KEYS", "CONTROL_TOKEN", "WEBHOOK_SECRET"])
def test_secrets_are_not_shown(name: str) -> None:
    settings = loaded(None, **{name: "snd_canary_value"}).settings
    assert "canary" not in repr(settings)


def test_keys_come_from_a_file_or_from_the_value_itself() -> None:
    assert loaded({"keys": "keys.txt"}).settings.keys == ("snd_first_key", "snd_second_key")
    assert loaded(KEYS="snd_first_key,snd_second_key").settings.keys == ("snd_first_key", "snd_second_key")
    assert mistakes({"keys": "missing.txt"}) == ("--keys (flag): cannot be read: No such file or directory",)


def test_an_unknown_variable_warns_with_the_nearest_name() -> None:
    assert loaded(RATELIMIT="1").warnings == (
        "PAYMENT_SANDBOX_RATELIMIT is set, but there is no such setting (did you mean PAYMENT_SANDBOX_RATE_LIMIT?)",
    )


@pytest.mark.parametrize(
    "name", ["URL", "API_KEY", "PUBLISHABLE_KEY", "SOAK", "IMAGE", "WHEEL", "CONTAINER_URL", "CONFIG"]
)
def test_names_that_others_read_do_not_warn(name: str) -> None:
    value = "a.yaml" if name == "CONFIG" else "x"
    assert loaded(None, **{name: value}).warnings == ()


@pytest.mark.parametrize("source", ["flag", "file"])
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_an_empty_value_switches_nothing_off(row: SettingRow, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("", ",", " , ") if row.kind.listed else ("",):
        monkeypatch.setitem(FILES, "blank.json", json.dumps({row.name: text}))
        given = {row.name: (text,) if row.kind.listed else text} if source == "flag" else {"config": "blank.json"}
        (mistake,) = mistakes(texts(given))
        assert mistake.startswith(f"{row.flag} (flag): " if source == "flag" else f"blank.json:1: {row.name}: "), (
            mistake
        )


def test_a_settings_file_without_a_name_is_no_settings_file() -> None:
    assert mistakes(texts({"config": ""})) == ("--config (flag): nothing is given",)


def test_an_empty_variable_counts_as_unset() -> None:
    assert loaded(PORT="", SEED="", NOBODY_KNOWS="") == LoadedSettings(Settings())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "tcp://10.0.0.1:12190"),
        ("SERVICE_HOST", "10.0.0.1"),
        ("SERVICE_PORT", "12190"),
        ("SERVICE_PORT_HTTP", "12190"),
        ("PORT_12190_TCP", "tcp://10.0.0.1:12190"),
        ("PORT_12190_TCP_ADDR", "10.0.0.1"),
        ("PORT_12190_TCP_PROTO", "tcp"),
        ("ENV_PATH", "/bin"),
        ("NAME", "/shop/payment-sandbox"),
        ("API_PORT", "tcp://10.0.0.1:12190"),
        ("API_SERVICE_HOST", "10.0.0.1"),
        ("API_SERVICE_PORT_HTTP", "12190"),
        ("API_PORT_12190_TCP_ADDR", "10.0.0.1"),
    ],
)
def test_service_links_are_passed_over_with_one_line(name: str, value: str) -> None:
    seen = loaded(None, **{name: value})
    assert seen.settings == Settings()
    assert seen.warnings == ()
    assert seen.passed_over == (f"PAYMENT_SANDBOX_{name} is set by Kubernetes for a service of this name, and ignored",)


def test_a_real_port_is_no_service_link() -> None:
    assert loaded(PORT="8080").settings.port == 8080
    assert len(mistakes(PORT="tcp:/oops")) == 1


def test_the_table_and_the_record_have_the_same_fields() -> None:
    assert [one.name for one in fields(Settings)] == list(ROWS)
