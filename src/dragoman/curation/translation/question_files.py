"""JSON Lines artifacts of question suites: the questions, their functions, and choices.

An unchanged line stays byte by byte.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.conditions.language.artifacts import (
    SCHEMA_FILES,
    Schema,
    SourceHash,
    ValueSetText,
    ValueText,
    encode_artifact,
)
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.conditions.language.value_sets import fold_spelling
from dragoman.core.capabilities import HasQuestions
from dragoman.core.errors import DataError, UsageError
from dragoman.core.language.question_texts import LineText, QuestionFiles, line_names, line_texts
from dragoman.core.texts.decoding import DECODING_ERRORS, JsonPath, set_values_at, value_at
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.curation.translation.artifact_files import (
    FileArtifact,
    SourcedFile,
    decode_json,
    is_label,
    label_contexts,
    schema_artifact,
)
from dragoman.curation.translation.do_not_translate import dnt_words, looks_like_code, with_parts
from dragoman.curation.translation.segments import (
    Artifact,
    Component,
    Mode,
    Segment,
    TranslatableDomain,
    address_of,
)
from dragoman.registry.suites import find_benchmark

_List = tuple[str, tuple[str, ...]]


class Choices(NamedTuple):
    """Value sets, and the value set of each list of each parameter."""

    schema: Schema
    keys: Mapping[_List, str]

    def key(self, text: LineText) -> str | None:
        """Return the value set of a choice; None if the choice stays as it is."""
        return self.keys.get((text.parameter, text.listed))


def choices_of(texts: Iterable[LineText], source: str) -> Choices:
    """Return the value sets of functions from the choices among texts.

    The key of a value set is `FUNCTION.PARAMETER`. Functions of one name may list different values.
    Compatible lists form one set, and an incompatible one forms another, `FUNCTION.PARAMETER~2`. If
    values of one list differ only in spelling (`AA`, `Aa`), no label could tell them apart, so they
    count as codes and stay.
    """
    groups: dict[str, list[dict[str, None]]] = {}
    keys: dict[_List, str] = {}
    for each in texts:
        listed = (each.parameter, each.listed)
        if each.use != "choice" or listed in keys or not _are_distinct(each.listed):
            continue
        of_parameter = groups.setdefault(each.parameter, [])
        at = next(
            (at for at, group in enumerate(of_parameter) if _are_distinct({*group, *each.listed})),
            len(of_parameter),
        )
        if at == len(of_parameter):
            of_parameter.append({})
        of_parameter[at].update(dict.fromkeys(each.listed))
        keys[listed] = _key(each.parameter, at)
    value_sets = {
        _key(parameter, at): ValueSetText(
            "literal", tuple(ValueText(text, text) for text in group), *parameter.rsplit(".", 1)
        )
        for parameter, of_parameter in groups.items()
        for at, group in enumerate(of_parameter)
    }
    return Choices(Schema("schema", source, {}, value_sets), keys)


def _are_distinct(values: Iterable[str]) -> bool:
    spellings = [fold_spelling(value) for value in dict.fromkeys(values)]
    return all(spellings) and len(set(spellings)) == len(spellings)


def _key(parameter: str, at: int) -> str:
    return f"{parameter}~{at + 1}" if at else parameter


Expected = Mapping[str, frozenset[str]]
"""The texts that calls must contain, by the id of their question."""


def lines_artifact(
    origin: SourcedFile,
    component: Component,
    content: bytes,
    choices: Choices,
    expected: Expected | None = None,
) -> FileArtifact:
    """Return a file of questions or of documents of functions as an artifact.

    Args:
        origin: The origin of the file.
        component: The component of the file.
        content: The file.
        choices: The value sets of its choices.
        expected: The texts that calls must contain; they stay in a line's prose.

    Raises:
        DataError: If a line is not valid JSON.
    """
    lines = _json_lines(content, origin.name)
    found = {
        address_of(origin.name, (at, *each.place)): (at, each)
        for at, line in lines.items()
        for each in line_texts(line)
        if has_letters(each.text) and (each.use != "choice" or choices.key(each))
    }
    contexts = label_contexts(choices.schema, origin.domain)
    kept = _collect_kept_words(lines, found.values(), expected or {})
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
            written[at] = _encode_line(written[at], by_place)
        return b"\n".join(written)

    def read(translated: bytes, where: str) -> dict[str, str]:
        others = _json_lines(translated, where)
        there = {
            address: value_at(others.get(at), each.place) for address, (at, each) in found.items()
        }
        return {address: text for address, text in there.items() if isinstance(text, str)}

    return FileArtifact(origin, component, segments, write, read)


def copied_artifact(origin: SourcedFile, component: Component, content: bytes) -> FileArtifact:
    """Return a file that is the same in every language."""
    return FileArtifact(origin, component, (), lambda _: content, lambda _, __: {})


def question_texts(files: Mapping[str, bytes]) -> Iterator[LineText]:
    """Yield the texts of files.

    Raises:
        DataError: If a line is not valid JSON.
    """
    for name, content in files.items():
        for line in _json_lines(content, name).values():
            yield from line_texts(line)


def _choice(address: str, text: str, context: str) -> Segment:
    mode: Mode = "label" if is_label(text) else "text"
    return Segment(address, "functions", text, mode, context)


def _collect_kept_words(
    lines: Mapping[int, object], found: Iterable[tuple[int, LineText]], expected: Expected
) -> dict[str, tuple[str, ...]]:
    """Return the words that stay untranslated in each text.

    Equal texts are translated once, so that a word stays if it stays in any of them.
    """
    words = {at: _words(line, expected) for at, line in lines.items()}
    kept: dict[str, dict[str, None]] = {}
    for at, each in found:
        kept.setdefault(each.text, {}).update(dict.fromkeys(dnt_words(each.text, words[at])))
    return {
        text: tuple(sorted(each, key=lambda word: (-len(word), word)))
        for text, each in kept.items()
    }


def _words(line: object, expected: Expected) -> frozenset[str]:
    """Return the words that stay in the prose of a line.

    They are expected texts that no list shows, and names that look like code.
    """
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


def _json_lines(content: bytes, where: str) -> dict[int, object]:
    """Return the decoded lines that are not blank, by their number from 0."""
    return {
        at: decode_json(line, f"{where}, line {at + 1}")
        for at, line in enumerate(content.split(b"\n"))
        if line.strip()
    }


def _encode_line(line: bytes, texts: Mapping[JsonPath, str]) -> bytes:
    """Return a line with other texts, in the layout of upstream's lines."""
    value = json.loads(line)
    set_values_at(value, texts)
    return json.dumps(value, ensure_ascii=False).encode("utf-8")


