"""Profiles that share a name, as those that are created on first use can (ours: decisions, Keys)."""

from __future__ import annotations

import pytest

from tests.api.places import workspace
from tests.wire import Wire, card_payment


@pytest.fixture
def admin(api: Wire) -> Wire:
    """A client with an admin's key."""
    return api.as_key("test_admin")


@pytest.mark.parametrize(
    "named",
    [
        (("pro_x", "default"),),
        (("pro_x", "default"), ("default", None)),
        ((None, None), ("default", None)),
        (("pro_x", "pro_y"), ("pro_y", None)),
    ],
    ids=["named default", "and one with this id", "with this id", "named as another's id"],
)
def test_names_of_profiles_refuse_nothing_but_a_name(
    api: Wire, admin: Wire, named: tuple[tuple[str | None, str | None], ...]
) -> None:
    merchant = workspace(api).identity.merchant_id
    home = f"/account/{merchant}/business_profile"
    for profile, name in named:
        asked = api.get(home) if profile is None else api.post("/payments", card_payment(profile_id=profile))
        assert asked.status == 200  # the list makes the default profile, a payment its own
        assert name is None or api.post(f"{home}/{profile}", {"profile_name": name}).status == 200
    account = admin.get(f"/accounts/{merchant}")
    assert account.status == 200, account.raw
    assert admin.post(f"/accounts/{merchant}", {"merchant_name": "Shop"}).status == 200
    profiles = api.get(home)["data"]
    assert account["default_profile"] in {one["profile_id"] for one in profiles}
    for one in profiles:
        assert api.post(f"{home}/{one['profile_id']}", {"return_url": "https://shop.example"}).status == 200
