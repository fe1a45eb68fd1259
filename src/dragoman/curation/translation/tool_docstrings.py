"""Google-style docstrings of tools as artifacts: split into parts, rebuilt afterwards.

A part keeps its lines, so untranslated text stays as it is. Lines that only wrap are joined, so no
sentence is cut in two. In a description, a line that ends a sentence also ends a line of the text,
since such lines may be notes; elsewhere only lists have lines. Names of arguments, types and
errors, and the headings, are not part of any text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dragoman.conditions.language.artifacts import decode_artifact
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.curation.translation.artifact_files import FileArtifact, SourcedFile, encode_json
from dragoman.curation.translation.segments import Segment, address_of

_HEADINGS = {
    "Args:": "args",
    "Arguments:": "args",
    "Parameters:": "args",
    "Returns:": "returns",
    "Yields:": "returns",
    "Raises:": "raises",
}
_ARGUMENT = re.compile(r"( {1,8}\*{0,2}(\w+)(?: \([^)]*\))?: ?)(\S.*)?")
_TYPED = re.compile(r"(\s*[A-Za-z_][\w.]*(?:\[[^\]]*\])?: )(\S.*)")
_ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
_SENTENCE_END = (".", ":", "!", "?", ";", "\u3002", "\uff1a", "\uff01", "\uff1f")
_LIST_FOLLOWS = (":", "\uff1a")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]")

DESCRIPTION = "description"

Place = tuple[str | int, ...]


class DocstringPart(NamedTuple):
    """One part of a docstring.

    Attributes:
        place: `("description",)`, `("args", NAME)`, `("returns",)` or `("raises", NUMBER)`.
        first: The number of its first line.
        last: The number of the line after it.
        lead: The prefix of its first line.
        indent: The prefix of its further lines.
        text: The text.
    """

    place: Place
    first: int
    last: int
    lead: str
    indent: str
    text: str


class _Section(NamedTuple):
    kind: str
    first: int
    last: int


def docstring_parts(docstring: str) -> tuple[DocstringPart, ...]:
    """Return the parts of a docstring in their order, without empty ones."""
    lines = docstring.split("\n")
    found: dict[Place, DocstringPart] = {}
    for section in _sections(lines):
        for part in _parts(section, lines):
            if part.text:
                found.setdefault(part.place, part)
    return tuple(found.values())


def rebuild_docstring(docstring: str, texts: Mapping[Place, str]) -> str:
    """Return a docstring with other texts in its parts; unchanged parts stay."""
    lines = docstring.split("\n")
    for part in reversed(docstring_parts(docstring)):
        text = texts.get(part.place, part.text)
        if text != part.text:
            first, *further = text.split("\n")
            lines[part.first : part.last] = [
                f"{part.lead}{first}",
                *(f"{part.indent}{line}" if line else "" for line in further),
            ]
    return "\n".join(lines)


def join_halves(translated: str, english: str) -> str:
    """Join the two halves of a translated description if it has one part in English.

    Released descriptions have a blank line after the first line of the source, even if that line
    only wrapped.
    """
    first, blank, rest = translated.partition("\n\n")
    if not blank or "\n\n" in english or "\n\n" in rest:
        return translated
    return f"{first}\n{rest}" if first.endswith(_SENTENCE_END) else _join_line_halves(first, rest)


def _sections(lines: Sequence[str]) -> Iterator[_Section]:
    """Yield the runs of lines below each heading; an unindented line ends a run."""
    kind, first = DESCRIPTION, 0
    for at, line in enumerate(lines):
        if line.rstrip() in _HEADINGS:
            yield _Section(kind, first, at)
            kind, first = _HEADINGS[line.rstrip()], at + 1
        elif kind != DESCRIPTION and line.strip() and not line.startswith(" "):
            yield _Section(kind, first, at)
            kind, first = DESCRIPTION, at
    yield _Section(kind, first, len(lines))


def _parts(section: _Section, lines: Sequence[str]) -> Iterator[DocstringPart]:
    first, last = _trim_blank_lines(lines, section.first, section.last)
    if first == last:
        return
    match section.kind:
        case "args":
            yield from _arguments(lines, first, last)
        case "raises":
            yield from _errors(lines, first, last)
        case "returns":
            yield _entry(("returns",), lines, (first, last), _typed_lead(lines[first]))
        case _:
            place: Place = (DESCRIPTION,) if section.first == 0 else (DESCRIPTION, section.first)
            yield _entry(place, lines, (first, last), "")


def _arguments(lines: Sequence[str], first: int, last: int) -> Iterator[DocstringPart]:
    """Yield the description of each argument, from its name to the next one."""
    margin = _margin(lines[first])
    starts = [at for at in range(first, last) if _starts(lines[at], margin)]
    for at, until in zip(starts, [*starts[1:], last], strict=True):
        argument = _ARGUMENT.fullmatch(lines[at])
        if argument is not None:
            span = _trim_blank_lines(lines, at, until)
            yield _entry(("args", argument[2]), lines, span, argument[1])


def _errors(lines: Sequence[str], first: int, last: int) -> Iterator[DocstringPart]:
    margin = _margin(lines[first])
    starts = [at for at in range(first, last) if _margin(lines[at]) <= margin and lines[at].strip()]
    for number, (at, until) in enumerate(zip(starts, [*starts[1:], last], strict=True)):
        span = _trim_blank_lines(lines, at, until)
        yield _entry(("raises", number), lines, span, _typed_lead(lines[at]))


def _entry(place: Place, lines: Sequence[str], span: tuple[int, int], lead: str) -> DocstringPart:
    first, last = span
    indent = " " * (_margin(lines[first + 1]) if last > first + 1 else _margin(lines[first]))
    further = [line.removeprefix(indent) for line in lines[first + 1 : last]]
    ends = _SENTENCE_END if place[0] == DESCRIPTION else _LIST_FOLLOWS
    return DocstringPart(
        place, first, last, lead, indent, _unwrap_lines([lines[first][len(lead) :], *further], ends)
    )


def _unwrap_lines(lines: Sequence[str], ends: tuple[str, ...]) -> str:
    """Return lines as text.

    A line is joined to the one before unless that one ends with one of `ends`.
    """
    joined: list[str] = []
    for line in lines:
        is_new = not joined or not joined[-1] or not line.strip()
        if is_new or joined[-1].endswith(ends) or _ITEM.match(line):
            joined.append(line.rstrip())
        else:
            joined[-1] = _join_line_halves(joined[-1], line.strip())
    return "\n".join(joined).strip()


def _join_line_halves(first: str, rest: str) -> str:
    """Return two halves of a sentence as one; scripts without spaces get no space."""
    is_unspaced = _UNSPACED.match(first[-1:]) and _UNSPACED.match(rest[:1])
    return first + rest if is_unspaced else f"{first} {rest}"


def _typed_lead(line: str) -> str:
    """Return the type or error at the beginning of a line, with its white space."""
    typed = _TYPED.fullmatch(line)
    return typed[1] if typed else " " * _margin(line)


def _starts(line: str, margin: int) -> bool:
    return bool(line.strip()) and _margin(line) <= margin and _ARGUMENT.fullmatch(line) is not None


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _trim_blank_lines(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Return a span of lines without blank ones at its ends."""
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return first, last


