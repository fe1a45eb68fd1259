"""Single-turn entries of BFCL: tasks, questions, and the messages or tools shown to a model.

Format sensitivity asks a sample of entries in every prompt format.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from dragoman.benchmarks.bfcl.ast_checker.reference_answers import reference_answer
from dragoman.benchmarks.bfcl.entry_files import (
    EntryLine,
    Question,
    Read,
    check_answer_ids,
    check_ids,
    read_lines,
    read_question,
)
from dragoman.benchmarks.bfcl.native_tools import native_names, native_tools
from dragoman.benchmarks.bfcl.prompts import (
    DEFAULT_FORMAT,
    FORMATS,
    PromptFormat,
    PromptMessage,
    PromptTexts,
    ShownDocument,
    add_language_notes,
    compose_prompt,
    place_prompt,
)
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Event, Message
from dragoman.core.errors import DataError
from dragoman.core.replies import text_reply
from dragoman.core.tasks import Action, Criteria, FixedTurn, InitialState, Scenario, Task
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolSpec

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


class Entry(msgspec.Struct, frozen=True):
    """One entry: the task that is played, and the basis of its verdict.

    `documents` are the functions on offer, and `messages` the whole conversation, both as upstream
    has them. `prompt_format` applies if calls are requested as text.
    """

    task: Task
    question: Question
    documents: tuple[ShownDocument, ...]
    messages: tuple[PromptMessage, ...]
    prompt_format: PromptFormat = DEFAULT_FORMAT

    @property
    def instructions(self) -> str:
        """The question's own system message; "" where it has none."""
        return self.messages[0].content if self.messages[0].role == "system" else ""


def load_entries(category: str, read: Read) -> tuple[Entry, ...]:
    """Return a category's entries in upstream's order.

    Raises:
        DataError: If a file has unexpected contents; the message names the line.
    """
    lines = read_lines(f"BFCL_v4_{category}.json", read)
    records = [_record(line, category) for line in lines]
    ids = [record.id for record in records]
    check_ids(lines, ids)
    answers = _answers(category, read, ids)
    return tuple(
        _entry(line, record, answer)
        for line, record, answer in zip(lines, records, answers, strict=True)
    )


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    question: tuple[tuple[PromptMessage, ...]]
    function: tuple[ShownDocument, ...]


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    ground_truth: Annotated[
        tuple[dict[str, dict[str, list[object]]], ...], msgspec.Meta(min_length=1)
    ]


def _record(line: EntryLine, category: str) -> _Record:
    record = line.decoded(_Record)
    if record.id.rpartition("_")[0] != category:
        raise line.refusal(f"{record.id!r:.50} is not an id of {category}")
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
    answers = [line.decoded(_Answer) for line in read_lines(name, read)]
    check_answer_ids(name, (answer.id for answer in answers), ids)
    return list(answers)


def _entry(line: EntryLine, record: _Record, answer: _Answer | None) -> Entry:
    expected = () if answer is None else answer.ground_truth
    functions = msgspec.to_builtins(record.function)
    try:
        question = read_question({"id": record.id, "function": functions}, expected)
    except DataError as error:
        raise line.refusal(error) from error
    (messages,) = record.question
    digest = content_key(record, expected)
    task = _task(record.id, digest, messages, _criteria(question))
    return Entry(task, question, record.function, messages)


def _criteria(question: Question) -> Criteria:
    """Return what is judged: the calls; the plan is one answer that will do."""
    accepted = {name: shown for shown, name in native_names(_names(question)).items()}
    plan = tuple(
        Action(call.id, accepted.get(call.name, call.name), call.arguments)
        for call in reference_answer(question)
    )
    return Criteria(("CALLS",), plan)


def _names(question: Question) -> tuple[str, ...]:
    return tuple(function.name for function in question.functions)


def _task(
    identity: str, digest: str, messages: tuple[PromptMessage, ...], criteria: Criteria
) -> Task:
    """Return the task of a conversation.

    The user's last messages are its turn; the messages before these are its history.
    """
    spoken = [message for message in messages if message.role != "system"]
    before = max((n for n, said in enumerate(spoken, 1) if said.role == "assistant"), default=0)
    history: tuple[Event, ...] = tuple(
        Message("agent" if message.role == "assistant" else "user", text_reply(message.content))
        for message in spoken[:before]
    )
    return Task(
        id=identity,
        suite=f"bfcl:{identity.rpartition('_')[0]}",
        digest=digest,
        scenario=Scenario(instructions=""),
        criteria=criteria,
        initial_state=InitialState(history=history) if history else None,
        turns=(FixedTurn(tuple(message.content for message in spoken[before:])),),
    )


def shown_messages(entry: Entry, texts: PromptTexts) -> tuple[PromptMessage, ...]:
    """Return the messages of prompting mode: the functions stand in the system message."""
    return place_prompt(functions_prompt(entry, texts, entry.prompt_format), entry.messages)


def functions_prompt(entry: Entry, texts: PromptTexts, form: PromptFormat) -> str:
    """Return the system text that offers an entry's functions in a format."""
    return compose_prompt(shown_documents(entry, texts), texts, form)


def shown_tools(entry: Entry, texts: PromptTexts) -> tuple[ToolSpec, ...]:
    """Return the functions as tools for native calling."""
    return native_tools(shown_documents(entry, texts), texts.float_note)


def shown_documents(entry: Entry, texts: PromptTexts) -> tuple[ShownDocument, ...]:
    """Return the functions with the notes on their language."""
    language = entry.question.language
    return tuple(add_language_notes(document, language, texts) for document in entry.documents)


CATEGORY = "format_sensitivity"

_SAMPLE = f"BFCL_v4_{CATEGORY}.json"


def load_format_variations(read: Read) -> tuple[Entry, ...]:
    """Return all entries of the sample in all formats, grouped by entry.

    Raises:
        DataError: If the sample is unreadable or names an entry that does not exist.
    """
    entries = [entry for names in _load_sample(read) for entry in names]
    pairs = ((entry, form) for entry in entries for form in FORMATS)
    return tuple(_variation(number, *pair) for number, pair in enumerate(pairs))


def _load_sample(read: Read) -> list[list[Entry]]:
    return [_load_named_entries(category, ids, read) for category, ids in _sample(read).items()]


def _sample(read: Read) -> Mapping[str, frozenset[str]]:
    try:
        sample = msgspec.json.decode(read(_SAMPLE), type=dict[str, frozenset[str]])
    except DECODING_ERRORS as error:
        raise _refusal(str(error)) from error
    for category in sample:
        if category not in SINGLE_TURN or category in UNANSWERED:
            raise _refusal(f"{category!r:.50} is not a category with expected calls")
    return sample


def _load_named_entries(category: str, ids: frozenset[str], read: Read) -> list[Entry]:
    """Return the named entries in the order of the category, not in that of the sample."""
    found = [entry for entry in load_entries(category, read) if entry.task.id in ids]
    missing = ids.difference(entry.task.id for entry in found)
    if missing:
        raise _refusal(f"{min(missing)!r:.50} is not an entry of {category}")
    return found


def _variation(number: int, entry: Entry, form: PromptFormat) -> Entry:
    identity = f"{CATEGORY}_{number}:{form.name}:{entry.task.id}"
    replace = msgspec.structs.replace
    return replace(
        entry,
        task=replace(entry.task, id=identity, suite=f"bfcl:{CATEGORY}"),
        question=replace(entry.question, id=identity),
        prompt_format=form,
    )


def _refusal(why: str) -> DataError:
    return DataError(f"{_SAMPLE}: {why}; run `dragoman data pull bfcl` again")
