"""A customer at a browser: opens pages, presses buttons by mouse or keyboard, and notices whatever should not run."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Dialog, Error, Frame, Locator, Page

from mock_server.domain.issuer import ONE_TIME_CODE
from tests.browser.catalogue import Case

MOST_STOPS: Final = 40
EMPTY: Final = "about:blank"
BEHIND_MORE: Final = ("expired", "unavailable")


class Customer:
    """One browser window. `alarms` holds dialogs, script errors, refused scripts and console errors."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.alarms: list[str] = []
        self._is_leaving = False
        page.set_default_timeout(0)  # the suite's own limit for a test is the only one
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self.alarms.append(f"error: {error}"))
        page.on("console", lambda said: self.alarms.append(f"console: {said.text}") if said.type == "error" else None)
        page.on("popup", lambda other: self.alarms.append(f"popup: {other.url}"))

    def _dialog(self, dialog: Dialog) -> None:
        if self._is_leaving and dialog.type == "beforeunload":
            dialog.accept()
            return
        self.alarms.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, url: str) -> int:
        """Opens a page; its status."""
        answer = self.page.goto(url)
        assert answer is not None
        return answer.status

    def leave(self) -> None:
        """Turns to an empty page: no script goes on, no route is laid, nothing is kept."""
        self.page.unroute_all()
        if self.page.url != EMPTY:
            self._is_leaving = True  # also from a text that was not kept
            self.page.goto(EMPTY)
            self._is_leaving = False

    def find(self, name: str, within: Frame | None = None) -> Locator:
        """What bears a test id."""
        return (within or self.page.main_frame).get_by_test_id(name)

    def text(self, name: str) -> str:
        return self.find(name).inner_text()

    def choose(self, case: Case, result: str, within: Frame | None = None) -> None:
        """Ends a page by mouse, as a person does: fills in what is asked for, then presses the button."""
        if result == "approved" and case.asks == "code":
            write(within or self.page.main_frame, "code", ONE_TIME_CODE)
        if result == "approved" and case.asks == "human":
            self.press("human", within)
        if result in BEHIND_MORE:
            self.press("more", within)
        self.press(result, within)

    def press(self, name: str, within: Frame | None = None) -> None:
        """Presses by mouse what bears a test id, is there already and on top where it is seen; waits for nothing.
        In a frame, by the keyboard.
        """
        if within is not None:
            press(within, name)
            return
        x, y = self.page.evaluate(_PLACE_OF, name)
        self.page.mouse.click(x, y)

    def tab_to(self, name: str) -> None:
        """Moves the focus to what bears a test id, by the keyboard alone; each stop shows that it has the focus."""
        for _ in range(MOST_STOPS):
            self.page.keyboard.press("Tab")
            unseen, reached = self.page.evaluate(_FOCUS, name)
            assert not unseen, f"the focus is not seen on {unseen}"
            if reached:
                return
        raise AssertionError(f"the keyboard does not reach {name}")

    def choose_by_keyboard(self, case: Case, result: str) -> None:
        """Ends a page without a mouse."""
        if result == "approved" and case.asks == "code":
            self.tab_to("code")
            self.page.keyboard.type(ONE_TIME_CODE)
        if result == "approved" and case.asks == "human":
            self.tab_to("human")
            self.page.keyboard.press("Space")
        if result in BEHIND_MORE:
            self.tab_to("more")
            self.page.keyboard.press("Enter")
        self.tab_to(result)
        self.page.keyboard.press("Enter")


WATCH: Final = """
window.realTimeout = setTimeout;
window.alert = window.confirm = window.prompt = window.print = (...a) => console.error('ran: ' + a);
document.addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective));
"""
"""Tells the console of whatever runs, and of whatever was kept from it. `realTimeout` is no test's."""

_UNTIL: Final = """async given => {
  const later = window.realTimeout ?? setTimeout;
  while (!(HOLDS)(given)) await new Promise(done => later(done, 10));
}"""


def until(frame: Page | Frame, holds: str, given: object = None) -> None:
    """Asks in the page itself: what Playwright takes into each document for its waits costs as much as a small page."""
    frame.evaluate(_UNTIL.replace("HOLDS", holds), given)


def until_led_on(page: Page, holds: str, given: object = None) -> None:
    """The same, on this page or on one that it leads to meanwhile."""
    while True:
        try:
            return until(page, holds, given)
        except Error as problem:
            if "context was destroyed" not in str(problem):
                raise


def press(frame: Frame, what: str) -> None:
    """Presses by the keyboard what is there: it may move meanwhile, and where nothing is drawn no frame grows."""
    frame.page.keyboard.press(frame.evaluate(_REACH, _selector(what)))


def write(frame: Frame, what: str, text: str) -> None:
    """Puts a text in place of what stands in a field, as the keyboard does."""
    frame.evaluate(_REACH, _selector(what))
    if text:
        frame.page.keyboard.insert_text(text)
    else:
        frame.page.keyboard.press("Delete")


def click(what: Locator) -> None:
    """Clicks what is there and on top; waits for no picture, as a locator's own click does."""
    what.page.mouse.click(*what.evaluate(PLACE))


def pick(frame: Frame, what: str, option: str) -> None:
    """Chooses from a list by what it says or by its value."""
    frame.evaluate(_PICK, [_selector(what), option])


def _selector(what: str) -> str:
    """A test id, if it is no selector itself."""
    return what if what[0] in "#[" else f'[data-testid="{what}"]'


_REACH: Final = """selector => {
  const found = document.querySelectorAll(selector), one = found[0];
  if (found.length !== 1) throw Error(`${found.length} are ${selector}`);
  one.focus();
  const isSeen = one.checkVisibility({visibilityProperty: true});
  if (!one.matches(":focus") || !isSeen) throw Error(`${selector} is out of reach`);
  one.select?.();
  return ["checkbox", "radio"].includes(one.type) ? "Space" : "Enter";
}"""
"""Moves the focus to what can be reached by it; the key that presses it."""
_PICK: Final = """([selector, option]) => {
  const list = document.querySelector(selector);
  const found = [...list.options].find(one => !one.disabled && [one.label, one.value].includes(option));
  if (list.disabled || !found) throw Error(`${option} is not in ${selector}`);
  list.focus();
  list.value = found.value;
  for (const name of ["input", "change"]) list.dispatchEvent(new Event(name, {bubbles: true}));
}"""
PLACE: Final = """one => {
  one.scrollIntoView({block: "nearest", behavior: "instant"});
  const box = one.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
  const over = document.elementFromPoint(x, y), hit = [over, over?.closest("label")?.control];
  if (one.disabled || !hit.some(part => one.contains(part))) throw Error(`out of reach: ${one.outerHTML}`);
  return [x, y];
}"""
"""Where something is pressed by mouse: it is on top there."""
_PLACE_OF: Final = """name => {
  const found = document.querySelectorAll(`[data-testid="${name}"]`);
  if (found.length !== 1) throw Error(`${found.length} bear ${name}`);
  return (PLACE)(found[0]);
}""".replace("PLACE", PLACE)
_FOCUS: Final = """name => {
  const here = document.querySelector(":focus"), style = here && getComputedStyle(here);
  const seen = !here || style.outlineStyle !== "none" && style.outlineWidth !== "0px";
  return [seen ? "" : here.outerHTML, !!here?.closest(`[data-testid="${name}"]`)];
}"""
