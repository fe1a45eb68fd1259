"""Multi-turn entries of BFCL: fixed turns, functions on offer in each, expected calls."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated

import msgspec

from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.call_parsers.python_calls import read_python_calls
from dragoman.benchmarks.bfcl.entry_files import (
    AGAIN,
    EntryLine,
    Read,
    check_answer_ids,
    check_ids,
    read_lines,
)
from dragoman.benchmarks.bfcl.native_tools import localize_documents, native_tools
from dragoman.benchmarks.bfcl.prompts import (
    DEFAULT_FORMAT,
    PromptFormat,
    PromptMessage,
    PromptTexts,
    ShownDocument,
    add_language_notes,
    compose_prompt,
)
from dragoman.benchmarks.bfcl.rules import DEFAULT_RULES
from dragoman.benchmarks.bfcl.upstream_data import LONG_TEXTS
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError
from dragoman.core.tasks import Action, Criteria, FixedTurn, InitialState, Scenario, Task
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolCall, Toolset, ToolSpec

LONG_CONTEXT = "multi_turn_long_context"
"""The category whose results and states are made long."""

MULTI_TURN = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", LONG_CONTEXT)
"""The multi-turn categories, which are also the ends of their files' names."""

DOCUMENT_FILES: Mapping[str, str] = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
"""Name of the file that documents the functions of a class."""

Config = Mapping[str, dict[str, object]]
"""Initial configuration of each class; {} is the built-in scenario."""

Gold = tuple[tuple[ToolCall, ...], ...]
"""The expected calls of each turn; a turn without any asks for something not yet possible."""


class MultiTurnEntry(msgspec.Struct, frozen=True):
    """One entry: the task that is played, and the basis of its verdict.

    `config` has the classes in their order. `documents` are all functions, also those that appear
    later: the task names these.
    """

    task: Task
    config: Config
    documents: tuple[ShownDocument, ...]
    gold: Gold

    @property
    def category(self) -> str:
        """The category, without the number of the entry."""
        return self.task.id.rpartition("_")[0]

    @property
    def is_long(self) -> bool:
        """Whether results and states are made long."""
        return self.category == LONG_CONTEXT


def load_multi_turn(category: str, read: Read, texts: PromptTexts) -> tuple[MultiTurnEntry, ...]:
    """Return a category's entries in upstream's order.

    Args:
        category: One of MULTI_TURN.
        read: Returns upstream's files.
        texts: The prompt texts, which hold the user's message for functions that appear.

    Raises:
        DataError: If a file has unexpected contents; the message names the line.
    """
    lines = read_lines(f"BFCL_v4_{category}.json", read)
    records = [_record(line, category) for line in lines]
    ids = [record.id for record in records]
    check_ids(lines, ids)
    name = f"possible_answer/BFCL_v4_{category}.json"
    answer_lines = read_lines(name, read)
    answers = [line.decoded(_Answer) for line in answer_lines]
    check_answer_ids(name, (answer.id for answer in answers), ids)
    offer = {
        of_class: _load_class_documents(of_class, read)
        for of_class in {name: None for record in records for name in record.involved_classes}
    }
    return tuple(
        _EntryParts(record, answer, line, texts.wording.more_tools).entry(offer)
        for record, answer, line in zip(records, answers, answer_lines, strict=True)
    )


