"""Requests to chat models that help to build data: budget, prompts, answers as JSON.

A question is a prompt of `curation/prompts`, data as JSON, and the type of the answer (structured
output). The seed of a request is derived from its content, so equal questions are cached.
"""

import functools
from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from dragoman.composition.concurrency import require_read_timeout, timeouts_of
from dragoman.composition.spending import with_stated_prices
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import ParticipantError, UsageError
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.replies import TextReply
from dragoman.core.texts.decoding import DECODING_ERRORS, strip_code_fence
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.http.transport import RetryPolicy
from dragoman.models.prices import PriceTable, load_prices
from dragoman.registry.chat_models import translation_model
from dragoman.registry.model_clients import ModelClients

T = TypeVar("T")


class ModelOptions(msgspec.Struct, frozen=True):
    """Options for requests to models.

    Attributes:
        concurrency: Items under way at the same time.
        max_cost: Spending limit, such as "5 USD"; "" for none.
        prices: A file with a custom price table.
        retry_for: Seconds to keep trying a request or a silent endpoint; None for the default.
        read_timeout: Seconds a server may be silent during a call; None for a default that depends
            on its address.
    """

    concurrency: int = 8
    max_cost: str = ""
    prices: Path | None = None
    retry_for: float | None = msgspec.field(default=None, name="patience")
    read_timeout: float | None = None

    def __post_init__(self) -> None:
        """Validate the options.

        Raises:
            UsageError: For a number below 1.
        """
        for option, number in {"concurrency": self.concurrency, "patience": self.retry_for}.items():
            if number is not None and not number >= 1:
                raise UsageError(f"--{option} {number:g}: at least 1")
        require_read_timeout(self.read_timeout)


def model_names(written: str) -> tuple[str, ...]:
    """Return the distinct names in a comma-separated list.

    Raises:
        UsageError: If the list has no name.
    """
    names = tuple(dict.fromkeys(name.strip() for name in written.split(",") if name.strip()))
    if not names:
        raise UsageError("no model: name one with --model PROVIDER/MODEL, several by commas")
    return names


async def run_with_models(
    names: tuple[str, ...],
    terms: ModelOptions,
    work: Callable[[Mapping[str, ChatModel]], Awaitable[T]],
) -> T:
    """Open models, run work with them, and close them.

    The temperature is 0 unless a model's name requests another one.

    Args:
        names: Models, as `--model` takes them.
        terms: Options for the requests.
        work: Receives the models by these names.

    Raises:
        UsageError: For a model that does not exist, or whose key or address is missing.
    """
    retry_for = RetryPolicy()
    if terms.retry_for is not None:
        retry_for = RetryPolicy(seconds=terms.retry_for, outage=terms.retry_for)
    connections = ModelClients(timeouts_of(terms.read_timeout), retry_for, _budget(terms, names))
    try:
        return await work({name: translation_model(name, connections) for name in names})
    finally:
        await connections.close()


def _budget(terms: ModelOptions, names: Iterable[str]) -> Budget | None:
    if not terms.max_cost:
        return None
    prices = prices_of(terms, names)
    return Budget(parse_spend_limit(terms.max_cost), prices.price_of, goes_on="the same command")


def prices_of(terms: ModelOptions, names: Iterable[str]) -> PriceTable:
    """Return the prices of models: those of the options, overridden by those in the names.

    Raises:
        UsageError: If a price is malformed, or a model has two prices.
    """
    return with_stated_prices(load_prices(terms.prices), names)


MAX_ANSWER = 40_000
"""Longest answer that is accepted, in characters; a longer one counts as no answer."""


class ModelAnswer(msgspec.Struct, Generic[T], frozen=True):
    """A model's answer; `value` is None if it cannot be used, and `why` gives the reason."""

    value: T | None
    why: str = ""
    usage: tuple[Usage, ...] = ()


class ModelQuestion(msgspec.Struct, Generic[T], frozen=True):
    """A question to a model: its purpose in ledgers, prompt name, data and answer shape."""

    purpose: str
    prompt: str
    data: Mapping[str, object]
    shape: type[T]
    schema: Mapping[str, object]


async def ask_for_json(question: ModelQuestion[T], model: ChatModel) -> ModelAnswer[T]:
    """Return a model's answer to a question.

    Raises:
        RunHalted: If the endpoint refuses all requests or the budget is spent.
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
    """Return the prompt of that name."""
    return (files(__package__) / "prompts" / f"{name}.md").read_text("utf-8")


@functools.cache
def prompt_version(name: str) -> str:
    """Return a prompt's name with a hash of its text."""
    return f"{name}@{content_key(prompt_text(name))[:8]}"
