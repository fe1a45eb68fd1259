"""Baseline agent `lexical`: plays by word overlap, without a model or the reference plan.

It sees what any agent sees: tools and what it heard. It looks up everything that it can fill
arguments for, asks for what is missing, names the one change that the words speak of, makes it
after a yes, and reports what it found. If nobody answers questions, it makes one query: it calls
the function whose name and description share the most words with the query, with values found in
the query.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from dragoman.core.episodes import Message
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.protocols import SessionInput, SessionReply, SessionStart
from dragoman.core.replies import STATED_LATENCY, Reply, TextReply, ToolCallReply, text_reply
from dragoman.core.tools import ToolCall, ToolResult, Toolset, ToolSpec
from dragoman.simulation.phrasebooks import session_phrasebook
from dragoman.simulation.slot_filling import (
    FoundValue,
    Parameter,
    SlotContext,
    candidate_values,
    extract_result_values,
    rank_documents,
    required_parameters,
    word_stems,
)
from dragoman.simulation.text_segmentation import join_spelled_ids

MAX_QUERY = 20_000
"""Longest part of a query that is read, in characters."""

_QUOTED = re.compile(r"['\"«“„「]([^'\"»”「」]{2,60})['\"»”」]")
_WITH_DIGITS = re.compile(r"[^\s,;?!()'\"]*\d[^\s,;?!()'\"]*")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_SEPARATORS = re.compile(r"[^\w]")
_SIMPLE = re.compile(r"\^?(?:[\w\\\[\]-]|\(\?:|\)|\{\d{1,2}\}){1,60}\$?")
"""Schema patterns that are used: their number of signs is fixed, so matching is fast."""
_NAME = re.compile(r"(?<![.?!¿¡]\s)(?<!^)\b[^\W\d_a-z][\w-]+(?:\s[^\W\d_a-z][\w-]+)*")


class LexicalQuerySession:
    """One query: it is answered once, then nothing is left to do."""

    def __init__(self, phrases: Phrasebook) -> None:
        self._phrases = phrases
        self._is_answered = False

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Return the call that the words speak of, or words where they speak of none."""
        query = " ".join(
            part.utterance.received or "" for part in heard if isinstance(part, TextReply)
        )
        reply: Reply = text_reply(self._phrases.says.nothing_found)
        found = None if self._is_answered else self._best(query[:MAX_QUERY], tools)
        if found is not None:
            reply = ToolCallReply((ToolCall("lexical_0", found.name, self._filled(found, query)),))
        self._is_answered = True
        return SessionReply(reply, latency=STATED_LATENCY)

    async def close(self) -> None:
        """Nothing to release."""

    def _best(self, query: str, tools: Toolset) -> ToolSpec | None:
        documents = {tool.name: _describe_tool(tool) for tool in tools}
        order = rank_documents(query, documents, self._phrases)
        return tools.by_name[order[0][0]] if order and order[0][1] else None

    def _filled(self, tool: ToolSpec, query: str) -> dict[str, object]:
        known = SlotContext(query[:MAX_QUERY], (), self._phrases)
        filled: dict[str, object] = {}
        for parameter in required_parameters(tool) or _first_optional(tool):
            fits = _fitting(tool, parameter.name)
            values = (*candidate_values(parameter, known), *_values(parameter, known.said))
            fitting = (each for each in values if fits(each) and each not in filled.values())
            value = next(fitting, None)
            if value is not None:
                filled[parameter.name] = value
        return filled


def _describe_tool(tool: ToolSpec) -> str:
    names = " ".join(parameter.name for parameter in required_parameters(tool))
    return f"{tool.name.replace('_', ' ')} {tool.description} {names.replace('_', ' ')}"


def _first_optional(tool: ToolSpec) -> Sequence[Parameter]:
    """Return the first parameter of a tool that requires none."""
    properties = tool.parameters.get("properties")
    names = list(properties) if isinstance(properties, Mapping) else []
    schema = {**tool.parameters, "required": names[:1]}
    return required_parameters(ToolSpec(tool.name, tool.description, schema))


def _fitting(tool: ToolSpec, name: str) -> Callable[[object], bool]:
    """Return what tells whether a value has the form that a tool wants."""
    properties = tool.parameters.get("properties")
    schema = properties.get(name) if isinstance(properties, Mapping) else None
    wanted = schema.get("pattern") if isinstance(schema, Mapping) else None
    if not isinstance(wanted, str) or not _SIMPLE.fullmatch(wanted):
        return lambda _: True
    pattern = re.compile(wanted)
    return lambda value: not isinstance(value, str) or pattern.search(value) is not None


