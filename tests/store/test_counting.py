"""What is counted and bounded, after random steps: bytes, lines, claims and calls, each compared with a plain model."""

from __future__ import annotations

import random
from sys import getsizeof
from typing import Any

import pytest

from mock_server.store import records
from mock_server.store.byte_bounds import (
    FACT,
    LINE,
    REPORTED_EVERY,
    STEP,
    UNBOUNDED,
    ByteCounter,
    Total,
    weight_of,
)
from mock_server.store.idempotency import Claims
from mock_server.store.logs import BLOCK, LARGE, OPEN, Block, Log, entry
from mock_server.store.protocol import Claim
from mock_server.store.state import Rates
from tests.counts import times

ROUNDS = times(30, soak=2_000)


# bytes


def test_spaces_report_their_bytes_in_steps() -> None:
    dice = random.Random(27)
    for _ in range(ROUNDS):
        total = Total(dice.choice((STEP, 5 * STEP)))
        spaces = [ByteCounter(3 * STEP, total) for _ in range(3)]
        reported = [0, 0, 0]
        assert (total.bytes, total.over) == (0, -total.most)
        for _ in range(40):
            at = dice.randrange(3)
            space = spaces[at]
            space.here = max(0, space.here + dice.choice((1, STEP - 1, STEP, -1, -STEP, -STEP + 1)))
            differs = abs(space.here - reported[at]) >= STEP
            assert space.is_heavy is differs
            assert space.is_over is (space.here > 3 * STEP)
            sum_before = sum(reported)
            room = total.most - sum_before - (space.here - reported[at])
            assert space.room == min(3 * STEP - space.here, room)
            if differs:
                reported[at] = space.here
            over = space.report()
            assert over is (sum(reported) > total.most)
            assert (total.bytes, total.over) == (sum(reported), sum(reported) - total.most)
            if not dice.randrange(25):
                space.leave()
                space.leave()
                reported[at], spaces[at] = 0, ByteCounter(3 * STEP, total)
                assert total.bytes == sum(reported)
                assert (space.report(), space.room) == (False, 3 * STEP - space.here)


def test_a_space_of_its_own_has_no_total() -> None:
    alone = ByteCounter(10)
    alone.here = 11
    assert (alone.is_over, alone.room, alone.report(), alone.reported, alone.dropped) == (True, -1, False, 0, 0)
    alone.here -= 1
    assert (alone.is_over, alone.room) == (False, 0)
    assert (ByteCounter().most, ByteCounter().room) == (UNBOUNDED, UNBOUNDED)
    alone.leave()


def test_the_first_entry_that_is_dropped_is_told_at_once_and_then_every_256th() -> None:
    counter = ByteCounter()
    heavy = [counter.is_heavy]
    counter.dropped += 1
    heavy.append(counter.is_heavy)
    assert [counter.fall(), counter.fall()] == [1, 0]
    counter.dropped += REPORTED_EVERY - 1
    heavy.append(counter.is_heavy)
    counter.dropped += 1
    heavy.append(counter.is_heavy)
    assert heavy == [False, True, False, True]
    assert counter.fall() == REPORTED_EVERY == 256


@pytest.mark.parametrize(
    ("fact", "texts"),
    [("abc", ["abc"]), (b"abc", [b"abc"]), (5, []), ({"a": "b", "c": 5, "d": b"e"}, ["b", b"e"]), ({}, [])],
)
def test_a_fact_weighs_what_its_texts_weigh(fact: Any, texts: list[Any]) -> None:
    assert weight_of(fact) == FACT + sum(map(getsizeof, texts))


@pytest.mark.parametrize("items", [[], [1], ["abc"], [{"on": ["a", "b"], "then": "c" * 100}] * 3])
def test_each_item_of_a_list_weighs_as_a_fact(items: list[Any]) -> None:
    assert weight_of(items) == sum(FACT + len(str(item)) for item in items)
    assert weight_of(None) == 0


# calls


def test_calls_count_in_the_last_two_windows() -> None:
    dice, rates = random.Random(27), Rates()
    kept: dict[str, dict[int, int]] = {}
    for _ in range(times(2_000, soak=50_000)):
        name, window, calls = dice.choice("ab"), dice.randrange(4), dice.randrange(1, 4)
        windows = kept.setdefault(name, {})
        if window not in windows and len(windows) == 2:
            del windows[next(iter(windows))]
        windows[window] = windows.get(window, 0) + calls
        assert rates.hit(name, window, calls) == windows[window]
    assert rates.hit("c", 1) == 1
    assert rates.hit("c", 1) == 2


