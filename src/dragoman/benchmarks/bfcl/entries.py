"""Single-turn entries: tasks and the questions that they are judged by, from upstream's files.

A file holds one JSON object per line. Answers lie in a file of their own, in the same order; where
only relevance is judged there are none.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple, TypeVar

import msgspec

from dragoman.benchmarks.bfcl.documents import Document
from dragoman.benchmarks.bfcl.prompting import DEFAULT_FORMAT, Message, PromptFormat
from dragoman.benchmarks.bfcl.questions import Question, read_question
from dragoman.core.decoding import UNREADABLE
from dragoman.core.episodes import Event, Move
from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.speech import say
from dragoman.core.tasks import FixedTurn, InitialState, Scenario, Task

UNANSWERED = ("irrelevance", "live_irrelevance", "live_relevance")
"""The categories in which only relevance is judged."""

SINGLE_TURN = (
    "simple_python",
    "simple_java",
    "simple_javascript",
    "multiple",
    "parallel",
    "parallel_multiple",
    "irrelevance",
    "live_simple",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
    "live_irrelevance",
    "live_relevance",
)
"""The single-turn categories, which are also the ends of their files' names."""

_AGAIN = "run `dragoman data pull bfcl` again"

_T = TypeVar("_T")

Read = Callable[[str], bytes]
"""Returns a file of upstream's data by its short name."""


class Entry(msgspec.Struct, frozen=True):
    """One entry: the task that is played, and what it is judged by.

    `documents` are the functions on offer, `messages` all that was said, both as upstream has
    them. `prompt_format` counts where calls are asked for as text.
    """

    task: Task
    question: Question
    documents: tuple[Document, ...]
    messages: tuple[Message, ...]
    prompt_format: PromptFormat = DEFAULT_FORMAT

    @property
    def instructions(self) -> str:
        """The question's own system message; "" where it has none."""
        return self.messages[0].content if self.messages[0].role == "system" else ""


def load_entries(category: str, read: Read) -> tuple[Entry, ...]:
    """Return a category's entries in upstream's order.

    Raises:
        DataError: Where a file does not hold what it must; its line is named.
    """
    lines = _lines(f"BFCL_v4_{category}.json", read)
    records = [_record(line, category) for line in lines]
    ids = [record.id for record in records]
    if len(set(ids)) < len(ids):
        raise DataError(f"{lines[0].file}: two entries have the same id; {_AGAIN}")
    answers = _answers(category, read, ids)
    return tuple(
        _entry(line, record, answer)
        for line, record, answer in zip(lines, records, answers, strict=True)
    )


class _Line(NamedTuple):
    file: str
    number: int
    text: bytes

    def refusal(self, why: object) -> DataError:
        return DataError(f"{self.file}, line {self.number}: {why}; {_AGAIN}")


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    question: tuple[tuple[Message, ...]]
    function: tuple[Document, ...]


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    ground_truth: Annotated[
        tuple[dict[str, dict[str, list[object]]], ...], msgspec.Meta(min_length=1)
    ]


def _lines(name: str, read: Read) -> list[_Line]:
    lines = [_Line(name, *line) for line in enumerate(read(name).split(b"\n"), 1) if line[1]]
    if not lines:
        raise DataError(f"{name} holds no entries; {_AGAIN}")
    return lines


def _record(line: _Line, category: str) -> _Record:
    record = _decoded(line, _Record)
    if record.id.rpartition("_")[0] != category:
        raise line.refusal(f"{record.id!r:.50} is no id of {category}")
    (messages,) = record.question
    if not messages or messages[-1].role != "user":
        raise line.refusal("the user does not speak last")
    if any(message.role == "system" for message in messages[1:]):
        raise line.refusal("a system message is not the first")
    return record


def _answers(category: str, read: Read, ids: list[str]) -> list[_Answer | None]:
    if category in UNANSWERED:
        return [None] * len(ids)
    name = f"possible_answer/BFCL_v4_{category}.json"
    answers = [_decoded(line, _Answer) for line in _lines(name, read)]
    if [answer.id for answer in answers] != ids:
        raise DataError(f"{name}: its ids are not those of the questions in order; {_AGAIN}")
    return list(answers)


def _decoded(line: _Line, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(line.text, type=kind)
    except UNREADABLE as error:
        raise line.refusal(error) from error


def _entry(line: _Line, record: _Record, answer: _Answer | None) -> Entry:
    expected = () if answer is None else answer.ground_truth
    functions = msgspec.to_builtins(record.function)
    try:
        question = read_question({"id": record.id, "function": functions}, expected)
    except DataError as error:
        raise line.refusal(error) from error
    (messages,) = record.question
    digest = content_key(record, expected)
    return Entry(_task(record.id, digest, messages), question, record.function, messages)


def _task(identity: str, digest: str, messages: tuple[Message, ...]) -> Task:
    """Return the task: the last words of the user are its turn, what was said before its history."""
    spoken = [message for message in messages if message.role != "system"]
    before = max((n for n, said in enumerate(spoken, 1) if said.role == "assistant"), default=0)
    history: tuple[Event, ...] = tuple(
        Move("agent" if message.role == "assistant" else "user", say(message.content))
        for message in spoken[:before]
    )
    return Task(
        id=identity,
        suite=f"bfcl:{identity.rpartition('_')[0]}",
        digest=digest,
        scenario=Scenario(instructions=""),
        initial_state=InitialState(history=history) if history else None,
        turns=(FixedTurn(tuple(message.content for message in spoken[before:])),),
    )
