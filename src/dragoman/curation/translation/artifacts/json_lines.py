"""Files of one JSON object per line: questions with their functions, and documents of functions.

Translated are what users say, what functions and parameters are described as, and the values that
enumerations list; a default that is one of these goes with them. Names, ids, types and whatever else
a line holds stay, and a line in which nothing changes stays byte by byte.
"""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dragoman.conditions.language.artifacts import Schema, ValueSetText, ValueText
from dragoman.conditions.language.places import places
from dragoman.conditions.language.text_rules.scripts import has_letters
from dragoman.conditions.language.value_maps import fold
from dragoman.curation.translation.artifacts.file import FileArtifact, SourcedFile
from dragoman.curation.translation.artifacts.json_places import Place, at_place, decode, put
from dragoman.curation.translation.artifacts.schemas import is_label
from dragoman.curation.translation.segments import Component, Mode, Segment, address_of

_BRANCHES = ("properties", "items", "additionalProperties", "anyOf", "oneOf")


class _Text(NamedTuple):
    place: Place
    text: str
    value_set: str


def lines_artifact(
    origin: SourcedFile, component: Component, content: bytes, contexts: Mapping[str, str]
) -> FileArtifact:
    """Return a file of questions or of documents of functions as an artifact.

    Args:
        origin: Where it comes from.
        component: Which of the two it is.
        content: The file.
        contexts: The contexts of labels, by the keys of `choices_of_functions`.

    Raises:
        DataError: Where a line is no JSON.
    """
    lines = _lines(content, origin.name)
    found = {
        address_of(origin.name, (at, *each.place)): (at, each)
        for at, line in lines.items()
        for each in _texts(line)
        if has_letters(each.text) and (not each.value_set or each.value_set in contexts)
    }
    segments = tuple(
        _segment(address, component, each, contexts.get(each.value_set, f"{origin.domain}/text"))
        for address, (_, each) in found.items()
    )

    def write(texts: Mapping[str, str]) -> bytes:
        changed: dict[int, dict[Place, str]] = {}
        for address, (at, each) in found.items():
            if texts.get(address, each.text) != each.text:
                changed.setdefault(at, {})[each.place] = texts[address]
        written = content.split(b"\n")
        for at, by_place in changed.items():
            written[at] = _encoded(written[at], by_place)
        return b"\n".join(written)

    def read(translated: bytes, where: str) -> dict[str, str]:
        others = _lines(translated, where)
        there = {
            address: at_place(others.get(at), each.place) for address, (at, each) in found.items()
        }
        return {address: text for address, text in there.items() if isinstance(text, str)}

    return FileArtifact(origin, component, segments, write, read)


def copied_artifact(origin: SourcedFile, component: Component, content: bytes) -> FileArtifact:
    """Return a file that is the same in every language."""
    return FileArtifact(origin, component, (), lambda _: content, lambda _, __: {})


def choices_of_functions(files: Mapping[str, bytes], source: str) -> Schema:
    """Return the values that functions take, by `FUNCTION.PARAMETER`, of all files of a suite.

    Functions of one name have the values of all of them. Where values differ in case alone (`AA`,
    `Aa`), labels would have no way back: those parameters keep their values.
    """
    found: dict[str, dict[str, None]] = {}
    for name, content in files.items():
        for line in _lines(content, name).values():
            for each in _texts(line):
                if each.value_set and each.text:
                    found.setdefault(each.value_set, {})[each.text] = None
    value_sets = {
        key: ValueSetText(
            "literal", tuple(ValueText(text, text) for text in texts), *key.rsplit(".", 1)
        )
        for key, texts in found.items()
        if len(set(map(fold, texts))) == len(texts)
    }
    return Schema("schema", source, {}, value_sets)


def _segment(address: str, component: Component, text: _Text, context: str) -> Segment:
    mode: Mode = "label" if text.value_set and is_label(text.text) else "text"
    return Segment(address, component, text.text, mode, context)


def _lines(content: bytes, where: str) -> dict[int, object]:
    """Return the decoded lines that hold anything, by their number from 0."""
    return {
        at: decode(line, f"{where}, line {at + 1}")
        for at, line in enumerate(content.split(b"\n"))
        if line.strip()
    }


def _encoded(line: bytes, texts: Mapping[Place, str]) -> bytes:
    """Return a line with other texts, laid out as upstream's lines are."""
    value = json.loads(line)
    put(value, texts)
    return json.dumps(value, ensure_ascii=False).encode("utf-8")


def _texts(line: object) -> Iterator[_Text]:
    if not isinstance(line, dict):
        return
    if "parameters" in line:
        yield from _of_function(line, ())
    for at, function in _listed(line.get("function")):
        yield from _of_function(function, ("function", at))
    for turn, messages in _listed(line.get("question")):
        for at, message in _listed(messages):
            if isinstance(message, dict) and message.get("role") in places().said_by:
                place = ("question", turn, at, "content")
                yield from _text(message.get("content"), place)


def _of_function(function: object, place: Place) -> Iterator[_Text]:
    if isinstance(function, dict):
        yield from _text(function.get("description"), (*place, "description"))
        name = str(function.get("name", ""))
        yield from _of_schema(function.get("parameters"), (*place, "parameters"), name, is_top=True)


def _of_schema(schema: object, place: Place, name: str, *, is_top: bool = False) -> Iterator[_Text]:
    if not isinstance(schema, dict):
        return
    if not is_top:
        yield from _text(schema.get("description"), (*place, "description"))
        yield from _choices(schema, place, name)
    for branch in _BRANCHES:
        below = schema.get(branch)
        if branch == "properties" and isinstance(below, dict):
            for key, part in below.items():
                yield from _of_schema(part, (*place, branch, key), f"{name}.{key}")
        elif isinstance(below, dict):
            yield from _of_schema(below, (*place, branch), name)
        else:
            for at, part in _listed(below):
                yield from _of_schema(part, (*place, branch, at), name)


def _choices(schema: Mapping[str, object], place: Place, name: str) -> Iterator[_Text]:
    choices = [(at, each) for at, each in _listed(schema.get("enum")) if isinstance(each, str)]
    for at, choice in choices:
        yield _Text((*place, "enum", at), choice, name)
    default = schema.get("default")
    if isinstance(default, str) and default in {each for _, each in choices}:
        yield _Text((*place, "default"), default, name)


def _text(value: object, place: Place) -> Iterator[_Text]:
    if isinstance(value, str):
        yield _Text(place, value, "")


def _listed(value: object) -> Iterator[tuple[int, object]]:
    return enumerate(value if isinstance(value, list) else ())