# lines


class LogModel:
    """A log, and beside it what it should have: its lines in a plain dictionary."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.bound = dice.choice((None, 3, 5, OPEN + 2 * BLOCK, OPEN + 100))
        most = dice.choice((UNBOUNDED, 6 * LINE, 10 * LINE, 2 * LINE * (OPEN + 2 * BLOCK)))
        self.counter = ByteCounter(most)
        self.log = Log(self.bound, self.counter)
        self.lines: dict[int, tuple[Any, bytes | None]] = {}
        self.dropped = self.last = 0

    def _weight(self, value: Any, beside: bytes | None) -> int:
        return LINE + len(records.pack(value)) + len(beside or b"")

    def size(self) -> int:
        return sum(self._weight(*line) for line in self.lines.values())

    def append(self) -> None:
        """One line or many, like a transaction, which may fail and take them back."""
        dice, before, undo, size = self.dice, (dict(self.lines), self.dropped, self.last), [], self.size()
        for _ in range(dice.choice((1, 1, 1, 2, BLOCK, 3 * BLOCK, OPEN + 100))):
            value, beside = "x" * dice.randrange(2 * LINE), dice.choice((None, b"y" * dice.randrange(LINE)))
            undo.append(self.log.append(value, beside))
            self.last += 1
            self.lines[self.last] = value, beside
            size += self._weight(value, beside)
            gone, size = self._fall(size, self.bound or UNBOUNDED, self.counter.most)
            assert [number for number, _ in undo[-1]] == gone
        if not dice.randrange(3):
            for fallen in reversed(undo):
                self.log.take_back(fallen)
            self.lines, self.dropped, self.last = before
            self.log.lines = dict(sorted(self.log.lines.items()))

    def _fall(self, size: int, bound: int, most: int) -> tuple[list[int], int]:
        """The numbers of the oldest lines, which go, and the size of the others."""
        gone = []
        while len(self.lines) > bound or (size > most and len(self.lines) > 1):
            gone.append(next(iter(self.lines)))
            size -= self._weight(*self.lines.pop(gone[-1]))
            self.dropped += 1
        return gone, size

    def amend(self) -> None:
        number = self.dice.choice([*self.lines, self.last + 1, 0])
        undo, old = self.log.amend(number, "new"), self.lines.get(number)
        assert (undo is None) is (old is None)
        if undo is None or old is None:
            return
        if self.dice.randrange(2):
            undo()
        else:
            self.lines[number] = "new", old[1]

    def forget(self) -> None:
        count, undo = self.log.forget()
        assert count == len(self.lines)
        if self.dice.randrange(2):
            undo()
        else:
            self.lines.clear()

    def drop(self) -> None:
        until = self.dice.choice((self.dice.randrange(8 * LINE), self.dice.randrange(self.size() + 1)))
        self.log.drop(until)
        self._fall(self.size(), UNBOUNDED, until)

    def check(self) -> None:
        log, counter, dropped = self.log, self.counter, self.dropped
        assert (log.last, log.dropped, counter.dropped, counter.here) == (self.last, dropped, dropped, self.size())
        after, limit = self.dice.randrange(self.last + 2), self.dice.choice((None, 0, 1, 3))
        assert [number for number, _ in log.numbered(after, limit)] == [one for one in self.lines if one > after][
            :limit
        ]
        for number, kept in log.numbered(0, None):
            line = entry(number, kept)
            assert (line.sequence, line.value, line.beside) == (number, *self.lines[number])


def test_a_log_keeps_its_newest_lines_within_both_bounds() -> None:
    dice, compressed = random.Random(27), 0
    for _ in range(ROUNDS):
        model = LogModel(dice)
        for _ in range(60):
            dice.choice([model.append] * 6 + [model.amend] * 2 + [model.forget, model.drop])()
            model.check()
            compressed += any(isinstance(kept, Block) for kept in model.log.lines.values())
        log, twin = model.log, Log(None, ByteCounter())
        twin.load(log.last, log.dropped, [kept for _, kept in log.numbered(0, None)])
        assert twin.numbered(0, None) == log.numbered(0, None)
        assert (twin.last, twin.dropped, twin.byte_counter.here) == (log.last, log.dropped, model.size())
    assert compressed > ROUNDS


@pytest.mark.parametrize(("length", "are_compressed"), [(1_000, True), (LARGE // BLOCK, False)])
def test_older_lines_are_compressed_unless_that_takes_long(length: int, are_compressed: bool) -> None:
    log, many = Log(), OPEN + 10 * BLOCK
    for at in range(many):
        log.append({"at": at, "text": "x" * length})
    kept = {id(line): line for line in log.lines.values()}.values()
    taken = sum(len(line.texts) if isinstance(line, Block) else len(line) for line in kept)
    assert (taken < (OPEN + BLOCK) * length * 1.2) is are_compressed
    assert [entry(*line).value["at"] for line in log.numbered(0, None)] == [*range(many)]


# claims


class ClaimModel:
    """Claims, and beside them what they should be: owner, end and answer by key, the oldest first."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.bound, self.counter = dice.choice((2, 4)), ByteCounter()
        self.claims = Claims(self.bound, self.counter)
        self.held: dict[str, tuple[str, int, Any]] = {}
        self.evicted = self.now = 0

    def claim(self, key: str, owner: str) -> None:
        found, held = self.claims.claim(key, owner, b"digest", self.now, self.now + 5), self.held.get(key)
        if held and held[1] > self.now and (held[0] != owner or held[2] is not None):
            assert found == Claim(held[0], b"digest", held[1], held[2])
            return
        assert found is None
        self.held.pop(key, None)
        self.held[key] = owner, self.now + 5, None
        for old in list(self.held):
            if len(self.held) > self.bound:
                self._evict(old)

    def _evict(self, key: str) -> None:
        _, ends, answer = one = self.held.pop(key)
        if answer is None and ends > self.now:
            self.held[key] = one
        else:
            self.evicted += 1

    def _is_open(self, key: str, owner: str) -> bool:
        held = self.held.get(key)
        return held is not None and held[0] == owner and held[2] is None

    def settle(self, key: str, owner: str) -> None:
        mine = self._is_open(key, owner)
        assert self.claims.settle(key, owner, [200, "ok"]) is mine
        if mine:
            self.held[key] = owner, self.held[key][1], [200, "ok"]

    def release(self, key: str, owner: str) -> None:
        mine = self._is_open(key, owner)
        assert self.claims.release(key, owner) is mine
        if mine:
            del self.held[key]

    def check(self) -> None:
        claims, counter = self.claims, self.counter
        assert set(claims.held) == set(self.held)
        assert claims.evicted == counter.dropped == self.evicted
        assert counter.here == sum(LINE + len(kept) for kept in claims.held.values())
        answered = [(key, one.answer) for key, one in claims.answered()]
        assert answered == [(key, answer) for key, (_, _, answer) in self.held.items() if answer is not None]


