"""Messages of tools in a language, and back: as they stand, and with something filled in."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from dragoman.conditions.language.artifacts import ToolReturns
from dragoman.conditions.language.value_maps import ValueSet
from dragoman.core.errors import DataError

PLACEHOLDER = re.compile(r"\{(\w+)\}")
_MAX_MESSAGE = 4_000
_QUOTES = "'\""

_Say = Callable[[str], str | None]


class Filling(msgspec.Struct, frozen=True):
    """What is filled into messages, by placeholder; any other content belongs to no language.

    Attributes:
        values: Placeholders that hold a value, bare or in quotes, and the value set of it.
        words: Placeholders that hold one of some messages.
        nested: Placeholders that hold another message; where it is none, the whole is none.
    """

    values: Mapping[str, ValueSet] = {}
    words: Mapping[str, tuple[str, ...]] = {}
    nested: frozenset[str] = frozenset()


class Messages:
    """The messages of a domain's tools and their translations, reversible message by message."""

    def __init__(self, returns: ToolReturns, where: str, filling: Filling | None = None) -> None:
        """Take messages from an artifact.

        Args:
            returns: The artifact.
            where: Its name, for messages.
            filling: What placeholders hold; nothing of a language where it is not given.

        Raises:
            DataError: Where two messages share a text, or a translation lost a placeholder.
        """
        self._returns, self._where = returns, where
        self._filling = Filling() if filling is None else filling
        self._labels = {each.source: each.localized for each in returns.exact.values()}
        self._sources = {label: source for source, label in self._labels.items()}
        if not len(self._labels) == len(self._sources) == len(returns.exact):
            raise DataError(f"{where}: two messages share a text: give one another translation")
        for key, each in returns.templates.items():
            if placeholders(each.source) != placeholders(each.localized):
                raise DataError(
                    f"{where}: {key}: the translation has other placeholders than the message"
                )
        self._shown = {
            **{name: values.labels for name, values in self._filling.values.items()},
            **{
                name: {text: self._labels.get(text, text) for text in texts}
                for name, texts in self._filling.words.items()
            },
        }
        self._meant = {
            name: {label: text for text, label in labels.items()}
            for name, labels in self._shown.items()
        }

    @cached_property
    def _to_language(self) -> list["_Way"]:
        pairs = [(each.source, each.localized) for each in self._returns.templates.values()]
        return _ways(pairs, self._shown)

    @cached_property
    def _to_world(self) -> list["_Way"]:
        pairs = [(each.localized, each.source) for each in self._returns.templates.values()]
        return _ways(pairs, self._meant)

    def filled_from(self, filling: Filling) -> "Messages":
        """Return the same messages with other value sets for what is filled in."""
        return Messages(self._returns, self._where, filling)

    @property
    def filling(self) -> Filling:
        """What placeholders hold."""
        return self._filling

    def label(self, text: str) -> str | None:
        """Return a message in the language, or None where it is none that has a way back.

        A text whose lines are messages is one.
        """
        return _by_line(text, self._label)

    def canon(self, text: str) -> str | None:
        """Return the message that a text in the language stands for, or None."""
        return _by_line(text, self._canon)

    def _label(self, text: str) -> str | None:
        found = self._labels.get(text)
        if found is None:
            found = self._filled(text, self._to_language, self._shown, self.label)
        return found if found is not None and self._canon(found) == text else None

    def _canon(self, text: str) -> str | None:
        found = self._sources.get(text)
        if found is None:
            found = self._filled(text, self._to_world, self._meant, self.canon)
        return found

    def _filled(
        self,
        text: str,
        ways: Iterable["_Way"],
        words: Mapping[str, Mapping[str, str]],
        say: _Say,
    ) -> str | None:
        """Return the other side of the first template that a text fills."""
        if len(text) > _MAX_MESSAGE:
            return None
        for way in ways:
            found = way.pattern.fullmatch(text)
            contents = None if found is None else self._contents(found.groupdict(), words, say)
            if contents is not None:
                return fill(way.template, contents)
        return None

    def _contents(
        self, found: Mapping[str, str], words: Mapping[str, Mapping[str, str]], say: _Say
    ) -> dict[str, str] | None:
        contents: dict[str, str] = {}
        for name, content in found.items():
            said = (
                say(content)
                if name in self._filling.nested
                else _worded(content, words.get(name, {}))
            )
            if said is None:
                return None
            contents[name] = said
        return contents


