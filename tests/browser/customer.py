"""A customer at a browser: opens pages, presses buttons by mouse or keyboard, and notices whatever should not run."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Dialog, Frame, Locator, Page

from mock_server.domain.issuer import ONE_TIME_CODE
from tests.browser.catalogue import Case

MOST_STOPS: Final = 40
BEHIND_MORE: Final = ("expired", "unavailable")


class Customer:
    """One browser window. `alarms` holds dialogs, script errors, refused scripts and console errors."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.alarms: list[str] = []
        page.set_default_timeout(10_000)
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self.alarms.append(f"error: {error}"))
        page.on("console", lambda said: self.alarms.append(f"console: {said.text}") if said.type == "error" else None)
        page.on("popup", lambda other: self.alarms.append(f"popup: {other.url}"))

    def _dialog(self, dialog: Dialog) -> None:
        self.alarms.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, url: str) -> int:
        """Opens a page; its status."""
        answer = self.page.goto(url)
        assert answer is not None
        return answer.status

    def find(self, name: str, within: Frame | None = None) -> Locator:
        """What bears a test id."""
        return (within or self.page.main_frame).get_by_test_id(name)

    def text(self, name: str) -> str:
        return self.find(name).inner_text()

    def choose(self, case: Case, result: str, within: Frame | None = None) -> None:
        """Ends a page by mouse, as a person does: fills in what is asked for, then presses the button."""
        if result == "approved" and case.asks == "code":
            self.find("code", within).fill(ONE_TIME_CODE)
        if result == "approved" and case.asks == "human":
            self.find("human", within).check()
        if result in BEHIND_MORE:
            self.find("more", within).click()
        self.find(result, within).click()

    def tab_to(self, name: str) -> None:
        """Moves the focus to what bears a test id, by the keyboard alone; each stop shows that it has the focus."""
        wanted = self.find(name)
        for _ in range(MOST_STOPS):
            self.page.keyboard.press("Tab")
            here = self.page.locator(":focus")
            if here.count():
                assert here.evaluate(_IS_MARKED), f"the focus is not seen on {here.evaluate('e => e.outerHTML')}"
            if wanted.evaluate("e => e === document.activeElement || e.contains(document.activeElement)"):
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


_IS_MARKED: Final = (
    "e => { const s = getComputedStyle(e); return s.outlineStyle !== 'none' && s.outlineWidth !== '0px' }"
)
