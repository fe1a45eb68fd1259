"""Recorded suite: one or several suites joined, with recordings of their users' utterances.

Each task is played, offered and judged by the suite that it comes from.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.core.capabilities import (
    CallsAsText,
    ExpectsValues,
    ExternalServices,
    NeedsExternalServices,
    OwnCheck,
    TextProtocol,
    Vocabulary,
)
from dragoman.core.conditions import Condition
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode
from dragoman.core.errors import DataError, UsageError
from dragoman.core.protocols import (
    Check,
    Environment,
    EnvironmentFactory,
    Limits,
    Provenance,
    Suite,
    TurnProtocol,
)
from dragoman.core.recordings import Recordings
from dragoman.core.replies import Reply
from dragoman.core.rules import Rules
from dragoman.core.scores import ComponentScore
from dragoman.core.tasks import Task, fixed_messages
from dragoman.core.texts.entities import expected_value
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import ToolCall, Toolset, ToolSpec


class OwnSuiteCheck:
    """Judges each task as its own suite does."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        """Take the checks by the ids of tasks."""
        self._checks = checks

    def components(self, task: Task, episode: Episode) -> tuple[ComponentScore, ...]:
        """Return the components of a finished conversation's reward, with their evidence."""
        return self._checks[task.id].components(task, episode)


class OwnSuiteToolTexts:
    """Offers functions and reads calls as each task's own suite does."""

    def __init__(self, protocols: Mapping[str, TextProtocol]) -> None:
        """Take the protocols by the ids of tasks; they are of one benchmark."""
        self._protocols = protocols
        self._any = next(iter(protocols.values()))

    def call_form(self, task: Task) -> str:
        """Return the name of the form in which calls are asked for."""
        return self._protocols[task.id].call_form(task)

    def offer(self, task: Task, tools: Toolset) -> str:
        """Return the system text that offers the functions."""
        return self._protocols[task.id].offer(task, tools)

    def read(self, task: Task, text: str) -> Reply:
        """Return what a model's text is: calls, words, or calls that cannot be read."""
        return self._protocols[task.id].read(task, text)

    def appearing(self, task: Task, tools: Sequence[ToolSpec], words: str) -> str:
        """Return the user's words in a turn in which functions appear."""
        return self._protocols[task.id].appearing(task, tools, words)

    def results(self, answered: Sequence[tuple[ToolCall, str]]) -> str:
        """Return what calls returned, as all suites of the benchmark tell it."""
        return self._any.results(answered)


def values_of_reference_plan(task: Task) -> Sequence[ExpectedValue]:
    """Return the arguments of a task's planned calls, and what its user knows."""
    actions = () if task.criteria is None else task.criteria.actions or ()
    known = [expected_value(0, fact.name, (fact.value,)) for fact in task.scenario.facts]
    return known + [
        expected_value(action.turn, name, (value,))
        for action in actions
        for name, value in action.arguments.items()
    ]


_APART = "make a set of each"


