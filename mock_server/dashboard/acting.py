"""What a button does: its form becomes a call.

Fields of a form: `do` is the operation, `form` the form's name in its page, `arg.NAME` a part of the call's path,
`body.NAME` or `body.GROUP.NAME` a value of its body (with a kind of `_READ`, or for an amount a currency or `:money`,
that of the form, after the name if it is not trimmed text), `card` a test card by its name or any number,
`header.NAME` a header, `text` the whole body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from mock_server import jsontext
from mock_server.addresses import with_scheme
from mock_server.contract.acts import BY_OPERATION as ACTS
from mock_server.contract.control_operations import EVERY
from mock_server.contract.operation import PARTS
from mock_server.contract.operations import BY_NAME as API
from mock_server.dashboard import commands
from mock_server.dashboard.masked import restored
from mock_server.dashboard.studio import tried
from mock_server.dashboard.trying import method_fields
from mock_server.dashboard.verifying import VERIFY, verified
from mock_server.dashboard.visit import PUT_SCENARIO, ActionResult, Visit, answer_of, make
from mock_server.dialects.interface import INTERFACE
from mock_server.domain import masking
from mock_server.domain.errors import Cause, FieldError, Refusal, wrong_field
from mock_server.domain.limits import AMOUNT_MAX
from mock_server.domain.money import currency, format_plain, readings
from mock_server.http.errors import answer_refusal
from mock_server.http.observe import because_text
from mock_server.http.redaction import HIDDEN, cleaned_text
from mock_server.http.running import Answer
from mock_server.pages.showing import amount_of
from mock_server.scenario.story.requests import card_fields
from mock_server.settings.durations import spelled_out_ms

DOES: Final = frozenset(name for name in ACTS if EVERY[name].method != "GET") | {VERIFY}
"""The operations that forms may name: every act that changes something."""
FORM: Final = "application/x-www-form-urlencoded"
Form = Mapping[str, str]
Wrong = tuple[FieldError, ...]


def form_of(visit_environ: Mapping[str, Any], limit: int) -> dict[str, str]:
    """The fields of a form. Refused as `content_type_wrong`, `body_too_large`."""
    given = visit_environ.get("CONTENT_TYPE", "")
    if given.partition(";")[0].strip().lower() != FORM:
        raise Refusal(Cause.CONTENT_TYPE_WRONG, given=given or "none", expected=FORM)
    length = visit_environ.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit()) or int(length) > limit:
        raise Refusal(Cause.BODY_TOO_LARGE, limit=limit)
    text: bytes = visit_environ["wsgi.input"].read(int(length))
    form: dict[str, str] = {}
    for name, value in parse_qsl(text.decode("utf-8", "replace"), keep_blank_values=True):
        more = f"{form[name]}\n" if name.endswith(":list") and name in form else ""
        form[name] = more + restored(value)
    return form


def act(visit: Visit, form: Form) -> ActionResult:
    """Makes the call of a form, and gives the result."""
    operation = form.get("do", "")
    if operation == VERIFY:
        return verified(visit, form)
    if operation not in DOES and not ("json" in form and operation in API):
        raise wrong_field("do", "is not an action of the dashboard")
    args = {name[4:]: value for name, value in form.items() if name.startswith("arg.")}
    if operation == PUT_SCENARIO and form.get("try") in ("check", "run", "file"):
        text = form.get("text", "")
        name = args.get("name", "").strip() or _name_in(text)
        return tried(visit, form["try"], name, text, form.get("seen", ""))
    body: object = None
    command = ""
    try:
        args = _parts(visit, operation, args, form)
        body = body_of(form) if "json" not in form else _replayed(form)
        file = f"{args.get('name', 'scenario')}.yaml" if "text" in form else None
        shown, headers = file or commands.shown(body) or None, _headers_of(form)
        command = commands.of_call(visit.base, operation, args, shown, form.get("query", "").strip(), **headers)
        answer, because, wrong = _made(visit, operation, args, form, body, headers)
    except Refusal as refusal:
        answer, because, wrong = answer_refusal(INTERFACE, refusal), "", refusal.fields
    told = {name: cleaned_text(value) if name in ("card", "json") else value for name, value in form.items()} | args
    sent = {name: value for name, value in told.items() if name != "card" or value == form[name]}
    return _result(operation, answer, command, sent, because, wrong)


def _replayed(form: Form) -> Any:
    """The body of a repeated call, with a card for a redacted one. Refused as `value_invalid`."""
    text, card = form["json"], form.get("card", "").strip()
    if not text.strip():
        return None
    body = _json("json", text)
    if HIDDEN in text and not card:
        raise wrong_field("card", "its number was not stored: choose a test card")
    return commands.with_card(body, lambda: _card_fields(card)["payment_method_data"]["card"])


def _card_fields(card: str) -> dict[str, Any]:
    """The fields of a card in a body. Refused as `value_invalid`."""
    try:
        return card_fields(re.sub(r"(?<=\d)[\s-]+(?=\d)", "", card.strip()), {})
    except ValueError as mistake:
        raise wrong_field("card", str(mistake)) from None


def _parts(visit: Visit, operation: str, args: dict[str, str], form: Form) -> dict[str, str]:
    """The parameters of the call's path. Refused as `value_invalid`."""
    if operation == PUT_SCENARIO and not args.get("name", "").strip():
        args = {**args, "name": _name_in(form.get("text", ""))}
    wanted = PARTS.findall(EVERY[operation].path)
    problems = [FieldError(name, "is not a parameter of this call") for name in args if name not in wanted]
    problems += [FieldError(name, "is missing") for name in wanted if not args.get(name, "").strip()]
    if problems:
        raise Refusal.of_fields(problems)
    payment = visit.workspace.find_payment(args["payment_id"]) if "shown" in form and "payment_id" in args else None
    if payment is not None and amount_of(payment) != form["shown"]:
        raise wrong_field("amount", f"is now {amount_of(payment)}. Nothing was done: check it, and press again")
    is_taken = bool(form.get("new") or form.get("seen")) and args.get("name") in visit.own_names(operation)
    if is_taken and form.get("new"):
        raise wrong_field(
            "name", "is the name of another one in this workspace: choose another name, or change that one"
        )
    if is_taken and visit.ask("control.scenario", name=args["name"])["digest"] != form["seen"]:
        raise wrong_field("text", "was changed by somebody else meanwhile. Nothing was saved")
    return {name: value.strip() for name, value in args.items()}


