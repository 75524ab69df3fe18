"""How a request of the dashboard is processed: access, workspace, action, page; errors become pages too."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode

from mock_server import __version__
from mock_server.api.binding import ENDPOINTS as API
from mock_server.contract.acts import BY_OPERATION as ACTS
from mock_server.control import DOCS, DOCUMENT, LIVEZ
from mock_server.control import ENDPOINTS as CONTROL
from mock_server.dashboard import acting, calls, front, live, payments, records, safety, steering, trying, webhooks
from mock_server.dashboard.commands import of_call, of_list
from mock_server.dashboard.masked import masked_page, restored
from mock_server.dashboard.overview import overview
from mock_server.dashboard.places import BY_LIST, HOME, PAGES, DashboardPage
from mock_server.dashboard.studio import CHECK, SAVE
from mock_server.dashboard.visit import PUT_SCENARIO, ActionResult, PageContent, Visit, content, query_of
from mock_server.domain import masking
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.events import EventType
from mock_server.domain.faults import PARKED, Parked
from mock_server.domain.instants import iso, iso_to_read
from mock_server.domain.nouns import noun
from mock_server.http.asked import base_of, wish
from mock_server.http.asked import read as read_asked
from mock_server.http.assets import Assets
from mock_server.http.binding import show
from mock_server.http.errors import said
from mock_server.http.observe import defect
from mock_server.http.running import NO_STORE, Answer, Environ
from mock_server.pages.answers import render
from mock_server.pages.showing import amount_of, method_words
from mock_server.sandbox import Sandbox
from mock_server.story import words
from mock_server.story.rows import customer_of

PLACES: Final = {"dashboard": HOME, "docs": DOCS, "openapi": DOCUMENT, "health": LIVEZ}
ASSETS: Final = Assets(Path(__file__).with_name("assets"))
DONE: Final = "done"
"""The parameter of a page's address that names an act of which the page tells."""
AGAIN: Final = "-again"
"""The end of that name if its form was sent a second time."""
KEPT: Final = 256
"""How many acts pages can tell of (ours); of more, the workspace with most of them forgets its oldest."""
VIEWS: Final[dict[str, Callable[..., PageContent]]] = {
    **{name: partial(records.listed, page=name) for name in BY_LIST},
    **{f"{name}_one": partial(records.record, page=name) for name in BY_LIST},
    **{view.__name__: view for view in (
        overview, payments.payments, payments.payment, payments.export, records.find,
        calls.journal, calls.line, calls.verdict, webhooks.webhooks, webhooks.event,
        trying.new_payment, trying.replay, trying.compare,
        steering.clock, steering.scenarios, steering.scenario, steering.new_scenario, steering.queue,
        steering.cards, steering.snapshots,
    )},
}  # fmt: skip
TELLS: Final = {
    "words": words, "iso": iso, "iso_to_read": iso_to_read, "amount": amount_of, "method": method_words,
    "customer": customer_of, "count": "{:,}".format, "noun": noun,
    "about": lambda type: EventType(type).about,
}  # fmt: skip


