"""Turn protocol and layer of clarifications: a judge answers, and the agent's turn continues.

The whitelist of a turn holds the arguments of planned calls that the user's words state, or it is
read from a recorded set.
"""

from collections.abc import Callable, Sequence

import msgspec

from dragoman.core.clarifications import (
    DECISIONS,
    ClarificationJudge,
    ClarificationRequest,
    ClarificationVerdict,
    Reason,
    Whitelist,
    by_topic,
    whitelist,
)
from dragoman.core.conditions import CLARIFY
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Event, Message
from dragoman.core.layers import Layer
from dragoman.core.protocols import (
    Ask,
    Consult,
    ConversationProgress,
    Speak,
    TurnAction,
    TurnProtocol,
)
from dragoman.core.recordings import Recordings
from dragoman.core.replies import TextReply, Utterance
from dragoman.core.tasks import Action, Task
from dragoman.core.tools import Role

MAX_CLARIFICATIONS = 3
"""Answered questions in one turn; further ones are not put to the judge."""


WhitelistOf = Callable[[Task, int, Sequence[str]], Whitelist]
"""Returns what may be confirmed of what a user said in a turn of a task, message by message."""

WRITTEN_CALLS = ("[", "{", "<", "`")
"""The beginnings of replies in which an agent writes a call as text.

The judge of questions does not judge these replies.
"""


class ClarifyingProtocol:
    """A benchmark's turn protocol with clarifications.

    It judges the agent's words before it continues.

    An answered question and its answer do not belong to the benchmark's turn: its steps are counted
    without them, and the agent is asked again as it was asked before.

    Args:
        turn_protocol: The benchmark's own protocol.
        judge: The judge that decides.
        task: The conversation's task.
        aloud: Whether answers go through the user's channel, as the user's other words do.
        whitelist_of: Returns the values that may be confirmed; None for the values that planned
            calls need.
    """

    def __init__(
        self,
        turn_protocol: TurnProtocol,
        judge: ClarificationJudge,
        task: Task,
        *,
        aloud: bool,
        whitelist_of: WhitelistOf | None = None,
    ) -> None:
        self._turn_protocol = turn_protocol
        self._judge = judge
        self._task = task
        self._whitelist_of = whitelist_of or _plan_whitelist
        self._aloud = aloud
        self._asked: Ask | None = None
        self._verdict: ClarificationVerdict | None = None
        self._has_answered = False
        self._answers: set[int] = set()
        self._in_turn = 0
        self._turn = 0
        self._steps = 0

    @property
    def sides(self) -> tuple[Role, ...]:
        """The sides that reply themselves."""
        return self._turn_protocol.sides

    def opening(self) -> tuple[Event, ...]:
        """Return the protocol's own opening."""
        return self._turn_protocol.opening()

    def next(self, progress: ConversationProgress) -> TurnAction:
        """Have the agent's words judged, answer where that is allowed, else go on as without."""
        asked = self._asked
        if asked is None:
            return self._further(progress)
        if self._has_answered:
            self._has_answered = False
            self._steps += 1 + asked.is_step
            return asked
        verdict, self._verdict = self._verdict, None
        if verdict is None:
            request = self._request(progress.events, asked)
            return self._further(progress) if request is None else self._consult(request)
        if not verdict.is_allowed:
            return self._further(progress)
        self._in_turn += 1
        self._has_answered = True
        self._answers.add(len(progress.events))
        answer = TextReply(Utterance(verdict.reply), clarifies=True)
        return Speak("user", answer, asked.turn, aloud=self._aloud)

    def _further(self, progress: ConversationProgress) -> TurnAction:
        instructions = self._turn_protocol.next(
            WithoutClarifications(progress, self._steps) if self._steps else progress
        )
        self._asked = None
        match instructions:
            case Ask(side="agent", turn=turn):
                self._asked = instructions
                if turn != self._turn:
                    self._turn, self._in_turn = turn, 0
            case Ask() | Speak(side="user"):
                self._in_turn = 0
            case _:
                pass
        return instructions

    def _request(self, events: Sequence[Event], asked: Ask) -> ClarificationRequest | None:
        """Return what a judge is given about the agent's words; None if it said none."""
        last = events[-1] if events else None
        if not (
            isinstance(last, Message) and isinstance(last.reply, TextReply) and last.by == "agent"
        ):
            return None
        if last.call_form and last.reply.text.lstrip().startswith(WRITTEN_CALLS):
            return None
        said = [
            event.reply.utterance
            for place, event in enumerate(events)
            if isinstance(event, Message)
            and isinstance(event.reply, TextReply)
            and (event.by, event.turn) == ("user", asked.turn)
            and place not in self._answers
        ]
        messages = [utterance.intended for utterance in said]
        return ClarificationRequest(
            "\n".join(messages),
            "\n".join(utterance.received or "" for utterance in said),
            last.reply.text,
            self._whitelist_of(self._task, asked.turn, messages),
            self._task.id,
        )

    def _consult(self, request: ClarificationRequest) -> Consult:
        async def decide(draw: str) -> ClarificationVerdict:
            drawn = msgspec.structs.replace(request, draw=draw)
            self._verdict = self._unasked(request) or await self._judge.decide(drawn)
            return self._verdict

        return Consult(decide)

    def _unasked(self, request: ClarificationRequest) -> ClarificationVerdict | None:
        """Return the decision that needs no judge; None if one is to be asked."""
        reason: Reason | None = None
        if self._in_turn >= MAX_CLARIFICATIONS:
            reason = "spent"
        elif not request.allowed:
            reason = "nothing to clarify"
        return None if reason is None else ClarificationVerdict(reason, judge=self._judge.name)


