"""Asks one endpoint of a model and says what works, what does not, and what to do about each."""

import difflib
from collections.abc import Callable, Iterator

import msgspec

from dragoman.cli.setting_up.checkup.findings import CheckedThing, State
from dragoman.cli.setting_up.checkup.model import reading
from dragoman.cli.setting_up.checkup.model.asking import (
    MOST_TOKENS,
    ask_for_call,
    ask_for_stream,
    ask_for_words,
    ask_with_result,
    has_words,
)
from dragoman.cli.setting_up.checkup.model.listing import (
    ListedModels,
    better_address,
    context_of,
    look_for_models,
)
from dragoman.cli.setting_up.checkup.model.needs import context_finding
from dragoman.cli.setting_up.checkup.model.servers import ServerKind, kind_of
from dragoman.core.speech import Called
from dragoman.models.model_spec import ModelSpec
from dragoman.wiring.probing import ModelProbe, Probed

PART = "model"

_SHOWN_NAMES = 8
_LEAST_TOKENS = 8
"""Of a stream: a shorter one says nothing about speed."""

_NOT_ASKED = "not asked: no words came"
_HOPELESS = frozenset(
    {
        *("no_connection", "wrong_address", "key_missing", "key_refused", "no_such_model"),
        *("timeout", "loading", "no_room", "not_a_completion"),
    }
)
"""What would break every further request in the same way."""

_NOT_REACHED = frozenset({"no_connection", "wrong_address", "timeout"})

Announce = Callable[[str], None]


class _Endpoint(msgspec.Struct, frozen=True):
    """One endpoint under examination: the model, how it is asked, and what its server says of itself."""

    spec: ModelSpec
    probe: ModelProbe
    kind: ServerKind
    listed: ListedModels | None
    seconds: float

    @property
    def key_name(self) -> str:
        """The variable of the key."""
        return self.spec.key_env


async def examine_endpoint(
    spec: ModelSpec, probe: ModelProbe, seconds: float, announce: Announce
) -> list[CheckedThing]:
    """Return what was found of one endpoint.

    Args:
        spec: The model.
        probe: How it is asked.
        seconds: How long one answer was waited for.
        announce: Is told what is asked next, before it is.
    """
    announce("its list of models")
    looked, listed = await look_for_models(probe)
    owners = frozenset() if listed is None else listed.owners
    kind = kind_of(spec.name.partition("/")[0], owners, looked.server)
    at = _Endpoint(spec, probe, kind, listed, seconds)
    announce("words")
    words = await ask_for_words(probe)
    why = reading.trouble(words, sent_key=bool(probe.endpoint.key))
    better = ""
    if why in {"wrong_address", "not_a_completion", "refused"} and not probe.is_by_litellm:
        better = "" if listed is not None else await better_address(probe)
        why = "wrong_address" if better else why
    found = [_server(at, words, why, better), *_name(at, words, why), *_key(at, why)]
    found.append(_words(at, words, why))
    if why in _HOPELESS:
        found += [_unasked("tool call"), _unasked("stream")]
        return found
    announce("a tool call")
    offered = await ask_for_call(probe)
    found += _tool_call(at, words, offered)
    if reading.called_well(offered) == "" and isinstance(offered.reply, Called):
        announce("words after the call's result")
        found.append(_tool_result(await ask_with_result(probe, offered.reply)))
    announce("a stream")
    streamed = await ask_for_stream(probe)
    found.append(_stream(at, streamed))
    found += _reasoning(at, (words, offered, streamed))
    if not probe.is_by_litellm:
        announce("the size of its context")
        size = await context_of(probe, spec.model, kind, listed)
        found.append(context_finding(PART, size, kind))
    found += _speed(streamed)
    return found


def _thing(subject: str, state: State, found: str, todo: str = "", cause: str = "") -> CheckedThing:
    return CheckedThing(PART, subject, state, found, todo, cause)


def _unasked(subject: str) -> CheckedThing:
    return _thing(
        subject, "wrong" if subject == "tool call" else "missing", _NOT_ASKED, "", "not_asked"
    )


def _server(at: _Endpoint, words: Probed, why: str, better: str) -> CheckedThing:
    """Return what stands at the address."""
    base = at.probe.base
    if why == "no_connection":
        todo = (
            f"{at.kind.start}; or give the address where it listens: base_url=http://HOST:PORT/v1"
        )
        return _thing("server", "wrong", f"{base}: {words.error}", todo, why)
    if why == "wrong_address":
        todo = (
            f"base_url={better}"
            if better
            else "base_url is what /chat/completions is added to: most servers want http://HOST:PORT/v1"
        )
        if better and at.spec.base_url == "":
            todo = f"set the address: base_url={better}"
        return _thing("server", "wrong", f"{base}: {reading.said_in_refusal(words)}", todo, why)
    if why == "loading":
        found = f"{base}: {reading.said_in_refusal(words)}"
        return _thing("server", "wrong", found, "wait until it has loaded, and ask again", why)
    return _thing("server", "ok", f"{base}, {at.kind.name}")


