"""Stored conversations as training examples: the messages that an agent saw, its replies and calls.

For an agent that called tools in its text, the example keeps its view: the functions in the system
message, results in user messages. Native calls can be written in such a form, too, if the suite has
one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from dragoman.config.agent_specs import specs_of
from dragoman.core.apis.itc_answers import FORM
from dragoman.core.apis.metrics import LANGUAGE_LABEL
from dragoman.core.capabilities import CallsAsText, TextProtocol, WritesAnswers
from dragoman.core.conditions import ENGLISH, Condition
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Suite
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply
from dragoman.core.rules import RULES, Rules
from dragoman.core.scores import METRIC_VERSION, Score, Scored
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolCall, ToolResult, openai_schema
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.registry.agents import split_options, text_protocol_factory
from dragoman.registry.suites import load_suite
from dragoman.runs.manifest import read_manifest
from dragoman.simulation.participants.llm import MessageDict, past_messages
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import RunStore


class TextConversation(msgspec.Struct, frozen=True):
    """A conversation with its task, suite, rules and the form of its calls in text.

    The form is None for native calls.
    """

    task: Task
    episode: Episode
    suite: Suite
    rules: Rules
    protocol: TextProtocol | None


class TextForms:
    """Finder of the form of conversations.

    Args:
        suite: The suite of the conversations.
        rules: The rules of the conversations.
        form: Form in which native calls are written; "" for native calls.

    Raises:
        UsageError: If the suite does not have this form.
    """

    def __init__(self, suite: Suite, rules: Rules, form: str) -> None:
        self._offer = text_protocol_factory(suite, rules)
        self._native = None if not form else _writing(suite, rules, form)
        self._known: dict[str, TextProtocol] = {}

    def of(self, agent: str, episode: Episode) -> TextProtocol | None:
        """Return the form of a conversation; None for native calls."""
        if not any(isinstance(each, Message) and each.call_form for each in episode.events):
            return self._native
        if agent not in self._known:
            self._known[agent] = self._offer(split_options(agent)[1])
        return self._known[agent]


def why_not_convertible(protocol: TextProtocol, episode: Episode) -> str:
    """Return why a conversation cannot be written in a form; "" if it can."""
    for event in episode.events:
        if not isinstance(event, Message) or event.by != "agent":
            continue
        if not event.call_form and not isinstance(protocol, WritesAnswers):
            return "native calls among those in text"
        if event.call_form and isinstance(event.reply, ToolCallReply) and event.reply.text is None:
            return "the text of its calls was not kept"
    return ""


def text_messages(played: TextConversation) -> list[MessageDict]:
    """Return the messages that an agent saw and wrote, up to its own last message."""
    messages = past_messages(played.task.history, "agent")
    messages += _messages(played, played.episode.events)
    while messages and messages[-1]["role"] != "assistant":
        messages.pop()
    return messages


def _messages(played: TextConversation, events: Sequence[Event]) -> Iterator[MessageDict]:
    results: list[tuple[ToolCall, str]] = []
    calls: dict[str, ToolCall] = {}
    for event in events:
        if isinstance(event, ToolResult):
            if event.by == "agent" and event.call_id in calls:
                shown = event.content if event.shown is None else event.shown
                results.append((calls[event.call_id], shown))
            continue
        if results and played.protocol is not None:
            yield {"role": "user", "content": played.protocol.results(results)}
            results = []
        if event.by == "agent":
            calls = (
                {c.id: c for c in event.reply.calls}
                if isinstance(event.reply, ToolCallReply)
                else {}
            )
            yield {"role": "assistant", "content": _own_words(played, event)}
        elif isinstance(event.reply, TextReply):
            yield {"role": "user", "content": event.reply.utterance.received}


def _own_words(played: TextConversation, move: Message) -> str:
    if not move.call_form and isinstance(played.protocol, WritesAnswers):
        return played.protocol.written(played.task, move.reply)
    match move.reply:
        case TextReply() as said:
            return said.text
        case ToolCallReply(text=text):
            return text or ""
        case UnparsedReply(raw=raw):
            return raw


def _writing(suite: Suite, rules: Rules, form: str) -> TextProtocol:
    if form != FORM:
        raise UsageError(f"--calls {form}: choose {FORM}, or leave it out for native calls")
    found = (
        suite.text_protocol({"calls": form}, rules)
        if isinstance(suite, CallsAsText) and not suite.asks_for_text
        else None
    )
    if not isinstance(found, WritesAnswers):
        raise UsageError(f"{suite.name}: its calls cannot be written as {form}")
    return found


class RunRows(msgspec.Struct, frozen=True):
    """The rows of a run, and the numbers of conversations that gave none, by reason."""

    rows: tuple[TrainingExample, ...]
    left_out: dict[str, int]


def rows_of_run(
    store: RunStore, scoring: tuple[str, str], *, only_passed: bool, form: str = ""
) -> RunRows:
    """Return the conversations of a run as rows; the system message contains the policy.

    Args:
        store: The run.
        scoring: The rules and the judge that decide which conversations passed.
        only_passed: Whether other conversations are excluded; an unscored conversation did not
            pass.
        form: Form in which native calls are written; "" for native calls.

    Raises:
        UsageError: If its suite is unknown, or does not have this form.
        DataError: If its suite's data are missing.
        StoreError: If the run cannot be read.
    """
    config = read_manifest(store).config
    suite, rules = load_suite(config.suite), RULES.find(config.rules)
    forms, specs = TextForms(suite, rules, form), specs_of(config.agents)
    tasks, cells = store.tasks(), {cell.key: cell for cell in store.cells()}
    scores = store.scores(*scoring, METRIC_VERSION)
    rows, left_out = [], Counter[str]()
    for key, _, episode in store.episodes():
        cell = cells[key]
        task = tasks[cell.task]
        protocol = forms.of(specs.get(cell.agent, cell.agent), episode)
        why = _why_not(cell, task, episode)
        if only_passed and not why and not _has_passed(scores.get(key)):
            why = "not passed"
        if not why and protocol is not None:
            why = why_not_convertible(protocol, episode)
        if why:
            left_out[why] += 1
        else:
            rows.append(_row(cell, TextConversation(task, episode, suite, rules, protocol)))
    return RunRows(tuple(rows), dict(left_out))


def _has_passed(score: Score | None) -> bool:
    return score is not None and isinstance(score.reward, Scored) and score.reward.value == 1


def _why_not(cell: StoredCell, task: Task, episode: Episode) -> str:
    """Return why a stored conversation cannot be used for training; "" if it can."""
    own = [each for each in episode.events if isinstance(each, Message) and each.by == "agent"]
    if episode.is_fault or not own:
        return "broken off"
    if cell.condition != Condition():
        return "its condition changes the agent's view"
    if task.withheld_tools or task.after or episode.instruction_updates:
        return "the agent's view changed during the conversation"
    return ""


def _row(cell: StoredCell, played: TextConversation) -> TrainingExample:
    task, suite = played.task, played.suite
    environment = suite.factory(played.rules)(task)
    policy, offered = suite.policy(task, environment), environment.tools("agent")
    if played.protocol is None:
        messages = past_messages((*task.history, *played.episode.events), "agent")
        system = policy
        tools = tuple(map(openai_schema, offered))
    else:
        messages = text_messages(played)
        system = "\n\n".join(filter(None, (played.protocol.offer(task, offered), policy)))
        tools = ()
    if system:
        messages = [{"role": "system", "content": system}, *messages]
    called = (
        call.name
        for event in played.episode.events
        if isinstance(event, Message)
        and event.by == "agent"
        and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    )
    origin = ExampleOrigin(
        cell.suite,
        task.id,
        tuple(dict.fromkeys(called)),
        task.labels.get(LANGUAGE_LABEL, ENGLISH),
        suite.provenance.licence,
        cell.agent,
        task.digest,
    )
    return TrainingExample(f"{cell.suite} {task.id} {cell.key}", tuple(messages), tools, origin)