def planned_whitelist(task: Task, turn: int, said: str) -> Whitelist:
    """Return what the user's words of a turn state of the arguments that the turn's calls need."""
    actions = () if task.criteria is None else task.criteria.actions or ()
    planned = (action for action in actions if action.by == "agent" and action.turn == turn)
    return whitelist(map(_arguments, planned), said)


def _plan_whitelist(task: Task, turn: int, messages: Sequence[str]) -> Whitelist:
    return planned_whitelist(task, turn, "\n".join(messages))


def _arguments(action: Action) -> dict[str, object]:
    """Return the arguments of a planned call; those without a name go by that of the function."""
    if not action.positionals:
        return action.arguments
    return {**action.arguments, action.name: action.positionals}


class WithoutClarifications(msgspec.Struct, frozen=True):
    """A conversation as its benchmark's protocol looks at it: its steps without clarifications."""

    progress: ConversationProgress
    clarifying: int

    @property
    def events(self) -> Sequence[Event]:
        """Everything that happened."""
        return self.progress.events

    @property
    def steps(self) -> int:
        """The benchmark's own steps."""
        return self.progress.steps - self.clarifying

    @property
    def errors(self) -> int:
        """Tool errors so far."""
        return self.progress.errors

    @property
    def seconds(self) -> float:
        """Wall-clock time since the conversation started."""
        return self.progress.seconds


class RecordedWhitelists:
    """Whitelists of a set; of messages that it does not hold, what planned calls need counts."""

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings

    def __call__(self, task: Task, turn: int, messages: Sequence[str]) -> Whitelist:
        """Return the confirmable values of a user's statements in a turn.

        Topics of one name are numbered.
        """
        kept = {each.text: each for each in self._recordings.of(task.id) if each.turn == turn}
        stated = [
            pair for text in messages if text in kept for pair in kept[text].whitelist.items()
        ]
        others = "\n".join(text for text in messages if text not in kept)
        return by_topic((*stated, *planned_whitelist(task, turn, others).items()))


def clarifying_layer(
    judge: ClarificationJudge, *, aloud: bool, whitelist_of: WhitelistOf | None = None
) -> Layer:
    """Return the layer that lets a judge decide about the agent's questions.

    Args:
        judge: The judge that decides.
        aloud: Whether answers are spoken if the user's words are.
        whitelist_of: Returns the values that may be confirmed, if the suite's data define them:
            their digest stands for the function in keys; None for the values that planned calls
            need.
    """
    identity = content_key(DECISIONS, MAX_CLARIFICATIONS, judge.name, aloud)
    record = {"judge": judge.name, "decisions": DECISIONS, "aloud": aloud}

    def of_task(task: Task) -> Layer:
        return Layer(
            CLARIFY,
            identity,
            record,
            turn_protocol=lambda inner: ClarifyingProtocol(
                inner, judge, task, aloud=aloud, whitelist_of=whitelist_of
            ),
            may_ask=True,
        )

    return Layer(CLARIFY, identity, record, may_ask=True, of_task=of_task)
