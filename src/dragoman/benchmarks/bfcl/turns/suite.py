"""BFCL's multi-turn categories as suites: fixed turns, worlds of interfaces, state and responses."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.benchmarks.bfcl.apis.long_texts import LongTexts
from dragoman.benchmarks.bfcl.checking.components import component_of
from dragoman.benchmarks.bfcl.entries.turns import MultiTurnEntry
from dragoman.benchmarks.bfcl.entries.turns_showing import toolsets
from dragoman.benchmarks.bfcl.expected_values import turn_values
from dragoman.benchmarks.bfcl.played_languages import not_in_language
from dragoman.benchmarks.bfcl.prompts.prompting import DEFAULT_FORMAT, PromptFormat, read_format
from dragoman.benchmarks.bfcl.prompts.texts import PromptTexts
from dragoman.benchmarks.bfcl.rules import RULES, BfclRules
from dragoman.benchmarks.bfcl.text_calls import TurnTextCalls
from dragoman.benchmarks.bfcl.turns.conductor import FixedTurns
from dragoman.benchmarks.bfcl.turns.judging import judge_conversation
from dragoman.benchmarks.bfcl.turns.running import Expectations, entry_world
from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode
from dragoman.core.protocols import Conductor, Limits, Provenance, World, WorldFactory
from dragoman.core.rules import Rules
from dragoman.core.scores import ComponentScore
from dragoman.core.tasks import Task
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import Toolset


class TurnsCheck:
    """CALLS: after every turn, states and results are those of the expected calls."""

    def __init__(
        self, entries: Mapping[str, MultiTurnEntry], expected: Expectations, rules: BfclRules
    ) -> None:
        self._entries = entries
        self._expected = expected
        self._rules = rules

    def components(self, task: Task, episode: Episode) -> tuple[ComponentScore, ...]:
        """Return the one component of an entry's reward; the calls are executed once more."""
        entry = self._entries[task.id]
        return (component_of(judge_conversation(entry, self._expected, episode, self._rules)),)


class MultiTurnSuite:
    """Entries of one or several categories."""

    asks_for_text = False

    def __init__(
        self,
        name: str,
        entries: Sequence[MultiTurnEntry],
        texts: PromptTexts,
        long: LongTexts | None,
        source: Provenance,
    ) -> None:
        self.name = name
        self.provenance = source
        self.entries = tuple(entries)
        self.tasks: Sequence[Task] = tuple(entry.task for entry in entries)
        self._entries = {entry.task.id: entry for entry in entries}
        self._texts = texts
        self.long = long
        self._expected = Expectations(long)
        self._toolsets: dict[str, tuple[Toolset, ...]] = {}

    def not_applicable(self, condition: Condition) -> str:
        """Return why the suite cannot be played under a condition; "" where it can."""
        if condition.is_localized:
            return not_in_language(condition)
        has_persona = condition.persona != "none"
        return "fixed turns leave no room for a persona" if has_persona else ""

    def policy(self, task: Task, world: World) -> str:  # noqa: ARG002 - it does not depend on one
        """Return nothing: an agent is told of the functions alone."""
        return self.instructions(task)

    def instructions(self, task: Task) -> str:  # noqa: ARG002 - no entry has one
        """Return the same without a world."""
        return ""

    def tools(self, task: Task) -> Toolset:
        """Return all functions that an entry has in any turn: none is taken away."""
        return self._tools(task)[-1]

    def expected_values(self, task: Task) -> Sequence[ExpectedValue]:
        """Return the arguments of every turn's calls by the names of their parameters."""
        return turn_values(self._entries[task.id])

    def texts(self) -> Mapping[str, object]:
        """Return the functions of all interfaces, and what these hold at the start."""
        documents = {
            msgspec.json.encode(each) for entry in self.entries for each in entry.documents
        }
        states = {msgspec.json.encode(entry.config) for entry in self.entries}
        return {
            "tools": [msgspec.json.decode(document) for document in sorted(documents)],
            "database": [msgspec.json.decode(state) for state in sorted(states)],
        }

    def factory(self, rules: Rules) -> WorldFactory:  # noqa: ARG002 - interfaces are the same under all
        """Return what makes the interfaces of an entry."""
        return lambda task: entry_world(self._entries[task.id], self.long, self._tools(task)[0])

    def check(self, rules: Rules) -> TurnsCheck:
        """Return what judges states and results.

        Raises:
            UsageError: For rules that BFCL does not have.
        """
        return TurnsCheck(self._entries, self._expected, RULES.find(rules.name, self.name))

    def conductor(self, task: Task, world: World, rules: Rules, limits: Limits) -> Conductor:  # noqa: ARG002 - turns have a limit of their own
        """Return the protocol of one entry."""
        return FixedTurns(task.turns, self._tools(task), RULES.find(rules.name))

    def text_protocol(self, options: Mapping[str, str], rules: Rules) -> TurnTextCalls:
        """Return how functions are offered and called, for the options of an agent's name.

        Raises:
            UsageError: For an option or a value that does not exist.
        """
        return self.text_calls(read_format(options), rules)

    def text_calls(self, form: PromptFormat | None, rules: Rules) -> TurnTextCalls:
        """Return how functions are offered and called as text."""
        chosen = form or DEFAULT_FORMAT
        return TurnTextCalls(self._entries, self._texts, RULES.find(rules.name), chosen)

    def _tools(self, task: Task) -> tuple[Toolset, ...]:
        """Return the tools of every turn, encoded once per entry."""
        found = self._toolsets.get(task.id)
        if found is None:
            found = self._toolsets[task.id] = toolsets(self._entries[task.id], self._texts)
        return found
