"""BFCL's entry in the registry: names, capabilities and lazy loading of its suites."""

from collections.abc import Mapping
from pathlib import Path

from dragoman.core.capabilities import DataSource
from dragoman.core.language.question_texts import QuestionFiles, ReadFile, TranslatedQuestions
from dragoman.core.leaderboard import Leaderboard
from dragoman.core.prompts import BARE, PromptSet
from dragoman.core.protocols import Suite
from dragoman.core.result_files import ImportedRun
from dragoman.core.rules import Rules

_CATEGORY = "BFCL v4, one category; needs `dragoman data pull bfcl`"
_ABOUT = {
    "non_live": "the seven categories written for BFCL, 1,390 questions",
    "live": "the six categories of real users' questions, 2,251",
    "single_turn": "both",
    "multi_turn": "800 entries with several turns, in four categories",
    "memory_kv": "155 questions to a memory of texts by key, after 37 conversations that fill it",
    "memory_rec_sum": "the same with a memory that is one text",
    "memory_vector": "the same with texts found by meaning; needs --embeddings PROVIDER/MODEL",
    "web_search_base": "100 questions to the web; needs --search http://HOST:PORT/PATH",
    "web_search_no_snippet": "the same where results are titles and addresses alone",
    "format_sensitivity": "200 questions in 26 prompt formats, for agents that call in text",
}


class Bfcl:
    """The Berkeley Function Calling Leaderboard, whose suites are named `bfcl:CATEGORY`."""

    def suites(self) -> Mapping[str, str]:
        """Return the names of its suites with a line about each."""
        from dragoman.benchmarks.bfcl.categories import NAMES

        return {f"bfcl:{name}": _ABOUT.get(name, _CATEGORY) for name in NAMES}

    def load(self, name: str, data: Path) -> Suite:
        """Load a category or a group of categories.

        Raises:
            UsageError: If the category does not exist.
            DataError: If data are missing or damaged.
        """
        from dragoman.benchmarks.bfcl.categories import load_downloaded_suite

        return load_downloaded_suite(name.partition(":")[2], data)

    def text_calls_form(self, suite: str) -> str:
        """Return the form that BFCL asks for; "" for the variations, which set it themselves."""
        return "" if suite == "bfcl:format_sensitivity" else "python"

    def tasks_of(self, suite: str) -> str:  # noqa: ARG002 - ids begin with their category
        """Return one name for all categories and groups: an entry has the same id in each."""
        return "bfcl"

    def sources(self) -> Mapping[str, DataSource]:
        """Return where its data come from."""
        from dragoman.benchmarks.bfcl.categories import BFCL_DATA

        return {"bfcl": BFCL_DATA}

    def has_results(self, path: Path) -> bool:
        """Return whether there are files with names of its result files."""
        from dragoman.benchmarks.bfcl.result_files import find_result_files

        return bool(find_result_files(path))

    def read_results(self, path: Path, data: Path, form: str | None) -> ImportedRun:
        """Read a result file, or all result files below a folder.

        Raises:
            DataError: If a file is damaged, has an entry twice or an unknown entry, or if BFCL's
                data are not pulled.
            UsageError: If the form does not exist.
        """
        from dragoman.benchmarks.bfcl.result_files import find_result_files, find_score_files
        from dragoman.benchmarks.bfcl.result_import import read_run

        return read_run(find_result_files(path), data, form, find_score_files(path))

    def prompts(self, suite: str, rules: Rules, ours: PromptSet, data: Path) -> PromptSet:  # noqa: ARG002
        """Return no prompts: an agent sees only the functions and the question."""
        return BARE

    def question_files(self, suite: str, data: Path) -> QuestionFiles:
        """Return the files of a category, or of a group of categories.

        Raises:
            UsageError: If the category does not exist, or has no questions of its own.
            DataError: If a file is missing or damaged.
        """
        from dragoman.benchmarks.bfcl.translations import question_files

        return question_files(suite.partition(":")[2], data)

    def in_language(self, suite: str, read: ReadFile, data: Path) -> TranslatedQuestions:
        """Return the tasks of a category or a group from translated files.

        Raises:
            UsageError: If the suite is not played in other languages.
            DataError: If a file is missing or damaged, or differs in more than texts.
        """
        from dragoman.benchmarks.bfcl.categories import read_downloaded_file
        from dragoman.benchmarks.bfcl.translations import TranslatedSuite

        category = suite.partition(":")[2]
        return TranslatedSuite(category, read, lambda name: read_downloaded_file(data, name))

    def leaderboard(self) -> Leaderboard:
        """Return the pinned version's leaderboard."""
        from dragoman.benchmarks.bfcl.categories import leaderboard

        return leaderboard()


BFCL = Bfcl()