def _name(at: _Endpoint, words: Probed, why: str) -> Iterator[CheckedThing]:
    """Yield whether the server has a model of that name, where that can be told."""
    model = reading.shown(at.spec.model)
    names = () if at.listed is None else at.listed.names
    if why == "no_such_model":
        found = f"{model}: {reading.said_in_refusal(words)}"
        yield _thing("name", "wrong", found, _names_to_take(at.spec.model, names), why)
    elif at.spec.model in names or f"{at.spec.model}:latest" in names:
        yield _thing("name", "ok", f"{model}, of {len(names):,} listed")
    elif names:
        found = f"{model} is not listed"
        if words.reply is not None:
            found += "; the server answers all the same, with the model that it has"
        yield _thing("name", "missing", found, _names_to_take(at.spec.model, names), "not_listed")
    elif why not in _NOT_REACHED and not at.probe.is_by_litellm:
        yield _thing("name", "missing", "the server lists no models", "", "no_list")


def _names_to_take(model: str, names: tuple[str, ...]) -> str:
    if not names:
        return "give the name under which the server knows the model"
    alike = difflib.get_close_matches(model, names, _SHOWN_NAMES, 0.5)
    near = dict.fromkeys([*(name for name in names if model.lower() in name.lower()), *alike])
    first = [*near, *(name for name in names if name not in near)][:_SHOWN_NAMES]
    more = f" and {len(names) - len(first):,} more" if len(names) > len(first) else ""
    return f"take one that it lists: {', '.join(map(reading.shown, first))}{more}"


def _key(at: _Endpoint, why: str) -> Iterator[CheckedThing]:
    """Yield what is wrong with the key; its value is never shown."""
    name = at.key_name
    if why == "key_missing":
        todo = f"export {name}=..." if name else "export NAME=... and add key_env=NAME to the model"
        yield _thing("key", "wrong", "the server wants one and none was sent", todo, why)
    elif why == "key_refused":
        yield _thing("key", "wrong", f"that of {name} is refused", f"set another in {name}", why)
    elif at.probe.endpoint.key:
        yield _thing("key", "ok", f"that of {name} was sent")


def _words(at: _Endpoint, words: Probed, why: str) -> CheckedThing:
    if why:
        found, todo = reading.said_in_refusal(words), _mending(at, words, why)
        return _thing("words", "wrong", found, todo, why)
    if not has_words(words):
        return _wordless(at, words)
    said = reading.content_of(words)
    if reading.holds_template_marks(words):
        todo = "a base model, or another model's chat template: take the instruct model and its own template"
        found = f"marks of a chat template in the words: {_quoted(said)}"
        return _thing("words", "missing", found, todo, "template_marks")
    if reading.is_cut(words):
        todo = "is it a model for chats? Set max_tokens=1000, or each reply runs until the context is full"
        found = f"words that do not end within {_limit(at)} tokens: {_quoted(said)}"
        return _thing("words", "missing", found, todo, "endless")
    return _thing("words", "ok", f"{_quoted(said)}{_took(words)}")


def _wordless(at: _Endpoint, words: Probed) -> CheckedThing:
    """Return what a reply without words is."""
    if isinstance(words.reply, Called):
        todo = "try again: the model may take the question for one that a tool answers"
        found = f"a call of a tool that was not on offer: {_written_call(words)}"
        return _thing("words", "wrong", found, todo, "call_unasked")
    if reading.is_cut(words):
        todo = (
            f"let it write more ({_limit(at)} tokens now): max_tokens=4000; or switch thinking off"
        )
        return _thing("words", "wrong", "reasoning alone until the limit", todo, "reasoning_only")
    return _thing("words", "wrong", "an empty reply", "ask the server's log why", "empty")


def _mending(at: _Endpoint, answer: Probed, why: str) -> str:
    """Return what to do where no reply came, as far as no other finding says it."""
    match why:
        case "timeout":
            return (
                f"no answer within {at.seconds:g} s: is it loading, or busy? Ask again with "
                "--timeout SECONDS; a run waits as long as --read-timeout says"
            )
        case "no_room":
            return "it is busy or out of credit: ask again later"
        case "not_a_completion":
            return "the address answers, and not as OpenAI's chat completions do: check base_url"
        case "refused" | "broken":
            _, _, advice = answer.error.rpartition(": ")
            is_ours = advice.startswith(("add ", "leave ")) and len(advice) < reading.MOST_SHOWN
            return advice if is_ours else "the server's log says more"
        case _:
            return ""


