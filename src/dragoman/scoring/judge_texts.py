"""What a chat model is shown of a conversation as its judge, and how its answer is read."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

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


class ShownLine(NamedTuple):
    """One line of what a judge is shown: whose it is, what stands before it, and its text."""

    by: str
    head: str
    text: str
    is_said: bool


def transcript(events: Sequence[Event]) -> str:
    """Render a conversation for a judge: words, calls with arguments, and results."""
    return "\n".join(f"{line.head}{line.text}" for line in shown_lines(events))


def shown_lines(events: Sequence[Event]) -> Iterator[ShownLine]:
    """Yield what a judge is shown of a conversation, line by line."""
    for event in events:
        if not isinstance(event, Move):
            yield ShownLine("tool", f"tool result ({event.name}): ", event.content, is_said=False)
            continue
        by = event.by
        match event.reply:
            case Said(utterance=utterance):
                yield _said(by, utterance.intended)
            case Called(calls=calls, text=text):
                if text:
                    yield _said(by, text)
                for call in calls:
                    arguments = msgspec.json.encode(call.arguments).decode()
                    yield ShownLine(by, f"{by} calls ", f"{call.name} {arguments}", is_said=False)
            case Unparsed():
                yield ShownLine(by, f"{by}: ", "(a reply that could not be read)", is_said=False)


def _said(by: str, text: str) -> ShownLine:
    return ShownLine(by, f"{by}: ", text, is_said=True)
