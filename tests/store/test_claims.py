from __future__ import annotations

import pytest

from mock_server.store.protocol import Claim
from mock_server.store.space import Space
from tests.store.conftest import MakeStore, nothing


def claim(space: Space, key: str = "k", owner: str = "one", now: int = 0, lasts: int = 100) -> Claim | None:
    return space.claim(key, owner, b"digest of " + owner.encode(), now, now + lasts)


def test_a_key_is_taken_once(space: Space) -> None:
    assert claim(space) is None
    assert claim(space, owner="two") == Claim("one", b"digest of one", 100)
    assert claim(space, key="other", owner="two") is None


def test_its_own_owner_may_ask_again(space: Space) -> None:
    assert claim(space) is None
    assert claim(space) is None
    assert claim(space, owner="two") is not None


@pytest.mark.parametrize("answer", [[200, [["A", "b"]], b"{}"], {"status": 404}, "", 0, False])
def test_the_kept_answer_is_given_to_all_who_ask(space: Space, answer: object) -> None:
    claim(space)
    assert space.settle_claim("k", "one", answer)
    for owner in ("one", "two"):
        assert claim(space, owner=owner) == Claim("one", b"digest of one", 100, answer)


def test_only_the_owner_ends_a_claim_and_only_once(space: Space) -> None:
    claim(space)
    assert not space.settle_claim("k", "two", "stolen")
    assert not space.release_claim("k", "two")
    assert space.settle_claim("k", "one", "answer")
    assert not space.settle_claim("k", "one", "another")
    assert not space.release_claim("k", "one")
    assert not space.release_claim("unknown", "one")
    kept = claim(space, owner="two")
    assert kept is not None
    assert kept.answer == "answer"


def test_a_released_key_is_free(space: Space) -> None:
    claim(space)
    assert space.release_claim("k", "one")
    assert claim(space, owner="two") is None
    assert not space.settle_claim("k", "one", "late")


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_claim_that_expired_is_free(space: Space, is_answered: bool) -> None:
    claim(space)
    if is_answered:
        space.settle_claim("k", "one", "answer")
    assert claim(space, owner="two", now=99) is not None
    assert claim(space, owner="two", now=100) is None
    assert not space.settle_claim("k", "one", "late")
    assert space.settle_claim("k", "two", "new")


def test_over_the_bound_the_oldest_answers_go(make_store: MakeStore) -> None:
    space = make_store(max_claims=3).open("workspace", nothing)
    for key in "abcd":
        claim(space, key)
        space.settle_claim(key, "one", key)
    assert claim(space, "a", "two") is None
    assert space.dump()["claims"]["evicted"] == 2
    assert [held[0] for held in space.dump()["claims"]["held"]] == ["c", "d"]


def test_one_still_at_work_does_not_go_for_the_bound(make_store: MakeStore) -> None:
    space = make_store(max_claims=2).open("workspace", nothing)
    claim(space, "working")
    for key in "abcdef":
        claim(space, key)
        space.settle_claim(key, "one", key)
        assert claim(space, "working", "two") is not None
    assert space.settle_claim("working", "one", "done")
    assert [held[0] for held in space.dump()["claims"]["held"]][-1] in ("working", "f")
    assert len(space.dump()["claims"]["held"]) == 2


def test_an_expired_claim_goes_for_the_bound_though_unanswered(make_store: MakeStore) -> None:
    space = make_store(max_claims=2).open("workspace", nothing)
    claim(space, "crashed", lasts=10)
    for key in "abc":
        claim(space, key, now=20)
        space.settle_claim(key, "one", key)
    assert claim(space, "b", "two", now=21) is not None
    assert space.dump()["claims"]["evicted"] == 2


def test_a_key_taken_anew_is_as_young_as_its_new_claim(make_store: MakeStore) -> None:
    space = make_store(max_claims=2).open("workspace", nothing)
    claim(space, "anew", lasts=10)
    claim(space, "old")
    space.settle_claim("old", "one", 1)
    claim(space, "anew", now=20)
    space.settle_claim("anew", "one", 2)
    claim(space, "last", now=20)
    space.settle_claim("last", "one", 3)
    assert [held[0] for held in space.dump()["claims"]["held"]] == ["anew", "last"]


def test_more_at_work_than_the_bound_are_all_kept(make_store: MakeStore) -> None:
    space = make_store(max_claims=2).open("workspace", nothing)
    for key in "abcde":
        claim(space, key)
    assert all(space.settle_claim(key, "one", key) for key in "abcde")


def test_hits_count_within_their_window(space: Space) -> None:
    assert [space.hit("api", 7) for _ in range(3)] == [1, 2, 3]
    assert space.hit("other", 7) == 1
    assert space.hit("api", 8) == 1
    assert space.hit("api", 7) == 4, "a call that began before the border counts where it belongs"
    assert space.hit("api", 8) == 2
    assert space.hit("api", 9) == 1
    assert space.hit("api", 7) == 1, "an older window is forgotten"


def test_a_clock_set_back_begins_windows_anew(space: Space) -> None:
    for _ in range(5):
        space.hit("api", 1000)
    assert [space.hit("api", window) for window in (3, 3, 4, 5, 5)] == [1, 2, 1, 1, 2]
