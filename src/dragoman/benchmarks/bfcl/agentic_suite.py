"""Agentic suites of BFCL: memory and web search, judged by the final answer alone.

External services (a search engine, pages, an embedding model) come from the options of a run.
"""

import copy
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

import msgspec

from dragoman.benchmarks.bfcl.agentic_entries import (
    MEMORIES,
    SEARCHES,
    VECTOR,
    AgenticEntry,
    AgenticTexts,
    MemoryKind,
)
from dragoman.benchmarks.bfcl.apis.environment import (
    AnswerCache,
    ApiEnvironment,
    AsyncApiEnvironment,
)
from dragoman.benchmarks.bfcl.apis.web_search_api import Hits, Page, Query, WebSearchAPI
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError, check_length
from dragoman.benchmarks.bfcl.call_parsers.python_calls import read_literal
from dragoman.benchmarks.bfcl.multi_turn_entries import toolsets
from dragoman.benchmarks.bfcl.multi_turn_execution import entry_environment
from dragoman.benchmarks.bfcl.multi_turn_suite import FixedTurns
from dragoman.benchmarks.bfcl.prompts import DEFAULT_FORMAT, PromptFormat, PromptTexts, read_format
from dragoman.benchmarks.bfcl.rules import RULES, BfclRules
from dragoman.benchmarks.bfcl.text_tool_calls import MultiTurnTextCalls
from dragoman.benchmarks.bfcl.verdicts import (
    CallFault,
    Judged,
    compare_with_reference,
    reward_component,
)
from dragoman.core.capabilities import EmbedTexts, ExternalServices, Texts, Vectors
from dragoman.core.conditions import Condition
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import (
    Environment,
    EnvironmentFactory,
    Limits,
    Provenance,
    TurnProtocol,
)
from dragoman.core.replies import TextReply, UnparsedReply
from dragoman.core.rules import Rules
from dragoman.core.scores import ComponentScore, Unscored
from dragoman.core.tasks import Task
from dragoman.core.tools import Toolset
from dragoman.core.usage import Usage

NOT_FOUND = "agentic:answer_not_found"
NO_MESSAGE = "agentic:no_last_message"

_MARKS = re.compile(r"[,./\-_*^()]")
_MARKS_OUTSIDE_NUMBERS = re.compile(r"(?!(?<=\d)\.(?=\d)|(?<![\w)])-(?=\d))[,./\-_*^()]")


def normalize_answer(text: str, rules: BfclRules) -> str:
    """Return a text as answers are compared: no case and little punctuation; spaces stay."""
    marks = _MARKS_OUTSIDE_NUMBERS if rules.answers_keep_their_numbers else _MARKS
    return marks.sub("", text).lower().replace("'", '"')


def answer_fault(message: object, accepted: Iterable[str], rules: BfclRules) -> CallFault | None:
    """Return the fault of a final reply, or None if it contains an accepted answer.

    Args:
        message: The final reply. Of a list, the first item counts; None means a missing reply.
        accepted: The accepted answers; one of them is enough.
        rules: The rule set.
    """
    if isinstance(message, list):
        message = message[0] if message else None
    if message is None:
        return CallFault(NO_MESSAGE, "the agent gave no final reply")
    text = str(message)
    try:
        check_length(text)
    except UnreadableError as error:
        return CallFault(NOT_FOUND, str(error))
    said = normalize_answer(_answer(text) if rules.answers_are_judged_alone else text, rules)
    wanted = [normalize_answer(answer, rules) for answer in accepted]
    if any(_stands_in(said, answer, rules) for answer in wanted):
        return None
    return CallFault(NOT_FOUND, f"none of {len(wanted)} accepted answers stands in the reply")


def _answer(text: str) -> str:
    """Return the answer of a reply that was written as asked, else the whole reply."""
    try:
        read = read_literal(text.strip())
    except UnreadableError:
        return text
    return str(read["answer"]) if isinstance(read, dict) and "answer" in read else text


def _stands_in(said: str, answer: str, rules: BfclRules) -> bool:
    wanted = re.escape(answer)
    if not rules.answers_end_where_words_do:
        return re.search(rf"\b{wanted}\b", said) is not None
    if not answer:
        return False
    before, after = r"(?<!\w)", r"(?!\w)"
    if rules.answers_keep_their_numbers:
        before, after = rf"{before}(?<!\d\.)(?<!-)", rf"{after}(?!\.\d)"
    return re.search(f"{before}{wanted}{after}", said) is not None


PREPARES = "prepares others, and is not judged itself"

