"""Optional capabilities of benchmarks and suites, as runtime-checkable protocols.

A benchmark is known before anything of it is loaded; its suites are loaded by name. Other packages
register one under the entry point `dragoman.benchmarks`; built-in ones are rows of one table. Code
that needs a capability asks `isinstance(benchmark, OwnPrompts)` once, outside of conversations.
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
        """Return the names of its suites as typed, with a line about each."""
        ...

    def load(self, name: str, data: Path) -> Suite:
        """Load one of its suites.

        Args:
            name: The whole name; what stands before the first colon found the benchmark.
            data: The folder of pulled data.

        Raises:
            UsageError: Where it has no such suite.
            DataError: Where data are missing or damaged.
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
        """Bring the data into the folder of pulled data and return a line that says what was done.

        Args:
            data: The folder of pulled data.
            from_dir: A local copy to take them from; None for the network.
            url: Another address than the pinned one; None for that.
            progress: Told the file, the bytes so far and in all.

        Raises:
            DataError: Where they cannot be had, or are not what is pinned.
        """
        ...

    def state(self, data: Path) -> PulledState:
        """Return the state of the source in the folder of pulled data.

        Every file is read and hashed.
        """
        ...


@runtime_checkable
class PullsData(Protocol):
    """Has data to pull."""

    def sources(self) -> Mapping[str, DataSource]:
        """Return the sources by the names that `dragoman data pull` takes."""
        ...


OWN_DATASET = "a dataset of one's own"
"""The tasks of all datasets that somebody made, wherever they lie and whatever they are called."""


@runtime_checkable
class HasTaskAliases(Protocol):
    """Has suites of the same tasks under several names: parts, forms, other languages."""

    def tasks_of(self, suite: str) -> str:
        """Return one name for all suites of which tasks with one id are the same task."""
        ...


@runtime_checkable
class OwnPrompts(Protocol):
    """Gives models other prompts than ours."""

    def prompts(self, suite: str, rules: Rules, ours: PromptSet, data: Path) -> PromptSet:
        """Return the prompts of a suite under a rule set.

        Raises:
            DataError: Where they are not pulled.
        """
        ...


@runtime_checkable
class OwnRules(Protocol):
    """Needs other rules under some conditions."""

    def rules_under(self, suite: str, rules: Rules, conditions: Sequence[Condition]) -> Rules:
        """Return the rules that all cells of a grid are played by; their name says what differs."""
        ...


@runtime_checkable
class OwnDefaultRules(Protocol):
    """Has newer rules of its own than those of all suites."""

    def default_rules(self, suite: str) -> str:
        """Return the name of the rules that hold where none are named."""
        ...


@runtime_checkable
class TakesTextCalls(Protocol):
    """Has suites that models without native tool calls can be asked by."""

    def text_calls_form(self, suite: str) -> str:
        """Return a value that `calls=` may have in the names of a suite's agents, or ""."""
        ...


@runtime_checkable
class HasLeaderboard(Protocol):
    """Has a leaderboard: figures over several of its suites."""

    def leaderboard(self) -> Leaderboard:
        """Return its categories and how aggregates are made of them."""
        ...


@runtime_checkable
class ReadsResults(Protocol):
    """Reads result files of its own program."""

    def has_results(self, path: Path) -> bool:
        """Return whether the names of files there say that they are its result files."""
        ...

    def read_results(self, path: Path, data: Path, form: str | None) -> ImportedRun:
        """Read a file or a folder.

        Args:
            path: The file or folder.
            data: The folder of pulled data.
            form: The form of replies; None to be told from them.

        Raises:
            DataError: Where a file is missing, damaged or contradicts itself, or data are missing.
            UsageError: Where there is no such form.
        """
        ...


@runtime_checkable
class ReadsLabelled(Protocol):
    """Reads files of its result format in which conversations are labelled."""

    def read_labelled(self, path: Path) -> LabelledFile:
        """Read a file's conversations; several may be of one task and trial.

        Raises:
            DataError: Where the file is missing, damaged or contradicts itself.
        """
        ...


@runtime_checkable
class DescribesDomains(Protocol):
    """Knows its domains' tools without their data."""

    def describe(self, domain: str) -> DomainFacts | None:
        """Return what is known of a domain; None where it is none of its own."""
        ...


@runtime_checkable
class WritesResults(Protocol):
    """Has result files that runs can be written as."""

    def result_format(self) -> ResultFormat:
        """Return how."""
        ...


@runtime_checkable
class HasTranslations(Protocol):
    """Has domains that folders of artifacts may translate."""

    def translated_domains(self) -> Sequence[str]:
        """Return the names of their folders."""
        ...

    def english(self, domain: str, data: Path) -> EnglishDomain:
        """Return a domain's English side.

        Raises:
            DataError: Where its data are missing or damaged.
        """
        ...

    def releases(self) -> Sequence[Release]:
        """Return the artifacts that can be pulled."""
        ...


