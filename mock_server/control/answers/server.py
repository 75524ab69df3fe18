"""The server, its tables, and its workspaces with their time and snapshots."""

from __future__ import annotations

from typing import Any, Final

from mock_server.contract.answers.fields import AnswerShape, Constant, Field, Many, each
from mock_server.contract.notation import FLAG, FREE, INSTANT, TEXT, WHOLE, described, many
from mock_server.control.answers import counted, of_values
from mock_server.domain.card_words import card_effect

ALIVE = of_values("Alive", Field("status", TEXT, of=Constant("ok"), nullable=False))
READY = of_values(
    "Ready",
    Field("status", TEXT, of=lambda values: "not_saving" if values.get("data", "ok") != "ok" else "ok", nullable=False),
    Field("workspaces", WHOLE, nullable=False),
    Field("data", TEXT, of=lambda values: values.get("data"), nullable=False, optional=True),
    Field("scenarios", TEXT, of=lambda values: "stale" if values["mistakes"] else "ok", nullable=False),
    Field("mistakes", many(TEXT), of=lambda values: values["mistakes"] or None, nullable=False, optional=True),
)
VERSION = of_values(
    "Version",
    Field("name", TEXT, of=Constant("payment-sandbox"), nullable=False),
    *each(TEXT, "version", "dialect", nullable=False),
)

CARDS: Final = counted(
    "Cards",
    AnswerShape.inline(
        "Card",
        *each(TEXT, "number", "name", "brand", "type", nullable=False),
        Field("effect", TEXT, of=lambda card: card_effect(card.issuer), nullable=False),
        Field("source", TEXT, nullable=False),
    ),
)
_CAUSE: Final = AnswerShape[Any].inline(
    "Cause",
    Field("cause", TEXT, nullable=False),
    Field("about", TEXT, of="cause.about", nullable=False),
    Field("status", WHOLE, nullable=False),
    *each(TEXT, "type", "code", "message", nullable=False),
    Field("source", TEXT, of="cause.source", nullable=False),
)
_CODE: Final = AnswerShape[Any].inline(
    "Code",
    Field("code", TEXT, nullable=False),
    Field("status", WHOLE, nullable=False),
    *each(TEXT, "type", "message", nullable=False),
    Field("never", TEXT, of="never", given="never"),
)
_DECLINE: Final = AnswerShape[Any].inline(
    "Decline",
    *each(TEXT, "name", "error_code", "error_message", nullable=False),
    Field("unified_code", TEXT, of="standard.unified.code", nullable=False),
)
ERRORS: Final = of_values(
    "Errors",
    Field("causes", Many(_CAUSE), nullable=False),
    Field("codes", Many(_CODE), nullable=False),
    Field("declines", Many(_DECLINE), nullable=False),
)
"""Every cause of an error with its texts, and the public codes."""
DIALECT: Final = of_values("SpokenDialect", *each(TEXT, "dialect", "set_by", nullable=False))

# workspaces, their time, their snapshots

WORKSPACE: Final = of_values(
    "Workspace",
    *each(TEXT, "name", "merchant_id", nullable=False),
    *each(TEXT, "label", "seed"),
    *each(INSTANT, "created", "now", nullable=False),
    Field("frozen", FLAG, nullable=False),
    Field("dialect", TEXT, nullable=False),
    *each(WHOLE, "payments", "customers", "events", nullable=False),
    inline=False,
    about="A workspace with its counts. The key cannot be derived from it.",
)
WORKSPACES: Final = counted("Workspaces", WORKSPACE)
VERDICTS: Final = counted(
    "Verdicts",
    of_values(
        "WorkspaceVerdict",
        Field("workspace", TEXT, nullable=False, about="The workspace's label, otherwise its name."),
        Field("summary", TEXT, nullable=False),
        Field("dropped", WHOLE, nullable=False, about="Older calls that are not in the journal any more."),
        Field("rules", many(FREE), nullable=False, about="As `payment-sandbox verdict --json` prints them."),
        inline=False,
        about="The verdict on the client of one workspace.",
    ),
    Field("not_in_memory", WHOLE, nullable=False, about="Workspaces without a verdict: evicted, or only in a file."),
)
RESET: Final = of_values(
    "Reset",
    Field("reset", WHOLE, nullable=False),
    Field("workspace", WORKSPACE, of=lambda values: values.get("workspace"), nullable=False, optional=True),
)
GONE: Final = of_values("Ended", Field("ended", FLAG, nullable=False, about="Whether there was one."))

DUE: Final = AnswerShape[Any].inline(
    "Due", Field("at", INSTANT, nullable=False), *each(TEXT, "what", "subject", nullable=False)
)
CLOCK: Final = of_values(
    "Clock",
    Field("now", INSTANT, nullable=False),
    *each(FLAG, "frozen", "advancing", nullable=False),
    Field("next_due", DUE),
    inline=False,
)
ADVANCED: Final = of_values(
    "Advanced",
    *CLOCK.rows,
    Field("fired", Many(DUE), nullable=False),
    Field("deliveries_left", WHOLE, of=lambda values: values["deliveries_left"] or None, nullable=False, optional=True),
    Field("joined", FLAG, nullable=False, about="Whether it extended a running advance."),
)

SNAPSHOT: Final = AnswerShape[Any](
    "SnapshotHead",
    Field("name", TEXT, nullable=False),
    Field("format", WHOLE, nullable=False),
    Field("made_by", TEXT, nullable=False),
    Field("bytes", WHOLE, of=lambda kept: len(kept.document), nullable=False),
)
SNAPSHOTS: Final = counted("Snapshots", SNAPSHOT)
RESTORED: Final = of_values(
    "Restored", Field("restored", TEXT, nullable=False), Field("workspace", WORKSPACE, nullable=False)
)
WHOLE_SNAPSHOT: Final = described(FREE, "A complete snapshot. It can be uploaded again with `PUT`.")
