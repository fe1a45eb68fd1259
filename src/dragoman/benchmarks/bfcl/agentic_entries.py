"""Agentic entries of BFCL: web search, and memory with the conversations that fill it.

There are three kinds of memory: key-value, one text (recursive summary), and vectors.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from dragoman.benchmarks.bfcl.apis.memory_api import key_memory_text, text_memory_text
from dragoman.benchmarks.bfcl.entry_files import (
    EntryLine,
    Read,
    check_answer_ids,
    check_ids,
    read_lines,
)
from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry
from dragoman.benchmarks.bfcl.prompts import PromptMessage, ShownDocument, fill_template
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError
from dragoman.core.tasks import Criteria, FixedTurn, Scenario, Task
from dragoman.core.texts.decoding import DECODING_ERRORS

Layout = Literal["core_archival", "unified"]
"""Instruction for a memory: two stores (`core_archival`), or one text (`unified`)."""


class AgenticTexts(msgspec.Struct, frozen=True):
    """Upstream's texts under the names of its constants.

    `answer_form` describes the format of a final answer; `scenarios` holds a sentence for each
    scenario.
    """

    answer_form: str = msgspec.field(name="ADDITIONAL_SYSTEM_PROMPT_FOR_AGENTIC_RESPONSE_FORMAT")
    scenarios: dict[str, str] = msgspec.field(name="MEMORY_AGENT_SETTINGS")
    core_archival: str = msgspec.field(name="MEMORY_BACKEND_INSTRUCTION_CORE_ARCHIVAL")
    unified: str = msgspec.field(name="MEMORY_BACKEND_INSTRUCTION_UNIFIED")

    def memory_text(self, scenario: str, layout: Layout, content: str) -> str:
        """Return the instruction of an agent with a memory.

        Args:
            scenario: The name of the scenario.
            layout: The layout of the instruction.
            content: The contents of the memory.

        Raises:
            DataError: If the scenario has no sentence.
        """
        if scenario not in self.scenarios:
            raise DataError(
                f"prompts.json: scenario {scenario!r:.50} is unknown; "
                "run `dragoman data pull bfcl` again"
            )
        parts = {"scenario_setting": self.scenarios[scenario], "memory_content": content}
        return fill_template(self.unified if layout == "unified" else self.core_archival, parts)


class _Prompts(msgspec.Struct, frozen=True):
    constants: AgenticTexts


def read_agentic_texts(content: bytes) -> AgenticTexts:
    """Read a pulled `prompts.json`.

    Raises:
        DataError: If the file does not hold the texts.
    """
    try:
        return msgspec.json.decode(content, type=_Prompts).constants
    except DECODING_ERRORS as error:
        raise DataError(f"prompts.json: {error}; run `dragoman data pull bfcl` again") from error


class MemoryKind(msgspec.Struct, frozen=True):
    """One kind of memory.

    Attributes:
        of_class: Its interface.
        layout: The instruction that goes with it.
        shown: Returns the text for a snapshot.
    """

    of_class: str
    layout: Layout
    shown: Callable[[Mapping[str, Any]], str]


def _shown_vectors(snapshot: Mapping[str, Any]) -> str:
    from dragoman.benchmarks.bfcl.apis.vector_memory_api import vector_memory_text

    return vector_memory_text(snapshot)


VECTOR = "memory_vector"
"""The memory that is searched by meaning."""

MEMORIES: Mapping[str, MemoryKind] = {
    "memory_kv": MemoryKind("MemoryAPI_kv", "core_archival", key_memory_text),
    "memory_rec_sum": MemoryKind("MemoryAPI_rec_sum", "unified", text_memory_text),
    VECTOR: MemoryKind("MemoryAPI_vector", "core_archival", _shown_vectors),
}
"""By category, in the order of the leaderboard."""


SEARCHES: Mapping[str, bool] = {"web_search_base": True, "web_search_no_snippet": False}
"""Categories of questions to the web, and whether results come with a piece of their text."""

AGENTIC = (*MEMORIES, *SEARCHES)
"""The categories in which the final answer is judged."""

SEARCH_CLASS = "WebSearchAPI"

_MEMORY, _SEARCH = "memory", "web_search"
"""Beginnings of the names of the shared files, and of the ids in them."""


class AgenticEntry(msgspec.Struct, frozen=True):
    """One entry: the conversation that is played, and the accepted answers.

    `scenario` names the user of a memory entry. A conversation that only fills a memory has no
    accepted answers and is not judged.
    """

    conversation: MultiTurnEntry
    accepted: tuple[str, ...] = ()
    scenario: str = ""

    @property
    def task(self) -> Task:
        """The task that is played."""
        return self.conversation.task

    @property
    def is_question(self) -> bool:
        """Whether it is judged."""
        return bool(self.accepted)


def load_agentic(category: str, read: Read) -> tuple[AgenticEntry, ...]:
    """Return a category's questions, then the conversations that fill its memory.

    Raises:
        DataError: If a file has unexpected contents; the message names the line.
    """
    if category in SEARCHES:
        offer = _offer(SEARCH_CLASS, _SEARCH, read)
        return tuple(
            _EntryParts(category, _SEARCH, offer).question(*pair, ())
            for pair in _questions(_SEARCH, read)
        )
    offer = _offer(MEMORIES[category].of_class, category, read)
    being_made = _EntryParts(category, _MEMORY, offer)
    pairs = _questions(_MEMORY, read)
    chains = {
        scenario: _preparations(scenario, being_made, read)
        for scenario in dict.fromkeys(record.scenario for record, _ in pairs)
    }
    questions = [
        being_made.question(record, answer, chains[record.scenario]) for record, answer in pairs
    ]
    return (*questions, *(entry for chain in chains.values() for entry in chain))


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    question: Annotated[
        tuple[Annotated[tuple[PromptMessage, ...], msgspec.Meta(min_length=1)], ...],
        msgspec.Meta(min_length=1),
    ]
    involved_classes: tuple[str, ...]
    scenario: str = ""
    topic: str = ""


class _Answer(msgspec.Struct, frozen=True):
    """`source` and `num_hops` tell people where an answer is from; upstream reads neither."""

    id: str
    ground_truth: Annotated[
        tuple[Annotated[str, msgspec.Meta(min_length=1)], ...], msgspec.Meta(min_length=1)
    ]


class _Offer(msgspec.Struct, frozen=True):
    """The functions of a class, and a hash of their documents."""

    of_class: str
    documents: tuple[ShownDocument, ...]
    key: str


def _offer(of_class: str, file: str, read: Read) -> _Offer:
    lines = read_lines(f"multi_turn_func_doc/{file}.json", read)
    documents = tuple(line.decoded(ShownDocument) for line in lines)
    return _Offer(of_class, documents, content_key(documents))


def _questions(kind: str, read: Read) -> list[tuple[_Record, _Answer]]:
    lines = read_lines(f"BFCL_v4_{kind}.json", read)
    records = [_record(line, kind) for line in lines]
    ids = [record.id for record in records]
    check_ids(lines, ids)
    if any(len(record.question) != 1 for record in records):
        raise lines[0].refusal("a question has more than one turn")
    name = f"possible_answer/BFCL_v4_{kind}.json"
    answers = [line.decoded(_Answer) for line in read_lines(name, read)]
    check_answer_ids(name, (answer.id for answer in answers), ids)
    return list(zip(records, answers, strict=True))


def _preparations(scenario: str, being_made: "_EntryParts", read: Read) -> tuple[AgenticEntry, ...]:
    """Return the conversations of a scenario, each behind the one before it."""
    name = f"memory_prereq_conversation/memory_{scenario}.json"
    lines = read_lines(name, read)
    records = [_record(line, f"{_MEMORY}_prereq") for line in lines]
    check_ids(lines, [record.id for record in records])
    if any(record.scenario != scenario for record in records):
        raise DataError(f"{name}: a conversation is of another scenario than {scenario}")
    chain: list[AgenticEntry] = []
    for record in records:
        chain.append(being_made.preparation(record, chain))
    return tuple(chain)


def _record(line: EntryLine, kind: str) -> _Record:
    record = line.decoded(_Record)
    if record.id.rpartition("_")[0] != kind:
        raise line.refusal(f"{record.id!r:.50} is not an id of {kind}")
    if any(message.role != "user" for turn in record.question for message in turn):
        raise line.refusal("somebody else than the user speaks")
    return record


class _EntryParts(msgspec.Struct, frozen=True):
    """The parts of one category's entries; `kind` is the beginning of ids in its files."""

    category: str
    kind: str
    offer: _Offer

    def question(
        self, record: _Record, answer: _Answer, chain: Sequence[AgenticEntry]
    ) -> AgenticEntry:
        """Return a question that is asked when a chain was played."""
        return self._entry(record, chain, answer.ground_truth)

    def preparation(self, record: _Record, chain: Sequence[AgenticEntry]) -> AgenticEntry:
        """Return a conversation that goes on where a chain ends."""
        return self._entry(record, chain, ())

    def _entry(
        self, record: _Record, chain: Sequence[AgenticEntry], accepted: tuple[str, ...]
    ) -> AgenticEntry:
        identity = record.id.replace(self.kind, self.category, 1)
        before = chain[-1].task if chain else None
        task = Task(
            id=identity,
            suite=f"bfcl:{identity.rpartition('_')[0]}",
            digest=content_key(
                record, accepted, self.offer.key, "" if before is None else before.digest
            ),
            scenario=Scenario(instructions=""),
            criteria=Criteria(reward_basis=("CALLS",)),
            turns=tuple(_turns(record, accepted[0] if accepted else "")),
            after=() if before is None else (before.id,),
        )
        config: Mapping[str, dict[str, object]] = {self.offer.of_class: {}}
        nothing_expected = tuple(() for _ in record.question)
        conversation = MultiTurnEntry(task, config, self.offer.documents, nothing_expected)
        return AgenticEntry(conversation, accepted, record.scenario)


def _turns(record: _Record, answer: str) -> Iterator[FixedTurn]:
    for messages in record.question:
        yield FixedTurn(tuple(message.content for message in messages), answer=answer)
