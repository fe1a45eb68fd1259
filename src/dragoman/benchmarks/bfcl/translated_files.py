"""Translated entry files, checked line by line: only texts may differ from English."""

import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.benchmarks.bfcl.entry_files import Read, read_lines
from dragoman.core.errors import DataError
from dragoman.core.language.question_texts import Labels, LineText, Path, ReadFile, Use, line_texts
from dragoman.core.texts.decoding import DECODING_ERRORS, JsonPath, set_values_at, value_at

Line = dict[str, object]

_LISTED = "enum"


class TranslatedLine(NamedTuple):
    """A line in another language.

    Attributes:
        line: It.
        texts: The English texts, each with its translation.
        labels: The labels of values, by function.
    """

    line: Line
    texts: tuple[tuple[LineText, str], ...]
    labels: Mapping[str, Labels]


class TranslatedFile(NamedTuple):
    """A file in another language: its lines by their names, in the order of the English file."""

    lines: Mapping[str, TranslatedLine]

    @property
    def content(self) -> bytes:
        """The file as it is read."""
        return b"\n".join(msgspec.json.encode(each.line) for each in self.lines.values())


def translated_file(name: str, translated: ReadFile, english: Read) -> TranslatedFile:
    """Return a translated file; its lines may stand in any order.

    Raises:
        DataError: If the file is missing or damaged, lacks a line, or differs in more than texts.
    """
    where = f"translated {name}"
    others = _by_name(where, translated(name))
    found: dict[str, TranslatedLine] = {}
    for identity, line in _by_name(name, english(name)).items():
        if identity not in others:
            raise DataError(f"{where}: {identity:.50} is missing: translate the file again")
        found[identity] = _pair_translated_line(line, others[identity], f"{where}: {identity:.50}")
    return TranslatedFile(found)


def left_in_english(files: Sequence[TranslatedFile], use: Use) -> tuple[int, int]:
    """Return the number of texts of a use that are in English somewhere, and the total number.

    Both numbers count distinct texts.
    """
    left: dict[str, bool] = {}
    for file in files:
        for line in file.lines.values():
            for each, text in line.texts:
                if each.use == use and any(map(str.isalpha, each.text)):
                    left[each.text] = left.get(each.text, False) or text == each.text
    return sum(left.values()), len(left)


def _by_name(file: str, content: bytes) -> dict[str, Line]:
    found: dict[str, Line] = {}
    for entry in read_lines(file, lambda _: content):
        try:
            line = msgspec.json.decode(entry.text, type=Line)
        except DECODING_ERRORS as error:
            raise DataError(f"{file}, line {entry.number}: {error}") from error
        name = str(line.get("id", line.get("name")))
        if name in found:
            raise DataError(f"{file}, line {entry.number}: {name:.50} is there twice")
        found[name] = line
    return found


def _pair_translated_line(english: Line, other: Line, where: str) -> TranslatedLine:
    pairs = tuple(_pairs(english, other, where))
    back = copy.deepcopy(other)
    set_values_at(back, {each.place: each.text for each, _ in pairs})
    if back != english:
        raise DataError(f"{where} differs from the English line in more than texts")
    return TranslatedLine(other, pairs, _labels(pairs, where))


def _pairs(english: Line, other: Line, where: str) -> Iterator[tuple[LineText, str]]:
    for each in line_texts(english):
        text = value_at(other, each.place)
        if not isinstance(text, str) or (each.text.strip() and not text.strip()):
            raise DataError(f"{where}: no text at {_format_path(each.place)}")
        yield each, text


def _labels(pairs: Sequence[tuple[LineText, str]], where: str) -> dict[str, Labels]:
    """Return the labels that a line's enumerations list.

    Raises:
        DataError: If two values have one label, or a default has another label than its value.
    """
    found: dict[str, dict[Path, dict[str, str]]] = {}
    for each, text in pairs:
        if each.use == "choice" and _LISTED in each.place[-2:]:
            found.setdefault(each.function, {}).setdefault(each.path, {})[each.text] = text
    for each, text in pairs:
        if each.use == "choice" and found[each.function][each.path][each.text] != text:
            raise DataError(f"{where}: {_format_path(each.place)} has another label than its list")
    for function, by_path in found.items():
        for path, labels in by_path.items():
            (label, times), *_ = Counter(labels.values()).most_common(1)
            if times > 1:
                raise DataError(
                    f"{where}: two values of {function}.{'.'.join(path)} are called {label!r:.50}: "
                    "give one another label"
                )
    return dict(found)


def _format_path(place: JsonPath) -> str:
    return "/".join(map(str, place))
