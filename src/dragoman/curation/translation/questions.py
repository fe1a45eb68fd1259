"""Suites of questions with functions on offer, and no world: their files as artifacts."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.conditions.language.artifacts import SCHEMA_FILES, SourceHash, encode_artifact
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.capabilities import HasQuestions
from dragoman.core.errors import DataError, UsageError
from dragoman.core.language.question_texts import QuestionFiles
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.curation.translation.artifacts.choices import Choices, choices_of
from dragoman.curation.translation.artifacts.file import SourcedFile
from dragoman.curation.translation.artifacts.json_lines import (
    copied_artifact,
    lines_artifact,
    texts_in,
)
from dragoman.curation.translation.artifacts.schemas import schema_artifact
from dragoman.curation.translation.segments import Artifact, TranslatableDomain
from dragoman.registry.suites import find_benchmark


def questions_of(suite: str, data: Path) -> TranslatableDomain:
    """Return the questions and functions of a suite that has no world.

    Its folder is that of the benchmark, where categories lie side by side: a group of them has the
    same files as each of them. Texts have the contexts of the benchmark, for categories share functions.

    Args:
        suite: Its whole name.
        data: The folder of pulled data.

    Raises:
        UsageError: Where the suite is of no benchmark that has such files.
        DataError: Where a file is missing or damaged.
    """
    benchmark = find_benchmark(suite)
    if benchmark is None or not isinstance(benchmark, HasQuestions):
        raise UsageError(f"{suite} cannot be translated: it names no files of its domain")
    name, _, category = suite.partition(":")
    found = _Found(name, category, benchmark.question_files(suite, data))
    choices = choices_of(texts_in(found.with_functions), f"{name}/{category}")
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
    """A suite of questions, and its files."""

    benchmark: str
    category: str
    files: QuestionFiles

    @property
    def with_functions(self) -> dict[str, bytes]:
        """The files that functions may be in, by name."""
        return {**self.files.questions, **self.files.functions}

    def artifacts(self, choices: Choices) -> Iterator[Artifact]:
        """Yield the files; answers are copied."""
        expected = self.files.expected
        for name, content in self.files.questions.items():
            yield lines_artifact(self._origin(name, content), "tasks", content, choices, expected)
        for name, content in self.files.functions.items():
            yield lines_artifact(self._origin(name, content), "functions", content, choices)
        for name, content in self.files.answers.items():
            yield copied_artifact(self._origin(name, content), "tasks", content)

    def functions(self) -> Iterator[ToolSpec]:
        """Yield the functions on offer, each name once."""
        found: dict[str, _Function] = {}
        for name, content in self.with_functions.items():
            for line in _lines(content, name):
                own = _Function(line.name, line.description, line.parameters)
                for function in (*line.function, *([own] if line.name else [])):
                    found.setdefault(function.name, function)
        for each in found.values():
            yield ToolSpec(each.name, each.description, each.parameters, "read")

    def _origin(self, name: str, content: bytes) -> SourcedFile:
        source = SourceHash(f"{self.benchmark}/{name}", _hash(content))
        return SourcedFile(name, self.benchmark, (source,))


def _lines(content: bytes, where: str) -> list[_Line]:
    try:
        return msgspec.json.Decoder(_Line).decode_lines(content)
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: {error}") from error


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
