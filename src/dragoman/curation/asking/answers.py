"""One question to a chat model, and its answer as the JSON that was asked for, or why it is none."""

import functools
from collections.abc import Mapping
from importlib.resources import files
from typing import Generic, TypeVar

import msgspec

from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.replies import TextReply
from dragoman.core.texts.decoding import DECODING_ERRORS, strip_code_fence
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage

T = TypeVar("T")

MAX_ANSWER = 40_000
"""Characters of an answer; a longer one is none."""


class ModelAnswer(msgspec.Struct, Generic[T], frozen=True):
    """What a model answered; `value` is None where `why` says why it cannot be used."""

    value: T | None
    why: str = ""
    usage: tuple[Usage, ...] = ()


class ModelQuestion(msgspec.Struct, Generic[T], frozen=True):
    """What is asked: for which purpose in ledgers, the prompt's name, the data, the answer's shape."""

    purpose: str
    prompt: str
    data: Mapping[str, object]
    shape: type[T]
    schema: Mapping[str, object]


async def asked(question: ModelQuestion[T], model: ChatModel) -> ModelAnswer[T]:
    """Return a model's answer to a question.

    Raises:
        RunHalted: Where the endpoint refuses everything, or the budget is spent.
    """
    data = msgspec.json.encode(question.data).decode()
    key = content_key(prompt_version(question.prompt), data)
    messages = [
        {"role": "system", "content": prompt_text(question.prompt)},
        {"role": "user", "content": data},
    ]
    request = ChatRequest(
        messages,
        NO_TOOLS,
        derive_seed(key, question.prompt),
        question.prompt,
        key=key,
        reply_schema=question.schema,
    )
    try:
        completion = await model.complete(request, question.purpose)
    except ParticipantError as error:
        used = (error.usage,) if isinstance(error.usage, Usage) else ()
        return ModelAnswer(None, f"no answer: {error}", used)
    usage = (completion.usage,)
    if not isinstance(completion.reply, TextReply):
        return ModelAnswer(None, "the answer has no text", usage)
    text = completion.reply.text
    if len(text) > MAX_ANSWER:
        return ModelAnswer(None, f"the answer is longer than {MAX_ANSWER:,} characters", usage)
    try:
        return ModelAnswer(
            msgspec.json.decode(strip_code_fence(text), type=question.shape), "", usage
        )
    except DECODING_ERRORS as error:
        return ModelAnswer(None, f"the answer is not the JSON asked for ({error})", usage)


@functools.cache
def prompt_text(name: str) -> str:
    """Return what a model is told: the file of that name."""
    return (files(__package__) / "prompts" / f"{name}.md").read_text("utf-8")


@functools.cache
def prompt_version(name: str) -> str:
    """Return a prompt's name with a hash of what it says."""
    return f"{name}@{content_key(prompt_text(name))[:8]}"
