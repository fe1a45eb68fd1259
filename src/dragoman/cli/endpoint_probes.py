"""Probes of a model's endpoint: tiny requests, server detection and diagnosis of the answers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

import msgspec

from dragoman.core.protocols import ChatRequest
from dragoman.core.replies import TextReply, ToolCallReply
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolResult, Toolset, ToolSpec
from dragoman.models.catalog import load_provider_catalog
from dragoman.models.chat.streaming import assemble_completion, is_stream
from dragoman.models.http.transport import OK, MalformedResponse
from dragoman.models.model_spec import ModelSpec, with_default_parameter
from dragoman.registry.endpoint_probe import EndpointProbe, ProbeResult
from dragoman.simulation.participants.llm import incoming_message, outgoing_message

TOOL = "current_weather"
ARGUMENT = "city"
MOST_TOKENS = 512
"""The reply limit if the model's name sets none; it stops a model that would never stop."""

_SEED = 1
_MESSAGES: Sequence[Mapping[str, object]] = (
    {
        "role": "system",
        "content": "You answer in one short sentence. Where a tool can tell what is asked, call "
        "it first.",
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


def with_reply_limit(spec: ModelSpec) -> ModelSpec:
    """Return a model with a reply limit, under the parameter name that it takes."""
    if {"max_tokens", "max_completion_tokens"} & {*spec.settings}:
        return spec
    family = load_provider_catalog().family(spec.name)
    refused = {*family.refuses, *spec.provider.refuses}
    name = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
    return with_default_parameter(spec, name, MOST_TOKENS)


async def request_words(probe: EndpointProbe) -> ProbeResult:
    """Send a request for words, without tools."""
    return await probe.ask(_request(_MESSAGES, _NO_TOOLS), streams=probe.endpoint.streams)


async def request_call(probe: EndpointProbe) -> ProbeResult:
    """Send the same request with a tool that answers it."""
    return await probe.ask(_request(_MESSAGES, _TOOLS), streams=probe.endpoint.streams)


async def request_with_result(probe: EndpointProbe, called: ToolCallReply) -> ProbeResult:
    """Send the results of a reply's calls, as a conversation does."""
    results = [incoming_message(ToolResult(call.id, call.name, _RESULT)) for call in called.calls]
    messages = (*_MESSAGES, outgoing_message(called), *results)
    return await probe.ask(_request(messages, _TOOLS), streams=probe.endpoint.streams)


async def request_stream(probe: EndpointProbe) -> ProbeResult:
    """Send a request for words as a stream."""
    return await probe.ask(_request(_MESSAGES, _NO_TOOLS), streams=True)


def has_words(answer: ProbeResult) -> bool:
    """Return whether a reply has words."""
    return isinstance(answer.reply, TextReply) and bool(answer.reply.text.strip())


def _request(messages: Sequence[Mapping[str, object]], tools: Toolset) -> ChatRequest:
    return ChatRequest(messages=messages, tools=tools, seed=_SEED, label="doctor")


class ServerKind(msgspec.Struct, frozen=True):
    """One kind of server.

    Attributes:
        name: Its name for people.
        owners: The values of `owned_by` in its list of models.
        start: The command that starts it.
        tools: The setting that makes it parse tool calls.
        reasoning: The setting that separates reasoning from words.
        context: The setting for the context size of a conversation.
    """

    name: str
    owners: tuple[str, ...] = ()
    start: str = "start the server"
    tools: str = "start the server with the tool parser of this model"
    reasoning: str = "start the server with the reasoning parser of this model"
    context: str = "give the server more context"


UNKNOWN = ServerKind("a server of an unknown kind")

SERVERS: Mapping[str, ServerKind] = {
    "llamacpp": ServerKind(
        "llama.cpp",
        ("llamacpp",),
        "llama-server -m MODEL.gguf --port PORT -c TOKENS",
        "start llama-server with --jinja (the default of newer ones) and a model whose chat "
        "template "
        "has tools; --chat-template-file FILE gives it another template",
        "start llama-server with --reasoning-format auto",
        "start llama-server with -c TOKENS: the slots of -np share it",
    ),
    "ollama": ServerKind(
        "Ollama",
        ("library",),
        "ollama serve",
        "take a model for which `ollama show MODEL` lists the capability tools",
        "take a model for which `ollama show MODEL` lists the capability thinking, or switch "
        "thinking "
        "off: reasoning_effort=none",
        "OLLAMA_CONTEXT_LENGTH=TOKENS ollama serve; Ollama cuts what is longer and does not say so",
    ),
    "vllm": ServerKind(
        "vLLM",
        ("vllm",),
        "vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER",
        "start vllm serve with --enable-auto-tool-choice --tool-call-parser PARSER "
        "(hermes, llama3_json, mistral, openai, ...: each model has its own)",
        "start vllm serve with --reasoning-parser PARSER",
        "start vllm serve with --max-model-len TOKENS",
    ),
    "sglang": ServerKind(
        "SGLang",
        ("sglang",),
        "python -m sglang.launch_server --model-path MODEL --tool-call-parser PARSER",
        "start SGLang with --tool-call-parser PARSER (qwen25, llama3, mistral, gpt-oss, ...: each "
        "model has its own)",
        "start SGLang with --reasoning-parser PARSER",
        "start SGLang with --context-length TOKENS",
    ),
    "lmstudio": ServerKind(
        "LM Studio",
        ("organization_owner",),
        "lms server start",
        "take a model that LM Studio marks with a hammer: others only get a general prompt for "
        "tools",
        "have LM Studio send reasoning_content apart (its settings for developers)",
        "lms load MODEL --context-length TOKENS",
    ),
}
"""By the name of the provider in `PROVIDER/MODEL`; llama.cpp is reached as `compatible/MODEL`."""


def kind_of(provider: str, owners: frozenset[str], server_header: str) -> ServerKind:
    """Return the kind of the server.

    Args:
        provider: The part before the slash in the model's name.
        owners: The values of `owned_by` in the list of models.
        server_header: The header `Server` of an answer.
    """
    if server_header.lower().startswith("llama.cpp"):
        return SERVERS["llamacpp"]
    reported = next((each for each in SERVERS.values() if owners & {*each.owners}), None)
    return reported or SERVERS.get(provider, UNKNOWN)


MODELS = "/models"
MOST_MODELS = 1_000
MOST_NAME_CHARS = 200

_CONTEXT_KEYS = (
    "max_model_len",  # vLLM, SGLang
    "loaded_context_length",  # LM Studio
    "context_length",  # OpenRouter, Ollama's list of loaded models
    "context_window",  # Groq
    "max_context_length",  # Mistral, LM Studio
    "n_ctx",  # llama.cpp
)
_MOST_CONTEXT = 1_000_000_000


class ListedModels(msgspec.Struct, frozen=True):
    """The content of a list of models.

    Attributes:
        names: The names, in the server's order.
        owners: The values of `owned_by`.
        context: Tokens of a conversation by name, as far as they are told.
    """

    names: tuple[str, ...] = ()
    owners: frozenset[str] = frozenset()
    context: Mapping[str, int] = {}


def listed_models(answer: ProbeResult) -> ListedModels | None:
    """Return the content of a list of models; None if the answer is not a list."""
    data = _member(_object(answer), "data")
    if not isinstance(data, list):
        return None
    entries = [each for each in data[:MOST_MODELS] if isinstance(each, dict)]
    named = [(name, each) for each in entries if (name := _name(each))]
    context = {name: size for name, each in named if (size := _context_in(each))}
    owners = {str(each["owned_by"])[:MOST_NAME_CHARS] for each in entries if "owned_by" in each}
    return ListedModels(tuple(name for name, _ in named), frozenset(owners), context)


async def look_for_models(probe: EndpointProbe) -> tuple[ProbeResult, ListedModels | None]:
    """Return the answer to a request for the list of models, and its content.

    The content is None if litellm is in between.
    """
    if probe.is_by_litellm:
        return ProbeResult(error="litellm lists no models"), None
    answer = await probe.look(probe.base + MODELS)
    return answer, listed_models(answer)


async def better_address(probe: EndpointProbe) -> str:
    """Return an address of the same server that lists models; "" if none is found."""
    for address in _addresses_near(probe.base):
        if listed_models(await probe.look(address + MODELS)) is not None:
            return address
    return ""


def _addresses_near(base: str) -> Iterator[str]:
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(base))
    near = [base.removesuffix("/chat/completions"), base.removesuffix("/completions")]
    near += [f"{base}/v1", f"{origin}/v1", f"{origin}/api/v1", f"{origin}/openai/v1"]
    return (each for each in dict.fromkeys(near) if each != base)


async def context_of(
    probe: EndpointProbe, model: str, kind: ServerKind, listed: ListedModels | None
) -> int | None:
    """Return the context size of a conversation in tokens; None if the server does not state it.

    The server's own API is used if it knows more than its list of models: the loaded context may be
    smaller than the model's maximum.
    """
    root = probe.base.removesuffix("/v1")
    if kind.name == "llama.cpp":
        settings = _member(
            _object(await probe.look(f"{root}/props")), "default_generation_settings"
        )
        if size := _context_in(settings):
            return size
    if kind.name == "Ollama":
        loaded = _member(_object(await probe.look(f"{root}/api/ps")), "models")
        return _context_among(loaded, model)
    if kind.name == "LM Studio":
        for path, member in (("/api/v1/models", "models"), ("/api/v0/models", "data")):
            known = _member(_object(await probe.look(f"{root}{path}")), member)
            if size := _context_among(known, model):
                return size
    if listed is None:
        return None
    return listed.context.get(model) or (
        next(iter(listed.context.values()), None) if len(listed.names) == 1 else None
    )


def _context_among(entries: object, model: str) -> int | None:
    for each in entries[:MOST_MODELS] if isinstance(entries, list) else ():
        if isinstance(each, dict) and _name(each).removesuffix(":latest") == model.removesuffix(
            ":latest"
        ):
            return _loaded_with(each) or _context_in(each)
    return None


def _loaded_with(entry: Mapping[str, object]) -> int | None:
    """Return the context that LM Studio loaded a model with."""
    instances = entry.get("loaded_instances")
    first = instances[0] if isinstance(instances, list) and instances else None
    return _context_in(_member(first, "config"))


def _context_in(entry: object) -> int | None:
    if not isinstance(entry, dict):
        return None
    for place in (entry, entry.get("meta")):
        for key in _CONTEXT_KEYS:
            size = place.get(key) if isinstance(place, dict) else None
            if isinstance(size, int) and not isinstance(size, bool) and 0 < size < _MOST_CONTEXT:
                return size
    return None


def _name(entry: Mapping[str, object]) -> str:
    name = entry.get("id") or entry.get("key") or entry.get("name") or entry.get("model")
    return name[:MOST_NAME_CHARS] if isinstance(name, str) else ""


def _object(answer: ProbeResult) -> object:
    if answer.status != OK:
        return None
    try:
        return msgspec.json.decode(answer.body)
    except DECODING_ERRORS:
        return None


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


MOST_SHOWN = 200

_NO_KEY = frozenset({401, 403})
_NOT_THERE = frozenset({404, 405, 410})
_REDIRECTED = range(300, 400)
_REFUSALS = 400
_OF_STATUS = {OK: "not_a_completion", 429: "no_room", 503: "loading"}
_OF_FAULTS: Mapping[str, str] = {
    "timeout": "timeout",
    "dns": "no_connection",
    "connect": "no_connection",
}

_TOOLS_LEAST_TOKENS = 15
"""Least tokens of the probe's tool in any tokenizer; a smaller count means a dropped tool."""

_says_no_model = re.compile(
    r"model[^.]{0,200}?(?:not found|does ?n[o']t exist|not exist|unknown|not loaded|not available)"
    r"|(?:unknown|invalid|no such|no) model|model_not_found|pulling it first|no models loaded",
    re.IGNORECASE | re.DOTALL,
).search
_speaks_of_tools = re.compile(r"\btool|\bfunction|--jinja", re.IGNORECASE).search
_is_call_syntax = re.compile(
    rf"[\"']{TOOL}[\"']|function={TOOL}|<{TOOL}>"
    rf"|{TOOL}(?:\.\w{{1,20}}|\s|<\|\w{{1,20}}\|>|[\"':,>]){{0,8}}[({{]"
).search
_marks_reasoning = re.compile(
    r"</?(?:think|thinking|thought|reasoning|analysis)>|<\|channel\|?>|\[/?THINK\]|◁/?think▷",
    re.IGNORECASE,
).search


_is_template_mark = re.compile(
    r"<\|?(?:im_(?:start|end)|eot_id|end(?:oftext|_of_turn)?|start_of_turn|assistant|user"
    r"|system)\|?>"
    r"|</s>|\[/?INST\]",
    re.IGNORECASE,
).search


def failure_kind(answer: ProbeResult, *, sent_key: bool) -> str:
    """Return the reason for a missing reply, as one word; "" if a reply came.

    Args:
        answer: What came.
        sent_key: Whether a key was sent.
    """
    if answer.reply is not None and answer.status == OK:
        return ""
    if answer.fault is not None:
        return _OF_FAULTS.get(answer.fault, "broken")
    if answer.status in _NO_KEY:
        return "key_refused" if sent_key else "key_missing"
    if answer.status >= _REFUSALS and _says_no_model(_text(answer)):
        return "no_such_model"
    return _of_status(answer.status)


def _of_status(status: int) -> str:
    if status in _REDIRECTED or status in _NOT_THERE:
        return "wrong_address"
    return _OF_STATUS.get(status, "refused")


def _text(answer: ProbeResult) -> str:
    return answer.body.decode("utf-8", "replace")


def tools_failure_kind(answer: ProbeResult) -> str:
    """Return "tools_refused" where a refusal speaks of tools, else ""."""
    is_refusal = answer.reply is None and answer.status not in {0, OK}
    return "tools_refused" if is_refusal and _speaks_of_tools(_text(answer)) else ""


def call_problem(answer: ProbeResult) -> str:
    """Return the problem of a reply's calls, as one word; "" for none."""
    if not isinstance(answer.reply, ToolCallReply):
        return "no_call"
    first = answer.reply.calls[0]
    if first.malformed:
        return "bad_arguments"
    if first.name != TOOL:
        return "unknown_tool"
    return "" if isinstance(first.arguments.get(ARGUMENT), str) else "bad_arguments"


def writes_call_as_text(answer: ProbeResult) -> bool:
    """Return whether a reply writes a call of the tool as text, in any known call syntax."""
    return _is_call_syntax(content_of(answer)) is not None


def ignored_tools(without: ProbeResult, offered: ProbeResult) -> bool:
    """Return whether the server dropped the tool: the request with it had no more tokens."""
    if without.tokens_in is None or offered.tokens_in is None or not without.tokens_in:
        return False
    return offered.tokens_in - without.tokens_in < _TOOLS_LEAST_TOKENS


def reasoning_in(answer: ProbeResult) -> str:
    """Return the place of a reply's reasoning: "in_words", "apart", or "".

    The value is "" if no reasoning is visible.
    """
    message = _message(answer)
    if _marks_reasoning(content_of(answer)):
        return "in_words"
    reported = any(
        message.get(name) for name in ("reasoning_content", "reasoning", "reasoning_details")
    )
    return "apart" if reported else ""


def holds_template_marks(answer: ProbeResult) -> bool:
    """Return whether the words hold marks of a chat template, which then does not fit the model."""
    return _is_template_mark(content_of(answer)) is not None


def is_truncated(answer: ProbeResult) -> bool:
    """Return whether a reply ended at its length limit."""
    return _choice(answer).get("finish_reason") == "length"


def is_stream_answer(answer: ProbeResult) -> bool:
    """Return whether an answer is a stream of events."""
    return is_stream(answer.body)


def content_of(answer: ProbeResult) -> str:
    """Return the words of a reply as the server sent them."""
    content = _message(answer).get("content")
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def shortened_line(text: str) -> str:
    """Return the beginning of a text in one line."""
    line = " ".join(text[: 8 * MOST_SHOWN].split())
    return line if len(line) <= MOST_SHOWN else f"{line[: MOST_SHOWN - 1]}…"


def refusal_message(answer: ProbeResult) -> str:
    """Return the message of an answer without a reply, in one short line."""
    if answer.fault is not None or not answer.body:
        return shortened_line(answer.error)
    text = answer.body[: 8 * MOST_SHOWN].decode("utf-8", "replace")
    if text.lstrip()[:1] == "<":
        return f"status {answer.status}: a web page"
    try:
        given = msgspec.json.decode(answer.body)
    except DECODING_ERRORS:
        return f"status {answer.status}: {shortened_line(text)}"
    error = given.get("error", given) if isinstance(given, dict) else given
    message = error.get("message") or error.get("detail") if isinstance(error, dict) else error
    return (
        f"status {answer.status}: {shortened_line(message if isinstance(message, str) else text)}"
    )


def _message(answer: ProbeResult) -> Mapping[str, object]:
    message = _choice(answer).get("message")
    return message if isinstance(message, dict) else {}


def _choice(answer: ProbeResult) -> Mapping[str, object]:
    if answer.status != OK:
        return {}
    try:
        body = assemble_completion(answer.body) if is_stream_answer(answer) else answer.body
        given = msgspec.json.decode(body)
    except (*DECODING_ERRORS, MalformedResponse):
        return {}
    choices = given.get("choices") if isinstance(given, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}
