"""BFCL's questions of a single turn as a suite: functions on offer, and a check of calls."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.benchmarks.bfcl.entries.format_sensitivity import CATEGORY as FORMATS
from dragoman.benchmarks.bfcl.entries.showing import shown_tools
from dragoman.benchmarks.bfcl.entries.single import Entry
from dragoman.benchmarks.bfcl.expected_values import single_turn_values
from dragoman.benchmarks.bfcl.played_languages import not_in_language
from dragoman.benchmarks.bfcl.prompts.prompting import PromptFormat, read_format
from dragoman.benchmarks.bfcl.prompts.texts import PromptTexts
from dragoman.benchmarks.bfcl.rules import RULES
from dragoman.benchmarks.bfcl.single.calls_check import CallsCheck
from dragoman.benchmarks.bfcl.text_calls import TextCalls
from dragoman.benchmarks.kit.offered_tools import OfferedTools
from dragoman.benchmarks.kit.single_turn import SingleTurn
from dragoman.core.conditions import Condition
from dragoman.core.protocols import Conductor, Limits, Provenance, World, WorldFactory
from dragoman.core.rules import Rules
from dragoman.core.tasks import Task
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import Toolset


class SingleTurnSuite:
    """Questions of one or several categories."""

    def __init__(
        self, name: str, entries: Sequence[Entry], texts: PromptTexts, source: Provenance
    ) -> None:
        self.name = name
        self.provenance = source
        self.entries = tuple(entries)
        self.tasks: Sequence[Task] = tuple(entry.task for entry in entries)
        self._entries = {entry.task.id: entry for entry in entries}
        self._texts = texts
        self._toolsets: dict[str, Toolset] = {}

    @property
    def asks_for_text(self) -> bool:
        """Whether calls are to be written as text, each entry in a form of its own."""
        return self.name == f"bfcl:{FORMATS}"

    def not_applicable(self, condition: Condition) -> str:
        """Return why the suite cannot be played under a condition; "" where it can."""
        if condition.is_localized:
            return not_in_language(condition)
        has_persona = condition.persona != "none"
        return "one fixed question leaves no room for a persona" if has_persona else ""

    def policy(self, task: Task, world: World) -> str:  # noqa: ARG002 - nothing is executed
        """Return the question's own system message; "" where it has none."""
        return self.instructions(task)

    def instructions(self, task: Task) -> str:
        """Return the same without a world."""
        return self._entries[task.id].instructions

    def expected_values(self, task: Task) -> Sequence[ExpectedValue]:
        """Return the values that will do for each argument."""
        return single_turn_values(self._entries[task.id].question)

    def texts(self) -> Mapping[str, object]:
        """Return the functions on offer; no question is among them."""
        offered = {document for entry in self.entries for document in _listed(entry)}
        return {"tools": [msgspec.json.decode(document) for document in sorted(offered)]}

    def factory(self, rules: Rules) -> WorldFactory:  # noqa: ARG002 - nothing is executed
        """Return what offers a question's functions."""
        return lambda task: OfferedTools(self.tools(task))

    def tools(self, task: Task) -> Toolset:
        """Return the functions of a question for native calling, encoded once."""
        found = self._toolsets.get(task.id)
        if found is None:
            found = Toolset(shown_tools(self._entries[task.id], self._texts))
            self._toolsets[task.id] = found
        return found

    def check(self, rules: Rules) -> CallsCheck:
        """Return what judges the calls of a reply.

        Raises:
            UsageError: For rules that BFCL does not have.
        """
        return CallsCheck(self._entries, RULES.find(rules.name, self.name))

    def conductor(self, task: Task, world: World, rules: Rules, limits: Limits) -> Conductor:  # noqa: ARG002 - one reply ends it
        """Return the protocol of one question."""
        return SingleTurn(task, world)

    def text_protocol(self, options: Mapping[str, str], rules: Rules) -> TextCalls:
        """Return how functions are offered and called, for the options of an agent's name.

        Raises:
            UsageError: For an option or a value that does not exist.
        """
        return self.text_calls(None if self.asks_for_text else read_format(options), rules)

    def text_calls(self, form: PromptFormat | None, rules: Rules) -> TextCalls:
        """Return how functions are offered and called as text; each entry's own way without a form."""
        return TextCalls(self._entries, self._texts, RULES.find(rules.name), form)


def _listed(entry: Entry) -> Iterator[bytes]:
    yield from map(msgspec.json.encode, entry.documents)
