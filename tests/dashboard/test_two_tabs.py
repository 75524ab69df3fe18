"""What somebody else saved meanwhile is not replaced unnoticed."""

from __future__ import annotations

import pytest

from tests.dashboard.reading import Form, Page
from tests.dashboard.visitor import Visitor, said, text
from tests.wire import wire

RULES = "rules:\n  - on: charge\n    when: {{body.amount: {amount}}}\n    then: {{decline: lost_card}}\n"


def of(visitor: Visitor, page: str, do: str) -> Form:
    return next(form for form in Page(visitor.read(page)).forms if ("do", do) in form.values)


def sent(form: Form, **typed: str) -> list[tuple[str, str]]:
    return [(name, typed.get(name.rpartition(".")[2], value)) for name, value in form.values]


@pytest.mark.parametrize("where", ["workspace", "file"])
def test_a_scenario_that_two_edit(where: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("scenarios")
    visitor = Visitor(wire(scenarios=str(folder), scenarios_writable=True))
    to = [("try", "file")] if where == "file" else []
    first = of(visitor, "new-scenario", "control.put_scenario")
    assert visitor.send("new-scenario", [*sent(first, name="rainy", text=RULES.format(amount=1)), *to]).status == 200
    mine, theirs = (of(visitor, "scenarios/rainy", "control.put_scenario") for _ in range(2))
    assert visitor.send("scenarios/rainy", [*sent(theirs, text=RULES.format(amount=2)), *to]).status == 200
    refused = visitor.send("scenarios/rainy", [*sent(mine, text=RULES.format(amount=3)), *to])
    assert refused.status == 400
    assert "changed" in said(text(refused), "notice")
    assert "body.amount: 2" in said(text(refused), "file-now")
    again = next(form for form in Page(text(refused)).forms if ("do", "control.put_scenario") in form.values)
    assert "body.amount: 3" in again.named("text").value
    assert "body.amount: 2" in visitor.api.get("/_sandbox/scenarios/rainy")["text"]
    assert visitor.send("scenarios/rainy", [*again.values, *to]).status == 200
    assert "body.amount: 3" in visitor.api.get("/_sandbox/scenarios/rainy")["text"]


def test_a_snapshots_name_that_is_taken(visitor: Visitor) -> None:
    form = of(visitor, "snapshots", "control.take_snapshot")
    name = f"shot_{visitor.place}"
    assert visitor.send("snapshots", sent(form, name=name)).status == 200
    size = visitor.api.get(f"/_sandbox/snapshots/{name}").raw
    visitor.api.pay()
    refused = visitor.send("snapshots", sent(of(visitor, "snapshots", "control.take_snapshot"), name=name))
    assert refused.status == 400
    assert "is the name of another" in said(text(refused), "notice")
    assert visitor.api.get(f"/_sandbox/snapshots/{name}").raw == size


@pytest.mark.parametrize("typed", ["1_0", "１", "0x1", "1e1", " 1 0 ", "+1", "--1", "9" * 5_000])
def test_a_whole_number_is_digits(visitor: Visitor, typed: str) -> None:
    fields = {
        "do": "control.put_next",
        "body.on": "charge",
        "body.then.decline": "lost_card",
        "body.times:whole": typed,
    }
    assert visitor.send("queue", fields).status == 400
    assert visitor.api.get("/_sandbox/next")["next"] == []