def questions_of(suite: str, data: Path) -> TranslatableDomain:
    """Return the questions and functions of a suite without a world.

    Its folder is that of the benchmark, which contains all categories: a group of categories has
    the same files as each of them. Texts have the contexts of the benchmark, since categories share
    functions.

    Args:
        suite: Its whole name.
        data: The folder of pulled data.

    Raises:
        UsageError: If the suite's benchmark has no such files.
        DataError: If a file is missing or damaged.
    """
    benchmark = find_benchmark(suite)
    if benchmark is None or not isinstance(benchmark, HasQuestions):
        raise UsageError(f"{suite} cannot be translated: it names no files of its domain")
    name, _, category = suite.partition(":")
    found = _Found(name, category, benchmark.question_files(suite, data))
    choices = choices_of(question_texts(found.with_functions), f"{name}/{category}")
    english = EnglishAssets(
        files={**found.with_functions, **found.files.answers},
        toolsets={"agent": Toolset(tuple(found.functions()))},
        hashes={},
        schemas={"agent": choices.schema},
    )
    labels = SourceHash(choices.schema.source_file, _hash(encode_artifact(choices.schema)))
    file = f"{category}.{SCHEMA_FILES['agent']}"
    schema = schema_artifact(SourcedFile(file, name, (labels,)), choices.schema)
    return TranslatableDomain(name, (schema, *found.artifacts(choices)), english)


class _Function(msgspec.Struct):
    name: str
    description: str
    parameters: dict[str, object]


class _Line(msgspec.Struct):
    """A question with its functions, or a function."""

    function: list[_Function] = []
    name: str = ""
    description: str = ""
    parameters: dict[str, object] = {}


class _Found(NamedTuple):
    """A suite of questions and its files."""

    benchmark: str
    category: str
    files: QuestionFiles

    @property
    def with_functions(self) -> dict[str, bytes]:
        """The files that functions may be in, by name."""
        return {**self.files.questions, **self.files.functions}

    def artifacts(self, choices: Choices) -> Iterator[Artifact]:
        """Yield the artifacts of the files; answers are copied."""
        expected = self.files.expected
        for name, content in self.files.questions.items():
            yield lines_artifact(self._origin(name, content), "tasks", content, choices, expected)
        for name, content in self.files.functions.items():
            yield lines_artifact(self._origin(name, content), "functions", content, choices)
        for name, content in self.files.answers.items():
            yield copied_artifact(self._origin(name, content), "tasks", content)

    def functions(self) -> Iterator[ToolSpec]:
        """Yield the offered functions, each name once."""
        found: dict[str, _Function] = {}
        for name, content in self.with_functions.items():
            for line in _question_lines(content, name):
                own = _Function(line.name, line.description, line.parameters)
                for function in (*line.function, *([own] if line.name else [])):
                    found.setdefault(function.name, function)
        for each in found.values():
            yield ToolSpec(each.name, each.description, each.parameters, "read")

    def _origin(self, name: str, content: bytes) -> SourcedFile:
        source = SourceHash(f"{self.benchmark}/{name}", _hash(content))
        return SourcedFile(name, self.benchmark, (source,))


def _question_lines(content: bytes, where: str) -> list[_Line]:
    try:
        return msgspec.json.Decoder(_Line).decode_lines(content)
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: {error}") from error


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
