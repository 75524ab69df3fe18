"""Business profiles (facts §1.5)."""

from __future__ import annotations

from mock_server.contract.answers import profile as answers
from mock_server.contract.requests import profiles as shapes
from mock_server.domain.paging import Query
from mock_server.domain.profile import Profile, ProfileFields
from mock_server.engine import profiles
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show, show_page

views = Resource("profiles")

PROFILE = PerDialect(lambda dialect: shapes.profile(dialect.readings))
LIST = PerDialect(lambda dialect: shapes.profiles_list(dialect.list_keys.parameters))


def shown(call: Call, profile: Profile) -> Answer:
    """A profile as an answer."""
    return show(answers.profile(profile, call.sandbox.dialect))


@views.view("profiles.create", PROFILE)
def create_profile(call: Call, fields: ProfileFields, merchant_id: str) -> Answer:
    return shown(call, run(call, profiles.create, merchant_id, fields))


@views.view("profiles.list", query=LIST)
def list_profiles(call: Call, query: Query, merchant_id: str) -> Answer:
    return show_page(call, run(call, profiles.page, merchant_id, query), answers.profile)


@views.view("profiles.retrieve")
def retrieve_profile(call: Call, merchant_id: str, profile_id: str) -> Answer:
    return shown(call, run(call, profiles.retrieve, merchant_id, profile_id))


@views.view("profiles.update", PROFILE)
def update_profile(call: Call, fields: ProfileFields, merchant_id: str, profile_id: str) -> Answer:
    return shown(call, run(call, profiles.update, merchant_id, profile_id, fields))


@views.view("profiles.replace", PROFILE)
def replace_profile(call: Call, fields: ProfileFields, merchant_id: str, profile_id: str) -> Answer:
    return shown(call, run(call, profiles.replace, merchant_id, profile_id, fields))


@views.view("profiles.delete")
def delete_profile(call: Call, merchant_id: str, profile_id: str) -> Answer:
    return show(run(call, profiles.delete, merchant_id, profile_id))


@views.view("profiles.toggle_connector_agnostic_mit", shapes.TOGGLE)
def toggle_connector_agnostic_mit(call: Call, enabled: bool, merchant_id: str, profile_id: str) -> Answer:
    fields = ProfileFields({"is_connector_agnostic_mit_enabled": enabled})
    profile = run(call, profiles.update, merchant_id, profile_id, fields)
    return show({"enabled": profile.is_connector_agnostic_mit_enabled})
