"""The rule judge: allows only questions of which it can prove that the whitelist answers them."""

from dragoman.conditions.clarifying.asking import Enquiry, asked
from dragoman.conditions.clarifying.question_words import name_of
from dragoman.conditions.clarifying.words import words
from dragoman.core.voice.clarifications import (
    ClarificationRequest,
    ClarificationVerdict,
    Reason,
    Whitelist,
)


class RuleClarificationJudge:
    """Reads English questions; whatever it cannot prove is rejected, with the reason."""

    def __init__(self) -> None:
        self.name = f"rule-2@{words().digest[:8]}"

    async def decide(self, request: ClarificationRequest) -> ClarificationVerdict:
        """Return the decision."""
        found = asked(request)
        reason = _reason(found)
        reply = reply_with(found.topics, request.allowed) if reason == "allowed" else ""
        if reply and found.is_right:
            reply = f"Yes, {reply}"
        return ClarificationVerdict(reason, reply, self.name)


def _reason(found: Enquiry) -> Reason:
    if not found.is_question:
        return "no question"
    if found.outside:
        return "outside"
    if found.ambiguous:
        return "ambiguous"
    if not found.topics:
        return "no topic"
    return "unproven" if found.unknown else "allowed"


def reply_with(topics: tuple[str, ...], allowed: Whitelist) -> str:
    """Return the user's answer: the value alone, or several with their topics, each value once."""
    values = dict.fromkeys(allowed[topic] for topic in topics)
    if len(values) == 1:
        return next(iter(values))
    first = {value: topic for topic in reversed(topics) for value in (allowed[topic],)}
    return "; ".join(f"{_label(first[value], allowed)}: {value}" for value in values)


def _label(topic: str, allowed: Whitelist) -> str:
    return name_of(topic, allowed).replace("_", " ")
