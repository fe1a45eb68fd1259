"""Multi-turn suites of BFCL: fixed user turns, each lasting while the agent calls tools."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.localization import turn_values, unsupported_language_reason
from dragoman.benchmarks.bfcl.multi_turn_check import judge_conversation
from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry, toolsets
from dragoman.benchmarks.bfcl.multi_turn_execution import (
    NOT_EXECUTED,
    Expectations,
    entry_environment,
)
from dragoman.benchmarks.bfcl.prompts import DEFAULT_FORMAT, PromptFormat, PromptTexts, read_format
from dragoman.benchmarks.bfcl.rules import RULES, BfclRules
from dragoman.benchmarks.bfcl.text_tool_calls import MultiTurnTextCalls
from dragoman.benchmarks.bfcl.verdicts import reward_component
from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.protocols import (
    Ask,
    ConversationProgress,
    Environment,
    EnvironmentFactory,
    Execute,
    Limits,
    Provenance,
    Speak,
    TurnAction,
    TurnProtocol,
)
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.rules import Rules
from dragoman.core.scores import ComponentScore
from dragoman.core.tasks import FixedTurn, Task
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import Role, ToolCall, Toolset

MAX_STEPS = 20
"""Of executed replies in a turn; one more ends the conversation."""


class FixedTurns:
    """Says each turn's words, then asks the agent until it replies without calls.

    A reply that is neither words nor calls ends its turn, as in the reference. A turn without words
    is still the agent's.
    """

    sides: tuple[Role, ...] = ("agent",)

    def __init__(
        self, turns: Sequence[FixedTurn], toolsets: Sequence[Toolset], rules: BfclRules
    ) -> None:
        """Prepare the protocol.

        Args:
            turns: The user's words, turn by turn.
            toolsets: The tools that are visible in each turn.
            rules: The rule set, which decides what follows an unreadable call.
        """
        self._turns = tuple(zip(turns, toolsets, strict=True))
        self._rules = rules
        self._events: Sequence[Event] = ()
        self._localization_instructions = self._conversation()

    def opening(self) -> tuple[Event, ...]:
        """Return nothing: the user speaks first, as a turn's first directive."""
        return ()

    def next(self, progress: ConversationProgress) -> TurnAction:
        """Return the next directive of the script."""
        self._events = progress.events
        return next(self._localization_instructions)

    def _conversation(self) -> Iterator[TurnAction]:
        for number, (turn, tools) in enumerate(self._turns):
            for message in turn.messages:
                yield Speak("user", text_reply(message), number)
            steps = 0
            ask = Ask("agent", tools, number)
            yield ask
            while calls := self._called():
                if self._gives_up(calls):
                    yield Execute(calls, NOT_EXECUTED)
                    break
                yield Execute(calls)
                steps += 1
                if steps > MAX_STEPS:
                    yield Termination("max_steps", f"turn {number}: more than {MAX_STEPS} steps")
                    return
                yield ask
        yield Termination("turns_done")

    def _called(self) -> tuple[ToolCall, ...]:
        """Return the calls of the agent's last reply."""
        match self._events[-1]:
            case Message(reply=ToolCallReply(calls=calls)):
                return calls
            case _:
                return ()

    def _gives_up(self, calls: Sequence[ToolCall]) -> bool:
        if self._rules.malformed_calls_are_answered:
            return False
        return any(call.malformed for call in calls)


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
        return (reward_component(judge_conversation(entry, self._expected, episode, self._rules)),)


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
            return unsupported_language_reason(condition)
        has_persona = condition.persona != "none"
        return "fixed turns leave no room for a persona" if has_persona else ""

    def policy(self, task: Task, environment: Environment) -> str:  # noqa: ARG002
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

    def factory(self, rules: Rules) -> EnvironmentFactory:  # noqa: ARG002
        """Return what makes the interfaces of an entry."""
        return lambda task: entry_environment(
            self._entries[task.id], self.long, self._tools(task)[0]
        )

    def check(self, rules: Rules) -> TurnsCheck:
        """Return what judges states and results.

        Raises:
            UsageError: For rules that BFCL does not have.
        """
        return TurnsCheck(self._entries, self._expected, RULES.find(rules.name, self.name))

    def turn_protocol(
        self,
        task: Task,
        environment: Environment,  # noqa: ARG002 - turns have a limit of their own
        rules: Rules,
        limits: Limits,  # noqa: ARG002 - turns have a limit of their own
    ) -> TurnProtocol:
        """Return the protocol of one entry."""
        return FixedTurns(task.turns, self._tools(task), RULES.find(rules.name))

    def text_protocol(self, options: Mapping[str, str], rules: Rules) -> MultiTurnTextCalls:
        """Return how functions are offered and called, for the options of an agent's name.

        Raises:
            UsageError: For an option or a value that does not exist.
        """
        return self.text_calls(read_format(options), rules)

    def text_calls(self, form: PromptFormat | None, rules: Rules) -> MultiTurnTextCalls:
        """Return how functions are offered and called as text."""
        chosen = form or DEFAULT_FORMAT
        return MultiTurnTextCalls(self._entries, self._texts, RULES.find(rules.name), chosen)

    def _tools(self, task: Task) -> tuple[Toolset, ...]:
        """Return the tools of every turn, encoded once per entry."""
        found = self._toolsets.get(task.id)
        if found is None:
            found = self._toolsets[task.id] = toolsets(self._entries[task.id], self._texts)
        return found