def load_long_texts(read: Read) -> LongTexts:
    """Return what long-context entries add, or raise DataError."""
    try:
        constants = msgspec.json.decode(read(LONG_TEXTS))
    except DECODING_ERRORS as error:
        raise DataError(f"{LONG_TEXTS}: {error}; {AGAIN}") from error
    return LongTexts.convert(constants)


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`path` and `excluded_function` say how an entry was made; upstream reads neither."""

    id: str
    question: Annotated[tuple[tuple[PromptMessage, ...], ...], msgspec.Meta(min_length=1)]
    initial_config: dict[str, dict[str, object]]
    involved_classes: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    path: tuple[str, ...] = ()
    missed_function: dict[
        Annotated[str, msgspec.Meta(pattern="^[0-9]{1,3}$")], tuple[str, ...]
    ] = {}
    excluded_function: tuple[str, ...] = ()

    @property
    def appearing(self) -> dict[int, tuple[str, ...]]:
        """The functions that appear, by the turn that first offers them."""
        return {int(turn): names for turn, names in self.missed_function.items()}


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    ground_truth: tuple[tuple[str, ...], ...]


class _Offer(msgspec.Struct, frozen=True):
    """The functions of a class, and a hash of their documents."""

    documents: tuple[ShownDocument, ...]
    key: str


def _record(line: EntryLine, category: str) -> _Record:
    record = line.decoded(_Record)
    if record.id.rpartition("_")[0] != category:
        raise line.refusal(f"{record.id!r:.50} is not an id of {category}")
    if any(message.role != "user" for turn in record.question for message in turn):
        raise line.refusal("somebody else than the user speaks")
    for number in record.appearing:
        if not 0 < number < len(record.question) or record.question[number]:
            raise line.refusal(f"functions appear in turn {number}, which is not a wordless turn")
    return record


def _load_class_documents(of_class: str, read: Read) -> _Offer:
    if of_class not in DOCUMENT_FILES:
        raise DataError(f"class {of_class!r:.50} of BFCL is unknown; {AGAIN}")
    name = f"multi_turn_func_doc/{DOCUMENT_FILES[of_class]}.json"
    documents = tuple(line.decoded(ShownDocument) for line in read_lines(name, read))
    return _Offer(documents, content_key(documents))


class _EntryParts(msgspec.Struct, frozen=True):
    """The parts of one entry; `line` is that of its answer."""

    record: _Record
    answer: _Answer
    line: EntryLine
    message: str

    def entry(self, offer: Mapping[str, _Offer]) -> MultiTurnEntry:
        record = self.record
        involved = record.involved_classes
        documents = tuple(each for name in involved for each in offer[name].documents)
        self._check(frozenset(document.name for document in documents))
        gold = tuple(
            tuple(self._call(text, f"{turn}.{n}") for n, text in enumerate(texts))
            for turn, texts in enumerate(self.answer.ground_truth)
        )
        config = {name: record.initial_config.get(name, {}) for name in involved}
        digest = content_key(record, self.answer, *(offer[name].key for name in involved))
        task = Task(
            id=record.id,
            suite=f"bfcl:{record.id.rpartition('_')[0]}",
            digest=digest,
            scenario=Scenario(instructions=""),
            criteria=Criteria(reward_basis=("CALLS",), actions=tuple(_actions(gold))),
            initial_state=InitialState(data={"agent": dict(config)}),
            turns=tuple(map(self._turn, range(len(record.question)))),
            withheld_tools=tuple(n for names in record.appearing.values() for n in names),
        )
        return MultiTurnEntry(task, config, documents, gold)

    def _check(self, offered: frozenset[str]) -> None:
        if len(self.answer.ground_truth) != len(self.record.question):
            raise self.line.refusal("an answer has not one list of calls for each turn")
        missed = {name for names in self.record.appearing.values() for name in names}
        if not missed <= offered:
            raise self.line.refusal(f"{min(missed - offered)!r:.50} is withheld and no function")

    def _turn(self, number: int) -> FixedTurn:
        appearing = self.record.appearing.get(number)
        if appearing is not None:
            return FixedTurn((self.message,), appearing)
        return FixedTurn(tuple(message.content for message in self.record.question[number]))

    def _call(self, text: str, identity: str) -> ToolCall:
        try:
            (call,) = read_python_calls(text, DEFAULT_RULES)
        except (UnreadableError, ValueError) as error:
            raise self.line.refusal(f"{text!r:.50} is not a call: {error}") from error
        return msgspec.structs.replace(call, id=identity, raw="")


def _actions(gold: Gold) -> Iterator[Action]:
    for turn, calls in enumerate(gold):
        for call in calls:
            yield Action(
                call.id, call.name, call.arguments, turn=turn, positionals=call.positionals
            )


def toolsets(entry: MultiTurnEntry, texts: PromptTexts) -> tuple[Toolset, ...]:
    """Return the tools that are visible in each turn; one and the same where nothing appears."""
    visible = native_tools(_first(entry, texts), texts.float_note)
    found: list[Toolset] = []
    for turn in entry.task.turns:
        if turn.adds_tools or not found:
            visible += native_tools(_documents_by_name(entry, turn.adds_tools), texts.float_note)
            found.append(Toolset(visible))
        else:
            found.append(found[-1])
    return tuple(found)


def system_prompt(
    entry: MultiTurnEntry,
    texts: PromptTexts,
    form: PromptFormat = DEFAULT_FORMAT,
    tools: Iterable[ToolSpec] = (),
) -> str:
    """Return the system message of prompting mode, with the initial functions.

    Args:
        entry: The entry.
        texts: The texts that prompts are composed from.
        form: The format.
        tools: The functions as they are shown, if that may differ from their documents.
    """
    documents = _first(entry, texts)
    shown = localize_documents(documents, tools, texts.float_note)
    return compose_prompt(shown, texts.for_functions(are_english=shown == documents), form)


def spoken_messages(entry: MultiTurnEntry, turn: int, texts: PromptTexts) -> tuple[str, ...]:
    """Return what the user says in a turn of prompting mode: functions that appear are in it."""
    names = entry.task.turns[turn].adds_tools
    return (appearing_text(entry, names, texts),) if names else entry.task.turns[turn].messages


def appearing_text(
    entry: MultiTurnEntry,
    names: Collection[str],
    texts: PromptTexts,
    tools: Iterable[ToolSpec] = (),
) -> str:
    """Return the user's words in a turn of prompting mode in which functions appear.

    `tools` are those that appear as they are shown, where that may differ from their documents.
    """
    ordered = [name for name in entry.task.withheld_tools if name in names]
    documents = localize_documents(_documents_by_name(entry, ordered), tools, texts.float_note)
    appearing = msgspec.to_builtins(documents)
    return texts.wording.more_functions.replace("{functions}", str(list(appearing)))


def _first(entry: MultiTurnEntry, texts: PromptTexts) -> tuple[ShownDocument, ...]:
    withheld = frozenset(entry.task.withheld_tools)
    return tuple(
        add_language_notes(document, "python", texts)
        for document in entry.documents
        if document.name not in withheld
    )


def _documents_by_name(entry: MultiTurnEntry, names: Collection[str]) -> tuple[ShownDocument, ...]:
    """Return documents by name as upstream has them: functions that appear carry no note."""
    by_name = {document.name: document for document in entry.documents}
    return tuple(by_name[name] for name in names)
