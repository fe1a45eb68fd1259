"""BFCL's agents that remember or search as suites: a final answer is judged, and nothing before it.

A conversation that fills a memory is a task of its own, after the one before it; a question comes
after the last of its scenario and begins with the memory as that left it.
"""

import copy
from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.benchmarks.bfcl.agentic.entries import AgenticEntry
from dragoman.benchmarks.bfcl.agentic.final_answers import answer_fault
from dragoman.benchmarks.bfcl.agentic.memories import Memory
from dragoman.benchmarks.bfcl.agentic.texts import AgenticTexts
from dragoman.benchmarks.bfcl.apis.world import ApiWorld
from dragoman.benchmarks.bfcl.checking.against_reference import against_reference
from dragoman.benchmarks.bfcl.checking.components import component_of
from dragoman.benchmarks.bfcl.entries.turns_showing import toolsets
from dragoman.benchmarks.bfcl.prompts.prompting import DEFAULT_FORMAT, PromptFormat, read_format
from dragoman.benchmarks.bfcl.prompts.texts import PromptTexts
from dragoman.benchmarks.bfcl.rules import RULES, BfclRules
from dragoman.benchmarks.bfcl.text_calls import TurnTextCalls
from dragoman.benchmarks.bfcl.turns.conductor import FixedTurns
from dragoman.benchmarks.bfcl.verdicts import Judged
from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode, Move
from dragoman.core.facets import Outside
from dragoman.core.keys import content_key
from dragoman.core.protocols import Conductor, Limits, Provenance, World, WorldFactory
from dragoman.core.rules import Rules
from dragoman.core.scores import ComponentScore, Unscored
from dragoman.core.speech import Said, Unparsed
from dragoman.core.tasks import Task
from dragoman.core.tools import Toolset

PREPARES = "prepares others, and is not judged itself"

MakeWorld = Callable[[AgenticEntry, Toolset], ApiWorld]
"""Makes the world of an entry at the very beginning of its scenario."""


class AgentSetting(msgspec.Struct, frozen=True):
    """What the agents of a category work with.

    Attributes:
        make_world: Makes their worlds.
        memory: The kind of their memory; None where they search instead.
        needs: The option that names what their tools reach outside; "" where they reach nothing.
        missing: What a run must still do before an agent can be played; "" for nothing.
    """

    make_world: MakeWorld
    memory: Memory | None = None
    needs: str = ""
    missing: str = ""


class FinalAnswerCheck:
    """CALLS: the agent's last words hold an accepted answer; what it called counts for nothing."""

    def __init__(self, entries: Mapping[str, AgenticEntry], rules: BfclRules) -> None:
        self._entries = entries
        self._rules = rules

    def components(self, task: Task, episode: Episode) -> tuple[ComponentScore, ...]:
        """Return the one component of an entry's reward."""
        entry = self._entries[task.id]
        if not entry.is_question:
            return (ComponentScore("CALLS", True, Unscored(PREPARES)),)
        words = _last_words(episode)

        def judge_by(rules: BfclRules) -> Judged:
            return Judged(answer_fault(words, entry.accepted, rules))

        return (component_of(against_reference(judge_by, self._rules)),)


