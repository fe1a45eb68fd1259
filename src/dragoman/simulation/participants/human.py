"""Human participant: a person at a console who plays the agent or the user.

The person sees the same as a model in that role: words, results of its own calls, its tools, and
the policy or the scenario. A line is text, a command, or a call: a tool's name with `key=value`
pairs or one JSON object. Values are JSON if they start like it; otherwise they extend to the next
blank and have the type of the tool's schema. A line that cannot be parsed is explained, not sent.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from dragoman.core.episodes import Event
from dragoman.core.errors import RunHalted
from dragoman.core.protocols import SessionInput, SessionReply, SessionStart
from dragoman.core.replies import Reply, TextReply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.stop_tokens import STOP
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import Role, ToolCall, ToolResult, Toolset, ToolSpec
from dragoman.simulation.prompts import scenario_text

_COMMAND = re.compile(r"/(\w+)(?:\s+(.*))?", re.DOTALL)
_CALL = re.compile(r"([A-Za-z_][\w.-]*)\s*(\{.*|[A-Za-z_]\w*=.*|\s*)", re.DOTALL)
_KEY = re.compile(r"\s*([A-Za-z_]\w*)=")
_BARE = re.compile(r"[^\s\"'\[{]\S*")
_BARE_JSON = frozenset({"integer", "number", "boolean", "null"})


class TypedText(msgspec.Struct, frozen=True):
    """Something to say."""

    text: str


class Command(msgspec.Struct, frozen=True):
    """A command of the terminal, without its slash, and what stands behind it."""

    name: str
    rest: str


class TypedCall(msgspec.Struct, frozen=True):
    """A call of a tool."""

    name: str
    arguments: dict[str, object]


class TypingError(msgspec.Struct, frozen=True):
    """A line that cannot be read, and why."""

    why: str


Typed = TypedText | Command | TypedCall | TypingError


def parse_typed_line(line: str, tools: Toolset) -> Typed:
    """Return what a typed line is, given the tools that can be called now."""
    line = line.strip()
    if line.startswith("/"):
        command = _COMMAND.fullmatch(line)
        if command is None:
            return TypingError("a command is a slash and a word, such as /help")
        return Command(command.group(1), (command.group(2) or "").strip())
    call = _CALL.fullmatch(line)
    if call is None or (call.group(1) not in tools and not call.group(2).strip()):
        return _words(line, tools)
    name, rest = call.groups()
    if name not in tools:
        return TypingError(
            f"unknown tool {name!r}: /tools lists them; /say sends the line as words"
        )
    return _call(tools.by_name[name], rest.strip())


def _words(line: str, tools: Toolset) -> Typed:
    """Return a line as words; one that begins with a tool's name may be a call gone wrong."""
    first = line.split(maxsplit=1)[0] if line else ""
    if first in tools:
        return TypingError(
            f"{first} is a tool: write {first} key=value or {first} {{JSON}}; /say sends the line "
            "as words"
        )
    return TypedText(line)


def _call(tool: ToolSpec, rest: str) -> Typed:
    if not rest.startswith("{"):
        return _pairs(tool, rest)
    try:
        return TypedCall(tool.name, msgspec.json.decode(rest, type=dict[str, object]))
    except DECODING_ERRORS as error:
        return TypingError(f"the arguments are not a JSON object: {error}")


def _pairs(tool: ToolSpec, rest: str) -> Typed:
    arguments: dict[str, object] = {}
    at = 0
    while at < len(rest):
        key = _KEY.match(rest, at)
        if key is None:
            return TypingError(f"not key=value: {rest[at:].strip()!r}")
        name = key.group(1)
        if name in arguments:
            return TypingError(f"{name} is given twice")
        try:
            arguments[name], at = _value(rest, key.end(), _type(tool, name))
        except (ValueError, RecursionError) as error:
            return TypingError(f"{name} has a value that cannot be read ({error})")
        if at < len(rest) and not rest[at].isspace():
            return TypingError(f"a blank is missing after the value of {name}")
    return TypedCall(tool.name, arguments)


def _value(text: str, at: int, kind: str) -> tuple[object, int]:
    """Return the value that begins at a place, and the end of the value.

    Raises:
        ValueError: If no value begins there.
    """
    bare = _BARE.match(text, at)
    if bare is None:
        return _strict.raw_decode(text, at)
    if kind in _BARE_JSON:
        return _strict.decode(bare.group()), bare.end()
    return bare.group(), bare.end()