def _values(parameter: Parameter, query: str) -> Iterator[object]:
    """Yield what a query holds that a parameter could be, likeliest first."""
    match parameter.type:
        case "integer":
            yield from (int(each) for each in _NUMBER.findall(query) if each.isdigit())
        case "number":
            yield from map(float, _NUMBER.findall(query))
        case "string" if not parameter.choices:
            yield from _QUOTED.findall(query)
            for each in _WITH_DIGITS.findall(query):
                yield each.strip(".:")
                yield _SEPARATORS.sub("", each)
            yield from _NAME.findall(query)
        case _:
            return


MAX_CALLS = 15
MAX_CALLS_PER_TOOL = 3
MAX_ERRORS = 5
"""Number of tool errors after which nothing more is looked up."""
MAX_QUESTIONS = 4
MAX_FINDINGS = 60
"""Largest number of values that are reported at the end."""
MAX_MESSAGE = 4_000
MAX_SAID = 20_000
"""Longest parts of one message and of all messages that are read, in characters."""
MAX_KEPT = 2_000
"""Largest number of result values that are stored."""

_LOOKS = frozenset(
    (
        "get",
        "find",
        "list",
        "search",
        "show",
        "check",
        "look",
        "lookup",
        "view",
        "read",
        "track",
        "quote",
    )
)
_HANDS_OVER = re.compile("transfer|escalate|human")


class LexicalAgent:
    """An agent that uses only the words of a conversation."""

    name = "lexical"

    async def open(self, opening: SessionStart) -> "LexicalSession | LexicalQuerySession":
        """Open a session; of the task it uses only what every agent sees: history and ticket.

        If a task is one query, which has labels, nobody answers questions or proposals.
        """
        if opening.task.labels:
            return LexicalQuerySession(session_phrasebook(opening))
        said = [
            event.reply.utterance.received or ""
            for event in opening.history
            if isinstance(event, Message)
            and event.by == "user"
            and isinstance(event.reply, TextReply)
        ]
        heard = "\n".join((*said, opening.task.ticket or ""))
        return LexicalSession(heard, session_phrasebook(opening))


