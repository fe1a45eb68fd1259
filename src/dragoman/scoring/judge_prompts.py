"""Prompts of LLM judges: the transcript, the request with retries, and decoding of the reply."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from dragoman.core.episodes import Event, Message
from dragoman.core.errors import JudgeError
from dragoman.core.protocols import ChatModel, ChatRequest, Completion
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply
from dragoman.core.texts.decoding import DECODING_ERRORS, strip_code_fence
from dragoman.core.usage import Usage

_MARK = re.compile(r"<(/?(?:conversation|assertions|scenario|questions|policy))>", re.IGNORECASE)

_Answer = TypeVar("_Answer")

RETRY_SUFFIX = "~"
"""Stands in a draw before how many remembered replies were passed over."""


def escape_marks(text: str) -> str:
    """Return a text in which nothing can pose as one of the marks around it."""
    return _MARK.sub("(\\1)", text)


def reply_text(completion: Completion) -> str:
    """Return the words of a judge's reply.

    Raises:
        JudgeError: If the reply has no words.
    """
    if not isinstance(completion.reply, TextReply):
        raise JudgeError("the judge's reply has no text")
    return completion.reply.text


def decode_judge_answer(text: str, kind: type[_Answer]) -> _Answer:
    """Decode a judge's JSON, fenced or not, as the requested record.

    Raises:
        JudgeError: If it is not such JSON.
    """
    try:
        return msgspec.json.decode(strip_code_fence(text), type=kind)
    except DECODING_ERRORS as error:
        raise JudgeError(f"the judge's reply is not the JSON asked for ({error})") from error


async def ask_judge(
    model: ChatModel,
    asked: tuple[ChatRequest, str],
    read: Callable[[str], _Answer],
    usages: list[Usage],
    is_full: Callable[[_Answer], bool] = lambda _: True,
) -> _Answer:
    """Send a request with its purpose to a judge, and return the decoded reply.

    A cached reply that cannot be read, or is not full, is skipped: the judge is asked once more.
    The usage of each call is added to `usages`.

    Raises:
        JudgeError: If a new reply has no text, or `read` refuses it.
        ParticipantError: If the provider fails.
    """
    request, purpose = asked
    passed_over, draw = 0, request.draw
    while True:
        drawn = msgspec.structs.replace(request, draw=draw)
        completion = await model.complete(drawn, purpose)
        usages.append(completion.usage)
        try:
            answer = read(reply_text(completion))
            if is_full(answer) or not completion.usage.replayed:
                return answer
        except JudgeError:
            if not completion.usage.replayed:
                raise
        passed_over += 1
        draw = f"{request.draw}{RETRY_SUFFIX}{passed_over}"


class JudgePromptLine(NamedTuple):
    """One line of what a judge is shown: whose it is, what stands before it, and its text."""

    by: str
    head: str
    text: str
    is_said: bool


def transcript(events: Sequence[Event]) -> str:
    """Render a conversation for a judge: words, calls with arguments, and results."""
    return "\n".join(f"{line.head}{line.text}" for line in judge_prompt_lines(events))


def judge_prompt_lines(events: Sequence[Event]) -> Iterator[JudgePromptLine]:
    """Yield what a judge is shown of a conversation, line by line."""
    for event in events:
        if not isinstance(event, Message):
            yield JudgePromptLine(
                "tool", f"tool result ({event.name}): ", event.content, is_said=False
            )
            continue
        by = event.by
        match event.reply:
            case TextReply(utterance=utterance):
                yield _spoken_line(by, utterance.intended)
            case ToolCallReply(calls=calls, text=text):
                if text:
                    yield _spoken_line(by, text)
                for call in calls:
                    arguments = msgspec.json.encode(call.arguments).decode()
                    yield JudgePromptLine(
                        by, f"{by} calls ", f"{call.name} {arguments}", is_said=False
                    )
            case UnparsedReply():
                yield JudgePromptLine(
                    by, f"{by}: ", "(a reply that could not be read)", is_said=False
                )


def _spoken_line(by: str, text: str) -> JudgePromptLine:
    return JudgePromptLine(by, f"{by}: ", text, is_said=True)