class Dashboard:
    """The pages of one server."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._done: dict[tuple[str, str], Future[ActionResult]] = {}
        for endpoints in (CONTROL, API):  # their views are called for the pages
            endpoints.load()

    # entrances

    def entrance(self, environ: Environ) -> Answer:
        """The start page, or JSON for programs; without data of any workspace."""
        places = {name: self.base(environ) + path for name, path in PLACES.items()}
        accept = environ.get("HTTP_ACCEPT", "")
        if wish(accept, "text/html") > wish(accept, "application/json"):
            answer = rendered("entrance.html", version=__version__, places=places)
        else:
            answer = show({"name": "payment-sandbox", "version": __version__, **places})
        return answer.with_headers(("Vary", "Accept"))

    def guarded(self, view: Callable[..., Answer], environ: Environ, **args: Any) -> Answer:
        """Any other view, for who may use the dashboard; an error is a page too."""
        try:
            safety.check(environ, self.sandbox.settings)
            return view(environ, **args)
        except Refusal as refusal:
            return self._refused(environ, refusal)
        except Exception as error:
            return self._refused(environ, defect(error, self.sandbox.request_id(), environ["PATH_INFO"]))

    def nowhere(self, environ: Environ) -> Answer:
        """The page of an address that no page has."""
        return rendered("nowhere.html", 404)

    def workspace(self, environ: Environ, space_name: str) -> Answer:
        """Redirects from a workspace to its overview."""
        return see_other(f"{HOME}/{quote(space_name)}/overview")

    def live(self, environ: Environ, space_name: str) -> Answer:
        if (space := self.sandbox.store.space(space_name)) is None:
            return Answer(204, b"")  # after this a browser does not reconnect (HTML standard)
        return _lively(environ, partial(live.changed, self.sandbox.view(space_name, space)))

    def live_front(self, environ: Environ) -> Answer:
        return _lively(environ, partial(live.activity, self.sandbox.activity))

    # stages

    def _refused(self, environ: Environ, refusal: Refusal) -> Answer:
        if refusal.cause is Cause.CONTROL_TOKEN_WRONG:
            return self._ask_token(environ)
        status, message = said(refusal)
        return rendered("refused.html", status, message=message)

    def _ask_token(self, environ: Environ) -> Answer:
        """Shows the form for the token, or takes its value."""
        settings, is_sent = self.sandbox.settings, environ["REQUEST_METHOD"] == "POST"
        try:
            form = acting.form_of(environ, 4_096) if is_sent else {}
        except Refusal:  # a long text that was sent when the token was no longer known
            form = {}
        here = quote(environ["PATH_INFO"].encode("latin-1", "replace"))
        given, back = form.get("token", ""), form.get("back") or f"{here}?{environ.get('QUERY_STRING', '')}".rstrip("?")
        if given and hmac.compare_digest(given.strip().encode(), (settings.control_token or "").encode()):
            back = quote(back, safe="/?=&%+") if back.startswith(f"{HOME}/") else HOME
            return see_other(back, safety.remember(settings, read_asked(environ, settings).scheme))
        return rendered("token.html", 403, is_wrong=bool(given), is_lost=is_sent and "token" not in form, back=back)

    def front(self, environ: Environ) -> Answer:
        """The list of workspaces; a form opens one by its key."""
        base, problem = self.base(environ), None
        if environ["REQUEST_METHOD"] == "POST":
            form = acting.form_of(environ, 4_096)
            if form.get("do") == "reset":
                self.sandbox.reset_all()
                return see_other(HOME)
            key, problem = front.key_in(form.get("key", ""))
            if key is not None:
                return see_other(f"{HOME}/{quote(self.sandbox.workspace(key).space.name)}/overview")
        mark = self.sandbox.activity.number
        shown = front.workspaces(self.sandbox, base, dict(query_of(environ)))
        return rendered("front.html", 400 if problem else 200, problem=problem, mark=mark, **shown)

    def page(self, environ: Environ, page: DashboardPage, space_name: str, **parts: str) -> Answer:
        args = {name: restored(part) for name, part in parts.items()}
        # A visit creates no workspace.
        space = self.sandbox.store.space(space_name) if space_name in self.sandbox.store.names() else None
        if space is None:
            return rendered("gone.html", 404, gone=self.sandbox.evictions.find(space_name))
        visit = Visit(self.sandbox, environ, self.base(environ), self.sandbox.view(space_name, space), args)
        if environ["REQUEST_METHOD"] == "POST":
            form = acting.form_of(environ, self.sandbox.settings.max_control_body)
            pressed = sha256(repr((environ["PATH_INFO"], form)).encode()).hexdigest()[:16]
            visit.notice, is_first = self._once(visit, (space_name, pressed), form)
            if visit.notice.is_good and (space_name, pressed) in self._done:
                return see_other(_after(page, visit, visit.notice, pressed if is_first else pressed + AGAIN))
        elif (done := self._done.get((space_name, visit.wanted(DONE).removesuffix(AGAIN)))) is not None:
            visit.notice = done.result()
            if visit.wanted(DONE).endswith(AGAIN):
                visit.notice = visit.notice._replace(text=f"Already done, and not done again: {visit.notice.text}")
        # A text that was only checked is no refused call: the browser's console would tell of each key pressed.
        is_refused = visit.notice is not None and not visit.notice.is_good and visit.notice.operation != CHECK
        return self._rendered(page, visit, 400 if is_refused else 200)

    def _once(self, visit: Visit, pressed: tuple[str, str], form: acting.Form) -> tuple[ActionResult, bool]:
        """The result of a form, and whether it was sent for the first time; what changes something is done once."""
        mine = Future[ActionResult]()
        first = self._done.setdefault(pressed, mine)
        if first is mine:
            before = live.mark_of(visit.workspace)
            try:
                mine.set_result(acting.act(visit, form))
            except Exception as error:
                mine.set_exception(error)
            is_good = mine.exception() is None and mine.result().is_good
            if not is_good or live.mark_of(visit.workspace) == before:
                self._done.pop(pressed, None)
            while len(done := [one for one, act in self._done.copy().items() if act.done()]) > KEPT:
                most = Counter(space_name for space_name, _ in done).most_common(1)[0][0]
                self._done.pop(next(one for one in done if one[0] == most), None)
        return first.result(), first is mine

    def _rendered(self, page: DashboardPage, visit: Visit, status: int) -> Answer:
        mark = live.mark_of(visit.workspace)
        try:
            shown = VIEWS[page.name](visit, **visit.args)
        except Refusal as refusal:
            status, message = said(refusal)
            around = self._around(page, visit, mark, content("Not found"))
            return rendered("missing.html", status, **around, message=message)
        if shown.file is not None:
            return Answer(200, masking.shown(shown.file[1]).encode(), safety.file_headers(shown.file[0]))
        values = {**self._around(page, visit, mark, shown), **shown.values}
        return rendered(f"{page.template or page.name}.html", max(status, shown.status), **values)

    def _around(self, page: DashboardPage, visit: Visit, mark: str, shown: PageContent) -> dict[str, Any]:
        """The values that every page of a workspace needs."""
        return {
            "acts": ACTS,
            "query": lambda asked, offset: urlencode({**asked, "offset": offset}),
            "page": page,
            "pages": [one for one in PAGES if one.menu],
            "here": f"{HOME}/{quote(visit.space_name)}",
            "space_name": visit.space_name,
            "workspace_name": visit.workspace.identity.name,
            "label": visit.sandbox.label_of(visit.space_name),
            "dialect": visit.workspace.dialect.name,
            "state": visit.ask("control.clock") if page.name != "clock" else None,
            "base": visit.base,
            "mark": mark,
            "now": visit.workspace.now(),
            "notice": visit.notice,
            "command": partial(of_call, visit.base),
            "list_command": partial(of_list, visit.base, visit.workspace.dialect),
            "title": shown.title or page.title,
        }

    def base(self, environ: Environ) -> str:
        """The server's URL, as the browser uses it."""
        return base_of(environ, self.sandbox.settings)


