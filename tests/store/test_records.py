from __future__ import annotations

from functools import partial

import pytest
from msgspec import structs

from mock_server.domain.paging import Query
from mock_server.store.memory import Store
from mock_server.store.protocol import RecordKind
from mock_server.store.records import decode
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.store.conftest import in_one_process, nothing
from tests.store.things import NAMES, NOTES, RICH, THINGS, Colour, Name, Note, Thing, thing

EVERYTHING = Query(limit=1000)


def keys(space: Space, query: Query = EVERYTHING) -> list[str]:
    return [found.key for found in space.transact(lambda tx: tx.find(THINGS, query)).items]


def put(space: Space, *records: Thing) -> None:
    def work(tx: Transaction) -> None:
        for record in records:
            tx.put(THINGS, record)

    space.transact(work)


def test_a_record_comes_back_as_it_was_put(space: Space) -> None:
    assert space.transact(lambda tx: tx.put(THINGS, RICH)) == RICH
    assert space.transact(lambda tx: tx.get(THINGS, "rich")) == RICH
    assert space.transact(lambda tx: tx.get(THINGS, "poor")) is None


def test_a_record_comes_back_after_thousands_of_others(space: Space) -> None:
    put(space, RICH, *(thing(str(number)) for number in range(6000)))
    again = space.transact(lambda tx: tx.get(THINGS, "rich"))
    assert again == RICH
    assert type(again) is Thing
    assert again is not RICH


def test_versions_count_the_puts(space: Space) -> None:
    assert space.transact(lambda tx: tx.version(THINGS, "a")) == 0
    put(space, thing("a"), thing("b"))
    put(space, thing("a", amount=1))
    assert space.transact(lambda tx: (tx.version(THINGS, "a"), tx.version(THINGS, "b"))) == (2, 1)
    space.transact(lambda tx: tx.remove(THINGS, "a"))
    assert space.transact(lambda tx: tx.version(THINGS, "a")) == 0
    put(space, thing("a"))
    assert space.transact(lambda tx: tx.version(THINGS, "a")) == 1


def test_a_record_can_be_removed_once(space: Space) -> None:
    put(space, thing("a", colour=Colour.RED), thing("b", colour=Colour.RED))
    assert space.transact(lambda tx: tx.remove(THINGS, "a"))
    assert not space.transact(lambda tx: tx.remove(THINGS, "a"))
    assert space.transact(lambda tx: tx.get(THINGS, "a")) is None
    assert keys(space) == keys(space, Query(filters={"colour": ("red",)})) == ["b"]


def test_newest_first_and_the_later_of_one_instant_before_the_earlier(space: Space) -> None:
    put(space, thing("b", 5), thing("late", 3), thing("a", 5), thing("c", 9))
    assert keys(space) == ["c", "a", "b", "late"]
    assert keys(space, structs.replace(EVERYTHING, ascending=True)) == ["late", "b", "a", "c"]


def test_a_put_changes_neither_number_nor_order(space: Space) -> None:
    put(space, thing("a"), thing("b"), thing("c"))
    put(space, thing("a", amount=3))
    assert keys(space) == ["c", "b", "a"]


def test_a_creation_instant_does_not_change(space: Space) -> None:
    put(space, thing("a", 5, colour=Colour.RED))
    with pytest.raises(ValueError, match="created at 5, not at 6"):
        put(space, thing("a", 6, colour=Colour.BLUE))
    assert space.transact(lambda tx: tx.tally(THINGS, "colour")) == {"red": 1}


def test_pages_and_totals(space: Space) -> None:
    put(space, *(thing(f"{number:02}", number) for number in range(25)))
    page = space.transact(lambda tx: tx.find(THINGS, Query(limit=10, offset=20)))
    assert ([found.key for found in page.items], page.total, page.offset) == (["04", "03", "02", "01", "00"], 25, 20)
    assert not page.has_more
    assert space.transact(lambda tx: tx.find(THINGS, Query(offset=30))).items == ()
    assert space.transact(lambda tx: tx.find(THINGS, Query(offset=14))).has_more


def test_created_bounds_include_both_ends(space: Space) -> None:
    put(space, *(thing(str(number), number * 10) for number in range(5)))
    assert keys(space, Query(created_gte=10, created_lte=30)) == ["3", "2", "1"]
    assert keys(space, Query(created_gte=31)) == ["4"]
    assert keys(space, Query(created_lte=9)) == ["0"]
    assert keys(space, Query(created_gte=30, created_lte=10)) == []


def test_any_value_of_a_filter_and_every_filter(space: Space) -> None:
    put(
        space,
        thing("a", colour=Colour.RED, owner="x", tags=("p", "q")),
        thing("b", colour=Colour.BLUE, owner="x", tags=("q",)),
        thing("c", colour=Colour.GREEN, owner="y"),
        thing("d", owner="x"),
    )
    assert keys(space, Query(filters={"colour": ("red", "blue", "red")})) == ["b", "a"]
    assert keys(space, Query(filters={"colour": (Colour.RED, "green"), "owner": ("y",)})) == ["c"]
    assert keys(space, Query(filters={"tag": ("q",)})) == ["b", "a"]
    assert keys(space, Query(filters={"tag": ("p", "q"), "colour": ("blue",)})) == ["b"]
    assert keys(space, Query(filters={"owner": ("nobody",)})) == []
    assert keys(space, Query(filters={"owner": ()})) == []