def _name_in(text: str) -> str:
    found = re.search(r"^name:[ \t]*['\"]?([^\s'\"#]+)", text, re.MULTILINE)
    return found[1] if found else ""


def _headers_of(form: Form) -> dict[str, str]:
    """The headers of a form that are not empty. Refused as `value_invalid`."""
    found = {name[7:]: value.strip() for name, value in form.items() if name.startswith("header.") and value.strip()}
    for name, value in found.items():
        if not (HEADER.fullmatch(name) and value.isascii() and value.isprintable()):
            raise wrong_field(name, "must be a header X-…, of ASCII characters")
    return found


def _made(visit: Visit, operation: str, args: Form, form: Form, body: Any, headers: Form) -> tuple[Answer, str, Wrong]:
    """The answer, the reason, and the wrong fields, which not every dialect's answer lists."""
    if operation in API:
        sent = ({} if body is None and "json" not in form else body) if EVERY[operation].method != "GET" else None
        answer, call, wrong = make(visit, operation, args, form.get("query", "").strip(), sent, headers)
        return answer, because_text(call.notes), wrong
    if operation == "control.restore_snapshot" and form.get("keep"):
        answer_of(visit, "control.take_snapshot", {"name": form["keep"][:64]}, query=[("journal", "true")])
    raw = form["text"].replace("\r\n", "\n").encode() if "text" in form else b""
    answer = answer_of(visit, operation, args, body=body, raw=raw)
    if visit.workspace.space.closed:
        visit.workspace = visit.sandbox.workspace_in(visit.space_name)
    return answer, "", ()