class AgenticSuite:
    """The entries of one category.

    Args:
        entries: The questions, and what prepares them.
        texts: The texts of prompts and tools.
        told: The texts about answers and memories.
        settings: Returns what agents work with, for what a run names outside.
        source: Where the data come from.
    """

    asks_for_text = False

    def __init__(
        self,
        entries: Sequence[AgenticEntry],
        texts: PromptTexts,
        told: AgenticTexts,
        settings: Callable[[Outside], AgentSetting],
        source: Provenance,
    ) -> None:
        self.name = entries[0].task.suite
        self.tasks: Sequence[Task] = tuple(entry.task for entry in entries)
        self._entries = {entry.task.id: entry for entry in entries}
        self._texts = texts
        self._told = told
        self._settings = settings
        self._source = source
        # All entries of a category have the same functions in every turn.
        self._tools = toolsets(entries[0].conversation, texts)[0]
        self._settle(Outside())

    def reaching(self, outside: Outside) -> "AgenticSuite":
        """Return this suite with tools that reach what a run names; its digest says what."""
        suite = copy.copy(self)
        suite._settle(outside)  # noqa: SLF001 - one of its own
        return suite

    def _settle(self, outside: Outside) -> None:
        setting = self._settings(outside)
        self.needs = setting.needs
        self.missing = setting.missing
        self._memory = setting.memory
        self._make_world = setting.make_world
        self.provenance = self._source
        if outside.identity:
            digest = content_key(self._source.digest, outside.identity)
            self.provenance = msgspec.structs.replace(self._source, digest=digest)

    def not_applicable(self, condition: Condition) -> str:
        """Return why the suite cannot be played under a condition; "" where it can."""
        has_persona = condition.persona != "none"
        return "fixed turns leave no room for a persona" if has_persona else ""

    def policy(self, task: Task, world: World) -> str:
        """Return what the agent is told: its memory as it is now, and how to answer a question."""
        entry = self._entries[task.id]
        parts = []
        if self._memory is not None:
            content = self._memory.shown(_memory_in(world, self._memory))
            parts.append(self._told.memory_text(entry.scenario, self._memory.layout, content))
        if entry.is_question:
            parts.append(self._told.answer_form)
        return "\n\n".join(parts)

    def texts(self) -> Mapping[str, object]:
        """Return the functions of the interfaces; what conversations leave in them is not known yet."""
        documents = {
            msgspec.json.encode(each)
            for entry in self._entries.values()
            for each in entry.conversation.documents
        }
        return {"tools": [msgspec.json.decode(document) for document in sorted(documents)]}

    def factory(self, rules: Rules) -> WorldFactory:  # noqa: ARG002 - interfaces are the same under all
        """Return what makes worlds in which nothing was remembered yet."""
        return lambda task: self._make_world(self._entries[task.id], self._tools)

    def check(self, rules: Rules) -> FinalAnswerCheck:
        """Return what judges final answers.

        Raises:
            UsageError: For rules that BFCL does not have.
        """
        return FinalAnswerCheck(self._entries, RULES.find(rules.name, self.name))

    def conductor(self, task: Task, world: World, rules: Rules, limits: Limits) -> Conductor:  # noqa: ARG002 - turns have a limit of their own
        """Return the protocol of one entry."""
        return FixedTurns(task.turns, [self._tools] * len(task.turns), RULES.find(rules.name))

    def text_protocol(self, options: Mapping[str, str], rules: Rules) -> TurnTextCalls:
        """Return how functions are offered and called, for the options of an agent's name.

        Raises:
            UsageError: For an option or a value that does not exist.
        """
        return self.text_calls(read_format(options), rules)

    def text_calls(self, form: PromptFormat | None, rules: Rules) -> TurnTextCalls:
        """Return how functions are offered and called as text."""
        conversations = {name: entry.conversation for name, entry in self._entries.items()}
        return TurnTextCalls(
            conversations, self._texts, RULES.find(rules.name), form or DEFAULT_FORMAT
        )


def _memory_in(world: World, memory: Memory) -> Mapping[str, object]:
    if not isinstance(world, ApiWorld):
        raise TypeError(f"a {type(world).__name__} holds no memory")
    return world.state()[memory.of_class]


def _last_words(episode: Episode) -> str | None:
    """Return the agent's last reply, or None where it is calls or there is none."""
    moves = [event for event in episode.events if isinstance(event, Move) and event.by == "agent"]
    match moves[-1].reply if moves else None:
        case Said() as said:
            return said.text
        case Unparsed(raw=raw):
            return raw
        case _:
            return None
