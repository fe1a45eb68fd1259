"""Translations of BFCL's entries: files to translate, and suites played in other languages.

A translated question is answered by the same calls as the English one.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from dragoman.benchmarks.bfcl.agentic_entries import AGENTIC, SEARCHES
from dragoman.benchmarks.bfcl.categories import (
    GROUPS,
    NAMES,
    TURN_GROUPS,
    BfclSuite,
    load_downloaded_suite,
    load_suite,
    read_downloaded_file,
)
from dragoman.benchmarks.bfcl.entry_files import Read
from dragoman.benchmarks.bfcl.multi_turn_entries import DOCUMENT_FILES, MULTI_TURN
from dragoman.benchmarks.bfcl.multi_turn_suite import MultiTurnSuite
from dragoman.benchmarks.bfcl.native_tools import native_names
from dragoman.benchmarks.bfcl.single_turn_entries import CATEGORY as FORMATS
from dragoman.benchmarks.bfcl.single_turn_entries import SINGLE_TURN, UNANSWERED
from dragoman.benchmarks.bfcl.single_turn_suite import SingleTurnSuite
from dragoman.benchmarks.bfcl.translated_files import left_in_english, translated_file
from dragoman.benchmarks.bfcl.upstream_data import bfcl_source
from dragoman.core.errors import UsageError
from dragoman.core.language.question_texts import (
    Labels,
    QuestionFiles,
    ReadFile,
    TranslatedTask,
    Use,
)
from dragoman.core.protocols import Provenance


def expected_texts(suite: BfclSuite) -> Mapping[str, frozenset[str]]:
    """Return the texts among the values that will do, by entry; none where calls are not judged."""
    match suite:
        case SingleTurnSuite():
            return {
                entry.task.id: frozenset(
                    text
                    for call in entry.question.expected
                    for text in _texts(list(call.arguments.values()))
                )
                for entry in suite.entries
            }
        case MultiTurnSuite():
            return {
                entry.task.id: frozenset(
                    text
                    for calls in entry.gold
                    for call in calls
                    for text in _texts([call.arguments, *call.positionals])
                )
                for entry in suite.entries
            }
        case _:
            return {}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


_ANSWERS, _DOCUMENTS, _BEFORE = (
    "possible_answer",
    "multi_turn_func_doc",
    "memory_prereq_conversation",
)
_SEARCH, _MEMORY = "web_search", "memory"

NOT_PLAYED = "is played in English only: questions of one turn and of several are in others"
"""Why memory, web search and formats have no other languages."""


def question_files(category: str, data: Path) -> QuestionFiles:
    """Return the files of a category, or of all in a group.

    Args:
        category: The part of the suite's name after `bfcl:`.
        data: The folder of pulled data.

    Raises:
        UsageError: If the category does not exist, or has no questions of its own.
        DataError: If a file is missing or damaged.
    """
    if category == FORMATS or category not in NAMES:
        why = "has the questions of other categories" if category == FORMATS else "is none"
        raise UsageError(
            f"bfcl:{category} {why}: choose {', '.join(name for name in NAMES if name != FORMATS)}"
        )
    kinds = _kinds(category)
    questions = dict.fromkeys(name for kind in kinds for name in _questions(kind))
    functions = dict.fromkeys(name for kind in kinds for name in _functions(kind))
    answers = dict.fromkeys(f"{_ANSWERS}/{_file(kind)}" for kind in kinds if kind not in UNANSWERED)

    def read(names: dict[str, None]) -> dict[str, bytes]:
        return {name: read_downloaded_file(data, name) for name in names}

    expected = expected_texts(load_downloaded_suite(category, data))
    return QuestionFiles(read(questions), read(functions), read(answers), expected)


def played_files(category: str) -> tuple[str, ...]:
    """Return the names of the files from which a category or group is played in a language.

    Raises:
        UsageError: If the category is not played in other languages.
    """
    kinds = _kinds(category)
    if not {*kinds} <= {*SINGLE_TURN, *MULTI_TURN}:
        raise UsageError(f"bfcl:{category} {NOT_PLAYED}")
    names = (name for kind in kinds for name in (*_questions(kind), *_functions(kind)))
    return tuple(dict.fromkeys(names))


def _kinds(category: str) -> tuple[str, ...]:
    return GROUPS.get(category) or TURN_GROUPS.get(category) or (category,)


def _questions(category: str) -> Iterator[str]:
    yield _file(category)
    if _shared_file_name(category) == _MEMORY:
        names = (file.name for file in bfcl_source().files)
        yield from (name for name in names if name.startswith(f"{_BEFORE}/"))


def _functions(category: str) -> Iterator[str]:
    """Yield the documents of functions that a category's questions share."""
    if category in MULTI_TURN:
        yield from (f"{_DOCUMENTS}/{name}.json" for name in DOCUMENT_FILES.values())
    elif category in AGENTIC:
        name = _SEARCH if category in SEARCHES else category
        yield f"{_DOCUMENTS}/{name}.json"


