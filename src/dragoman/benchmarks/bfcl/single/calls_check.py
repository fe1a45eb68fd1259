"""How an episode of one question is judged: its last reply against the calls that are expected."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.checking.components import component_of
from dragoman.benchmarks.bfcl.checking.judging import WrittenReply, judge
from dragoman.benchmarks.bfcl.entries.single import Entry
from dragoman.benchmarks.bfcl.questions import Question
from dragoman.benchmarks.bfcl.reading import Form
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.text.formats.table import FORMATS
from dragoman.benchmarks.bfcl.text_calls import CALL_FORMS
from dragoman.core.episodes import COMPLETE, Episode, Move
from dragoman.core.scores import ComponentScore, Evidence, Scored, Unscored
from dragoman.core.speech import Called, Reply, Said, Unparsed
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.tools import ToolCall

STORED_FORMS: Mapping[str, tuple[Literal["items", "object_items"], bool]] = {
    "": ("items", True),
    "items": ("items", True),
    "items-dotted": ("items", False),
    "objects": ("object_items", True),
    "objects-dotted": ("object_items", False),
    "named": ("items", True),
    "named-dotted": ("items", False),
}
"""Forms of native calls: how they are stored, and whether names were shown with `_` for dots."""

TOLD_FORMS: Mapping[str, tuple[str, bool]] = {
    f"{name}-underscored" if underscored else name: (name, underscored)
    for name, underscored in product(FORMATS, (False, True))
}
"""Forms that models have of their own, in replies that were imported: the same."""


class CallsCheck:
    """CALLS: the reply holds the expected calls, or none where none is wanted."""

    def __init__(self, entries: Mapping[str, Entry], rules: BfclRules) -> None:
        self._entries = entries
        self._rules = rules

    def components(self, task: Task, episode: Episode) -> tuple[ComponentScore, ...]:
        """Return the one component of a question's reward."""
        return self._components(task, episode, None)

    def components_meant(
        self, task: Task, episode: Episode, meant: Callable[[ToolCall], ToolCall]
    ) -> tuple[ComponentScore, ...]:
        """Return the same for a reply that may have labels in the place of values."""
        return self._components(task, episode, meant)

    def _components(
        self, task: Task, episode: Episode, meant: Callable[[ToolCall], ToolCall] | None
    ) -> tuple[ComponentScore, ...]:
        move = _reply(task, episode)
        if move is None:
            return (_unanswered(episode),)
        question = self._entries[task.id].question
        reply = written(move, question)
        if meant is not None:
            reply = msgspec.structs.replace(reply, meant=meant)
        return (component_of(judge(question, reply, self._rules)),)


def _unanswered(episode: Episode) -> ComponentScore:
    """Return the score of a question without a reply: time that ran out is the agent's."""
    reason = f"the agent gave no reply: {episode.ending.reason}"
    if episode.ending.reason in COMPLETE:
        return ComponentScore("CALLS", True, Unscored(reason))
    return ComponentScore("CALLS", True, Scored(0.0), (Evidence("no reply", False, reason),))


def _reply(task: Task, episode: Episode) -> Move | None:
    new = episode.events[len(task.history) :]
    moves = [event for event in new if isinstance(event, Move) and event.by == "agent"]
    return moves[-1] if moves else None


def written(move: Move, question: Question) -> WrittenReply:
    """Return an agent's reply with what says how it has to be read."""
    if move.call_form in CALL_FORMS:
        form, in_tags = CALL_FORMS[move.call_form]
        return WrittenReply(_text(move.reply), _in_its_language(form, question), in_tags)
    if move.call_form in TOLD_FORMS:
        told_as, underscored = TOLD_FORMS[move.call_form]
        text = _text(move.reply)
        return WrittenReply(text, question.language, underscored=underscored, told_as=told_as)
    stored, underscored = STORED_FORMS[move.call_form]
    match move.reply:
        case Called(calls=calls):
            return WrittenReply(calls, "calls", underscored=underscored)
        case Unparsed(raw=raw) if raw.startswith("["):
            return WrittenReply(_listed(raw), stored, underscored=underscored)
        case reply:
            return WrittenReply(_text(reply), stored, underscored=underscored)


def _text(reply: Reply) -> str:
    match reply:
        case Called(text=text):
            return text or ""
        case Said() as said:
            return said.text
        case Unparsed(raw=raw):
            return raw


def _listed(raw: str) -> object:
    """Return the list that an unreadable reply was stored as, or the text where it is none."""
    try:
        return msgspec.json.decode(raw)
    except UNREADABLE:
        return raw


def _in_its_language(form: Form, question: Question) -> Form:
    """Return the form of calls that are asked for as code: that of the functions' language."""
    return question.language if form == "python" else form
