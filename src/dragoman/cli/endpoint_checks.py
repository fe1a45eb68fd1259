"""Checks of `dragoman doctor --model NAME`: what an endpoint supports and how to fix the rest."""

import difflib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.cli import endpoint_probes
from dragoman.cli.endpoint_probes import (
    MOST_TOKENS,
    ListedModels,
    ServerKind,
    better_address,
    context_of,
    has_words,
    kind_of,
    look_for_models,
    request_call,
    request_stream,
    request_with_result,
    request_words,
    with_reply_limit,
)
from dragoman.cli.system_checks import DoctorFinding, FindingState
from dragoman.config.agent_specs import parse_agent
from dragoman.config.event_loop import run_event_loop
from dragoman.core.errors import UsageError
from dragoman.core.replies import ToolCallReply
from dragoman.models.catalog import LITELLM
from dragoman.models.model_spec import EQUAL, ModelSpec, parse_model_spec
from dragoman.registry.agents import split_options
from dragoman.registry.endpoint_probe import EndpointProbe, ProbeResult
from dragoman.registry.providers import base_address_of

PAGE = "docs/how_to/local_models.md"


class _Needs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tokens: Mapping[str, int]


@cache
def needed_tokens() -> Mapping[str, int]:
    """Return the context in tokens that a suite's longest conversation was measured to need."""
    content = (files("dragoman.cli") / "context_needs.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Needs).tokens


def context_finding(part: str, size: int | None, kind: ServerKind) -> DoctorFinding:
    """Return the finding about a context size and the suites that it is enough for.

    Args:
        part: The group of the finding.
        size: Tokens of one conversation; None where the server does not tell.
        kind: The kind of server.
    """
    if size is None:
        todo = f"the needs of each suite are listed in {PAGE}"
        return DoctorFinding(
            part, "context", "missing", "the server does not state it", todo, "untold"
        )
    short = [suite for suite, tokens in needed_tokens().items() if tokens > size]
    found = f"{size:,} tokens"
    if not short:
        return DoctorFinding(part, "context", "ok", f"{found}, enough for every suite")
    most = max(needed_tokens()[suite] for suite in short)
    todo = f"{kind.context} (up to {most:,}; {PAGE})"
    return DoctorFinding(
        part,
        "context",
        "missing",
        f"{found}, too few for {', '.join(short)}",
        todo,
        "small_context",
    )


MODEL_PART = "model"

_SHOWN_NAMES = 8
_LEAST_TOKENS = 8
"""The least number of tokens of a stream whose speed is reported."""

_NOT_ASKED = "not asked: no words came"
_HOPELESS = frozenset(
    {
        *("no_connection", "wrong_address", "key_missing", "key_refused", "no_such_model"),
        *("timeout", "loading", "no_room", "not_a_completion"),
    }
)
"""Failures that would break every further request in the same way."""

_NOT_REACHED = frozenset({"no_connection", "wrong_address", "timeout"})

Announce = Callable[[str], None]


class _Endpoint(msgspec.Struct, frozen=True):
    """One endpoint under examination.

    It has the model, the requests to it, and the server's statements about itself.
    """

    spec: ModelSpec
    probe: EndpointProbe
    kind: ServerKind
    listed: ListedModels | None
    seconds: float

    @property
    def key_name(self) -> str:
        """The variable of the key."""
        return self.spec.key_env


async def check_endpoint(
    spec: ModelSpec, probe: EndpointProbe, seconds: float, announce: Announce
) -> list[DoctorFinding]:
    """Return the findings about one endpoint.

    Args:
        spec: The model.
        probe: The client that sends the requests.
        seconds: The longest wait for one answer.
        announce: Called with a description of each request before it is sent.
    """
    announce("its list of models")
    looked, listed = await look_for_models(probe)
    owners = frozenset() if listed is None else listed.owners
    kind = kind_of(spec.name.partition("/")[0], owners, looked.server)
    at = _Endpoint(spec, probe, kind, listed, seconds)
    announce("words")
    words = await request_words(probe)
    why = endpoint_probes.failure_kind(words, sent_key=bool(probe.endpoint.key))
    better = ""
    if why in {"wrong_address", "not_a_completion", "refused"} and not probe.is_by_litellm:
        better = "" if listed is not None else await better_address(probe)
        why = "wrong_address" if better else why
    found = [_server(at, words, why, better), *_name(at, words, why), *_key(at, why)]
    found.append(_words(at, words, why))
    if why in _HOPELESS:
        found += [_not_asked_finding("tool call"), _not_asked_finding("stream")]
        return found
    announce("a tool call")
    offered = await request_call(probe)
    found += _tool_call(at, words, offered)
    if endpoint_probes.call_problem(offered) == "" and isinstance(offered.reply, ToolCallReply):
        announce("words after the call's result")
        found.append(_tool_result(await request_with_result(probe, offered.reply)))
    announce("a stream")
    streamed = await request_stream(probe)
    found.append(_stream(at, streamed))
    found += _reasoning(at, (words, offered, streamed))
    if not probe.is_by_litellm:
        announce("the size of its context")
        size = await context_of(probe, spec.model, kind, listed)
        found.append(context_finding(MODEL_PART, size, kind))
    found += _speed(streamed)
    return found


def _finding(
    subject: str, state: FindingState, found: str, todo: str = "", cause: str = ""
) -> DoctorFinding:
    return DoctorFinding(MODEL_PART, subject, state, found, todo, cause)


def _not_asked_finding(subject: str) -> DoctorFinding:
    return _finding(
        subject, "wrong" if subject == "tool call" else "missing", _NOT_ASKED, "", "not_asked"
    )


def _server(at: _Endpoint, words: ProbeResult, why: str, better: str) -> DoctorFinding:
    """Return the finding about the server at the address."""
    base = at.probe.base
    if why == "no_connection":
        todo = (
            f"{at.kind.start}; or give the address where it listens: base_url=http://HOST:PORT/v1"
        )
        return _finding("server", "wrong", f"{base}: {words.error}", todo, why)
    if why == "wrong_address":
        todo = (
            f"base_url={better}"
            if better
            else (
                "base_url is the address before /chat/completions: most servers use "
                "http://HOST:PORT/v1"
            )
        )
        if better and at.spec.base_url == "":
            todo = f"set the address: base_url={better}"
        return _finding(
            "server", "wrong", f"{base}: {endpoint_probes.refusal_message(words)}", todo, why
        )
    if why == "loading":
        found = f"{base}: {endpoint_probes.refusal_message(words)}"
        return _finding(
            "server", "wrong", found, "wait until the model is loaded, and try again", why
        )
    return _finding("server", "ok", f"{base}, {at.kind.name}")


def _name(at: _Endpoint, words: ProbeResult, why: str) -> Iterator[DoctorFinding]:
    """Yield whether the server has a model of that name, if that is known."""
    model = endpoint_probes.shortened_line(at.spec.model)
    names = () if at.listed is None else at.listed.names
    if why == "no_such_model":
        found = f"{model}: {endpoint_probes.refusal_message(words)}"
        yield _finding("name", "wrong", found, _names_to_take(at.spec.model, names), why)
    elif at.spec.model in names or f"{at.spec.model}:latest" in names:
        yield _finding("name", "ok", f"{model}, of {len(names):,} listed")
    elif names:
        found = f"{model} is not listed"
        if words.reply is not None:
            found += "; the server answers anyway, with its own model"
        yield _finding("name", "missing", found, _names_to_take(at.spec.model, names), "not_listed")
    elif why not in _NOT_REACHED and not at.probe.is_by_litellm:
        yield _finding("name", "missing", "the server lists no models", "", "no_list")


def _names_to_take(model: str, names: tuple[str, ...]) -> str:
    if not names:
        return "give the name under which the server knows the model"
    alike = difflib.get_close_matches(model, names, _SHOWN_NAMES, 0.5)
    near = dict.fromkeys([*(name for name in names if model.lower() in name.lower()), *alike])
    first = [*near, *(name for name in names if name not in near)][:_SHOWN_NAMES]
    more = f" and {len(names) - len(first):,} more" if len(names) > len(first) else ""
    return f"take one that it lists: {', '.join(map(endpoint_probes.shortened_line, first))}{more}"


def _key(at: _Endpoint, why: str) -> Iterator[DoctorFinding]:
    """Yield the problem of the key; its value is never shown."""
    name = at.key_name
    if why == "key_missing":
        todo = f"export {name}=..." if name else "export NAME=... and add key_env=NAME to the model"
        yield _finding("key", "wrong", "the server wants one and none was sent", todo, why)
    elif why == "key_refused":
        yield _finding("key", "wrong", f"that of {name} is refused", f"set another in {name}", why)
    elif at.probe.endpoint.key:
        yield _finding("key", "ok", f"that of {name} was sent")


def _words(at: _Endpoint, words: ProbeResult, why: str) -> DoctorFinding:
    if why:
        found, todo = endpoint_probes.refusal_message(words), _mending(at, words, why)
        return _finding("words", "wrong", found, todo, why)
    if not has_words(words):
        return _wordless(at, words)
    said = endpoint_probes.content_of(words)
    if endpoint_probes.holds_template_marks(words):
        todo = (
            "this is a base model, or the chat template of another model: use the instruct model "
            "with its own template"
        )
        found = f"marks of a chat template in the words: {_quote_line(said)}"
        return _finding("words", "missing", found, todo, "template_marks")
    if endpoint_probes.is_truncated(words):
        todo = (
            "is it a model for chats? Set max_tokens=1000, or each reply runs until the "
            "context is full"
        )
        found = f"words that do not end within {_limit(at)} tokens: {_quote_line(said)}"
        return _finding("words", "missing", found, todo, "endless")
    return _finding("words", "ok", f"{_quote_line(said)}{_duration(words)}")


def _wordless(at: _Endpoint, words: ProbeResult) -> DoctorFinding:
    """Return the finding about a reply without words."""
    if isinstance(words.reply, ToolCallReply):
        todo = "try again: the model may expect a tool for this question"
        found = f"a call of a tool that was not on offer: {_written_call(words)}"
        return _finding("words", "wrong", found, todo, "call_unasked")
    if endpoint_probes.is_truncated(words):
        todo = f"raise the limit ({_limit(at)} tokens now): max_tokens=4000; or switch thinking off"
        return _finding("words", "wrong", "only reasoning until the limit", todo, "reasoning_only")
    return _finding("words", "wrong", "an empty reply", "see the server's log", "empty")


def _mending(at: _Endpoint, answer: ProbeResult, why: str) -> str:
    """Return the repair after a missing reply, unless another finding states it."""
    match why:
        case "timeout":
            return (
                f"no answer within {at.seconds:g} s: is it loading, or busy? Try again with "
                "--timeout SECONDS; a run waits as long as --read-timeout says"
            )
        case "no_room":
            return "it is busy or out of credit: try again later"
        case "not_a_completion":
            return "the address does not answer as OpenAI chat completions: check base_url"
        case "refused" | "broken":
            _, _, advice = answer.error.rpartition(": ")
            is_ours = (
                advice.startswith(("add ", "leave ")) and len(advice) < endpoint_probes.MOST_SHOWN
            )
            return advice if is_ours else "the server's log says more"
        case _:
            return ""


def _tool_call(at: _Endpoint, words: ProbeResult, offered: ProbeResult) -> Iterator[DoctorFinding]:
    why = endpoint_probes.tools_failure_kind(offered) or endpoint_probes.failure_kind(
        offered, sent_key=bool(at.probe.endpoint.key)
    )
    as_text = (
        "; or have calls written as text: ?calls=python (bfcl suites) and "
        "?calls=thought-action (itc suites)"
    )
    if why == "tools_refused":
        found = endpoint_probes.refusal_message(offered)
        yield _finding("tool call", "wrong", found, at.kind.tools + as_text, why)
        return
    if why:
        found, todo = endpoint_probes.refusal_message(offered), _mending(at, offered, why)
        yield _finding("tool call", "wrong", found, todo, why)
        return
    fault = endpoint_probes.call_problem(offered)
    if not fault:
        yield _finding("tool call", "ok", f"{_written_call(offered)}{_duration(offered)}")
        return
    if fault == "no_call" and endpoint_probes.writes_call_as_text(offered):
        found = (
            f"the call is written in the words: {_quote_line(endpoint_probes.content_of(offered))}"
        )
        yield _finding("tool call", "wrong", found, at.kind.tools + as_text, "tool_parser_off")
    elif fault == "no_call" and endpoint_probes.ignored_tools(words, offered):
        found = (
            f"the server dropped the tool: {offered.tokens_in:,} tokens with it, "
            f"{words.tokens_in:,} without"
        )
        yield _finding("tool call", "wrong", found, at.kind.tools + as_text, "tools_left_out")
    elif fault == "no_call":
        found = f"no call: {_quote_line(endpoint_probes.content_of(offered)) or 'nothing'}"
        todo = "the model saw the tool and did not call it: try again, or a larger model"
        yield _finding("tool call", "wrong", found, todo + as_text, fault)
    else:
        found = f"a call that cannot be used: {_written_call(offered)}"
        todo = f"the model's own mistake, or the wrong parser: {at.kind.tools}"
        yield _finding("tool call", "wrong", found, todo, fault)


def _tool_result(answer: ProbeResult) -> DoctorFinding:
    why = endpoint_probes.failure_kind(answer, sent_key=True)
    if why:
        found = endpoint_probes.refusal_message(answer)
        todo = "every conversation with a call ends here: the server's log says why"
        return _finding("tool result", "wrong", found, todo, "result_refused")
    return _finding("tool result", "ok", f"taken{_duration(answer)}")


def _stream(at: _Endpoint, answer: ProbeResult) -> DoctorFinding:
    why = endpoint_probes.failure_kind(answer, sent_key=bool(at.probe.endpoint.key))
    todo = "do not use stream=on; streams matter only for spoken conversations"
    if why:
        return _finding("stream", "missing", endpoint_probes.refusal_message(answer), todo, why)
    if not endpoint_probes.is_stream_answer(answer):
        return _finding("stream", "missing", "the answer came whole", todo, "whole_answer")
    if not has_words(answer):
        return _finding("stream", "missing", "no words in the stream", todo, "empty")
    first = "" if answer.first_word is None else f"the first word after {answer.first_word:.1f} s"
    return _finding("stream", "ok", first or "words in pieces")


def _reasoning(at: _Endpoint, answers: tuple[ProbeResult, ...]) -> Iterator[DoctorFinding]:
    places = [endpoint_probes.reasoning_in(answer) for answer in answers]
    if "in_words" in places:
        found = "stands inside the words"
        yield _finding("reasoning", "missing", found, at.kind.reasoning, "reasoning_in_words")
    elif "apart" in places:
        yield _finding("reasoning", "ok", "comes apart from the words")


def _speed(streamed: ProbeResult) -> Iterator[DoctorFinding]:
    """Yield the speed of the stream, if it was long enough."""
    count, seconds, first = streamed.tokens_out, streamed.seconds, streamed.first_word
    if count is None or seconds is None or first is None:
        return
    if count >= _LEAST_TOKENS and seconds - first > 0:
        yield _finding(
            "speed", "ok", f"about {(count - 1) / (seconds - first):,.0f} tokens a second"
        )


def _limit(at: _Endpoint) -> object:
    settings = at.probe.endpoint.settings
    return settings.get("max_tokens") or settings.get("max_completion_tokens") or MOST_TOKENS


def _written_call(answer: ProbeResult) -> str:
    calls = answer.reply.calls if isinstance(answer.reply, ToolCallReply) else ()
    first = calls[0]
    arguments = first.raw or msgspec.json.encode(first.arguments).decode()
    return endpoint_probes.shortened_line(f"{first.name}({arguments})")


def _quote_line(text: str) -> str:
    line = endpoint_probes.shortened_line(text)
    return f'"{line}"' if line else ""


def _duration(answer: ProbeResult) -> str:
    return "" if answer.seconds is None else f", {answer.seconds:.1f} s"


def check_model(written: str, seconds: float, announce: Announce) -> list[DoctorFinding]:
    """Return the findings about a model.

    Args:
        written: The model, as agents are named; options of calls in text are left aside.
        seconds: The longest wait for each answer.
        announce: Called with a description of each request before it is sent.

    Raises:
        UsageError: For a model that does not exist, or has no endpoint.
    """
    name, _ = split_options(parse_agent(written).spec)
    if "/" not in name.partition("?")[0] or name.startswith(("http://", "https://")):
        raise UsageError(
            f"{written}: write a model, PROVIDER/MODEL: the check sends requests to its endpoint"
        )
    if name.startswith(("local/", "scripted/")):
        raise UsageError(f"{written} has no endpoint to check")
    spec = with_reply_limit(parse_model_spec(name))
    return run_event_loop(_check_endpoints(spec, seconds, announce))


async def _check_endpoints(
    spec: ModelSpec, seconds: float, announce: Announce
) -> list[DoctorFinding]:
    addresses = _addresses(spec)
    found: list[DoctorFinding] = []
    for address in addresses:
        one = msgspec.structs.replace(spec, base_url=address) if len(addresses) > 1 else spec
        things = await _check_address(one, seconds, announce)
        found += things if len(addresses) == 1 else [_of(address, each) for each in things]
    return found


async def _check_address(
    spec: ModelSpec, seconds: float, announce: Announce
) -> list[DoctorFinding]:
    try:
        probe = EndpointProbe(spec, seconds)
    except UsageError as error:
        if not spec.key_env:
            raise
        todo = f"export {spec.key_env}=..."
        return [DoctorFinding(MODEL_PART, "key", "wrong", str(error), todo, "key_missing")]
    try:
        return await check_endpoint(spec, probe, seconds, announce)
    finally:
        await probe.close()


def _addresses(spec: ModelSpec) -> list[str]:
    """Return the addresses of a model; each endpoint of a pool is checked."""
    if spec.provider.url.startswith(LITELLM):
        return [spec.base_url]
    return base_address_of(spec).split(EQUAL)


def _of(address: str, found: DoctorFinding) -> DoctorFinding:
    return msgspec.structs.replace(found, subject=f"{found.subject} at {address}")