def _tool_call(at: _Endpoint, words: Probed, offered: Probed) -> Iterator[CheckedThing]:
    why = reading.tools_trouble(offered) or reading.trouble(
        offered, sent_key=bool(at.probe.endpoint.key)
    )
    as_text = (
        "; or have calls written as text: ?calls=python (bfcl suites) and "
        "?calls=thought-action (itc suites)"
    )
    if why == "tools_refused":
        found = reading.said_in_refusal(offered)
        yield _thing("tool call", "wrong", found, at.kind.tools + as_text, why)
        return
    if why:
        found, todo = reading.said_in_refusal(offered), _mending(at, offered, why)
        yield _thing("tool call", "wrong", found, todo, why)
        return
    fault = reading.called_well(offered)
    if not fault:
        yield _thing("tool call", "ok", f"{_written_call(offered)}{_took(offered)}")
        return
    if fault == "no_call" and reading.writes_call_as_text(offered):
        found = f"the call stands in the words: {_quoted(reading.content_of(offered))}"
        yield _thing("tool call", "wrong", found, at.kind.tools + as_text, "tool_parser_off")
    elif fault == "no_call" and reading.left_tools_out(words, offered):
        found = (
            f"the server left the tool out: {offered.tokens_in:,} tokens with it, "
            f"{words.tokens_in:,} without"
        )
        yield _thing("tool call", "wrong", found, at.kind.tools + as_text, "tools_left_out")
    elif fault == "no_call":
        found = f"no call: {_quoted(reading.content_of(offered)) or 'nothing'}"
        todo = "the model saw the tool and did not call it: try again, or a larger model"
        yield _thing("tool call", "wrong", found, todo + as_text, fault)
    else:
        found = f"a call that cannot be used: {_written_call(offered)}"
        todo = f"the model's own mistake, or the wrong parser: {at.kind.tools}"
        yield _thing("tool call", "wrong", found, todo, fault)


def _tool_result(answer: Probed) -> CheckedThing:
    why = reading.trouble(answer, sent_key=True)
    if why:
        found = reading.said_in_refusal(answer)
        todo = "every conversation with a call ends here: the server's log says why"
        return _thing("tool result", "wrong", found, todo, "result_refused")
    return _thing("tool result", "ok", f"taken{_took(answer)}")


def _stream(at: _Endpoint, answer: Probed) -> CheckedThing:
    why = reading.trouble(answer, sent_key=bool(at.probe.endpoint.key))
    todo = "leave stream=on out; only where somebody speaks do streams tell more"
    if why:
        return _thing("stream", "missing", reading.said_in_refusal(answer), todo, why)
    if not reading.came_as_stream(answer):
        return _thing("stream", "missing", "the answer came whole", todo, "whole_answer")
    if not has_words(answer):
        return _thing("stream", "missing", "no words in the stream", todo, "empty")
    first = "" if answer.first_word is None else f"the first word after {answer.first_word:.1f} s"
    return _thing("stream", "ok", first or "words in pieces")


def _reasoning(at: _Endpoint, answers: tuple[Probed, ...]) -> Iterator[CheckedThing]:
    places = [reading.reasoning_in(answer) for answer in answers]
    if "in_words" in places:
        found = "stands inside the words"
        yield _thing("reasoning", "missing", found, at.kind.reasoning, "reasoning_in_words")
    elif "apart" in places:
        yield _thing("reasoning", "ok", "comes apart from the words")


def _speed(streamed: Probed) -> Iterator[CheckedThing]:
    """Yield how fast the stream was written, where it was long enough to tell."""
    count, seconds, first = streamed.tokens_out, streamed.seconds, streamed.first_word
    if count is None or seconds is None or first is None:
        return
    if count >= _LEAST_TOKENS and seconds - first > 0:
        yield _thing("speed", "ok", f"about {(count - 1) / (seconds - first):,.0f} tokens a second")


def _limit(at: _Endpoint) -> object:
    settings = at.probe.endpoint.settings
    return settings.get("max_tokens") or settings.get("max_completion_tokens") or MOST_TOKENS


def _written_call(answer: Probed) -> str:
    calls = answer.reply.calls if isinstance(answer.reply, Called) else ()
    first = calls[0]
    arguments = first.raw or msgspec.json.encode(first.arguments).decode()
    return reading.shown(f"{first.name}({arguments})")


def _quoted(text: str) -> str:
    line = reading.shown(text)
    return f'"{line}"' if line else ""


def _took(answer: Probed) -> str:
    return "" if answer.seconds is None else f", {answer.seconds:.1f} s"
