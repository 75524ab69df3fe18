"""Broken files, each beside the messages it must get; no text at all gets anything but clean errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_server.scenario.loading.load import load_bytes, load_json, load_mapping, load_next, load_text
from mock_server.scenario.loading.reading import read_yaml
from mock_server.scenario.model.mistakes import MOST_SHOWN, Mistake, ScenarioErrors
from mock_server.scenario.schema.top import ScenarioBlock
from tests.counts import times

BROKEN = sorted(Path(__file__).with_name("broken").glob("*.yaml"))


def mistakes_of(raw: bytes, file: str) -> tuple[Mistake, ...]:
    with pytest.raises(ScenarioErrors) as found:
        load_bytes(raw, file)
    return found.value.mistakes


def test_the_corpus_is_large() -> None:
    assert len(BROKEN) >= 60


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_a_broken_file_gets_its_messages(path: Path) -> None:
    expected = path.with_suffix(".expected").read_text(encoding="utf-8")
    assert "\n".join(map(str, mistakes_of(path.read_bytes(), path.name))) + "\n" == expected


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_every_message_has_its_place(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    for mistake in mistakes_of(path.read_bytes(), path.name):
        assert 1 <= mistake.line <= len(lines)
        assert 1 <= mistake.column <= len(lines[mistake.line - 1]) + 1
        assert str(mistake).startswith(f"{path.name}:{mistake.line}:{mistake.column}: ")


def test_bytes_that_are_no_utf_8_are_told_where() -> None:
    (mistake,) = mistakes_of(b"name: a\nsummary: caf\xe9\n", "latin.yaml")
    assert (mistake.line, mistake.column, mistake.message) == (2, 13, "the text is not UTF-8 from here on")


def test_too_long_a_text_is_not_read() -> None:
    (mistake,) = mistakes_of(b"# " + b"x" * (4 * 1024 * 1024), "long.yaml")
    assert "maximum is" in mistake.message


def test_a_book_of_mistakes_is_cut() -> None:
    rules = "rules:\n" + "  - {on: x}\n" * 300
    with pytest.raises(ScenarioErrors) as found:
        load_text(rules, "many.yaml")
    assert len(found.value.mistakes) == MOST_SHOWN
    assert str(found.value).endswith("and 400 more")


def test_a_mapping_has_ways_instead_of_lines() -> None:
    with pytest.raises(ScenarioErrors) as found:
        load_mapping({"rules": [{"on": "charge", "then": {"declin": "lost_card"}}]}, "mine")
    assert str(found.value) == "mine: unknown key declin in then (did you mean decline?) (at rules[0].then.declin)"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"rules": [{"on": "charge", "then": {"decline": object()}}]}, "the document holds a object"),
        ({"rules": [{(1, 2): 3}]}, "the document has the key (1, 2)"),
        ({"rules": {False: 3}}, "the document has the key False"),
    ],
)
def test_a_mapping_holds_plain_values(value: dict[str, object], message: str) -> None:
    with pytest.raises(ScenarioErrors) as found:
        load_mapping(value)
    assert message in str(found.value)


def test_a_mapping_that_holds_itself_is_refused() -> None:
    endless: dict[str, object] = {}
    endless["given"] = endless
    with pytest.raises(ScenarioErrors):
        load_mapping(endless)


def test_json_has_lines_too() -> None:
    with pytest.raises(ScenarioErrors) as found:
        load_json('{\n\t"rulez": []\n}', "s.json")
    assert str(found.value) == "s.json:2:2: unknown key rulez in a scenario (did you mean rules?)"


def test_json_is_read_as_strictly_as_bodies() -> None:
    with pytest.raises(ScenarioErrors) as found:
        load_json('{"name": "a", "name": "b"}', "s.json")
    assert "is not valid JSON" in str(found.value)


@pytest.mark.parametrize(
    "then", ["{error: HE_99}", "{error: {code: HE_99}}", "{error: {code: HE_99, message: Try again.}}"]
)
def test_error_codes_are_those_of_the_catalogue(then: str) -> None:
    with pytest.raises(ScenarioErrors) as found:
        load_text(f"rules: [{{on: payments.create, then: {then}}}]", "a.yaml")
    assert 'is not an error code of the API: "HE_99"' in str(found.value)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ({"on": "charge"}, "then is missing"),
        ({"then": {"decline": "lost_crd"}}, "did you mean lost_card?"),
        ({"on": "payments.retrieve", "then": {"decline": "lost_card"}}, "does not involve the issuer"),
        ({"then": [{"decline": "lost_card"}, {"decline": "lost_card"}]}, "one item, not 2"),
        ({"then": {"fault": "hang"}}, "a charge has no connection"),
        ([], "must be a mapping"),
    ],
)
def test_the_queue_takes_sound_orders_only(order: object, message: str) -> None:
    with pytest.raises(ScenarioErrors) as found:
        load_next(order)
    assert message in str(found.value)


ENDS = {
    "{decline: lost_card": True,
    "{outcome: failed": True,
    "{challenge: {result: declined}": True,
    "{settles: {after: 1s, as: failed}": True,
    "{outcome: succeeded": False,
    "{challenge: {result: approved}": False,
    "{settles: {after: 1s, as: succeeded}": False,
}
"""How the charge of an answer ends, and whether it fails in the end."""


@pytest.mark.parametrize("end", ENDS)
def test_a_charge_that_fails_is_not_disputed(end: str) -> None:
    text = f"rules: [{{on: charge, then: {end}, dispute: {{reason: general}}}}}}]"
    if not ENDS[end]:
        load_text(text, "a.yaml")
        return
    with pytest.raises(ScenarioErrors) as found:
        load_text(text, "a.yaml")
    assert "dispute has no effect: the charge fails" in str(found.value)


WORDS = [*sorted(ScenarioBlock.keys()), "on", "when", "then", "charge", "decline", "lost_card", "outcome", "payments"]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(WORDS)
)
NESTED = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=20,
)
RULES = st.fixed_dictionaries(
    {"on": NESTED, "then": NESTED}, optional={"when": NESTED, "times": NESTED, "during": NESTED}
)
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(ScenarioBlock.keys(), NESTED) | {"rules": st.lists(RULES, max_size=3) | NESTED},
)  # fmt: skip
SIGNS = st.text(alphabet="abn01-:{}[],&*!?|>'\"#%@ \n\t\\\u00e9\ud800\u2028", max_size=60)


def reads_or_says_why(load: object, text: object) -> None:
    try:
        load(text, "fuzz.yaml")  # type: ignore[operator]  # any of the loaders
    except ScenarioErrors as found:
        said = [mistake.message for mistake in found.mistakes]
    else:
        said = ["sound"]
    assert said
    assert all(said)


@settings(max_examples=times(100, soak=1000))
@given(st.text(max_size=200) | SIGNS)
def test_no_text_breaks_the_loader(text: str) -> None:
    reads_or_says_why(load_text, text)
    reads_or_says_why(load_json, text)


@settings(max_examples=times(70, soak=1000))
@given(st.binary(max_size=100))
def test_no_bytes_break_the_loader(raw: bytes) -> None:
    reads_or_says_why(load_bytes, raw)


@settings(max_examples=times(130, soak=2000))
@given(NESTED | DOCUMENTS)
def test_no_document_breaks_the_loader(value: object) -> None:
    reads_or_says_why(load_json, json.dumps(value))
    if isinstance(value, dict):
        reads_or_says_why(load_mapping, value)
    reads_or_says_why(lambda value, file: load_next(value), value)


@settings(max_examples=times(50, soak=1000))
@given(st.sampled_from(BROKEN), st.integers(0, 400), SIGNS)
def test_no_change_to_a_broken_file_breaks_the_loader(path: Path, at: int, put: str) -> None:
    text = path.read_text(encoding="utf-8")
    reads_or_says_why(load_text, text[:at] + put + text[at + len(put) :])


SHIPPED = sorted((Path(__file__).parents[3] / "scenarios").glob("*.yaml"))
ODD: st.SearchStrategy[object] = (
    SCALARS | st.just([]) | st.just({}) | st.just({"after": "1s"}) | st.just(["a"]) | NESTED
)


def ways(value: object, way: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way, *(deeper for key, item in below for deeper in ways(item, (*way, key)))]


def put(value: object, way: tuple[str | int, ...], odd: object) -> object:
    if not way:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)  # type: ignore[call-overload]  # a way leads through these
    copy[way[0]] = put(copy[way[0]], way[1:], odd)
    return copy


@settings(max_examples=times(130, soak=2000))
@given(st.data())
def test_no_value_in_the_place_of_another_breaks_the_loader(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(SHIPPED))
    value: object = read_yaml(path.read_text(encoding="utf-8"), path.name).root.plain()  # type: ignore[union-attr]  # sound
    for _ in range(data.draw(st.integers(1, 3))):
        value = put(value, data.draw(st.sampled_from(ways(value))), data.draw(ODD))
    reads_or_says_why(load_json, json.dumps(value))
