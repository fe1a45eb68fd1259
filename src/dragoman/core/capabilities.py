"""Optional capabilities of benchmarks and suites, as runtime-checkable protocols.

A benchmark is known before any of its data are loaded; its suites are loaded by name. Other
packages register benchmarks as entry points of the group `dragoman.benchmarks`; built-in ones are
rows of one table. Code that needs a capability asks `isinstance(benchmark, OwnPrompts)` once,
outside of conversations.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from dragoman.core.conditions import Condition
from dragoman.core.language.question_texts import QuestionFiles, ReadFile, TranslatedQuestions
from dragoman.core.language.translated_domains import EnglishDomain, Release
from dragoman.core.leaderboard import Leaderboard
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import Check, Suite
from dragoman.core.recordings import Recordings
from dragoman.core.replies import Reply
from dragoman.core.result_files import DomainFacts, ImportedRun, LabelledFile, ResultFormat
from dragoman.core.rules import Rules
from dragoman.core.tasks import RiskProfile, Task
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import ToolCall, Toolset, ToolSpec
from dragoman.core.usage import Usage

# Of a benchmark


@runtime_checkable
class Benchmark(Protocol):
    """One benchmark: the names of its suites, and how they are loaded."""

    def suites(self) -> Mapping[str, str]:
        """Return the names of its suites as users type them, with a line about each."""
        ...

    def load(self, name: str, data: Path) -> Suite:
        """Load one of its suites.

        Args:
            name: The whole name; the part before the first colon selected the benchmark.
            data: The folder of pulled data.

        Raises:
            UsageError: If it has no such suite.
            DataError: If data are missing or damaged.
        """
        ...


class PulledState(msgspec.Struct, frozen=True):
    """The state of a folder of pulled data.

    `wrong` names files that are missing or differ from their pins.
    """

    is_there: bool
    files: int = 0
    bytes: int = 0
    wrong: tuple[str, ...] = ()


class DataSource(Protocol):
    """Data that a benchmark needs and that may not come with the program."""

    def pull(
        self,
        data: Path,
        *,
        from_dir: Path | None,
        url: str | None,
        progress: Callable[[str, int, int], None],
    ) -> str:
        """Copy the data into the folder of pulled data and return a one-line report.

        Args:
            data: The folder of pulled data.
            from_dir: A folder with a local copy of the data; None for a download.
            url: An address in place of the pinned one; None for the pinned one.
            progress: A function that receives the file, the bytes so far and the bytes in total.

        Raises:
            DataError: If the data are unavailable, or differ from their pins.
        """
        ...

    def state(self, data: Path) -> PulledState:
        """Return the state of the source in the folder of pulled data.

        Every file is read and hashed.
        """
        ...


@runtime_checkable
class PullsData(Protocol):
    """A benchmark with data to pull."""

    def sources(self) -> Mapping[str, DataSource]:
        """Return the sources by the names that `dragoman data pull` takes."""
        ...


OWN_DATASET = "a dataset of one's own"
"""One name for all datasets of users, whatever their folders and names.

Tasks with one id in them are the same task.
"""


@runtime_checkable
class HasTaskAliases(Protocol):
    """A benchmark with the same tasks in several suites: parts, forms, other languages."""

    def tasks_of(self, suite: str) -> str:
        """Return one name for all suites in which tasks with one id are the same task."""
        ...


@runtime_checkable
class OwnPrompts(Protocol):
    """A benchmark with prompts of its own for models."""

    def prompts(self, suite: str, rules: Rules, ours: PromptSet, data: Path) -> PromptSet:
        """Return the prompts of a suite under a rule set.

        Raises:
            DataError: If they are not pulled.
        """
        ...


@runtime_checkable
class OwnRules(Protocol):
    """A benchmark that needs other rules under some conditions."""

    def rules_under(self, suite: str, rules: Rules, conditions: Sequence[Condition]) -> Rules:
        """Return the rules for all cells of a grid; their name says what differs."""
        ...


@runtime_checkable
class OwnDefaultRules(Protocol):
    """A benchmark with newer default rules than those of all suites."""

    def default_rules(self, suite: str) -> str:
        """Return the name of the rules that hold if none are named."""
        ...


@runtime_checkable
class TakesTextCalls(Protocol):
    """A benchmark with suites for models that have no native tool calls."""

    def text_calls_form(self, suite: str) -> str:
        """Return a value of `calls=` in the names of a suite's agents, or ""."""
        ...