def _file(category: str) -> str:
    return f"BFCL_v4_{_shared_file_name(category)}.json"


def _shared_file_name(category: str) -> str:
    """Return the name of the file that categories of a kind share."""
    if category not in AGENTIC:
        return category
    return _SEARCH if category in SEARCHES else _MEMORY


class TranslatedSuite:
    """A suite read from translated files, and from the English ones where nothing is translated."""

    def __init__(self, category: str, translated: ReadFile, english: Read) -> None:
        """Read the files.

        Args:
            category: The part of the suite's name after `bfcl:`.
            translated: Returns a translated file.
            english: Returns upstream's files.

        Raises:
            UsageError: If the suite cannot be played in another language.
            DataError: If a file is missing or damaged, or differs in more than texts.
        """
        self.files = played_files(category)
        self._read = {name: translated_file(name, translated, english) for name in self.files}
        contents = {name: file.content for name, file in self._read.items()}
        suite = load_suite(
            category,
            lambda name: contents.get(name) or english(name),
            Provenance("", "", "", ""),
            is_english=False,
        )
        if not isinstance(suite, SingleTurnSuite | MultiTurnSuite):
            raise UsageError(f"{suite.name} cannot be played in another language")
        self._suite = suite
        self._tasks = {task.id: task for task in suite.tasks}
        self._labels = {
            name: line.labels for file in self._read.values() for name, line in file.lines.items()
        }

    def task(self, identity: str) -> TranslatedTask:
        """Return a task; its tools are made once."""
        task, suite = self._tasks[identity], self._suite
        return TranslatedTask(
            task.turns,
            task.history,
            suite.instructions(task),
            suite.tools(task),
        )

    def labels(self, identity: str) -> Mapping[str, Labels]:
        """Return the labels of values in a task's functions.

        The labels are keyed by the functions' own names and by the names of tools.
        """
        return _by_tool(self._labels_of(identity))

    def left_in_english(self, use: Use) -> tuple[int, int]:
        """Return how many different texts of a use are as in English, and how many there are."""
        return left_in_english(tuple(self._read.values()), use)

    def _labels_of(self, identity: str) -> Mapping[str, Labels]:
        """Return the labels of the functions of a task, those of its line or those of documents."""
        if isinstance(self._suite, SingleTurnSuite):
            return self._labels[identity]
        names = [tool.name for tool in self._suite.tools(self._tasks[identity])]
        return _merge_labels(self._labels.get(name, {}) for name in names)


def _merge_labels(parts: Iterable[Mapping[str, Labels]]) -> dict[str, Labels]:
    return {name: labels for part in parts for name, labels in part.items()}


def _by_tool(labels: Mapping[str, Labels]) -> dict[str, Labels]:
    """Return labels by the names of functions, their own and those that providers accept."""
    accepted = {shown: labels[name] for shown, name in native_names(labels).items()}
    return {**labels, **accepted}
