"""The LLM judge: a chat model decides; what it may not decide is taken back, whatever it said."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.conditions.clarifying.alike import folded
from dragoman.conditions.clarifying.asking import asked
from dragoman.conditions.clarifying.question_words import topic_words
from dragoman.conditions.clarifying.words import words
from dragoman.core.keys import content_key
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.speech import Said
from dragoman.core.texts.decoding import UNREADABLE, unfenced
from dragoman.core.tools import NO_TOOLS
from dragoman.core.voice.clarifications import (
    ClarificationRequest,
    ClarificationVerdict,
    Reason,
    Whitelist,
)

PROMPT = "judge-1.md"
VERSION = "chat-2"
"""The version of the prompt and of the checks of what a model answers."""
PURPOSE = "clarification judge"
MAX_REPLY = 300
"""Characters of a reply that is brief."""
MAX_ANSWER = 2_000
"""Characters of a model's answer that are kept."""
MOST_REPEATED = 4
"""Words of the request in a row, values aside, that a reply may have."""

SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"allowed": {"type": "boolean"}, "message": {"type": "string"}},
    "required": ["allowed", "message"],
    "additionalProperties": False,
}
"""What providers that take schemas hold a judge to; its answer is read as strictly without."""

_MARK = re.compile(
    r"<(/?(?:intended_request|asr_text|assistant_message|allowed_clarifications))>", re.IGNORECASE
)
_WORD = re.compile(r"\w+")


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    allowed: bool
    message: str


class ChatClarificationJudge:
    """Asks a chat model.

    Args:
        model: Whom.
        version: Tells models of one name apart; it is part of the judge's name.
    """

    def __init__(self, model: ChatModel, version: str = "") -> None:
        self._model = model
        name = f"{VERSION}-{content_key(_prompt())[:8]}:{model.name}"
        self.name = f"{name}@{version}" if version else name

    async def decide(self, request: ClarificationRequest) -> ClarificationVerdict:
        """Return the model's decision, or a rejection where it may not stand."""
        messages = [
            {"role": "system", "content": _prompt()},
            {"role": "user", "content": _question(request)},
        ]
        chat = ChatRequest(
            messages, NO_TOOLS, 0, request.label, draw=request.draw, reply_schema=SCHEMA
        )
        completion = await self._model.complete(chat, PURPOSE)
        said = completion.reply.text if isinstance(completion.reply, Said) else ""
        reason, reply = judged(said, request)
        return ClarificationVerdict(reason, reply, self.name, said[:MAX_ANSWER], completion.usage)


def judged(answer: str, request: ClarificationRequest) -> tuple[Reason, str]:
    """Return what comes of a model's answer: the reason, and the reply where it is allowed."""
    try:
        decided = msgspec.json.decode(unfenced(answer), type=_Answer)
    except UNREADABLE:
        return "unreadable", ""
    if not decided.allowed:
        return "judge", ""
    reply = decided.message.strip()
    reason = _objection(reply, request)
    return (reason, "") if reason else ("allowed", reply)


def _objection(reply: str, request: ClarificationRequest) -> Reason | None:
    """Return why an approval cannot stand; None where it can."""
    if _leaks(reply, request):
        return "leak"
    if asked(request).outside:
        return "outside"
    if len(reply) > MAX_REPLY or not any(value in reply for value in request.allowed.values()):
        return "reply outside"
    return "reply outside" if any(_foreign(reply, request.allowed)) else None


def _leaks(reply: str, request: ClarificationRequest) -> bool:
    """Whether a reply says the request, or a stretch of it that is more than the values."""
    said = folded(reply)
    for text in (request.intended, request.heard):
        whole = folded(text)
        is_value = any(whole == folded(value) for value in request.allowed.values())
        if whole and not is_value and whole in said:
            return True
    left, told = (_without_values(text, request.allowed) for text in (reply, request.intended))
    runs = set(_runs(_words(told)))
    return any(run in runs for run in _runs(_words(left)))


def _runs(found: Sequence[str]) -> Iterator[tuple[str, ...]]:
    length = MOST_REPEATED + 1
    return (tuple(found[start : start + length]) for start in range(len(found) - length + 1))


def _foreign(reply: str, allowed: Whitelist) -> Iterator[str]:
    """Yield the words of a reply that neither belong to the whitelist nor say nothing by themselves."""
    named = {word for topic in allowed for word in topic_words(topic)}
    spelled = {sign for value in allowed.values() for sign in folded(value)}
    for word in _words(_without_values(reply, allowed)):
        if word not in words().common and word not in named | spelled:
            yield word


def _without_values(text: str, allowed: Whitelist) -> str:
    """Return a text with the allowed values cut out, the longest first; what is left keeps its order."""
    for value in sorted(allowed.values(), key=len, reverse=True):
        cut = rf"(?<!\w){re.escape(value)}(?!\w)"
        text = re.sub(cut, " | ", text, flags=re.IGNORECASE)
    return text


def _words(text: str) -> list[str]:
    return [folded(word) for word in _WORD.findall(text.replace("'", "")) if folded(word)]


def _question(request: ClarificationRequest) -> str:
    parts = {
        "intended_request": request.intended,
        "asr_text": request.heard,
        "assistant_message": request.message,
        "allowed_clarifications": msgspec.json.encode(request.allowed).decode(),
    }
    return "\n".join(f"<{name}>\n{_inert(text)}\n</{name}>" for name, text in parts.items())


def _inert(text: str) -> str:
    """Return a text in which nothing can pose as one of the marks around it."""
    return _MARK.sub("(\\1)", text)


@cache
def _prompt() -> str:
    return files(__package__).joinpath(PROMPT).read_text("utf-8")