def tools_artifact(origin: SourcedFile, docstrings: Mapping[str, str]) -> FileArtifact:
    """Return the docstrings of a side's tools as an artifact."""
    found = {
        address_of(origin.name, (tool, *part.place)): (tool, part.place, part.text)
        for tool, docstring in docstrings.items()
        for part in docstring_parts(docstring)
        if has_letters(part.text)
    }
    segments = tuple(
        Segment(address, "tools", text, "text", f"{origin.domain}/text")
        for address, (_, _, text) in found.items()
    )

    def write(texts: Mapping[str, str]) -> bytes:
        changed: dict[str, dict[tuple[str | int, ...], str]] = {}
        for address, (tool, place, text) in found.items():
            changed.setdefault(tool, {})[place] = texts.get(address, text)
        return encode_json(
            {
                tool: rebuild_docstring(docstring, changed.get(tool, {}))
                for tool, docstring in docstrings.items()
            }
        )

    def read(translated: bytes, where: str) -> dict[str, str]:
        listed = decode_artifact(translated, dict[str, str], where)
        there = {
            (tool, part.place): part.text
            for tool, docstring in listed.items()
            for part in docstring_parts(docstring)
        }
        return {
            address: join_halves(there[tool, place], text)
            if place[0] == DESCRIPTION
            else there[tool, place]
            for address, (tool, place, text) in found.items()
            if (tool, place) in there
        }

    return FileArtifact(origin, "tools", segments, write, read)
