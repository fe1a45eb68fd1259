"""Names of judges and simulated users as in results, without loading a participant."""

from dragoman.core.scores import IMPORTED, NO_JUDGE
from dragoman.models.prices import strip_price


def judge_name(spec: str | None) -> str | None:
    """Return the name of a judge in scores; None if no judge is named."""
    if spec is None or spec == IMPORTED:
        return spec
    # Commands that read results start quickly: judges are loaded only if one is named.
    if "/" in spec:
        from dragoman.registry.chat_models import model_identity
        from dragoman.scoring.judges import ASSERTIONS, chat_judge_name

        name, key = model_identity(spec)
        return chat_judge_name(ASSERTIONS, name, key[:8])
    from dragoman.registry.participants import resolve_judge

    judge = resolve_judge(spec)
    return NO_JUDGE if judge is None else judge.name


def user_name(user: str, agent: str) -> str:
    """Return the name of an agent's user simulator; an empty name stands for its partner."""
    from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name

    return strip_price(user) or ("gold" if wrapped_agent_name(agent) == "gold" else "offline")