@pytest.mark.parametrize("values", [("nobody",), ("x",)])
def test_an_unknown_index_is_a_programming_error(space: Space, values: tuple[str, ...]) -> None:
    query = Query(filters={"owner": values, "size": ("big",)})
    with pytest.raises(KeyError, match="size"):
        space.transact(lambda tx: tx.find(THINGS, query))
    with pytest.raises(KeyError, match="size"):
        space.transact(lambda tx: tx.tally(THINGS, "size"))


def test_a_tally_counts_each_value_of_what_matches(space: Space) -> None:
    put(
        space,
        thing("a", 1, colour=Colour.RED, tags=("p", "q")),
        thing("b", 2, colour=Colour.RED, tags=("q",)),
        thing("c", 3, colour=Colour.BLUE, tags=("q",)),
        thing("d", 4),
    )
    assert space.transact(lambda tx: tx.tally(THINGS, "colour")) == {"red": 2, "blue": 1}
    assert space.transact(lambda tx: tx.tally(THINGS, "tag", Query(filters={"colour": ("red",)}))) == {"p": 1, "q": 2}
    assert space.transact(lambda tx: tx.tally(THINGS, "tag", Query(created_gte=2))) == {"q": 2}
    assert space.transact(lambda tx: tx.tally(THINGS, "colour", Query(created_gte=4))) == {}


def test_a_count_passes_limit_and_offset_over(space: Space) -> None:
    put(space, *(thing(str(number)) for number in range(30)))
    assert space.transact(lambda tx: tx.count(THINGS, Query(limit=2, offset=50))) == 30


def test_a_scan_gives_every_match_in_order(space: Space) -> None:
    put(space, *(thing(str(number), number, flag=number % 2 == 0) for number in range(7)))
    even = Query(filters={"flag": (True,)}, limit=1)
    assert space.transact(lambda tx: [found.key for found in tx.scan(THINGS, even)]) == ["6", "4", "2", "0"]
    up = structs.replace(even, ascending=True)
    assert space.transact(lambda tx: [found.key for found in tx.scan(THINGS, up)]) == ["0", "2", "4", "6"]


def test_a_scan_leaves_out_what_is_removed_meanwhile(space: Space) -> None:
    put(space, *(thing(str(number), number) for number in range(4)))

    def work(tx: Transaction) -> list[str]:
        seen = []
        for found in tx.scan(THINGS, Query()):
            seen.append(found.key)
            tx.remove(THINGS, str(found.created - 1))
        return seen

    assert space.transact(work) == ["3", "1"]


def test_a_scan_from_outside_tells_of_one_moment(space: Space) -> None:
    put(space, *(thing(str(number), number) for number in range(4)))
    scan = space.scan(THINGS, Query())
    put(space, thing("0", 0, amount=9), thing("new", 9))
    space.transact(lambda tx: tx.remove(THINGS, "3"))
    assert [(found.key, found.amount) for found in scan] == [("3", 0), ("2", 0), ("1", 0), ("0", 0)]


def test_history_given_late_takes_its_place(space: Space) -> None:
    put(space, *(thing(f"new{number}", 1000 + number, owner=str(number)) for number in range(500)))
    assert len(keys(space)) == 500
    put(space, *(thing(f"old{number}", number, owner="old") for number in range(100, 0, -1)))
    assert keys(space, Query(filters={"owner": ("old",)}, limit=2)) == ["old100", "old99"]
    assert keys(space, Query(limit=1, offset=500)) == ["old100"]
    put(space, thing("between", 1498))
    assert keys(space, Query(limit=3)) == ["new499", "between", "new498"]


def test_holes_of_removed_records_are_closed_and_order_stays(space: Space) -> None:
    put(space, *(thing(str(number), number, owner=str(number % 3)) for number in range(4000)))

    def work(tx: Transaction) -> None:
        for number in range(4000):
            if number % 10:
                tx.remove(THINGS, str(number))

    space.transact(work)
    assert keys(space, Query(limit=3)) == ["3990", "3980", "3970"]
    assert space.transact(lambda tx: tx.count(THINGS, Query(filters={"owner": ("0",)}))) == 134
    put(space, thing("3990", 3990, owner="x"), thing("4001", 4001))
    assert keys(space, Query(filters={"owner": ("x",)})) == ["3990"]
    assert keys(space, Query(limit=2)) == ["4001", "3990"]


def test_an_encoded_record_is_read_back_by_its_kind(space: Space) -> None:
    put(space, RICH)
    kept = space.transact(lambda tx: tx.encoded(THINGS, "rich"))
    put(space, structs.replace(RICH, amount=1))
    assert decode(THINGS, kept) == RICH
    with pytest.raises(TypeError, match="a Thing is no note"):
        decode(NOTES, kept)
    with pytest.raises(KeyError):
        space.transact(lambda tx: tx.encoded(THINGS, "poor"))