def _lively(environ: Environ, after: Callable[[str], Answer | Parked]) -> Answer:
    """The event after the last mark of a page, or the answer that waits for one."""
    found = after(environ.get("HTTP_LAST_EVENT_ID") or dict(query_of(environ)).get("seen", ""))
    if isinstance(found, Parked):
        environ[PARKED] = found
        return Answer(200, b"", live.HEADERS)
    return found


def _after(page: DashboardPage, visit: Visit, notice: ActionResult, pressed: str) -> str:
    """The address that tells of an act that was done: of what it made, or of the same page."""
    is_made = page.name == "new_payment" and notice.operation == "payments.create"
    there = f"payments/{quote(notice.answer['payment_id'])}" if is_made else ""
    if page.name == "new_scenario" and notice.operation in (PUT_SCENARIO, SAVE):
        there = f"scenarios/{quote(notice.sent['name'])}"
    asked = [pair for pair in parse_qsl(visit.environ.get("QUERY_STRING", "")) if pair[0] != DONE]
    return f"{there}?{urlencode([*asked, (DONE, pressed)])}"


def see_other(location: str, *more: tuple[str, str]) -> Answer:
    """A redirect to another page."""
    return Answer(303, b"", (("Location", location), NO_STORE, *more))


def rendered(template: str, status: int = 200, **values: Any) -> Answer:
    """A template as an answer."""
    text = masked_page(render(f"dashboard/{template}", home=HOME, docs=DOCS, assets=ASSETS.digest, **TELLS, **values))
    return Answer(status, text.encode(), safety.HEADERS)
