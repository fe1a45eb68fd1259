"""Clarification layers: `none`, `rule`, PROVIDER/MODEL, each also after `spoken+`."""

from collections.abc import Sequence

from dragoman.core.capabilities import Recorded
from dragoman.core.clarifications import ClarificationJudge
from dragoman.core.conditions import CLARIFY, JOIN, NONE, Condition
from dragoman.core.errors import UsageError
from dragoman.core.layers import Layer
from dragoman.core.protocols import Suite
from dragoman.models.prices import strip_price
from dragoman.registry.chat_models import resolve_chat_model
from dragoman.registry.model_clients import ModelClients

RULE = "rule"
SPOKEN = f"spoken{JOIN}"
"""The prefix of a judge's name: the user's answers go through the voice channel."""


def expand_clarification_judges(
    conditions: Sequence[Condition], judges: Sequence[str]
) -> tuple[Condition, ...]:
    """Return the conditions of a grid over every judge of clarifications.

    Raises:
        UsageError: If a name does not denote a judge.
    """
    judges = [strip_price(name) for name in judges]
    for name in judges:
        _require_known(name)
    return tuple(
        condition.with_axes(**{CLARIFY: name})
        for condition in conditions
        for name in dict.fromkeys(judges or (NONE,))
    )


def clarification_layers(
    conditions: Sequence[Condition], suite: Suite, connections: ModelClients
) -> dict[str, Layer]:
    """Return the layers of the judges that conditions name, by name.

    For recorded messages, the suite's recordings say which values may be confirmed.

    Raises:
        UsageError: If a judge does not exist, or its key or address is missing.
    """
    names = dict.fromkeys(condition.axis(CLARIFY) for condition in conditions)
    return {name: _layer(name, suite, connections) for name in names if name != NONE}


def _layer(name: str, suite: Suite, connections: ModelClients) -> Layer:
    from dragoman.conditions.clarification.turn_protocol import RecordedWhitelists, clarifying_layer

    _require_known(name)
    judge = _judge(name.removeprefix(SPOKEN), connections)
    recorded = RecordedWhitelists(suite.recordings) if isinstance(suite, Recorded) else None
    return clarifying_layer(judge, aloud=name.startswith(SPOKEN), whitelist_of=recorded)


def _judge(name: str, connections: ModelClients) -> ClarificationJudge:
    from dragoman.conditions.clarification.judges import (
        ChatClarificationJudge,
        RuleClarificationJudge,
    )

    if name == RULE:
        return RuleClarificationJudge()
    model, key = resolve_chat_model(name, connections, steady=True)
    return ChatClarificationJudge(model, key[:8])


def _require_known(name: str) -> None:
    judge = name.removeprefix(SPOKEN)
    if name != NONE and judge != RULE and "/" not in judge:
        raise UsageError(
            f"--clarify {name}: choose {NONE}, {RULE} or PROVIDER/MODEL; {SPOKEN} before one has "
            "its "
            "answers spoken"
        )
