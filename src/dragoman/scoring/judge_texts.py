"""What a chat model is shown of a conversation as its judge, and how its answer is read."""

import re
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from dragoman.core.episodes import Event, Move
from dragoman.core.errors import JudgeError
from dragoman.core.protocols import Completion
from dragoman.core.speech import Called, Said, Unparsed
from dragoman.core.texts.decoding import UNREADABLE, unfenced

_MARK = re.compile(r"<(/?(?:conversation|assertions|scenario|questions))>", re.IGNORECASE)

_Answer = TypeVar("_Answer")


def inert(text: str) -> str:
    """Return a text in which nothing can pose as one of the marks around it."""
    return _MARK.sub("(\\1)", text)


def reply_text(completion: Completion) -> str:
    """Return the words of a judge's reply.

    Raises:
        JudgeError: Where it has none.
    """
    if not isinstance(completion.reply, Said):
        raise JudgeError("the judge's reply has no text")
    return completion.reply.text


def decoded_answer(text: str, kind: type[_Answer]) -> _Answer:
    """Return a judge's JSON, fenced or not, as the record that was asked for.

    Raises:
        JudgeError: Where it is not such JSON.
    """
    try:
        return msgspec.json.decode(unfenced(text), type=kind)
    except UNREADABLE as error:
        raise JudgeError(f"the judge's reply is not the JSON asked for ({error})") from error


def transcript(events: Sequence[Event]) -> str:
    """Render a conversation for a judge: words, calls with arguments, and results."""
    lines = []
    for event in events:
        if not isinstance(event, Move):
            lines.append(f"tool result ({event.name}): {event.content}")
            continue
        match event.reply:
            case Said(utterance=utterance):
                lines.append(f"{event.by}: {utterance.intended}")
            case Called(calls=calls, text=text):
                if text:
                    lines.append(f"{event.by}: {text}")
                lines += [
                    f"{event.by} calls {call.name} {msgspec.json.encode(call.arguments).decode()}"
                    for call in calls
                ]
            case Unparsed():
                lines.append(f"{event.by}: (a reply that could not be read)")
    return "\n".join(lines)