class LexicalSession:
    """Session of one conversation: its words, findings and attempted calls."""

    def __init__(self, said: str, phrases: Phrasebook) -> None:
        self._said = said
        self._phrases = phrases
        self._found: list[FoundValue] = []
        self._tried: set[tuple[str, bytes]] = set()
        self._calls: Counter[str] = Counter()
        self._asked: set[str] = set()
        self._questions = 0
        self._errors = 0
        self._proposed: ToolCall | None = None
        self._has_tried_change = False

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Return the next lookup, question, change or report."""
        latest = self._take(heard)
        reply = self._decided(latest) or self._next(tools)
        if tools.must_call and isinstance(reply, TextReply):
            reply = self._alone()
        return SessionReply(reply, latency=STATED_LATENCY)

    async def close(self) -> None:
        """Nothing to release."""

    def _take(self, heard: Sequence[SessionInput]) -> str:
        """Store the received events, and return their words."""
        latest = ""
        for part in heard:
            if isinstance(part, ToolResult):
                content = part.content if part.shown is None else part.shown
                self._errors += part.error
                if not part.error:
                    self._found = (self._found + extract_result_values(part.name, content))[
                        :MAX_KEPT
                    ]
            else:
                received = (part.utterance.received or "")[:MAX_MESSAGE]
                latest += f"{join_spelled_ids(received, self._phrases)}\n"
        self._said = f"{self._said}\n{latest}"[:MAX_SAID]
        return latest

    def _decided(self, latest: str) -> Reply | None:
        """Return the change that was proposed, where the user agreed to it."""
        proposed, self._proposed = self._proposed, None
        if proposed is None or not self._phrases.agrees(latest):
            return None
        self._has_tried_change = True
        return self._called(proposed)

    def _next(self, tools: Toolset) -> Reply:
        if self._has_tried_change:
            return text_reply(self._report())
        order = _by_words(self._said, tools, self._phrases)
        if self._calls.total() < MAX_CALLS and self._errors < MAX_ERRORS:
            lookup = next(self._ready(filter(_looks, order)), None)
            if lookup:
                return self._called(lookup)
        changes = [tool for tool in order if not _looks(tool) and self._is_meant(tool)][:1]
        change = next(self._ready(changes), None)
        if change:
            return self._propose(change, alone=tools.must_call)
        return self._question((*changes, *filter(_looks, order))) or text_reply(self._report())

    def _ready(self, tools: Iterator[ToolSpec] | Sequence[ToolSpec]) -> Iterator[ToolCall]:
        """Yield the calls that have all arguments and were not tried yet."""
        known = SlotContext(self._said, tuple(self._found), self._phrases)
        for tool in tools:
            if self._calls[tool.name] < MAX_CALLS_PER_TOOL:
                for arguments in _arguments(required_parameters(tool), known):
                    if (tool.name, msgspec.json.encode(arguments)) not in self._tried:
                        yield ToolCall(f"lexical_{self._calls.total()}", tool.name, arguments)
                        break

    def _called(self, call: ToolCall) -> Reply:
        self._calls[call.name] += 1
        self._tried.add(_attempt(call))
        return ToolCallReply((call,))

    def _propose(self, call: ToolCall, *, alone: bool) -> Reply:
        if alone:
            self._has_tried_change = True
            return self._called(call)
        self._tried.add(_attempt(call))
        self._proposed = call
        says, label = self._phrases.says, self._phrases.label
        reported = self._phrases.joins.arguments.join(
            says.argument.format(name=label(name), value=value)
            for name, value in call.arguments.items()
        )
        return text_reply(says.proposal.format(tool=_plain(call.name), arguments=reported))

    def _question(self, tools: Sequence[ToolSpec]) -> Reply | None:
        """Ask for what the likeliest tool lacks and was not asked for yet."""
        known = SlotContext(self._said, tuple(self._found), self._phrases)
        if self._questions >= MAX_QUESTIONS:
            return None
        for tool in tools:
            lacking = [p for p in required_parameters(tool) if not candidate_values(p, known)]
            new = [parameter for parameter in lacking if parameter.name not in self._asked]
            if new:
                self._questions += 1
                self._asked.update(parameter.name for parameter in new)
                questions = self._phrases.joins.parameters.join(map(self._asked_for, new))
                return text_reply(self._phrases.says.ask.format(questions=questions))
        return None

    def _report(self) -> str:
        says, label = self._phrases.says, self._phrases.label
        reported = dict.fromkeys(
            says.finding.format(name=label(entry.name), value=entry.value) for entry in self._found
        )
        if not reported:
            return says.nothing_found
        findings = self._phrases.joins.findings.join(list(reported)[:MAX_FINDINGS])
        return says.found.format(findings=findings)

    def _is_meant(self, tool: ToolSpec) -> bool:
        """Return whether the words speak of what a tool is called after."""
        verb = tool.name.partition("_")[0]
        names = f"{verb} {self._phrases.verbs.get(verb, '')}"
        if not self._phrases.writing.spaced:
            return any(name in self._said for name in names.split())
        return bool(
            set(word_stems(names, self._phrases)) & set(word_stems(self._said, self._phrases))
        )

    def _asked_for(self, parameter: Parameter) -> str:
        says, name = self._phrases.says, self._phrases.label(parameter.name)
        about = self._phrases.writing.clause_end.split(parameter.description)[0].strip()
        if not about:
            return says.ask_parameter.format(parameter=name)
        return says.ask_parameter_about.format(parameter=name, about=about)

    def _alone(self) -> Reply:
        """Return the end of the work where there is nobody to talk to."""
        return ToolCallReply((ToolCall(f"lexical_{self._calls.total()}", "done", {}),))


def _by_words(said: str, tools: Toolset, phrases: Phrasebook) -> list[ToolSpec]:
    """Return the tools that hand nobody over, best match with the words first.

    One that needs no arguments could always be called: it must match.
    """
    documents = {tool.name: _document(tool) for tool in tools if not _HANDS_OVER.search(tool.name)}
    scored = [
        (tools.by_name[name], score) for name, score in rank_documents(said, documents, phrases)
    ]
    return [tool for tool, score in scored if score or required_parameters(tool)]


def _document(tool: ToolSpec) -> str:
    parameters = required_parameters(tool)
    described = " ".join(f"{parameter.name} {parameter.description}" for parameter in parameters)
    # A tool's name says most: it counts three times.
    return f"{tool.name} {tool.name} {tool.name} {tool.description} {described}"


def _looks(tool: ToolSpec) -> bool:
    """Return whether a tool looks something up, going by its name: agents are not told."""
    return tool.name.partition("_")[0] in _LOOKS


def _arguments(parameters: Sequence[Parameter], known: SlotContext) -> Iterator[dict[str, object]]:
    """Yield fillings of all parameters: the likeliest first, then others of the first parameter."""
    if not parameters:
        yield {}
        return
    first, *others = parameters
    for value in candidate_values(first, known)[:MAX_CALLS_PER_TOOL]:
        filled: dict[str, object] = {first.name: value}
        for parameter in others:
            choice = [
                entry
                for entry in candidate_values(parameter, known)
                if entry not in filled.values()
            ]
            if not choice:
                return
            filled[parameter.name] = choice[0]
        yield filled


def _attempt(call: ToolCall) -> tuple[str, bytes]:
    return call.name, msgspec.json.encode(call.arguments)


def _plain(name: str) -> str:
    return name.replace("_", " ")