MakeApiEnvironment = Callable[[AgenticEntry, Toolset], ApiEnvironment]
"""Function that makes the environment of an entry at the beginning of its scenario."""


class AgentSetting(msgspec.Struct, frozen=True):
    """The setting of a category's agents: environments, memory and external services.

    Attributes:
        make_environment: Function that makes the environment of an entry.
        memory: The kind of memory; None for web search.
        needs: The option that names the external service of the tools; "" if they need none.
        missing: A text that says what a run must still do before an agent can be played; "" for
            nothing.
    """

    make_environment: MakeApiEnvironment
    memory: MemoryKind | None = None
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

        return (reward_component(compare_with_reference(judge_by, self._rules)),)


class AgenticSuite:
    """The entries of one category.

    Args:
        entries: The questions, and the conversations that prepare them.
        texts: The texts of prompts and tools.
        agentic_texts: The texts about answers and memories.
        settings: Function that returns the agents' setting for the external services of a run.
        source: The origin of the data.
    """

    asks_for_text = False

    def __init__(
        self,
        entries: Sequence[AgenticEntry],
        texts: PromptTexts,
        agentic_texts: AgenticTexts,
        settings: Callable[[ExternalServices], AgentSetting],
        source: Provenance,
    ) -> None:
        self.name = entries[0].task.suite
        self.tasks: Sequence[Task] = tuple(entry.task for entry in entries)
        self._entries = {entry.task.id: entry for entry in entries}
        self._texts = texts
        self._agentic_texts = agentic_texts
        self._settings = settings
        self._source = source
        # All entries of a category have the same functions in every turn.
        self._tools = toolsets(entries[0].conversation, texts)[0]
        self._settle(ExternalServices())

    def reaching(self, outside: ExternalServices) -> "AgenticSuite":
        """Return this suite with tools that reach what a run names; its digest says what."""
        suite = copy.copy(self)
        suite._settle(outside)  # noqa: SLF001 - one of its own
        return suite

    def _settle(self, outside: ExternalServices) -> None:
        setting = self._settings(outside)
        self.needs = setting.needs
        self.missing = setting.missing
        self._memory = setting.memory
        self._make_environment = setting.make_environment
        self.provenance = self._source
        if outside.identity:
            digest = content_key(self._source.digest, outside.identity)
            self.provenance = msgspec.structs.replace(self._source, digest=digest)

    def not_applicable(self, condition: Condition) -> str:
        """Return why the suite cannot be played under a condition; "" where it can."""
        has_persona = condition.persona != "none"
        return "fixed turns leave no room for a persona" if has_persona else ""

    def policy(self, task: Task, environment: Environment) -> str:
        """Return what the agent is told: its memory as it is now, and how to answer a question."""
        entry = self._entries[task.id]
        parts = []
        if self._memory is not None:
            content = self._memory.shown(_memory_in(environment, self._memory))
            parts.append(
                self._agentic_texts.memory_text(entry.scenario, self._memory.layout, content)
            )
        if entry.is_question:
            parts.append(self._agentic_texts.answer_form)
        return "\n\n".join(parts)

    def texts(self) -> Mapping[str, object]:
        """Return the functions of the interfaces.

        The texts that conversations leave in the interfaces are not known yet.
        """
        documents = {
            msgspec.json.encode(each)
            for entry in self._entries.values()
            for each in entry.conversation.documents
        }
        return {"tools": [msgspec.json.decode(document) for document in sorted(documents)]}

    def factory(self, rules: Rules) -> EnvironmentFactory:  # noqa: ARG002
        """Return what makes worlds in which nothing was remembered yet."""
        return lambda task: self._make_environment(self._entries[task.id], self._tools)

    def check(self, rules: Rules) -> FinalAnswerCheck:
        """Return what judges final answers.

        Raises:
            UsageError: For rules that BFCL does not have.
        """
        return FinalAnswerCheck(self._entries, RULES.find(rules.name, self.name))

    def turn_protocol(
        self,
        task: Task,
        environment: Environment,  # noqa: ARG002 - turns have a limit of their own
        rules: Rules,
        limits: Limits,  # noqa: ARG002 - turns have a limit of their own
    ) -> TurnProtocol:
        """Return the protocol of one entry."""
        return FixedTurns(task.turns, [self._tools] * len(task.turns), RULES.find(rules.name))

    def text_protocol(self, options: Mapping[str, str], rules: Rules) -> MultiTurnTextCalls:
        """Return how functions are offered and called, for the options of an agent's name.

        Raises:
            UsageError: For an option or a value that does not exist.
        """
        return self.text_calls(read_format(options), rules)

    def text_calls(self, form: PromptFormat | None, rules: Rules) -> MultiTurnTextCalls:
        """Return how functions are offered and called as text."""
        conversations = {name: entry.conversation for name, entry in self._entries.items()}
        return MultiTurnTextCalls(
            conversations, self._texts, RULES.find(rules.name), form or DEFAULT_FORMAT
        )