@runtime_checkable
class HasQuestions(Protocol):
    """Has suites of questions, with functions, that can be translated."""

    def question_files(self, suite: str, data: Path) -> QuestionFiles:
        """Return the files that a suite is made of.

        Args:
            suite: Its whole name.
            data: The folder of pulled data.

        Raises:
            UsageError: Where the suite has no questions of its own.
            DataError: Where a file is missing or damaged.
        """
        ...

    def in_language(self, suite: str, read: ReadFile, data: Path) -> TranslatedQuestions:
        """Return the tasks of a suite as translated files have them.

        Args:
            suite: Its whole name.
            read: Returns a translated file.
            data: The folder of pulled data.

        Raises:
            UsageError: Where the suite cannot be played in another language.
            DataError: Where a file is missing or damaged, or differs from the English one in more
                than texts.
        """
        ...


# Of a suite


@runtime_checkable
class Translatable(Protocol):
    """Is of a domain that a folder of artifacts may translate."""

    def english(self) -> EnglishDomain:
        """Return its English side.

        Raises:
            DataError: Where its data are missing or damaged.
        """
        ...


@runtime_checkable
class OwnCheck(Protocol):
    """Judges its conversations itself, where states, sayings and assertions do not tell."""

    def check(self, rules: Rules) -> Check | None:
        """Return the suite's own way of judging; None where tasks' criteria say it all.

        Raises:
            UsageError: Where the suite cannot be judged by these rules.
        """
        ...


@runtime_checkable
class ExpectsValues(Protocol):
    """Accepts more than one value for an argument, or calls with arguments that have no name."""

    def expected_values(self, task: Task) -> Sequence[ExpectedValue]:
        """Return what the arguments of a task's expected calls may be, call by call."""
        ...


@runtime_checkable
class OwnMeasures(Protocol):
    """Has measures that say what it is about."""

    @property
    def measures(self) -> Sequence[str]:
        """The names of those that its runs are summarized with unasked."""
        ...


@runtime_checkable
class ProvidesRiskProfile(Protocol):
    """Says what can go badly wrong."""

    @property
    def risk_profile(self) -> RiskProfile:
        """Which actions nobody takes back, and when a person must take over."""
        ...


@runtime_checkable
class Recorded(Protocol):
    """Has its users' words recorded."""

    @property
    def recordings(self) -> Recordings:
        """What was recorded."""
        ...

    @property
    def suites(self) -> Sequence[Suite]:
        """The suites that the recorded tasks are of."""
        ...


@runtime_checkable
class Vocabulary(Protocol):
    """Knows words that are likely to be said before anybody speaks."""

    def texts(self) -> Mapping[str, object]:
        """Return what can be known before anybody speaks: `policy`, `tools`, `database`.

        Texts or decoded records by source; recognizers may expect their words. Nothing that a user
        says is in them.
        """
        ...


class TextProtocol(Protocol):
    """How a benchmark offers functions as text, and how it reads calls in a reply."""

    def call_form(self, task: Task) -> str:
        """Return the name of the form in which calls are asked for."""
        ...

    def offer(self, task: Task, tools: Toolset) -> str:
        """Return the system text that offers the functions."""
        ...

    def read(self, task: Task, text: str) -> Reply:
        """Return what a model's text is: calls, words, or calls that cannot be read."""
        ...

    def appearing(self, task: Task, tools: Sequence[ToolSpec], words: str) -> str:
        """Return the user's words in a turn in which functions appear, which are shown as tools."""
        ...

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> str:
        """Return the text that tells a model what its calls returned."""
        ...


@runtime_checkable
class CallsAsText(Protocol):
    """Offers its functions to models that write calls as text."""

    @property
    def asks_for_text(self) -> bool:
        """Whether it is about prompts, so that each task sets the form of calls itself."""
        ...

    def text_protocol(self, options: Mapping[str, str], rules: Rules) -> TextProtocol:
        """Return how functions are offered and called, for the options of an agent's name.

        Raises:
            UsageError: For an option or a value that does not exist.
        """
        ...


@runtime_checkable
class WritesAnswers(TextProtocol, Protocol):
    """A form that also writes what was called natively, as the text that it asks models for."""

    def written(self, task: Task, reply: Reply) -> str:
        """Return a reply as such a text."""
        ...


Texts = tuple[str, ...]
Vectors = Sequence[Sequence[float]]

EmbedTexts = Callable[[Texts], Awaitable[tuple[Vectors, Usage]]]
"""Returns one vector per text, and what that consumed."""


class SearchAccess(msgspec.Struct, frozen=True):
    """A search engine: its address, its key ("" for none) and how long to try, in seconds."""

    address: str
    key: str
    retry_for: float


class ExternalServices(msgspec.Struct, frozen=True):
    """What a run names for tools that reach outside: an embedding model, or a search engine.

    `identity` is the content key of what is named; both are None where nothing can be asked.
    """

    embed: EmbedTexts | None = None
    search: SearchAccess | None = None
    identity: str = ""


@runtime_checkable
class NeedsExternalServices(Protocol):
    """Has tools that reach what a run must name."""

    @property
    def needs(self) -> str:
        """The option that names it, such as `search`; "" where these tools reach nothing."""
        ...

    @property
    def missing(self) -> str:
        """What a run must still do before an agent can be played; "" for nothing."""
        ...

    def reaching(self, outside: ExternalServices) -> Suite:
        """Return this suite with tools that reach what a run names."""
        ...
