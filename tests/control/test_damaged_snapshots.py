"""Damaged snapshots: each is refused as a whole, or everything in the restored workspace can be read."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pytest

from mock_server.domain.api_keys import ApiKey, parse
from mock_server.sandbox import soundness
from mock_server.sandbox.timekeeping import KINDS
from tests.clocks import ManualClock
from tests.control import full_workspace, mutants, reading_all
from tests.control.mutants import Mutant
from tests.counts import SOAK, times
from tests.wire import KEY, Reply, Wire, wire

PARTS: Final = times(1, soak=50)
"""So many tests look at the damaged ones: what one test logs is kept until it ends."""
COUNT: Final = times(50, soak=5_000)
OF_THE_SERVER: Final = {"merchant_account", "api_key"}


@pytest.fixture(scope="module")
def sound() -> Any:
    """A snapshot that holds some of everything, with its journal."""
    return full_workspace.document()


@pytest.fixture(scope="module")
def chosen(sound: Any) -> list[Mutant]:
    return mutants.some(sound, COUNT)


def restored(api: Wire, document: Any) -> Reply:
    first = api.put("/_sandbox/snapshots/damaged", document)
    return first if first.status != 200 else api.post("/_sandbox/snapshots/damaged/restore")


def test_the_sound_one_holds_some_of_everything(sound: Any) -> None:
    workspace = sound["workspace"]
    assert {name for name, kind in workspace["records"].items() if kind["rows"]} == {
        kind.name for kind in KINDS
    } - OF_THE_SERVER
    assert soundness.FACTS.keys() <= workspace["facts"].keys()
    for prefix in soundness.NAMED_FACTS:
        assert any(name.startswith(prefix) for name in workspace["facts"]), prefix
    assert workspace["logs"].keys() == soundness.LOGS.keys()
    assert all((workspace["journal"]["lines"], workspace["claims"]["held"], workspace["due"]["entries"]))


def test_everything_in_the_sound_one_can_be_read(sound: Any) -> None:
    api = wire(clock=ManualClock())
    assert restored(api, sound).status == 200
    assert reading_all.broken(api, KEY) == []


def ids_of(mutant: Mutant, sound: Any) -> frozenset[str]:
    """The ids of the damaged record or line."""
    path, workspace = mutant.path, sound["workspace"]
    if path[:2] == ("journal", "lines") and len(path) > 2:
        return frozenset({str(path[2] + 1)})
    if path[0] == "records" and len(path) > 3:
        return frozenset(
            str(one) for name, one in workspace["records"][path[1]]["rows"][path[3]][2].items() if "id" in name
        )
    return frozenset()


@pytest.mark.parametrize("part", range(PARTS))
def test_a_damaged_one_is_refused_or_everything_in_it_can_be_read(sound: Any, chosen: list[Mutant], part: int) -> None:
    outcomes = told(sound, chosen[part::PARTS])
    assert min(outcomes["200"], outcomes["400"]) > 0, outcomes


def test_so_is_each_scheduled_event_and_each_line_of_the_journal(sound: Any) -> None:
    """With an argument that its kind does not have, and without a field, of the line that says most."""
    entries, lines = sound["workspace"]["due"]["entries"], sound["workspace"]["journal"]["lines"]
    sorts = {entry[2]: at for at, entry in enumerate(entries)}
    arguments = [Mutant(("due", "entries", at, 4), "no such word") for at in sorts.values()]
    longest = max(range(len(lines)), key=lambda at: len(str(lines[at]["notes"])))
    fields = [("began_us",), *(("notes", 0, name) for name in lines[longest]["notes"][0])]
    paths = [("journal", "lines", longest, *field) for field in fields]
    outcomes = told(sound, [*arguments, *(Mutant(path, mutants.MISSING) for path in paths)])
    assert outcomes["400"] >= len(sorts), outcomes


def told(sound: Any, damaged: list[Mutant]) -> Counter[str]:
    """With which statuses they are restored; each is refused, or everything in it can be read."""
    api, key = wire(clock=ManualClock()), parse(KEY)
    assert isinstance(key, ApiKey)
    outcomes, wrong = Counter[str](), list[str]()
    for number, mutant in enumerate(damaged):
        before = api.sandbox.workspace(key).space
        reply = restored(api, mutant.of(sound))
        outcomes[str(reply.status)] += 1
        if reply.status == 200:
            more = reading_all.broken(api, KEY, ids_of(mutant, sound), share=2 if SOAK else 12, seed=number)
            again = api.post("/_sandbox/snapshots/again/restore")
            more += [f"its own snapshot: {again.raw!r}"] * (again.status != 200)
            if more:
                wrong.append(f"{mutant!r}: {'; '.join(more[:3])}")
        elif reply.status != 400 or reply.error["code"] != "IR_06":
            wrong.append(f"{mutant!r}: {reply.status} {reply.raw!r}")
        elif api.sandbox.workspace(key).space is not before:
            wrong.append(f"{mutant!r}: was refused, but something was restored")
    assert not wrong, "\n".join([f"{len(wrong)} of {outcomes}", *wrong])
    return outcomes


def test_so_is_each_word_that_a_field_cannot_have(sound: Any) -> None:
    """Wherever a record, or a record in an event, has a field whose words are in a table."""
    places = ((path, value) for path, value in mutants.places(sound["workspace"]) if path[0] == "records" and value)
    texts = mutants.INSIDE[1:]  # the merchant's, which may have the same names
    fields = [path for path, _ in places if path[-1] in soundness.WORDS and not {*texts} & {*path}]
    damaged = {mutant.sort: mutant for mutant in (Mutant(path, "no such word") for path in fields)}
    assert {path[-1] for path in fields} == soundness.WORDS.keys()
    assert told(sound, list(damaged.values())) == {"400": len(damaged)}


LARGE: Final = {
    **{f"{levels} levels": mutants.nested(levels) for levels in (50, 60, 70, 400, 800)},
    "text": "x" * 100_000,
    "list": ["y"] * 100_000,
    "names": dict.fromkeys(map(str, range(50_000)), 1),
}


@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("format", [2, 99])
@pytest.mark.parametrize("name", ["format", "made_by", "workspace", "strange"])
def test_nothing_around_it_is_too_large_for_an_answer(
    api: Wire, sound: Any, name: str, format: int, large: str
) -> None:
    reply = restored(api, {**sound, "format": format, name: LARGE[large]})
    assert reply.status in (200, 400, 422), reply.raw[:300]
    assert len(reply.raw) < 2_000


def refusal(api: Wire, document: Any) -> str:
    """Why it is not taken; what was there before stays."""
    payment = api.pay()["payment_id"]
    reply = restored(api, document)
    assert (reply.status, reply.error["code"]) == (400, "IR_06"), reply.raw
    assert api.get(f"/payments/{payment}").status == 200
    return str(reply.error["message"])


DAMAGED: dict[str, tuple[tuple[Any, ...], Any]] = {
    "facts.scenarios.active": (("facts", "scenarios.active"), -1),
    "facts.scenarios.next": (("facts", "scenarios.next", 0, "then"), "no such word"),
    "facts.scenarios.text.kept": (("facts", "scenarios.text.kept", "text"), "rules: nothing"),
    "facts.webhook_target": (("facts", "webhook_target"), True),
    "there is no fact 'strange'": (("facts", "strange"), 1),
    "there is no kind 'strange'": (("records", "strange"), {"next": 0, "rows": []}),
    "records of payment, row 0": (("records", "payment", "rows", 0, 2, "status"), "no such word"),
    "challenge_required_by": (("records", "dispute", "rows", 0, 2, "challenge_required_by"), 2**53 - 1),
    "created_at": (("records", "payment", "rows", 1, 2, "created_at"), 2**53 - 1),
    ": there is no payment 'pay_none'": (("records", "refund", "rows", 0, 2, "payment_id"), "pay_none"),
    "records of refund: '' is not a name": (("records", "refund", "rows", 0, 2, "refund_id"), ""),
    ", object: ": (("records", "event", "rows", 0, 2, "object"), "wW5hbYA="),
    "due.entries[0]: there is no scheduled event": (("due", "entries", 0, 2), "no such word"),
    "due.entries[0]: Expected": (("due", "entries", 0, 0), 2**53 - 1),
    "due.entries[1]: the number": (("due", "entries"), [[0, 1, "deliver", "evt_1", ""]] * 2),
    "claims.held[0], the status": (("claims", "held", 0, 4, 0), -1),
    "logs.inbox.last": (("logs", "inbox", "last"), -1),
    "logs.journal.lines[0]: Object missing required field `method`": (
        ("journal", "lines", 0, "method"),
        mutants.MISSING,
    ),
    "logs.journal.lines[0]: expected bytes, but found str": (("journal", "lines", 0, "request"), "wW5hbYA="),
    "streams": (("streams", "payment"), "many"),
    ", the number: ": (("streams", "event"), mutants.MISSING),
    "counters.scenarios.runs": (("counters", "scenarios.runs"), -1),
    "rates.rate": (("rates", "rate", 0), -1),
}


@pytest.mark.parametrize("place", DAMAGED)
def test_the_refusal_names_the_place(api: Wire, sound: Any, place: str) -> None:
    path, junk = DAMAGED[place]
    assert place in refusal(api, mutants.Mutant(path, junk).of(sound))