class RecordedSuite:
    """The tasks of one or several suites whose users' words were recorded.

    This suite has an optional capability if its suites have it.

    Attributes:
        needs: The option that names the external service of the tools; "" if they need none.
        missing: A text that says what a run must still do before an agent can be played; "" for
            nothing.
    """

    def __init__(self, name: str, suites: Sequence[Suite], recordings: Recordings) -> None:
        """Join suites.

        Args:
            name: The name on the command line.
            suites: The suites whose users' words were recorded.
            recordings: The recordings.

        Raises:
            UsageError: If the suites cannot be played as one.
            DataError: If the recordings differ from the words of the suites' users.
        """
        self.name = name
        self.recordings = recordings
        self.suites = tuple(suites)
        self._of = _by_task(name, self.suites)
        self.tasks: Sequence[Task] = tuple(_recorded_tasks(name, self.suites, recordings))
        self.provenance = _provenance(self.suites, recordings)
        self.needs = _find_needed_option(name, self.suites)
        self.missing = next(filter(None, (each.missing for each in _reaching(self.suites))), "")

    def not_applicable(self, condition: Condition) -> str:
        """Return why the suite cannot be played under a condition; "" if it can."""
        if condition.is_localized:
            return "the recordings are English"
        return next(filter(None, (each.not_applicable(condition) for each in self.suites)), "")

    def policy(self, task: Task, environment: Environment) -> str:
        """Return what the task's own suite says that its agent must follow."""
        return self._of[task.id].policy(task, environment)

    def factory(self, rules: Rules) -> EnvironmentFactory:
        """Return what makes worlds as the tasks' own suites do."""
        made = {suite.name: suite.factory(rules) for suite in self.suites}
        factories = {task: made[suite.name] for task, suite in self._of.items()}
        return lambda task: factories[task.id](task)

    def turn_protocol(
        self, task: Task, environment: Environment, rules: Rules, limits: Limits
    ) -> TurnProtocol:
        """Return the protocol of the task's own suite."""
        return self._of[task.id].turn_protocol(task, environment, rules, limits)

    def check(self, rules: Rules) -> Check | None:
        """Return a check that judges as the tasks' own suites do, or None if none has its own.

        Raises:
            UsageError: If only some suites have a check, or one cannot be judged by these rules.
        """
        own = {
            suite.name: suite.check(rules) for suite in self.suites if isinstance(suite, OwnCheck)
        }
        checks = {name: check for name, check in own.items() if check is not None}
        if not checks:
            return None
        if len(checks) < len(self.suites):
            raise UsageError(f"{self.name}: only some of its suites judge themselves: {_APART}")
        return OwnSuiteCheck({task: checks[suite.name] for task, suite in self._of.items()})

    def expected_values(self, task: Task) -> Sequence[ExpectedValue]:
        """Return what the arguments of a task's expected calls may be."""
        suite = self._of[task.id]
        if isinstance(suite, ExpectsValues):
            return suite.expected_values(task)
        return values_of_reference_plan(task)

    def texts(self) -> Mapping[str, object]:
        """Return the texts that suites know before the first message, by source.

        The texts of several suites are in a list.
        """
        known = [suite.texts() for suite in self.suites if isinstance(suite, Vocabulary)]
        sources = dict.fromkeys(source for each in known for source in each)
        found = {source: [each[source] for each in known if source in each] for source in sources}
        return {source: each[0] if len(each) == 1 else each for source, each in found.items()}

    @property
    def asks_for_text(self) -> bool:
        """Whether it is about prompts, so that each task sets the form of calls itself."""
        return any(_is_about_prompts(suite) for suite in self.suites)

    def text_protocol(self, options: Mapping[str, str], rules: Rules) -> TextProtocol:
        """Return the text protocol that offers functions as each task's own suite does.

        Raises:
            UsageError: If a suite offers no calls as text, or an option does not exist.
        """
        calling = [suite for suite in self.suites if isinstance(suite, CallsAsText)]
        if len(calling) < len(self.suites) or len(_benchmarks(self.suites)) > 1:
            raise UsageError(f"{self.name} has no one form for calls in text: leave it out")
        if len({suite.asks_for_text for suite in calling}) > 1:
            raise UsageError(f"{self.name}: only some of its suites are about prompts: {_APART}")
        protocols = [suite.text_protocol(options, rules) for suite in calling]
        made = {suite.name: each for suite, each in zip(self.suites, protocols, strict=True)}
        return OwnSuiteToolTexts({task: made[suite.name] for task, suite in self._of.items()})

    def reaching(self, outside: ExternalServices) -> "RecordedSuite":
        """Return this suite with tools that reach what a run names."""
        suites = [
            suite.reaching(outside) if isinstance(suite, NeedsExternalServices) else suite
            for suite in self.suites
        ]
        return RecordedSuite(self.name, suites, self.recordings)


def _by_task(name: str, suites: Sequence[Suite]) -> dict[str, Suite]:
    """Return the suite of each task by the task's id.

    Raises:
        UsageError: If two suites have a task with the same id.
    """
    of: dict[str, Suite] = {}
    for suite in suites:
        for task in suite.tasks:
            if task.id in of:
                raise UsageError(
                    f"{name}: {of[task.id].name} and {suite.name} both have a task {task.id}: "
                    f"{_APART}"
                )
            of[task.id] = suite
    return of


def _recorded_tasks(name: str, suites: Sequence[Suite], recordings: Recordings) -> list[Task]:
    """Return the tasks that were recorded, in the suites' order.

    Raises:
        DataError: If the recordings differ from the words of the suites' users.
    """
    tasks = [task for suite in suites for task in suite.tasks if task.id in recordings.tasks]
    if len(tasks) < len(recordings.tasks):
        other = sorted(set(recordings.tasks) - {task.id for task in tasks})
        raise DataError(f"{name}: its suites have no task {other[0]}: they are not those it is of")
    for task in tasks:
        words = [(each.turn, each.place, each.text) for each in recordings.of(task.id)]
        if words != list(fixed_messages(task)):
            raise DataError(
                f"{name}: what was recorded of task {task.id} is not what its user says: the suite "
                "has changed since, or the set was"
            )
    return tasks


def _provenance(suites: Sequence[Suite], recordings: Recordings) -> Provenance:
    """Return whose data are played, told by what was recorded and not by where it lies."""
    each = [suite.provenance for suite in suites]
    return msgspec.structs.replace(
        each[0],
        source=f"{_join_distinct(one.source for one in each)}, recorded",
        licence=_join_distinct(one.licence for one in each),
        notice=_join_distinct(one.notice for one in each),
        digest=content_key("recorded-1", [one.digest for one in each], recordings.digest),
    )


def _join_distinct(texts: Iterable[str]) -> str:
    return "; ".join(filter(None, dict.fromkeys(texts)))


def _benchmarks(suites: Sequence[Suite]) -> set[str]:
    return {suite.name.partition(":")[0] for suite in suites}


def _reaching(suites: Sequence[Suite]) -> list[NeedsExternalServices]:
    return [suite for suite in suites if isinstance(suite, NeedsExternalServices)]


def _find_needed_option(name: str, suites: Sequence[Suite]) -> str:
    needed = {suite.needs for suite in _reaching(suites)} - {""}
    if len(needed) > 1:
        raise UsageError(f"{name} needs --{' and --'.join(sorted(needed))}: {_APART}")
    return next(iter(needed), "")


def _is_about_prompts(suite: Suite) -> bool:
    return isinstance(suite, CallsAsText) and suite.asks_for_text
