"""`browser_info`: what the customer's browser says of itself (interface §2.3)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.requests.fields import Flag, Text, Whole
from mock_server.contract.requests.schema import Shown

_I23: Final = "interface §2.3"
_HEADER: Final = 2_048
"""Headers of a browser may be longer than other texts (ours)."""


class BrowserInfo(Shown):
    """Recommended for all card payments, at least `ip_address` and `user_agent`."""

    ip_address = Text("Client IP address.", source=_I23, example="203.0.113.7")
    user_agent = Text("Browser user agent.", most=_HEADER, source=_I23, example="Mozilla/5.0")
    accept_header = Text("Accepted content types of the browser.", most=_HEADER, source=_I23, example="text/html")
    accept_language = Text(
        "Accept-language header of the browser.", most=_HEADER, source=_I23, example="en-US,en;q=0.9"
    )
    language = Text("Browser language, such as a language tag.", source=_I23, example="en-US")
    color_depth = Whole("Colour depth.", source=_I23, least=0, example=24)
    screen_height = Whole("Pixels.", source=_I23, least=0, example=1080)
    screen_width = Whole("Pixels.", source=_I23, least=0, example=1920)
    time_zone = Whole("Client UTC offset in minutes.", source=_I23, example=-60)
    java_enabled = Flag("Whether Java is enabled.", source=_I23, example=False)
    java_script_enabled = Flag("Whether JavaScript is enabled.", source=_I23, example=True)
    os_type = Text("Client OS type.", source=_I23, example="Linux")
    os_version = Text("Client OS version.", source=_I23)
    device_model = Text("Client device model.", source=_I23)
    referer = Text("Source that initiated the request.", most=_HEADER, source=_I23)
