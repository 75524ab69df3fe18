"""The kinds of text: as strict as JSON, each with its own message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final

from marshmallow import validate

from mock_server.contract.dialect import BodyRules
from mock_server.contract.kinds.base import Broken, FieldKind, Json
from mock_server.contract.kinds.rules import IS_EMAIL, IS_ID, IS_TIMESTAMP, IS_WEB_URL, ValueRule, is_instant
from mock_server.domain import instants, limits
from mock_server.domain.api_keys import KeyProblem
from mock_server.domain.api_keys import parse as parse_key
from mock_server.domain.countries import COUNTRIES
from mock_server.domain.money import CURRENCIES, FORMER
from mock_server.guesses import hint

_IN_FULL: Final = re.compile(r"[0-9-]{10}T[0-9:]{8}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})").fullmatch


class Text(FieldKind):
    """Text of at most `most` characters (code points)."""

    wrong = "must be a string"
    takes = (str,)
    json_type: ClassVar[str | None] = "string"
    only: ClassVar[ValueRule | None] = None  # instead of all other rules

    def __init__(
        self, says: str = "", *, most: int = limits.TEXT, rules: Iterable[Callable[[Any], Any]] = (), **more: Any
    ) -> None:
        length = validate.Length(max=most, error=f"must be at most {most} characters long")
        super().__init__(says, rules=[self.only] if self.only else [length, *rules], **more)
        self.most = most

    def broken_rule(self, value: Any) -> Broken:
        if not self.rule and len(value) > self.most:
            return "too_long", {"most": self.most, "count": len(value)}
        return super().broken_rule(value)

    def follow(self, rules: BodyRules) -> None:
        if rules.loose:
            self.validators = [getattr(rule, "loose", None) or rule for rule in self.validators]


class CallerId(Text):
    """An id that the caller may choose (facts §2.10)."""

    only = IS_ID

    def __init__(self, says: str = "", **more: Any) -> None:
        super().__init__(says, most=limits.IDENTIFIER, **more)


class Timestamp(Text):
    """An ISO 8601 timestamp, stored as it was written; a shorter form, such as a date alone, in full."""

    wrong = "must be an ISO 8601 timestamp"
    only = IS_TIMESTAMP

    def turn(self, value: str) -> str:
        return value if _IN_FULL(value) or not is_instant(value) else instants.iso(instants.parse(value))


class Seed(Text):
    """A seed: any text, or an integer, which is read as its digits."""

    wrong = "must be a string or an integer"
    json_form: ClassVar[Json] = {"type": ["string", "integer"]}

    def read(self, value: Any) -> Any:
        return super().read(str(value) if type(value) is int else value)


class Choice(Text):
    """One of a known set of words; `error` is the message if there are too many to list.

    `named` is the name of the list, by which a dialect has its own; `more` are words that only dialects have. A filter
    (`narrows`) accepts the dialect's words besides these.
    """

    def __init__(
        self,
        choices: Iterable[str],
        says: str = "",
        *,
        error: str | None = None,
        named: str = "",
        more: Iterable[str] = (),
        narrows: bool = False,
        **rest: Any,
    ) -> None:
        super().__init__(says, **rest)
        self.named, self.more, self.narrows = named, frozenset(more), narrows
        self.words = self.listed = tuple(choices)
        self.others: frozenset[str] = frozenset()
        self.error = error
        self._permit_words()

    def _permit_words(self) -> None:
        self.validators = [ValueRule(frozenset(self.words).__contains__, self._unknown)]

    def _unknown(self, word: str) -> str:
        error = self.error or f"must be one of {', '.join(self.words)}"
        guess = hint(word, self.words)  # first, because a long list of words is cut
        return f"is not known{guess}; it {error}" if guess else error

    def follow(self, rules: BodyRules) -> None:
        super().follow(rules)
        own = rules.words.get(self.named)
        if own is None:
            return
        known = {*self.words, *self.more}
        self.listed = own
        self.others = frozenset() if self.narrows else frozenset(own) - known
        offered = (*own, *self.words) if self.narrows else (word for word in own if word in known)
        self.words = tuple(dict.fromkeys((*offered, *sorted(self.more - set(own)))))
        self._permit_words()

    def broken_rule(self, value: Any) -> Broken:
        if self.rule:
            return super().broken_rule(value)
        if value in self.others:
            return "not_offered", {"given": value}
        return _unknown_word(value, self.listed)


def _unknown_word(value: str, listed: Iterable[str]) -> Broken:
    return "unknown_word", {"given": _repeatable(value), "words": tuple(f"`{word}`" for word in listed)}


_WORD: Final = re.compile(r"[\w .-]{0,40}")
_MOST_DIGITS: Final = 2


def _repeatable(word: str) -> str:
    """A word that a message may repeat; one that could be a card number, a code or a key is left out."""
    is_word = _WORD.fullmatch(word) is not None and sum(map(str.isdigit, word)) <= _MOST_DIGITS
    return word if is_word and parse_key(word) in (KeyProblem.MISSING, KeyProblem.MALFORMED) else "…"


class ListedName(Text):
    """A free text, or in a dialect that has a list of this name (`named`) one of its words, or another that `fits`."""

    def __init__(self, says: str = "", *, named: str, fits: Callable[[str], object] | None = None, **more: Any) -> None:
        super().__init__(says, **more)
        self.named, self.fits = named, fits
        self.listed: tuple[str, ...] = ()

    def follow(self, rules: BodyRules) -> None:
        super().follow(rules)
        self.listed = rules.words.get(self.named, ())
        if self.listed:
            known = frozenset(self.listed)
            says, fits = "is not a known word", self.fits or frozenset().__contains__
            rule = ValueRule(lambda name: name in known or fits(name), lambda name: says + hint(name, self.listed))
            self.validators = [*self.validators, rule]

    def broken_rule(self, value: Any) -> Broken:
        if not self.listed:
            return super().broken_rule(value)
        return _unknown_word(value, self.listed)


def email_address(says: str = "", **more: Any) -> Text:
    """An email address."""
    return Text(says, rules=[IS_EMAIL], **more)


def web_url(says: str = "", *, most: int = limits.RETURN_URL, **more: Any) -> Text:
    """An http or https URL."""
    return Text(says, most=most, rules=[IS_WEB_URL], **more)


def country_code(says: str = "", **more: Any) -> Choice:
    """A two-letter country code."""
    return Choice(sorted(COUNTRIES), says, error="must be a two-letter ISO 3166 country code in capitals", **more)


def currency_code(says: str = "", **more: Any) -> Choice:
    """A three-letter currency code."""
    codes = (row.code for row in CURRENCIES)
    wrong = "must be a three-letter ISO 4217 currency code in capitals"
    return Choice(codes, says, error=wrong, named="Currency", more=FORMER, **more)