@runtime_checkable
class HasLeaderboard(Protocol):
    """A benchmark with a leaderboard: figures over several of its suites."""

    def leaderboard(self) -> Leaderboard:
        """Return its categories and the aggregates over them."""
        ...


@runtime_checkable
class ReadsResults(Protocol):
    """A benchmark that reads result files of its own program."""

    def has_results(self, path: Path) -> bool:
        """Return whether the names of files at a path are those of its result files."""
        ...

    def read_results(self, path: Path, data: Path, form: str | None) -> ImportedRun:
        """Read a file or a folder.

        Args:
            path: The file or folder.
            data: The folder of pulled data.
            form: The form of replies; None to detect it.

        Raises:
            DataError: If a file is missing, damaged or contradicts itself, or data are missing.
            UsageError: If the form does not exist.
        """
        ...


@runtime_checkable
class ReadsLabelled(Protocol):
    """A benchmark that reads files of its result format with labelled conversations."""

    def read_labelled(self, path: Path) -> LabelledFile:
        """Read a file's conversations; several may have the same task and trial.

        Raises:
            DataError: If the file is missing, damaged or contradicts itself.
        """
        ...


@runtime_checkable
class DescribesDomains(Protocol):
    """A benchmark that knows its domains' tools without their data."""

    def describe(self, domain: str) -> DomainFacts | None:
        """Return the facts about a domain; None if the domain is not its own."""
        ...


@runtime_checkable
class WritesResults(Protocol):
    """A benchmark whose result files can be written from runs."""

    def result_format(self) -> ResultFormat:
        """Return the format of its result files."""
        ...


@runtime_checkable
class HasTranslations(Protocol):
    """A benchmark with domains that folders of artifacts may translate."""

    def translated_domains(self) -> Sequence[str]:
        """Return the names of the folders of its domains."""
        ...

    def english(self, domain: str, data: Path) -> EnglishDomain:
        """Return a domain's English side.

        Raises:
            DataError: If its data are missing or damaged.
        """
        ...

    def releases(self) -> Sequence[Release]:
        """Return the artifacts that can be pulled."""
        ...


@runtime_checkable
class HasQuestions(Protocol):
    """A benchmark with suites of questions, with functions, that can be translated."""

    def question_files(self, suite: str, data: Path) -> QuestionFiles:
        """Return the files of a suite.

        Args:
            suite: Its whole name.
            data: The folder of pulled data.

        Raises:
            UsageError: If the suite has no questions of its own.
            DataError: If a file is missing or damaged.
        """
        ...

    def in_language(self, suite: str, read: ReadFile, data: Path) -> TranslatedQuestions:
        """Return the tasks of a suite with the texts of translated files.

        Args:
            suite: Its whole name.
            read: A function that returns a translated file.
            data: The folder of pulled data.

        Raises:
            UsageError: If the suite cannot be played in another language.
            DataError: If a file is missing or damaged, or differs from the English one in more than
                texts.
        """
        ...


# Of a suite


@runtime_checkable
class Translatable(Protocol):
    """A suite of a domain that a folder of artifacts may translate."""

    def english(self) -> EnglishDomain:
        """Return its English side.

        Raises:
            DataError: If its data are missing or damaged.
        """
        ...


@runtime_checkable
class OwnCheck(Protocol):
    """A suite with a check of its own, for outcomes beyond states, phrases and assertions."""

    def check(self, rules: Rules) -> Check | None:
        """Return the suite's own check; None if tasks' criteria are sufficient.

        Raises:
            UsageError: If the suite cannot be judged by these rules.
        """
        ...


