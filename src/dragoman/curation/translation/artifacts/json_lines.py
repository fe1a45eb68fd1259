"""Files of one JSON object per line: questions with their functions, and documents of functions.

A line in which nothing changes stays byte by byte.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from dragoman.conditions.language.text_invariants import has_letters
from dragoman.core.language.question_texts import LineText, line_names, line_texts
from dragoman.core.texts.decoding import JsonPath, put, value_at
from dragoman.curation.translation.artifacts.choices import Choices
from dragoman.curation.translation.artifacts.file import FileArtifact, SourcedFile
from dragoman.curation.translation.artifacts.json_places import decode
from dragoman.curation.translation.artifacts.schemas import is_label, label_contexts
from dragoman.curation.translation.protection.kept_words import (
    kept_words,
    looks_like_code,
    with_parts,
)
from dragoman.curation.translation.segments import Component, Mode, Segment, address_of

Expected = Mapping[str, frozenset[str]]
"""The texts that calls must have, by the id of their question."""


def lines_artifact(
    origin: SourcedFile,
    component: Component,
    content: bytes,
    choices: Choices,
    expected: Expected | None = None,
) -> FileArtifact:
    """Return a file of questions or of documents of functions as an artifact.

    Args:
        origin: Where it comes from.
        component: Which of the two it is.
        content: The file.
        choices: The value sets of its choices.
        expected: The texts that calls must have; they stay where they stand in a line's prose.

    Raises:
        DataError: Where a line is no JSON.
    """
    lines = _lines(content, origin.name)
    found = {
        address_of(origin.name, (at, *each.place)): (at, each)
        for at, line in lines.items()
        for each in line_texts(line)
        if has_letters(each.text) and (each.use != "choice" or choices.key(each))
    }
    contexts = label_contexts(choices.schema, origin.domain)
    kept = _kept(lines, found.values(), expected or {})
    segments = tuple(
        _choice(address, each.text, contexts[key])
        if (key := choices.key(each)) is not None
        else Segment(
            address,
            component if each.use == "said" else "functions",
            each.text,
            "text",
            f"{origin.domain}/text",
            kept[each.text],
        )
        for address, (_, each) in found.items()
    )

    def write(texts: Mapping[str, str]) -> bytes:
        changed: dict[int, dict[JsonPath, str]] = {}
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
            address: value_at(others.get(at), each.place) for address, (at, each) in found.items()
        }
        return {address: text for address, text in there.items() if isinstance(text, str)}

    return FileArtifact(origin, component, segments, write, read)


def copied_artifact(origin: SourcedFile, component: Component, content: bytes) -> FileArtifact:
    """Return a file that is the same in every language."""
    return FileArtifact(origin, component, (), lambda _: content, lambda _, __: {})


def texts_in(files: Mapping[str, bytes]) -> Iterator[LineText]:
    """Yield the texts of files.

    Raises:
        DataError: Where a line is no JSON.
    """
    for name, content in files.items():
        for line in _lines(content, name).values():
            yield from line_texts(line)


def _choice(address: str, text: str, context: str) -> Segment:
    mode: Mode = "label" if is_label(text) else "text"
    return Segment(address, "functions", text, mode, context)


def _kept(
    lines: Mapping[int, object], found: Iterable[tuple[int, LineText]], expected: Expected
) -> dict[str, tuple[str, ...]]:
    """Return what stays in each text: of equal ones, what stays in any, for they are translated once."""
    words = {at: _words(line, expected) for at, line in lines.items()}
    kept: dict[str, dict[str, None]] = {}
    for at, each in found:
        kept.setdefault(each.text, {}).update(dict.fromkeys(kept_words(each.text, words[at])))
    return {
        text: tuple(sorted(each, key=lambda word: (-len(word), word)))
        for text, each in kept.items()
    }


def _words(line: object, expected: Expected) -> frozenset[str]:
    """Return what stays in the prose of a line: what is expected and no list shows, and names."""
    wanted = (
        expected.get(str(line.get("id")), frozenset()) if isinstance(line, dict) else frozenset()
    )
    listed = {each.text.casefold() for each in line_texts(line) if each.use == "choice"}
    return frozenset(
        (
            *(
                part
                for text in wanted
                if text.casefold() not in listed
                for part in with_parts(text)
            ),
            *filter(looks_like_code, line_names(line)),
        )
    )


def _lines(content: bytes, where: str) -> dict[int, object]:
    """Return the decoded lines that hold anything, by their number from 0."""
    return {
        at: decode(line, f"{where}, line {at + 1}")
        for at, line in enumerate(content.split(b"\n"))
        if line.strip()
    }


def _encoded(line: bytes, texts: Mapping[JsonPath, str]) -> bytes:
    """Return a line with other texts, laid out as upstream's lines are."""
    value = json.loads(line)
    put(value, texts)
    return json.dumps(value, ensure_ascii=False).encode("utf-8")
