"""BFCL's single-turn categories as suites: questions, functions on offer, and their check."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.benchmarks.bfcl.calls_check import CallsCheck
from dragoman.benchmarks.bfcl.entries import SINGLE_TURN, Entry, load_entries
from dragoman.benchmarks.bfcl.entry_lines import Read
from dragoman.benchmarks.bfcl.format_sensitivity import CATEGORY as FORMATS
from dragoman.benchmarks.bfcl.format_sensitivity import load_variations
from dragoman.benchmarks.bfcl.offered_tools import OfferedTools
from dragoman.benchmarks.bfcl.prompt_texts import PromptTexts, read_texts
from dragoman.benchmarks.bfcl.prompting import PromptFormat
from dragoman.benchmarks.bfcl.rules import RULES, find_rules
from dragoman.benchmarks.bfcl.showing import shown_tools
from dragoman.benchmarks.bfcl.single_turn import SingleTurn
from dragoman.benchmarks.bfcl.text_calls import TextCalls
from dragoman.benchmarks.bfcl.upstream import PROMPTS
from dragoman.core.conditions import Condition
from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Conductor, Limits, Provenance, World, WorldFactory
from dragoman.core.rules import Rules, require_known
from dragoman.core.tasks import Task
from dragoman.core.tools import Toolset

GROUPS: Mapping[str, tuple[str, ...]] = {
    "non_live": tuple(name for name in SINGLE_TURN if not name.startswith("live_")),
    "live": tuple(name for name in SINGLE_TURN if name.startswith("live_")),
    "single_turn": SINGLE_TURN,
}
"""Suites of several categories."""

NAMES = (*SINGLE_TURN, FORMATS, *GROUPS)
"""What may follow `bfcl:`."""


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
        has_persona = condition.persona != "none"
        return "one fixed question leaves no room for a persona" if has_persona else ""

    def policy(self, task: Task) -> str:
        """Return the question's own system message; "" where it has none."""
        return self._entries[task.id].instructions

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
        require_known(rules, RULES, self.name)
        return CallsCheck(self._entries, find_rules(rules.name))

    def conductor(self, task: Task, world: World, rules: Rules, limits: Limits) -> Conductor:  # noqa: ARG002 - one reply ends it
        """Return the protocol of one question."""
        return SingleTurn(task, world)

    def text_calls(self, form: PromptFormat | None, rules: Rules) -> TextCalls:
        """Return how functions are offered and called as text; each entry's own way without a form."""
        return TextCalls(self._entries, self._texts, find_rules(rules.name), form)


def load_suite(category: str, read: Read, source: Provenance) -> SingleTurnSuite:
    """Load a category, a group of categories or the variations of format sensitivity.

    Args:
        category: What stands behind `bfcl:` in the suite's name.
        read: Returns a file of the data by its short name.
        source: Where the data come from; its digest is made here.

    Raises:
        UsageError: Where there is no such category.
        DataError: Where data are missing or damaged.
    """
    if category not in NAMES:
        raise UsageError(f"unknown suite 'bfcl:{category}': bfcl has {', '.join(NAMES)}")
    prompts = read(PROMPTS)
    texts = read_texts(prompts)
    if category == FORMATS:
        entries: Sequence[Entry] = load_variations(read)
    else:
        categories = GROUPS.get(category, (category,))
        entries = [entry for name in categories for entry in load_entries(name, read)]
    # A task's own digest covers its record, so that it is the same in a group of categories.
    digest = content_key(source.source, prompts.decode("utf-8", "replace"))
    provenance = msgspec.structs.replace(source, digest=digest)
    return SingleTurnSuite(f"bfcl:{category}", entries, texts, provenance)
