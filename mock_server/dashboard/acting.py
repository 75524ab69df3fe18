"""What a button does: a form becomes the control call that the page says it is.

Fields of a form: `do` is the operation, `arg.NAME` a part of its path, `body.NAME` or `body.GROUP.NAME` a value of its
body (with `:whole`, `:flag` or `:json` behind the name where it is no text), `text` a body as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from mock_server import jsontext
from mock_server.contract.control_operations import BY_NAME, CONTROL_OPERATIONS
from mock_server.dashboard import commands
from mock_server.dashboard.visit import ActionResult, Visit
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.http.context import Answer
from mock_server.http.errors import answer_refusal

PUT_SCENARIO: Final = "control.put_scenario"
DOES: Final = frozenset(row.name for row in CONTROL_OPERATIONS if row.method != "GET")
"""What forms may ask for: every control call that does something."""
FORM: Final = "application/x-www-form-urlencoded"
Form = Mapping[str, str]


def form_of(visit_environ: Mapping[str, Any], limit: int) -> dict[str, str]:
    """The fields of a form. Refused as `content_type_wrong`, `body_too_large`."""
    given = visit_environ.get("CONTENT_TYPE", "")
    if given.partition(";")[0].strip().lower() != FORM:
        raise Refusal(Cause.CONTENT_TYPE_WRONG, given=given or "none", expected=FORM)
    length = visit_environ.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit()) or int(length) > limit:
        raise Refusal(Cause.BODY_TOO_LARGE, limit=limit)
    text: bytes = visit_environ["wsgi.input"].read(int(length))
    return dict(parse_qsl(text.decode("utf-8", "replace"), keep_blank_values=True))


def act(visit: Visit, form: Form) -> ActionResult:
    """Makes the call that a form stands for, and says what came of it."""
    operation = form.get("do", "")
    if operation not in DOES:
        raise Refusal(Cause.VALUE_INVALID, fields=(FieldError("do", "must be a control call that does something"),))
    args = {name[4:]: value for name, value in form.items() if name.startswith("arg.")}
    body: object = None
    command = ""
    try:
        args = _parts(visit, operation, args, form)
        body = body_of(form)
        file = f"{args.get('name', 'scenario')}.yaml" if "text" in form else None
        command = commands.of_control(visit.base, operation, args, file or body or None)
        answer = _made(visit, operation, args, form, body)
    except Refusal as refusal:
        answer = answer_refusal(INTERFACE, refusal)
    sent = {**args, "text": form["text"]} if "text" in form else args
    return _notice(operation, answer, command, sent)


def _parts(visit: Visit, operation: str, args: dict[str, str], form: Form) -> dict[str, str]:
    """The parts of the call's path, each of them and no other. Refused as `value_invalid`."""
    if operation == PUT_SCENARIO and not args.get("name", "").strip():
        args = {**args, "name": _name_in(form.get("text", ""))}
    wanted = re.findall(r"<(\w+)>", BY_NAME[operation].path)
    wrong = [FieldError(name, "is no part of this call") for name in args if name not in wanted]
    wrong += [FieldError(name, "is missing") for name in wanted if not args.get(name, "").strip()]
    if not wrong and form.get("new") and args.get("name") in visit.own_scenarios():
        wrong = [FieldError("name", "is taken by a scenario of this workspace: take another, or change that one")]
    if wrong:
        raise Refusal(Cause.VALUE_INVALID, fields=tuple(wrong))
    return {name: value.strip() for name, value in args.items()}


def _name_in(text: str) -> str:
    """The name that a scenario's text gives itself; empty if it gives none."""
    found = re.search(r"^name:[ \t]*['\"]?([^\s'\"#]+)", text, re.MULTILINE)
    return found[1] if found else ""


def _made(visit: Visit, operation: str, args: Form, form: Form, body: object) -> Answer:
    raw = form["text"].replace("\r\n", "\n").encode() if "text" in form else b""
    workspace = visit.workspace
    answer = visit.inside.ask(visit.environ, workspace, operation, args, body=body, raw=raw)
    if workspace.space.closed:
        visit.workspace = visit.sandbox.workspace_at(workspace.space.name)
    return answer


def body_of(form: Form) -> dict[str, Any] | None:
    """The body that a form stands for: what was left empty is left out. Refused as `value_invalid`."""
    body: dict[str, Any] = {}
    for field, value in form.items():
        name, _, kind = field.partition(":")
        if name.startswith("body.") and value.strip():
            *groups, last = name.split(".")[1:]
            read, inner = _READ.get(kind), body
            for group in groups:
                inner = inner.setdefault(group, {})
                if not isinstance(inner, dict):
                    break
            if read is None or not isinstance(inner, dict):
                raise Refusal(Cause.VALUE_INVALID, fields=(FieldError(last, "is no field of this form"),))
            inner[last] = read(last, value.strip())
    return body or None


def _whole(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Refusal(Cause.VALUE_INVALID, fields=(FieldError(name, "must be a whole number"),)) from None


def _json(name: str, text: str) -> object:
    try:
        return jsontext.parse(text.encode())
    except jsontext.JsonMistake as mistake:
        problem = f"must be JSON: {mistake.reason}"
        raise Refusal(Cause.VALUE_INVALID, fields=(FieldError(name, problem),)) from None


_READ: Final[Mapping[str, Callable[[str, str], object]]] = {
    "": lambda _, text: text,
    "whole": _whole,
    "flag": lambda _, text: text == "true",
    "json": _json,
}


def _notice(operation: str, answer: Answer, command: str, sent: Form) -> ActionResult:
    try:
        told = msgspec.json.decode(answer.body)
    except msgspec.DecodeError:
        told = None
    if answer.status < 400:
        return ActionResult(operation, DONE.get(operation, "Done."), True, command, told, sent=sent)
    error = told["error"] if isinstance(told, dict) else {}
    fields = tuple((one["field"], one["message"]) for one in error.get("fields") or ())
    return ActionResult(operation, str(error.get("message", "That did not work.")), False, command, told, fields, sent)


DONE: Final[Mapping[str, str]] = {
    "control.reset": "The workspace is new.",
    "control.clock_freeze": "The clock is frozen.",
    "control.clock_advance": "The clock was advanced.",
    "control.clock_resume": "The clock is resumed.",
    "control.forget_journal": "The journal is empty.",
    "control.authenticate": "The challenge has ended.",
    "control.settle": "The payment was closed.",
    "control.fail": "The payment has failed.",
    "control.expire": "Its time is over.",
    "control.hold": "The payment waits for your review.",
    "control.dispute": "The dispute is open.",
    "control.settle_refund": "The refund was settled.",
    "control.advance_dispute": "The dispute has gone on.",
    "control.sign_webhook": "The body was signed.",
    "control.put_scenario": "The scenario is kept.",
    "control.drop_scenario": "The scenario is gone.",
    "control.activate_scenario": "The scenario is on.",
    "control.deactivate_scenario": "The scenario is off.",
    "control.check_scenario": "The scenario was checked.",
    "control.put_next": "It waits for the next such call.",
    "control.drop_next": "Nothing is queued any more.",
    "control.set_webhook_target": "Events go there from now on.",
    "control.resend_webhook": "The event was sent again.",
    "control.resend_webhooks": "The events are being sent again.",
    "control.trigger_webhook": "The event was sent.",
    "control.take_snapshot": "The snapshot is kept.",
    "control.drop_snapshot": "The snapshot is gone.",
    "control.restore_snapshot": "The workspace is as it was then.",
}
"""What is said when it went well."""