class _Way(NamedTuple):
    """From a filled template to the other side's."""

    pattern: re.Pattern[str]
    template: str


def _ways(pairs: Iterable[tuple[str, str]], words: Mapping[str, Mapping[str, str]]) -> list[_Way]:
    """Return ways from the first template of each pair to the second, the most specific first.

    What begins with a placeholder fits nearly everything, and comes last. A template is tried with its known words alone before anything may stand in their places: in a
    language without spaces nothing else tells where a word ends.
    """
    ways: list[_Way] = []
    for template, other in sorted(pairs, key=lambda pair: _breadth(pair[0])):
        known = {name: words[name] for name in placeholders(template) if words.get(name)}
        if known:
            ways.append(_Way(_compiled(template, known), other))
        ways.append(_Way(_compiled(template, {}), other))
    return ways


def in_english(returns: ToolReturns) -> ToolReturns:
    """Return messages before they are translated, their patterns made of their sources."""
    return ToolReturns(
        exact={key: replace(each, localized=each.source) for key, each in returns.exact.items()},
        templates={
            key: replace(each, pattern=pattern_of(each.source), localized=each.source)
            for key, each in returns.templates.items()
        },
    )


def _breadth(template: str) -> tuple[bool, int]:
    """Return how much a template fits, for sorting: the least first."""
    return template.startswith("{"), -len(PLACEHOLDER.sub("", template))


def placeholders(template: str) -> frozenset[str]:
    """Return the names in braces of a template."""
    return frozenset(PLACEHOLDER.findall(template))


def pattern_of(template: str) -> str:
    """Return the anchored pattern that a filled template matches, as released files write it.

    A name that stands twice must be filled alike.
    """
    parts: list[str] = []
    seen: set[str] = set()
    end = 0
    for found in PLACEHOLDER.finditer(template):
        name = found.group(1)
        parts.append(re.escape(template[end : found.start()]))
        parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>.+)")
        seen.add(name)
        end = found.end()
    return f"^{''.join(parts)}{re.escape(template[end:])}$"


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its placeholders filled in; every one must have a value."""
    return PLACEHOLDER.sub(lambda name: values[name.group(1)], template)


def _by_line(text: str, say: _Say) -> str | None:
    """Return a text said line by line where each line can be said, otherwise as a whole."""
    if "\n" in text and len(text) <= _MAX_MESSAGE:
        lines = [said for line in text.split("\n") if (said := say(line)) is not None]
        if len(lines) == text.count("\n") + 1:
            return "\n".join(lines)
    return say(text)


def _worded(content: str, words: Mapping[str, str]) -> str:
    """Return what stands for a value, in the quotes that it stands in."""
    if len(content) > 1 and content[0] in _QUOTES and content[0] == content[-1]:
        return f"{content[0]}{words.get(content[1:-1], content[1:-1])}{content[-1]}"
    return words.get(content, content)


def _compiled(template: str, words: Mapping[str, Iterable[str]]) -> re.Pattern[str]:
    """Return the pattern of a template in which some placeholders hold one of some words."""
    pattern = pattern_of(template)
    for name, known in words.items():
        choices = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
        quote = f"{name}__quote"
        quoted = f"(?P<{quote}>[{_QUOTES}]?)(?:{choices})(?P={quote})"
        pattern = pattern.replace(f"(?P<{name}>.+)", f"(?P<{name}>{quoted})")
    return re.compile(pattern, re.DOTALL)
