"""`payment-sandbox scenarios from-har`: calls that a browser or a proxy recorded, as a scenario that repeats them.

The bank's decision becomes a rule for the call, an id a reference to the step that created it, and a card its name. No
key, number or security code of the recording is written; what was left out is named.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import click

from mock_server.cli.output import FILE, USAGE, show, stop, write
from mock_server.contract.operation import PARTS, Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.control.export import as_yaml
from mock_server.control.replaying import ASKING, card_like, parsed
from mock_server.dialects import DIALECTS, get
from mock_server.domain import cards
from mock_server.domain.api_keys import without_keys
from mock_server.domain.card_brands import brand_of, digits_of
from mock_server.domain.declines import DECLINES
from mock_server.domain.hiding import HIDDEN, cleaned, is_code_name, is_number_name
from mock_server.domain.masking import MARK
from mock_server.domain.nouns import noun
from mock_server.domain.statuses import PaymentStatus
from mock_server.jsontext import parse_piecewise
from mock_server.scenario.story.requests import KEY_HEADER

Json = dict[str, Any]
STEP: Final = "X-Recorded-Step"
IDS: Final = (
    "payment_id", "refund_id", "dispute_id", "mandate_id", "customer_id", "payment_method_id", "client_secret",
)  # fmt: skip
CHARGES: Final = ("payments.confirm", "payments.create")
CARD: Final = ("payment_method", "payment_method_type", "payment_method_data")
SETTLED: Final = {
    PaymentStatus.REQUIRES_ACTION: ("customer.approve", "customer.decline"),
    PaymentStatus.PENDING: ("payment.settle", "payment.fail"),
}
"""What happened between two retrieves of a payment, by its status before: as it was approved, or as it failed."""
APPROVED: Final = frozenset({PaymentStatus.SUCCEEDED, PaymentStatus.REQUIRES_CAPTURE, PaymentStatus.PENDING})
OUTCOMES: Final = {
    PaymentStatus.PENDING: {"outcome": "pending"},
    PaymentStatus.REQUIRES_MERCHANT_ACTION: {"outcome": "requires_merchant_action"},
    PaymentStatus.REQUIRES_ACTION: {"challenge": "approved"},
}


class Entry(NamedTuple):
    """The parts of a call that a scenario can use; `status` is 0 without an answer, `card` named in files of ours."""

    row: Operation
    parts: tuple[str, ...]
    query: Json
    body: Json
    key: str | None
    is_public: bool
    status: int
    answer: Any
    card: str | None


def _clean(text: str) -> str:
    """A text without card data, keys and client secrets: the scenario's file is for version control."""
    return re.sub(r"(_secret_)\w+", rf"\g<1>{HIDDEN}", without_keys(cleaned(text)))


