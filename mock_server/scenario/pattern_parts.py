"""How a pattern is read: a parser that builds the states of an automaton, last part first."""

from __future__ import annotations

from collections.abc import Callable

from mock_server.domain.values import frozen
from mock_server.scenario.pattern_states import (
    CLASSES,
    DEEPEST,
    END,
    ESCAPES,
    MOST_REPEATS,
    MOST_STATES,
    Opens,
    PatternWrong,
    State,
    Takes,
    at_edge,
    at_end,
    at_start,
    at_very_end,
    inside,
)


@frozen
class Part:
    """A piece of a pattern; `build` puts its states before the state that comes after it."""

    build: Callable[[int], int]


class Parser:
    """Reads a pattern from left to right, one method a rule of its grammar."""

    def __init__(self, text: str, ignore_case: bool = False) -> None:
        self.text = text.lower() if ignore_case and "\\" not in text else text
        self.fold = ignore_case
        self.at = 0
        self.depth = 0
        self.states: list[State] = []

    def whole(self) -> int:
        """The number of the first state of the whole pattern."""
        part = self._choice()
        if self.at < len(self.text):
            raise PatternWrong(f"has a ) too many at character {self.at + 1}")
        return part.build(END)

    def _add(self, state: State) -> int:
        if len(self.states) >= MOST_STATES:
            raise PatternWrong("comes to too many states; ask for fewer repetitions")
        self.states.append(state)
        return len(self.states) - 1

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _next(self) -> str:
        sign = self._peek()
        if not sign:
            raise PatternWrong("ends too early")
        self.at += 1
        return sign

    def _choice(self) -> Part:
        ways = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            ways.append(self._sequence())
        if len(ways) == 1:
            return ways[0]
        return Part(lambda after: self._add(State(tuple(way.build(after) for way in ways))))

    def _sequence(self) -> Part:
        parts: list[Part] = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._repeated())

        def build(after: int) -> int:
            for part in reversed(parts):
                after = part.build(after)
            return after

        return Part(build)

    def _repeated(self) -> Part:
        part = self._atom()
        bounds = self._bounds()
        if bounds is None:
            return part
        if self._peek() in ("*", "+") or (self._peek() == "{" and self._bounds() is not None):
            raise PatternWrong(f"repeats a repetition at character {self.at + 1}")
        if self._peek() == "?":  # the shortest match: the same answer, when only yes or no is asked
            self.at += 1
        return Part(lambda after: self._repeat(part, *bounds, after))

    def _repeat(self, part: Part, low: int, high: int | None, after: int) -> int:
        if high is None:
            loop = self._add(State((after,)))
            self.states[loop].next = (part.build(loop), after)
            start = loop
        else:
            start = after
            for _ in range(high - low):
                start = self._add(State((part.build(start), after)))
        for _ in range(low):
            start = part.build(start)
        return start

    def _bounds(self) -> tuple[int, int | None] | None:
        plain = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self._peek())
        if plain is not None:
            self.at += 1
            return plain
        return self._counted() if self._peek() == "{" else None

    def _counted(self) -> tuple[int, int | None] | None:
        close = self.text.find("}", self.at)
        low, comma, high = self.text[self.at + 1 : close if close > 0 else self.at + 1].partition(",")
        if not (low or (comma and high)) or not (low or "0").isdecimal() or not (high or "0").isdecimal():
            return None  # no count: the brace stands for itself
        self.at = close + 1
        least = int(low or 0)
        most = int(high) if high else None if comma else least
        if max(least, most or 0) > MOST_REPEATS or (most is not None and most < least):
            raise PatternWrong(f"counts {low}{comma}{high}; at most {MOST_REPEATS}, and the lower bound first")
        return least, most

    def _atom(self) -> Part:
        sign = self._next()
        if sign == "(":
            return self._group()
        if sign in "^$":
            opens = at_start if sign == "^" else at_end
            return Part(lambda after: self._add(State((after,), opens=opens)))
        if sign in "*+?":
            raise PatternWrong(f"has a {sign} with nothing before it at character {self.at}")
        if sign == "\\" and self._peek() in ("b", "B", "A", "Z", "z"):
            return self._edge(self._next())
        takes = self._sign(sign)
        return Part(lambda after: self._add(State((after,), reads=takes)))

    def _edge(self, sign: str) -> Part:
        opens: Opens = at_edge
        if sign == "B":
            opens = inside
        elif sign != "b":
            opens = at_start if sign == "A" else at_very_end
        return Part(lambda after: self._add(State((after,), opens=opens)))

    def _group(self) -> Part:
        if self.text.startswith("?:", self.at):
            self.at += 2
        elif self._peek() == "?":
            sign = self.text[self.at : self.at + 2]
            raise PatternWrong(f"has ({sign} at character {self.at}; (…), (?:…) and (?i) at the start are read")
        self.depth += 1
        if self.depth > DEEPEST:
            raise PatternWrong(f"has brackets over {DEEPEST} deep")
        part = self._choice()
        self.depth -= 1
        if self._peek() != ")":
            raise PatternWrong("has a ( without its )")
        self.at += 1
        return part

    def _sign(self, sign: str) -> Takes:
        if sign == ".":
            return lambda read: read != "\n"
        if sign == "[":
            return self._set()
        if sign == "\\":
            return self._escaped(self._next())
        return self._only(sign)

    def _only(self, sign: str) -> Takes:
        return (sign.lower() if self.fold else sign).__eq__

    def _escaped(self, sign: str) -> Takes:
        return CLASSES.get(sign) or self._only(self._escape(sign))

    def _escape(self, sign: str) -> str:
        if sign in ESCAPES:
            return ESCAPES[sign]
        if sign.isalnum():
            raise PatternWrong(f"has \\{sign}, which is not read here")
        return sign

    def _set(self) -> Takes:
        negated = self._peek() == "^"
        self.at += negated
        kinds: list[Takes] = []
        begun = self.at
        while self._peek() != "]" or self.at == begun:
            if not self._peek():
                raise PatternWrong("has a [ without its ]")
            kinds.append(self._member())
        self.at += 1
        return lambda sign: any(kind(sign) for kind in kinds) is not negated

    def _member(self) -> Takes:
        sign = self._next()
        if sign == "\\":
            sign = self._next()
            if sign in CLASSES:
                return CLASSES[sign]
            sign = self._escape(sign)
        if self._peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("", "]"):
            return self._range(sign)
        return self._only(sign)

    def _range(self, low: str) -> Takes:
        self.at += 1
        high = self._next()
        if high == "\\":
            high = self._escape(self._next())
        if high < low:
            raise PatternWrong(f"has the range {low}-{high} the wrong way round")
        if self.fold:
            return lambda sign: low <= sign <= high or low <= sign.upper() <= high
        return lambda sign: low <= sign <= high
