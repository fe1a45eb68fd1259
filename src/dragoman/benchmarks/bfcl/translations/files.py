"""The files of a category as they are pulled: what is translated, and the answers beside it."""

from collections.abc import Iterator
from pathlib import Path

from dragoman.benchmarks.bfcl.agentic.entries import AGENTIC, SEARCHES
from dragoman.benchmarks.bfcl.entries.format_sensitivity import CATEGORY as FORMATS
from dragoman.benchmarks.bfcl.entries.single import SINGLE_TURN, UNANSWERED
from dragoman.benchmarks.bfcl.entries.turns import DOCUMENT_FILES, MULTI_TURN
from dragoman.benchmarks.bfcl.pulled import pulled_suite, read_pulled
from dragoman.benchmarks.bfcl.suite import GROUPS, NAMES, TURN_GROUPS
from dragoman.benchmarks.bfcl.translations.expected import expected_texts
from dragoman.benchmarks.bfcl.upstream import bfcl_source
from dragoman.core.errors import UsageError
from dragoman.core.language.questions import QuestionFiles

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
        category: What stands behind `bfcl:` in a suite's name.
        data: The folder of pulled data.

    Raises:
        UsageError: Where there is no such category, or it has no questions of its own.
        DataError: Where a file is missing or damaged.
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
        return {name: read_pulled(data, name) for name in names}

    expected = expected_texts(pulled_suite(category, data))
    return QuestionFiles(read(questions), read(functions), read(answers), expected)


def played_files(category: str) -> tuple[str, ...]:
    """Return the names of the files that a category, or a group, is played from in a language.

    Raises:
        UsageError: Where it is not played in other languages.
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
    if _shared(category) == _MEMORY:
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
    return f"BFCL_v4_{_shared(category)}.json"


def _shared(category: str) -> str:
    """Return the name of the file that categories of a kind share."""
    if category not in AGENTIC:
        return category
    return _SEARCH if category in SEARCHES else _MEMORY