@runtime_checkable
class ExpectsValues(Protocol):
    """A suite with several right values for an argument, or with unnamed arguments."""

    def expected_values(self, task: Task) -> Sequence[ExpectedValue]:
        """Return the right values of the arguments of a task's expected calls, call by call."""
        ...


@runtime_checkable
class OwnMeasures(Protocol):
    """A suite with measures that fit its subject."""

    @property
    def measures(self) -> Sequence[str]:
        """The names of the measures that summarize its runs by default."""
        ...


@runtime_checkable
class ProvidesRiskProfile(Protocol):
    """A suite with a risk profile."""

    @property
    def risk_profile(self) -> RiskProfile:
        """The irreversible actions, and the cases in which a person must take over."""
        ...


@runtime_checkable
class Recorded(Protocol):
    """A suite with recorded user messages."""

    @property
    def recordings(self) -> Recordings:
        """The recordings of the suite."""
        ...

    @property
    def suites(self) -> Sequence[Suite]:
        """The suites of the recorded tasks."""
        ...


@runtime_checkable
class Vocabulary(Protocol):
    """A suite that knows likely words of its conversations in advance."""

    def texts(self) -> Mapping[str, object]:
        """Return the texts that are known before any speech: `policy`, `tools`, `database`.

        They are texts or decoded records by source, and recognizers may expect their words. They
        contain nothing that a user says.
        """
        ...


class TextProtocol(Protocol):
    """The form in which a benchmark offers functions as text and reads calls in a reply."""

    def call_form(self, task: Task) -> str:
        """Return the name of the form of calls that the model is asked to write."""
        ...

    def offer(self, task: Task, tools: Toolset) -> str:
        """Return the system text that offers the functions."""
        ...

    def read(self, task: Task, text: str) -> Reply:
        """Return the reply in a model's text: calls, words, or unreadable calls."""
        ...

    def appearing(self, task: Task, tools: Sequence[ToolSpec], words: str) -> str:
        """Return the user's words for a turn with new functions, which are shown as tools."""
        ...

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> str:
        """Return the text that gives a model the results of its calls."""
        ...


@runtime_checkable
class CallsAsText(Protocol):
    """A suite that offers its functions to models that write calls as text."""

    @property
    def asks_for_text(self) -> bool:
        """Whether the suite tests prompts, so that each task sets the form of calls itself."""
        ...

    def text_protocol(self, options: Mapping[str, str], rules: Rules) -> TextProtocol:
        """Return the text protocol for the options of an agent's name.

        Raises:
            UsageError: If an option or a value does not exist.
        """
        ...


@runtime_checkable
class WritesAnswers(TextProtocol, Protocol):
    """A text protocol that can also write native calls as text."""

    def written(self, task: Task, reply: Reply) -> str:
        """Return a reply as the text that a model is asked to write."""
        ...


Texts = tuple[str, ...]
Vectors = Sequence[Sequence[float]]

EmbedTexts = Callable[[Texts], Awaitable[tuple[Vectors, Usage]]]
"""A function that returns one vector per text, and the usage."""


class SearchAccess(msgspec.Struct, frozen=True):
    """A search engine: its address, its key ("" for none) and its retry limit in seconds."""

    address: str
    key: str
    retry_for: float


class ExternalServices(msgspec.Struct, frozen=True):
    """The external services that a run names: an embedding model, or a search engine.

    `identity` is the content key of the names. `embed` and `search` are None if nothing can be
    asked.
    """

    embed: EmbedTexts | None = None
    search: SearchAccess | None = None
    identity: str = ""


@runtime_checkable
class NeedsExternalServices(Protocol):
    """A suite with tools that need external services."""

    @property
    def needs(self) -> str:
        """The option that names the service, such as `search`; "" if the tools need none."""
        ...

    @property
    def missing(self) -> str:
        """The step that a run still needs before an agent can be played; "" for none."""
        ...

    def reaching(self, outside: ExternalServices) -> Suite:
        """Return this suite with tools that use a run's external services."""
        ...
