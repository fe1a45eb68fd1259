"""The tasks of a suite in another language: asked for otherwise, answered by the same calls."""

from collections.abc import Iterable, Mapping

from dragoman.benchmarks.bfcl.entries.lines import Read
from dragoman.benchmarks.bfcl.prompts.native_tools import native_names
from dragoman.benchmarks.bfcl.single.suite import SingleTurnSuite
from dragoman.benchmarks.bfcl.suite import load_suite
from dragoman.benchmarks.bfcl.translations.files import played_files
from dragoman.benchmarks.bfcl.translations.lines import left_in_english, translated_file
from dragoman.benchmarks.bfcl.turns.suite import MultiTurnSuite
from dragoman.core.errors import UsageError
from dragoman.core.language.questions import Labels, ReadFile, TranslatedTask, Use
from dragoman.core.protocols import Provenance


class TranslatedSuite:
    """A suite read from translated files, and from the English ones where nothing is translated."""

    def __init__(self, category: str, translated: ReadFile, english: Read) -> None:
        """Read the files.

        Args:
            category: What stands behind `bfcl:` in the suite's name.
            translated: Returns a translated file.
            english: Returns upstream's files.

        Raises:
            UsageError: Where the suite cannot be played in another language.
            DataError: Where a file is missing or damaged, or differs in more than texts.
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
        """Return the labels of values in a task's functions, by their own names and those of tools."""
        return _by_tool(self._labels_of(identity))

    def left_in_english(self, use: Use) -> tuple[int, int]:
        """Return how many different texts of a use are as in English, and how many there are."""
        return left_in_english(tuple(self._read.values()), use)

    def _labels_of(self, identity: str) -> Mapping[str, Labels]:
        """Return the labels of the functions of a task, those of its line or those of documents."""
        if isinstance(self._suite, SingleTurnSuite):
            return self._labels[identity]
        names = [tool.name for tool in self._suite.tools(self._tasks[identity])]
        return _joined(self._labels.get(name, {}) for name in names)


def _joined(parts: Iterable[Mapping[str, Labels]]) -> dict[str, Labels]:
    return {name: labels for part in parts for name, labels in part.items()}


def _by_tool(labels: Mapping[str, Labels]) -> dict[str, Labels]:
    """Return labels by the names of functions, their own and those that providers accept."""
    accepted = {shown: labels[name] for shown, name in native_names(labels).items()}
    return {**labels, **accepted}