HEADER: Final = re.compile("x-[a-z0-9-]+", re.IGNORECASE)  # what can change the outcome; others say who calls


def body_of(form: Form) -> dict[str, Any] | None:
    """The body of a form's call, without empty fields. Refused as `value_invalid`."""
    body: dict[str, Any] = {}
    for field, value in form.items():
        name, _, kind = field.partition(":")
        if name.startswith("body.") and (value.strip() or kind in ("list", "raw")):
            *groups, last = name.split(".")[1:]
            code = form.get("body.currency", "") if kind == "money" else kind
            read, inner = _READ.get(kind) or _money(code), body
            for group in groups:
                inner = inner.setdefault(group, {})
                if not isinstance(inner, dict):
                    break
            if read is None or not isinstance(inner, dict):
                raise wrong_field(last, "is not a field of this form")
            if kind == "list" and not value.strip():
                raise wrong_field(last, "is empty: select one or more")
            try:
                inner[last] = read(last, value if kind == "raw" else value.strip())
            except ValueError as mistake:
                raise wrong_field(last, str(mistake)) from None
    if form.get("method", "").strip():
        body.update(method_fields(form["method"].strip()))
    elif form.get("card", "").strip():
        body.update(_card_fields(form["card"]))
    return body or None


def _whole(name: str, text: str) -> int:
    if re.fullmatch("-?[0-9]{1,20}", text) is None:
        raise wrong_field(name, "must be a whole number")
    return int(text)


def _money(code: str) -> Callable[[str, str], int] | None:
    """Reads an amount as people write it, in a currency; None for another word."""
    if (row := currency(code)) is None:
        return None

    def read(name: str, text: str) -> int:
        codes, numbers = readings(text) if len(text) < _LONGEST else ((), [])
        likely = numbers if "," in text else numbers[:1]  # a point that can be before decimals is
        minors: set[int] = {value * 10 ** (row.exponent - places) for value, places in likely if places <= row.exponent}
        if len(minors) > 1:
            raise wrong_field(name, f"can mean two amounts: write {' or '.join(map(plain, sorted(minors)))}")
        if not minors or code not in (codes or (code,)):
            raise wrong_field(name, f"must be an amount in {code}, such as {plain(2000)}")
        if max(minors) > AMOUNT_MAX:
            raise wrong_field(name, f"must be at most {plain(AMOUNT_MAX)}")
        return minors.pop()

    def plain(minor: int) -> str:
        return format_plain(minor, row.exponent)

    return read


_LONGEST: Final = 40
"""Characters of an amount, as nobody writes more."""


def _json(name: str, text: str) -> object:
    try:
        return jsontext.parse(text.encode())
    except jsontext.JsonMistake as mistake:
        raise wrong_field(name, f"must be JSON: {mistake.reason}") from None


_READ: Final[Mapping[str, Callable[[str, str], object]]] = {
    "": lambda _, text: text,
    "raw": lambda _, text: text,
    "whole": _whole,
    "flag": lambda _, text: text == "true",
    "json": _json,
    "list": lambda _, text: text.split(),
    "duration": lambda _, text: (spelled_out_ms(text), text)[1],
    "address": lambda _, text: with_scheme(text),
}


def _result(operation: str, answer: Answer, command: str, sent: Form, because: str, wrong: Wrong = ()) -> ActionResult:
    shown = jsontext.read_or(None, answer.body)
    if answer.status < 400:
        done = ACTS[operation].done if operation in ACTS and "json" not in sent else "The call was replayed."
        told = masking.shown_value({name: value for name, value in sent.items() if name != "text"})  # it is stored
        return ActionResult(operation, done, True, command, shown, sent=told, because=because)
    error = shown["error"] if isinstance(shown, dict) and isinstance(shown.get("error"), dict) else {}
    fields = tuple((one.field, masking.shown(one.message)) for one in wrong)
    message = str(error.get("message", f"The answer was {answer.status}."))
    return ActionResult(operation, message, False, command, shown, fields, sent, because)
