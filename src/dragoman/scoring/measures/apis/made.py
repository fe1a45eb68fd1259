"""What an agent answered to a task of APIs: its replies, their texts, and the calls in them."""

from collections.abc import Iterator, Sequence

from dragoman.core.apis.labels import KIND, NO_TOOLS
from dragoman.core.apis.written.answers import FORM
from dragoman.core.episodes import Move
from dragoman.core.measures import PlayedCase
from dragoman.core.scores import Unscored
from dragoman.core.speech import Called, Reply, Said, Unparsed
from dragoman.core.tasks import Action
from dragoman.core.tools import ToolCall


def unjudged(case: PlayedCase) -> Unscored | None:
    """Return why nothing can be counted in a conversation; None where something can."""
    if case.fault:
        return Unscored(case.fault)
    if KIND not in case.task.labels:
        return Unscored("its suite has no gold calls of APIs")
    if NO_TOOLS in case.task.labels:
        return Unscored(case.task.labels[NO_TOOLS])
    return None


def gold_actions(case: PlayedCase) -> Sequence[Action]:
    """Return the gold calls."""
    criteria = case.task.criteria
    return () if criteria is None else criteria.actions or ()


def answers(case: PlayedCase) -> Iterator[tuple[int, Move]]:
    """Yield the agent's replies with their places among the events."""
    begun = len(case.task.history)
    for position, event in enumerate(case.episode.events[begun:], begun):
        if isinstance(event, Move) and event.by == "agent" and not event.scripted:
            yield position, event


def made_calls(case: PlayedCase) -> list[ToolCall]:
    """Return the agent's calls, in order; one that could not be read has no arguments."""
    replies = (move.reply for _, move in answers(case))
    return [call for reply in replies if isinstance(reply, Called) for call in reply.calls]


def is_in_text(move: Move) -> bool:
    """Whether a reply was asked for as thought and action in text."""
    return move.call_form == FORM


def text_of(reply: Reply) -> str:
    """Return the text of a reply as its model wrote it; "" where it wrote none."""
    match reply:
        case Called(text=text):
            return text or ""
        case Said() as said:
            return said.text
        case Unparsed(raw=raw):
            return raw
