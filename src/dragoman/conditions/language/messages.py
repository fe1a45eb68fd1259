"""Messages of tools in a language, and back: as they stand, and with something filled in."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from dragoman.conditions.language.artifacts import ToolReturns
from dragoman.core.errors import DataError

PLACEHOLDER = re.compile(r"\{(\w+)\}")
_MAX_MESSAGE = 4_000


class Messages:
    """The messages of a domain's tools and their translations, reversible message by message."""

    def __init__(self, returns: ToolReturns, where: str) -> None:
        """Take messages from an artifact.

        Raises:
            DataError: Where two messages share a text, or a translation lost a placeholder.
        """
        self._labels = {each.source: each.localized for each in returns.exact.values()}
        self._sources = {label: source for source, label in self._labels.items()}
        if not len(self._labels) == len(self._sources) == len(returns.exact):
            raise DataError(f"{where}: two messages share a text: give one another translation")
        self._templates = [
            _Template.of(each.source, each.localized, f"{where}: {key}")
            for key, each in returns.templates.items()
        ]

    def label(self, text: str) -> str | None:
        """Return a message in the language, or None where it is none that has a way back."""
        found = self._labels.get(text) or _filled(
            text, ((each.source_pattern, each.localized) for each in self._templates)
        )
        return found if found is not None and self.canon(found) == text else None

    def canon(self, text: str) -> str | None:
        """Return the message that a text in the language stands for, or None."""
        return self._sources.get(text) or _filled(
            text, ((each.localized_pattern, each.source) for each in self._templates)
        )


class _Template(NamedTuple):
    source: str
    localized: str
    source_pattern: re.Pattern[str]
    localized_pattern: re.Pattern[str]

    @classmethod
    def of(cls, source: str, localized: str, where: str) -> "_Template":
        if placeholders(source) != placeholders(localized):
            raise DataError(f"{where}: the translation has other placeholders than the message")
        return cls(source, localized, _compiled(source), _compiled(localized))


def in_english(returns: ToolReturns) -> ToolReturns:
    """Return messages before they are translated, their patterns made of their sources."""
    return ToolReturns(
        exact={key: replace(each, localized=each.source) for key, each in returns.exact.items()},
        templates={
            key: replace(each, pattern=pattern_of(each.source), localized=each.source)
            for key, each in returns.templates.items()
        },
    )


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


def _filled(text: str, ways: Iterable[tuple[re.Pattern[str], str]]) -> str | None:
    """Return the other side of the first template that a text fills."""
    if len(text) > _MAX_MESSAGE:
        return None
    for pattern, template in ways:
        found = pattern.fullmatch(text)
        if found is not None:
            return fill(template, found.groupdict())
    return None


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its placeholders filled in; every one must have a value."""
    return PLACEHOLDER.sub(lambda name: values[name.group(1)], template)


def _compiled(template: str) -> re.Pattern[str]:
    return re.compile(pattern_of(template), re.DOTALL)
