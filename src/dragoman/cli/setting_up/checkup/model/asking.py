"""The tiny requests that `dragoman doctor --model NAME` sends: words, a tool call, its result, a stream."""

from collections.abc import Mapping, Sequence

from dragoman.core.protocols import ChatRequest
from dragoman.core.speech import Called, Said
from dragoman.core.tools import ToolResult, Toolset, ToolSpec
from dragoman.models.catalog import load_provider_catalog
from dragoman.models.model_spec import ModelSpec, with_default_parameter
from dragoman.simulation.participants.llm import incoming_message, outgoing_message
from dragoman.wiring.probing import ModelProbe, Probed

TOOL = "current_weather"
ARGUMENT = "city"
MOST_TOKENS = 512
"""Of one reply, where the model's name says nothing else: a model that never stops is stopped."""

_SEED = 1
_MESSAGES: Sequence[Mapping[str, object]] = (
    {
        "role": "system",
        "content": "You answer in one short sentence. Where a tool can tell what is asked, call it first.",
    },
    {"role": "user", "content": "What is the weather in Lisbon right now?"},
)
_RESULT = '{"sky": "clear", "celsius": 21}'
_TOOLS = Toolset(
    (
        ToolSpec(
            TOOL,
            "Return the weather in a city at this moment, as the sky and the temperature.",
            {
                "type": "object",
                "properties": {ARGUMENT: {"type": "string", "description": "The city's name."}},
                "required": [ARGUMENT],
            },
        ),
    )
)
_NO_TOOLS = Toolset(())


def bounded(spec: ModelSpec) -> ModelSpec:
    """Return a model whose replies are bounded, under the name that it takes the bound by."""
    if {"max_tokens", "max_completion_tokens"} & {*spec.settings}:
        return spec
    family = load_provider_catalog().family(spec.name)
    refused = {*family.refuses, *spec.provider.refuses}
    name = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
    return with_default_parameter(spec, name, MOST_TOKENS)


async def ask_for_words(probe: ModelProbe) -> Probed:
    """Ask for words: no tools are offered."""
    return await probe.ask(_request(_MESSAGES, _NO_TOOLS), streams=probe.endpoint.streams)


async def ask_for_call(probe: ModelProbe) -> Probed:
    """Ask the same with a tool on offer that tells what is asked."""
    return await probe.ask(_request(_MESSAGES, _TOOLS), streams=probe.endpoint.streams)


async def ask_with_result(probe: ModelProbe, called: Called) -> Probed:
    """Give the result of the calls of a reply back, as a conversation does."""
    results = [incoming_message(ToolResult(call.id, call.name, _RESULT)) for call in called.calls]
    messages = (*_MESSAGES, outgoing_message(called), *results)
    return await probe.ask(_request(messages, _TOOLS), streams=probe.endpoint.streams)


async def ask_for_stream(probe: ModelProbe) -> Probed:
    """Ask for words as a stream."""
    return await probe.ask(_request(_MESSAGES, _NO_TOOLS), streams=True)


def has_words(answer: Probed) -> bool:
    """Whether a reply says something."""
    return isinstance(answer.reply, Said) and bool(answer.reply.text.strip())


def _request(messages: Sequence[Mapping[str, object]], tools: Toolset) -> ChatRequest:
    return ChatRequest(messages=messages, tools=tools, seed=_SEED, label="doctor")