def test_an_encoded_record_in_another_outlives_a_dump(store: Store, space: Space) -> None:
    def work(tx: Transaction) -> None:
        tx.put(THINGS, RICH)
        kept = tx.encoded(THINGS, "rich")
        tx.put(NOTES, Note("n", 1, kept, (b"plain", kept)))

    space.transact(work)
    dump = space.dump()
    again = store.replace("other", nothing, dump)
    note = again.transact(lambda tx: tx.get(NOTES, "n"))
    assert note is not None
    assert decode(THINGS, note.about) == decode(THINGS, note.others[1]) == RICH
    assert note.others[0] == b"plain"
    assert again.dump() == dump


@in_one_process
def test_bytes_beside_a_record_are_shared_and_not_copied(space: Space) -> None:
    put(space, RICH)
    kept = space.transact(lambda tx: tx.encoded(THINGS, "rich"))
    space.transact(lambda tx: tx.put(NOTES, Note("n", 1, kept)))
    put(space, *(thing(str(number), 10 + number) for number in range(3000)))  # decoded anew after that
    note = space.transact(lambda tx: tx.get(NOTES, "n"))
    assert note is not None
    assert note.about is kept
    with pytest.raises(TypeError, match="a note shares what it is about"):
        space.transact(lambda tx: tx.encoded(NOTES, "n"))


@in_one_process
def test_what_a_record_rests_as_is_told_of_this_very_record(store: Store, space: Space) -> None:
    old = space.transact(lambda tx: tx.put(THINGS, RICH))
    kept = space.at_rest(THINGS, old)
    assert kept is space.transact(lambda tx: tx.encoded(THINGS, "rich"))
    new = space.transact(lambda tx: tx.put(THINGS, structs.replace(old, amount=1)))
    assert space.at_rest(THINGS, old) is None
    assert space.at_rest(THINGS, new) is not None
    assert space.at_rest(THINGS, thing("strange")) is None
    assert store.open("another", nothing).at_rest(THINGS, new) is None


def test_two_kinds_of_one_name_are_a_programming_error(space: Space) -> None:
    put(space, RICH)
    twin = RecordKind("thing", Note, lambda note: note.key, lambda note: note.created)
    with pytest.raises(ValueError, match="two kinds are named thing"):
        space.transact(lambda tx: tx.get(twin, "a"))


def test_what_cannot_be_kept_or_indexed_leaves_nothing(space: Space) -> None:
    put(space, thing("a", colour=Colour.RED))
    assert space.transact(lambda tx: tx.tally(THINGS, "colour")) == {"red": 1}  # from now on there are indexes
    unkept = structs.replace(RICH, owner=object())  # wrong on purpose
    with pytest.raises(TypeError):
        put(space, thing("b"), unkept)
    unindexed = structs.replace(RICH, owner=["list"])  # wrong on purpose
    with pytest.raises(TypeError):
        put(space, thing("b"), unindexed)
    with pytest.raises(TypeError):
        put(space, thing("b"), structs.replace(thing("a", colour=Colour.BLUE), owner=["list"]))  # wrong on purpose
    assert keys(space) == ["a"]
    assert space.transact(lambda tx: tx.tally(THINGS, "colour")) == {"red": 1}


def remove(keys: list[str], tx: Transaction) -> None:
    for key in keys:
        tx.remove(THINGS, key)


def test_values_that_many_few_and_one_have(space: Space) -> None:
    """Postings grow from an integer to an array to a bitmap, and shrink to nothing."""
    for count in (1, 2, 24, 25, 26, 100):
        put(space, *(thing(f"{count}-{number}", owner=str(count)) for number in range(count)))
        assert len(keys(space, Query(filters={"owner": (str(count),)}, limit=200))) == count
    for count in (100, 26, 25, 24, 2, 1):
        gone = [f"{count}-{number}" for number in range(count)]
        space.transact(partial(remove, gone[:1]))
        space.transact(partial(remove, gone[1:]))
        assert space.transact(lambda tx: tx.tally(THINGS, "owner")).get(str(count)) is None
    assert space.transact(lambda tx: tx.tally(THINGS, "owner")) == {}


def test_few_against_many(space: Space) -> None:
    colours = (Colour.RED, Colour.GREEN, Colour.BLUE)
    put(space, *(thing(str(at), at, colour=colours[at % 3], flag=at % 2 == 0) for at in range(300)))
    put(space, *(thing(f"few{at}", 300 + at, colour=colours[at], owner="few") for at in range(3)))
    assert keys(space, Query(filters={"colour": ("red", "blue"), "owner": ("few", "x")})) == ["few2", "few0"]
    assert keys(space, Query(filters={"owner": ("few",), "flag": (True, False)})) == []


def test_a_kind_of_records_with_one_field(space: Space) -> None:
    space.transact(lambda tx: tx.put(NAMES, Name("a")))
    assert space.transact(lambda tx: tx.find(NAMES, Query(filters={"text": ("a",)}))).items == (Name("a"),)
    assert [found.text for found in space.scan(NAMES, Query())] == ["a"]