def _refuse_constant(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


_strict = json.JSONDecoder(parse_constant=_refuse_constant)


def _type(tool: ToolSpec, name: str) -> str:
    """Return the JSON type that a schema names for a parameter; "" if it names none."""
    properties = tool.parameters.get("properties")
    schema = properties.get(name) if isinstance(properties, Mapping) else None
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return kind if isinstance(kind, str) else ""


STOPPED = "you stopped: what was finished is stored; go on with `dragoman resume`"
_OTHER: Mapping[Role, Role] = {"agent": "user", "user": "agent"}

_HELP = """\
Type words to say them, or a call:
  NAME key=value key2="two words" items=["a", "b"]
  NAME {"key": "value"}
/tools       lists the tools           /tool NAME   shows one with its parameters
/log         shows the conversation    /say TEXT    says a text that looks like a call
/quit        stops the run; `dragoman resume` goes on with it"""
_HELP_OF: Mapping[Role, str] = {
    "agent": "/policy      shows the policy that the agent must follow",
    "user": "/scenario    shows who you are and what you want\n/stop        ends the "
    f"conversation (says {STOP})",
}


class Console(Protocol):
    """The console of a person; texts are untrusted data and must be shown harmlessly."""

    async def read(self, prompt: str) -> str | None:
        """Return the next line, or None at the end of the input."""
        ...

    def show(self, text: str) -> None:
        """Show a text."""
        ...


class Human:
    """A person who plays one side of every conversation, one after the other."""

    name = "human"

    def __init__(self, console: Console) -> None:
        self._console = console

    async def open(self, opening: SessionStart) -> "HumanSession":
        """Open a session and say whose part is played."""
        self._console.show(
            f"A new conversation. You are the {opening.side}. /help says what to type."
        )
        return HumanSession(self._console, opening)


class HumanSession:
    """One conversation of a person."""

    def __init__(self, console: Console, opening: SessionStart) -> None:
        self._console = console
        self._opening = opening
        self._side = opening.side
        self._calls = 0
        self._log = [line for event in opening.history for line in _past(event, opening.side)]

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Show the received messages and return the person's answer.

        Raises:
            RunHalted: If the person quits or the input ends.
        """
        for part in heard:
            self._show(_format_input(part, _OTHER[self._side]))
        if tools.must_call and self._opening.task.ticket and not self._calls:
            self._show(f"ticket: {self._opening.task.ticket}")
        while True:
            line = await self._console.read(f"{self._side}> ")
            if line is None:
                raise RunHalted(STOPPED)
            reply = self._reply_to(line, tools) if line.strip() else None
            if reply is not None:
                self._log.append(_own(reply, self._side))
                return SessionReply(reply)

    async def close(self) -> None:
        """Say that no answer is waited for any more."""
        self._console.show("This conversation ends here.\n")

    def _show(self, line: str) -> None:
        self._log.append(line)
        self._console.show(line)

    def _reply_to(self, line: str, tools: Toolset) -> Reply | None:
        """Return what a line sends; None if it only showed something."""
        match parse_typed_line(line, tools):
            case TypedText(text=text):
                return self._said(text, tools)
            case TypedCall(name=name, arguments=arguments):
                self._calls += 1
                return ToolCallReply(
                    (ToolCall(f"typed_{self._calls}", name, arguments, self._side),)
                )
            case TypingError(why=why):
                self._console.show(f"not sent: {why}")
                return None
            case Command(name=name, rest=rest):
                return self._command(name, rest, tools)

    def _said(self, text: str, tools: Toolset) -> Reply | None:
        if tools.must_call:
            self._console.show("not sent: every reply must be a call here; /tools lists the tools")
            return None
        if not text:
            self._console.show("not sent: there is nothing to say")
            return None
        return text_reply(text)

    def _reported(self, text: str) -> str:
        """Return the instructions of a side, and the language that it must speak."""
        return "\n\n".join(filter(None, (text, self._opening.instructions)))

    def _command(self, name: str, rest: str, tools: Toolset) -> Reply | None:
        if name == "quit":
            raise RunHalted(STOPPED)
        if name == "say":
            return self._said(rest, tools)
        if name == "stop" and self._side == "user":
            return text_reply(STOP)
        texts: dict[str, Callable[[], str]] = {
            "help": lambda: f"{_HELP}\n{_HELP_OF[self._side]}",
            "tools": lambda: _list_tools(tools),
            "tool": lambda: _describe_tool(rest, tools),
            "log": lambda: "\n".join(self._log) or "Nothing was said yet.",
        }
        if self._side == "agent":
            texts["policy"] = lambda: self._reported(
                self._opening.policy or "The agent has no policy."
            )
        else:
            texts["scenario"] = lambda: self._reported(scenario_text(self._opening.task.scenario))
        unknown = f"not sent: unknown command /{name}: /help lists them"
        self._console.show(texts.get(name, lambda: unknown)())
        return None


def _past(event: Event, side: Role) -> list[str]:
    """Return what a side saw of what happened before."""
    if isinstance(event, ToolResult):
        return [_format_input(event, side)] if event.by == side else []
    if event.by == side or isinstance(event.reply, TextReply):
        return [_own(event.reply, event.by)]
    return []


def _format_input(part: SessionInput, speaker: Role) -> str:
    if isinstance(part, TextReply):
        words = part.utterance.received
        return f"{speaker}: {'(audio only)' if words is None else words}"
    content = part.content if part.shown is None else part.shown
    return f"{'error' if part.error else 'result'} of {part.name}: {content}"


def _own(reply: Reply, side: Role) -> str:
    match reply:
        case TextReply():
            return f"{side}: {reply.text}"
        case ToolCallReply(calls=calls):
            return "\n".join(f"{side} calls {call.name} {_json(call.arguments)}" for call in calls)
        case UnparsedReply(raw=raw):
            return f"{side}: {raw}"


def _list_tools(tools: Toolset) -> str:
    lines = (f"{_signature(tool)}\n    {tool.description}" for tool in tools)
    return "\n".join(lines) or "This side has no tools."


def _signature(tool: ToolSpec) -> str:
    properties = tool.parameters.get("properties")
    return (
        f"{tool.name}({', '.join(map(str, properties)) if isinstance(properties, Mapping) else ''})"
    )


def _describe_tool(name: str, tools: Toolset) -> str:
    tool = tools.by_name.get(name)
    if tool is None:
        return f"unknown tool {name!r}: /tools lists them"
    schema = msgspec.json.format(msgspec.json.encode(tool.parameters)).decode()
    return f"{tool.name}: {tool.description}\n{schema}"


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
