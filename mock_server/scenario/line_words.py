"""Line and webhook rules in a few words, for a because."""

from __future__ import annotations

from mock_server.scenario.answers import LineRule, WebhookRule


def say_line(rule: LineRule) -> str:
    """A line rule in a few words."""
    words = []
    if rule.delay is not None:
        words.append("delay")
    if rule.error is not None:
        words.append(f"error {rule.error.code}")
    if rule.respond is not None:
        words.append(f"answer {rule.respond.status} as written")
    if rule.fault is not None:
        words.append(rule.fault.value)
    if rule.headers:
        words.append(f"headers {', '.join(rule.headers)}")
    if rule.kept:
        words.append("after the operation took place")
    return ", ".join(words) or "nothing"


def say_webhook(rule: WebhookRule) -> str:
    """A webhook rule in a few words."""
    words = []
    if rule.drop:
        words.append("dropped")
    if rule.deliver is not None:
        words.append(_deliver(rule))
    if rule.copies > 1:
        words.append(f"{rule.copies} copies")
    if rule.concurrently:
        words.append("at the same moment")
    if rule.signature is not None:
        words.append(f"signature {rule.signature}")
    if rule.stale:
        words.append("body of an earlier state")
    return ", ".join(words) or "nothing"


def _deliver(rule: WebhookRule) -> str:
    deliver = rule.deliver
    if deliver is None or deliver.before_response:
        return "before the response"
    if deliver.during_redirect:
        return "during the redirect"
    if deliver.following is not None:
        return f"after {deliver.following}"
    return f"{deliver.delay_ms} ms later"
