"""Result files of other programs: runs and human-labelled conversations in any format."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode
from dragoman.core.protocols import Limits, Provenance
from dragoman.core.scores import Score
from dragoman.core.tasks import RiskProfile, Scenario, Task
from dragoman.core.tools import ToolKind, Toolset


class LabelledConversation(msgspec.Struct, frozen=True):
    """One conversation of a file with labels.

    Its labels are in the record that `episode.source` keeps.
    """

    id: str
    task: Task
    episode: Episode


class LabelledFile(msgspec.Struct, frozen=True):
    """A file's conversations, and the name of their domain."""

    domain: str
    records: Sequence[LabelledConversation]


class DomainFacts(msgspec.Struct, frozen=True):
    """The facts that measures need about a domain without its data.

    Attributes:
        kinds: The kind of each tool.
        risk_profile: The risk profile.
        scenarios: Its scenarios by task, if they come with the program.
    """

    kinds: Mapping[str, ToolKind]
    risk_profile: RiskProfile = msgspec.field(name="stakes")
    scenarios: Mapping[str, Scenario] = {}


class ImportedCell(msgspec.Struct, frozen=True):
    """The cell of an imported conversation.

    Attributes:
        key: The content key of the whole record.
        suite: Its suite.
        agent: The agent's name.
        task: The task's id.
        trial: The trial.
        condition: The condition, as far as the files state it.
    """

    key: str
    suite: str
    agent: str
    task: str
    trial: int
    condition: Condition = PLAIN


class ImportedRun(msgspec.Struct, frozen=True):
    """A run as result files record it.

    Attributes:
        suite: Its suite.
        agents: The agents' names.
        rules: The rules that the files' program judges by.
        provenance: The origin of its tasks.
        cells: Its conversations.
        tasks: Their tasks, and others that the files hold, by id.
        conversations: A function that yields them in the order of `cells`, each with its verdict if
            it has one; it reads the files again each time.
        report: The contents of the files and how they were read, for programs.
        description: The same for people, in lines.
        notes: Facts that readers of its figures must know.
        warnings: Problems that make figures worthless.
        user: The user's name; "" where the files name none.
        chosen: The tasks that were played, if they are not all of the suite.
        has_verdicts: Whether the files give verdicts.
        trials: Planned number of trials of each task.
        seed: The run's seed.
        limits: The limits of a conversation.
        head: Other contents of the files, which are written again unchanged.
    """

    suite: str
    agents: tuple[str, ...]
    rules: str
    provenance: Provenance
    cells: Sequence[ImportedCell]
    tasks: Mapping[str, Task]
    conversations: Callable[[], Iterator[tuple[Episode, Score | None]]]
    report: msgspec.Struct
    description: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    user: str = ""
    chosen: tuple[str, ...] = ()
    has_verdicts: bool = True
    trials: int = 1
    seed: int = 0
    limits: Limits = Limits()
    head: Mapping[str, msgspec.Raw] = {}


class ResultFileFacts(msgspec.Struct, frozen=True):
    """The facts that a file states about all of its conversations.

    `policy` and `tools` are None if the suite's data are missing.
    """

    suite: str
    agent: str
    user: str
    software: str
    started: float
    trials: int
    limits: Limits
    seed: int
    policy: str | None = None
    tools: Toolset | None = None


class PlayedConversation(msgspec.Struct, frozen=True):
    """One conversation with its verdict, if it has one; `id` names it in its file."""

    id: str
    task: Task
    trial: int
    episode: Episode
    score: Score | None


class ResultFormat(Protocol):
    """Writer of a benchmark's result files from runs."""

    @property
    def name(self) -> str:
        """The name in `dragoman export --to`: the part before the colon in names of suites."""
        ...

    def head(self, facts: ResultFileFacts, tasks: Iterable[Task]) -> Mapping[str, msgspec.Raw]:
        """Return a file without its conversations, field by field."""
        ...

    def conversation(self, played: PlayedConversation, seed: int) -> msgspec.Raw:
        """Return the record of a conversation."""
        ...

    def id_of(self, record: msgspec.Raw) -> str:
        """Return the id of a record that was read."""
        ...

    def rescored(self, record: msgspec.Raw, task: Task, score: Score | None) -> msgspec.Raw:
        """Return a record that was read, with another verdict in place of its own."""
        ...

    def reindexed(
        self, head: Mapping[str, msgspec.Raw], rewards: Mapping[str, float | None]
    ) -> Mapping[str, msgspec.Raw]:
        """Return a head that was read, with other rewards by id if it lists them."""
        ...

    def write(
        self,
        path: Path,
        head: Mapping[str, msgspec.Raw],
        records: Iterable[tuple[str, msgspec.Raw]],
        *,
        as_folder: bool,
    ) -> int:
        """Write a file, or a folder on request, and return its number of records.

        Raises:
            DataError: If an id cannot be the name of a file.
            StoreError: If it cannot be written.
        """
        ...