class Recording:
    """The steps and rules so far, and the calls that were left out."""

    def __init__(self) -> None:
        self.steps: list[Json] = []
        self.rules: list[Json] = []
        self.left_out: list[str] = []
        self._names: dict[str, str] = {}
        self._stands: dict[str, PaymentStatus] = {}
        self._keys: dict[str, str] = {}

    def add(self, number: int, raw: Mapping[str, Any]) -> None:
        """Add one entry of the file, or the reason why it is left out."""
        request = raw["request"]
        what = f"{number}: {request['method']} {urlsplit(request['url']).path}"
        if (entry := entry_of(raw)) is None:
            self.left_out.append(f"{what} is not a call of this API")
            return
        if strange := [part for part in entry.parts if part not in self._names]:
            self.left_out.append(f"{what} uses {_clean(strange[0])}, which no earlier call created")
            return
        self._between(entry)
        step: Json = {"do": entry.row.name}
        if entry.parts:
            step["of"] = self._names[entry.parts[0]].rpartition(".")[0]
        body = self._known(entry.query or entry.body)
        body = self._with_card(what, entry, body) if "payment_method_data" in body else body
        if entry.is_public:
            step["headers"] = {"api-key": "$publishable_key"}
        else:  # a story's steps have the secret key, which is not sent with one
            body.pop("client_secret", None)
        if body:
            step["with"] = body
        if entry.key == MARK:
            self.left_out.append(f"{what}: its idempotency key is redacted; give calls that repeat it one `key`")
        elif entry.key is not None:
            step["key"] = self._keys.setdefault(entry.key, f"recorded-{len(self._keys) + 1}")
        self._decided(entry, step)
        self._remember(entry, step)
        self.steps.append(step)

    def _between(self, entry: Entry) -> None:
        """Add what the customer or the bank did before this call retrieved the payment."""
        before, after = self._stands.get(entry.parts[0] if entry.parts else ""), status_of(entry.answer)
        is_seen, has_failed = entry.row.name == "payments.retrieve", after is PaymentStatus.FAILED
        if is_seen and before in SETTLED and after is not before and (has_failed or after in APPROVED):
            done = SETTLED[before][has_failed]
            with_ = {"with": {"decline": _decline(entry.answer)}} if done == "payment.fail" else {}
            self.steps.append({"do": done, "of": self._names[entry.parts[0]].rpartition(".")[0], **with_})

    def _known(self, value: Any, name: str = "") -> Any:
        """A value with references for ids, and without numbers and codes of cards."""
        if isinstance(value, dict):
            return {key: self._known(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [self._known(item) for item in value]
        if is_number_name(name) or is_code_name(name):
            return HIDDEN
        if not isinstance(value, str):
            return value
        return self._names.get(value) or (f"${value}" if value.startswith("$") else _clean(value))

    def _with_card(self, what: str, entry: Entry, body: Json) -> Json:
        """The body with the name of a test card instead of a card."""
        data = entry.body["payment_method_data"]
        card = data.get("card") if isinstance(data, dict) else None
        if entry.row.name in ASKING:
            return {key: value for key, value in body.items() if key != "payment_method_data"}
        if not isinstance(card, dict):
            return body
        number = digits_of(str(card.get("card_number")))
        row = cards.by_name(entry.card) if entry.card else cards.find(number)
        name = row.name if row is not None and row.listed else None
        if name is None:
            name = card_like(brand_of(number))
            why = "card is not a test card" if number != HIDDEN else "card's number is hidden in the file"
            self.left_out.append(f"{what}: its {why}; it was replaced by {name}, which succeeds")
        return {**{key: value for key, value in body.items() if key not in CARD}, "card": name}

    def _decided(self, entry: Entry, step: Json) -> None:
        """Add the expected result, and the rule that causes it where the sandbox would not by itself."""
        then, status = None, status_of(entry.answer)
        step["see"] = {"connection": "reset"} if not entry.status else {"http": entry.status}
        if not entry.status:
            then = {"fault": "connection_reset", "effect": "kept"}
        elif entry.status >= 400:
            then = refused(entry)
        elif status is not None:
            step["see"]["status"] = str(status)
            if entry.row.draws_issuer and entry.row.name in CHARGES:
                then = {"decline": _decline(entry.answer)} if status is PaymentStatus.FAILED else OUTCOMES.get(status)
        if then:
            number = str(len(self.steps) + 1)
            step.setdefault("headers", {})[STEP] = number
            on = "charge" if {"decline", "outcome", "challenge"} & set(then) else entry.row.name
            self.rules.append({"on": on, "when": {f"header.{STEP}": number}, "then": then})

    def _remember(self, entry: Entry, step: Json) -> None:
        """Keep the references to what this step created, and the payment's status."""
        if not isinstance(entry.answer, dict):
            return
        new = [name for name in IDS if isinstance(id_ := entry.answer.get(name), str) and id_ not in self._names]
        if new and entry.status == 200:
            step["as"] = f"step_{len(self.steps) + 1}"
            self._names |= {entry.answer[name]: f"${step['as']}.{name}" for name in new}
        status = status_of(entry.answer)
        if status is not None and "payment_id" in entry.answer:
            self._stands[str(entry.answer["payment_id"])] = status

    def document(self, name: str) -> Json:
        """The scenario as plain values."""
        said = {"version": 1, "name": name, "summary": f"Calls as they were recorded: {len(self.steps)}."}
        return {**said, **({"rules": self.rules} if self.rules else {}), "story": self.steps}


def entry_of(raw: Mapping[str, Any]) -> Entry | None:
    """A recorded call; None if it is not a call of this API."""
    request, response, url = raw["request"], raw["response"], urlsplit(raw["request"]["url"])
    if (route := _route_of(request["method"], url.path)) is None:
        return None
    headers = {header["name"].lower(): header["value"] for header in request["headers"]}
    query = dict(parse_qsl(url.query)) if request["method"] == "GET" else {}
    body = parsed(request.get("postData", {}).get("text") or "")
    answer = parsed(response.get("content", {}).get("text") or "")
    sent = body if isinstance(body, dict) else {}
    is_public = headers.get("api-key", "").startswith("pk_")
    key, card = headers.get(KEY_HEADER.lower()), request.get("_card")
    return Entry(*route, query, sent, key, is_public, response["status"], answer, card)


def _route_of(method: str, path: str) -> tuple[Operation, tuple[str, ...]] | None:
    """The route at the end of a path, and its parts: the API can be below another path."""
    segments = path.rstrip("/").split("/")
    for skipped in range(1, len(segments)):
        ending = "/" + "/".join(segments[skipped:])
        for row, pattern in ROUTES:
            if row.method == method and (parts := pattern.fullmatch(ending)):
                return row, parts.groups()
    return None


def status_of(answer: Any) -> PaymentStatus | None:
    """A payment's status, in the words of any dialect; None if the answer is not a payment."""
    if not isinstance(answer, dict) or ("client_secret" not in answer and "amount_capturable" not in answer):
        return None
    statuses = (get(name).status_in(str(answer.get("status")), PaymentStatus) for name in DIALECTS)
    return next((status for status in statuses if status is not None), None)


def _decline(answer: Json) -> str:
    """The decline that is closest to the error of a failed payment."""
    said = {str(answer.get(name)) for name in ("error_code", "error_message", "error_reason")}
    for row in DECLINES:
        if row.name in said or row.error_message in said:
            return row.name
    return next((row.name for row in DECLINES if row.error_code in said), "generic_decline")


def refused(entry: Entry) -> Json:
    """The same error: by its code if the sandbox has it, else the whole answer."""
    error = entry.answer.get("error") if isinstance(entry.answer, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    if error and code in get("interface").codes:
        return {"error": {"code": code, "status": entry.status, "message": _clean(str(error.get("message")))[:1_000]}}
    return {"respond": {"status": entry.status, "body": _clean(json.dumps(entry.answer))}}


_ALONE: Final = [route for row in OPERATIONS if not row.multipart for route in row.routes]
_FIRST: Final = sorted(_ALONE, key=lambda route: route.path.count("<"))  # a word of a path is no id
ROUTES: Final = [(route, re.compile(PARTS.sub("([^/]+)", route.path))) for route in _FIRST]


@click.command("from-har")
@click.argument("file", type=FILE)
@click.option("--output", "-o", type=FILE, help="Scenario file to write; an existing file is not replaced.")
def from_har(file: Path, output: Path | None) -> None:
    """Create a scenario from the calls in a HAR file, which browsers and proxies can save. List what was left out.

    The scenario repeats the calls in their order; `scenarios play` shows whether the answers are the same.
    """
    recording, number = Recording(), 0
    try:
        with file.open("rb") as opened:
            if opened.peek(len(BOM_UTF8)).startswith(BOM_UTF8):
                opened.read(len(BOM_UTF8))
            document: Any = parse_piecewise(opened, frozenset({"entries"}), lambda: None)
        for number, raw in enumerate(document["log"]["entries"], start=1):
            recording.add(number, raw)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        where = f"its entry {number} is not a call" if number else "it is not JSON with a list of entries"
        stop(USAGE, [f"{file} is not a HAR file: {where}"])
    for line in recording.left_out:
        show(f"left out: {line}", err=True)
    if not recording.steps:
        stop(USAGE, [f"{file} contains no calls of this API"])
    text = as_yaml(recording.document(re.sub(r"[^A-Za-z0-9_-]+", "_", (output or file).stem)[:64]))
    if output is None:
        show(text.removesuffix("\n"))
        return
    write(output, text, new=True)
    number = len(recording.steps)
    show(f"{output}: {number} {noun(number, 'step')}\n\nRun it:  payment-sandbox scenarios play {quote(str(output))}")