def _memory_in(environment: Environment, memory: MemoryKind) -> Mapping[str, object]:
    if not isinstance(environment, ApiEnvironment):
        raise TypeError(f"a {type(environment).__name__} holds no memory")
    return environment.state()[memory.of_class]


def _last_words(episode: Episode) -> str | None:
    """Return the agent's last reply, or None where it is calls or there is none."""
    moves = [
        event for event in episode.events if isinstance(event, Message) and event.by == "agent"
    ]
    match moves[-1].reply if moves else None:
        case TextReply() as said:
            return said.text
        case UnparsedReply(raw=raw):
            return raw
        case _:
            return None


FindHits = Callable[[Query], Awaitable[tuple[Hits, Usage]]]
"""Returns what a search engine finds, and what that consumed."""


FetchPage = Callable[[str], Awaitable[Page]]
"""Returns the page at an address, or why there is none."""


class ServiceClients(msgspec.Struct, frozen=True):
    """The services that tools reach.

    These are a model for embeddings, or a search engine and a page reader; a service that is
    not used is None.
    """

    embed: EmbedTexts | None = None
    find: FindHits | None = None
    fetch: FetchPage | None = None


def connect_services(outside: ExternalServices) -> ServiceClients:
    """Return what the tools of agents reach through what a run names."""
    search = outside.search
    if search is None:
        return ServiceClients(outside.embed)
    from dragoman.benchmarks.bfcl.apis.web_search_clients import PageReader, SearchEngine

    engine = SearchEngine(search.address, search.key, search.retry_for)
    return ServiceClients(outside.embed, engine.find, PageReader().read)


def agent_setting(category: str, reach: ServiceClients) -> AgentSetting:
    """Return what the agents of a category work with."""
    if category in SEARCHES:
        environments = _search_environments(reach, with_snippets=SEARCHES[category])
        return AgentSetting(environments, needs="search", missing="" if reach.find else _NO_SEARCH)
    memory = MEMORIES[category]
    if category == VECTOR:
        missing = "" if reach.embed else _NO_EMBEDDINGS
        return AgentSetting(_vector_environments(reach), memory, "embeddings", missing)
    return AgentSetting(
        lambda entry, tools: entry_environment(entry.conversation, None, tools), memory
    )


_NO_EMBEDDINGS = "needs a model for embeddings: name one with --embeddings PROVIDER/MODEL"
_NO_SEARCH = "needs a search engine: name its address with --search http://HOST:PORT/PATH"


def _vector_environments(reach: ServiceClients) -> MakeApiEnvironment:
    from dragoman.benchmarks.bfcl.apis.vector_memory_api import MemoryAPI_vector

    async def embed(texts: Texts) -> tuple[Vectors, Usage]:
        if reach.embed is None:
            raise ParticipantError(_NO_EMBEDDINGS)
        return await reach.embed(texts)

    def make(entry: AgenticEntry, tools: Toolset) -> ApiEnvironment:
        vectors = AnswerCache(embed)
        return AsyncApiEnvironment(
            lambda: {
                name: MemoryAPI_vector(snapshot, embed=lambda texts: vectors.of(tuple(texts)))
                for name, snapshot in entry.conversation.config.items()
            },
            tools,
            (vectors,),
        )

    return make


def _search_environments(reach: ServiceClients, *, with_snippets: bool) -> MakeApiEnvironment:
    scenario = {"show_snippet": with_snippets}

    async def find(query: Query) -> tuple[Hits, Usage]:
        if reach.find is None:
            raise ParticipantError(_NO_SEARCH)
        return await reach.find(query)

    async def read(url: str) -> tuple[Page, None]:
        if reach.fetch is None:
            raise ParticipantError(_NO_SEARCH)
        return await reach.fetch(url), None

    def make(entry: AgenticEntry, tools: Toolset) -> ApiEnvironment:
        hits, pages = AnswerCache(find), AnswerCache(read)
        return AsyncApiEnvironment(
            lambda: {
                name: WebSearchAPI(scenario, find=hits.of, read=pages.of)
                for name in entry.conversation.config
            },
            tools,
            (hits, pages),
        )

    return make