def test_claims_are_held_answered_released_and_dropped_by_age() -> None:
    dice = random.Random(27)
    for _ in range(ROUNDS):
        model = ClaimModel(dice)
        for _ in range(80):
            model.now += dice.randrange(3)
            step = dice.choice((model.claim, model.claim, model.settle, model.release))
            step(dice.choice("abcdef"), dice.choice("xy"))
            model.check()
        claims, again = model.claims, Claims(model.bound, ByteCounter())
        for key, kept in claims.held.items():
            assert again.take(key, kept) is (model.held[key][2] is not None)
        assert dict(again.answered()) == dict(claims.answered())
        assert again.byte_counter.here == sum(LINE + len(kept) for kept in again.held.values())
        twin = claims.copy()
        assert (dict(twin.answered()), twin.evicted) == (dict(claims.answered()), claims.evicted)


def test_claims_over_their_bytes_let_the_oldest_answers_go() -> None:
    counter = ByteCounter(4 * (LINE + 100))
    claims = Claims(1_000, counter)
    for number in range(9):
        key = f"key {number}"
        assert claims.claim(key, "x", b"", 0, 5) is None
        assert claims.settle(key, "x", "y" * 100)
        assert not counter.is_over
    kept = list(claims.held)
    assert kept == [f"key {number}" for number in range(9 - len(kept), 9)]
    assert 1 < len(kept) < 5
    claims.drop(0)
    assert list(claims.held) == ["key 8"]
    assert claims.evicted == counter.dropped == 8
