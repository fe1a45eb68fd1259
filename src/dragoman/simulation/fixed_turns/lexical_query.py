"""The agent `lexical` where nobody answers: one query, and calls picked by the words of it alone.

It calls the function whose name and description share most with the query, with what the query holds:
choices that it names, numbers, texts in quotes, words with digits, names.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.protocols import Answer, Heard
from dragoman.core.speech import Called, Reply, Said, say
from dragoman.core.tools import ToolCall, Toolset, ToolSpec
from dragoman.core.voice.clock import STATED
from dragoman.simulation.filling import Known, Parameter, required_parameters, values_for
from dragoman.simulation.overlap import ranked

MAX_QUERY = 20_000
"""Characters of a query that are looked at."""

_QUOTED = re.compile(r"['\"«“„「]([^'\"»”「」]{2,60})['\"»”」]")
_WITH_DIGITS = re.compile(r"[^\s,;?!()'\"]*\d[^\s,;?!()'\"]*")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_SEPARATORS = re.compile(r"[^\w]")
_SIMPLE = re.compile(r"\^?(?:[\w\\\[\]-]|\(\?:|\)|\{\d{1,2}\}){1,60}\$?")
"""Patterns that are looked at: a fixed number of signs, so that nothing in a query takes long."""
_NAME = re.compile(r"(?<![.?!¿¡]\s)(?<!^)\b[^\W\d_a-z][\w-]+(?:\s[^\W\d_a-z][\w-]+)*")


class LexicalQuerySession:
    """One query: it is answered once, then nothing is left to do."""

    def __init__(self, phrases: Phrasebook) -> None:
        self._phrases = phrases
        self._is_answered = False

    async def reply(self, heard: Sequence[Heard], tools: Toolset) -> Answer:
        """Return the call that the words speak of, or words where they speak of none."""
        query = " ".join(part.utterance.received or "" for part in heard if isinstance(part, Said))
        reply: Reply = say(self._phrases.says.nothing_found)
        found = None if self._is_answered else self._best(query[:MAX_QUERY], tools)
        if found is not None:
            reply = Called((ToolCall("lexical_0", found.name, self._filled(found, query)),))
        self._is_answered = True
        return Answer(reply, latency=STATED)

    async def close(self) -> None:
        """Nothing to release."""

    def _best(self, query: str, tools: Toolset) -> ToolSpec | None:
        documents = {tool.name: _document(tool) for tool in tools}
        order = ranked(query, documents, self._phrases)
        return tools.by_name[order[0][0]] if order and order[0][1] else None

    def _filled(self, tool: ToolSpec, query: str) -> dict[str, object]:
        known = Known(query[:MAX_QUERY], (), self._phrases)
        filled: dict[str, object] = {}
        for parameter in required_parameters(tool) or _first_optional(tool):
            fits = _fitting(tool, parameter.name)
            values = (*values_for(parameter, known), *_values(parameter, known.said))
            fitting = (each for each in values if fits(each) and each not in filled.values())
            value = next(fitting, None)
            if value is not None:
                filled[parameter.name] = value
        return filled


def _document(tool: ToolSpec) -> str:
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
