"""The layer of clarifications."""

from dragoman.conditions.clarifying.conductor import MAX_CLARIFICATIONS, Clarifying, WhitelistOf
from dragoman.core.conditions import CLARIFY
from dragoman.core.keys import content_key
from dragoman.core.layers import Layer
from dragoman.core.tasks import Task
from dragoman.core.voice.clarifications import DECISIONS, ClarificationJudge


def clarifying_layer(
    judge: ClarificationJudge, *, aloud: bool, whitelist_of: WhitelistOf | None = None
) -> Layer:
    """Return what lets a judge decide about the agent's questions.

    Args:
        judge: Who decides.
        aloud: Whether answers are spoken where the user's words are.
        whitelist_of: What may be confirmed, where the suite's data say so: their digest stands for it in
            keys; None for what planned calls need.
    """
    identity = content_key(DECISIONS, MAX_CLARIFICATIONS, judge.name, aloud)
    record = {"judge": judge.name, "decisions": DECISIONS, "aloud": aloud}

    def of_task(task: Task) -> Layer:
        return Layer(
            CLARIFY,
            identity,
            record,
            conductor=lambda inner: Clarifying(
                inner, judge, task, aloud=aloud, whitelist_of=whitelist_of
            ),
            may_ask=True,
        )

    return Layer(CLARIFY, identity, record, may_ask=True, of_task=of_task)
