"""Turn protocols: whose turn it is, and the maximum of steps; half-duplex, solo and single-turn.

They decide whose turn it is, and end a conversation at stop tokens and limits (tau2-bench 1.3, 1.4
and, for solo mode, 1.7).
"""

from collections.abc import Sequence
from itertools import takewhile

from dragoman.core.episodes import Event, Message, Termination, TerminationReason
from dragoman.core.protocols import (
    Ask,
    ConversationProgress,
    Environment,
    Execute,
    Limits,
    Speak,
    TurnAction,
)
from dragoman.core.renamed_members import renamed_arguments
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.rules import Rules
from dragoman.core.stop_tokens import STOP, has_stop
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolResult, Toolset, ToolSpec

GREETING = "Hi! How can I help you today?"

BAD_REPLY: dict[Role, TerminationReason] = {"agent": "agent_error", "user": "user_error"}


class HalfDuplex:
    """The protocol of one text conversation with a user."""

    sides: tuple[Role, ...] = ("agent", "user")

    def __init__(
        self,
        environment: Environment,
        rules: Rules,
        limits: Limits,
        history: Sequence[Event] = (),
        *,
        checks_communication: bool = False,
    ) -> None:
        """Prepare the protocol.

        Args:
            environment: The environment, whose tools are shown.
            rules: The rules, which decide how stops and unusable replies count.
            limits: The limits that end the conversation.
            history: The events before the conversation; if there are none, the agent greets.
            checks_communication: Whether words together with calls end the conversation.
        """
        self._history = tuple(history)
        self._checks_communication = checks_communication
        self._rules = rules
        self._limits = limits
        self._ask: dict[Role, Ask] = {
            "agent": Ask("agent", environment.tools("agent")),
            "user": Ask(
                "user",
                environment.tools("user"),
                near_tokens=rules.near_stop_tokens_count,
                needs_words=rules.silence_is_the_users,
            ),
        }

    def opening(self) -> tuple[Event, ...]:
        """Return the history, or the agent's fixed greeting."""
        return self._history or (Message("agent", text_reply(GREETING), scripted=True),)

    def next(self, progress: ConversationProgress) -> TurnAction:
        """Route the last event, then apply the limits."""
        last = progress.events[-1]
        instructions = self._route(last)
        if isinstance(last, ToolResult):
            instructions = self._stop_beside_calls(last, progress.events) or instructions
        if isinstance(instructions, Execute):
            return instructions
        return apply_limits(instructions, progress, self._limits, self._rules)

    def _route(self, event: Event) -> Ask | Execute | Termination:
        if isinstance(event, ToolResult):
            return self._ask[event.by]
        match event.reply:
            case ToolCallReply(calls=calls, text=text):
                if self._checks_communication and text:
                    return Termination(BAD_REPLY[event.by], "words together with calls")
                return Execute(calls)
            case TextReply(utterance=utterance):
                return self._after_words(event, utterance.intended)
            case UnparsedReply(error=error):
                own_fault = self._rules.bad_reply_is_the_speakers
                return Termination(
                    BAD_REPLY[event.by] if own_fault else "infrastructure_error", error
                )

    def _after_words(self, move: Message, words: str) -> Ask | Termination:
        if move.by == "agent":
            return self._ask["user"]
        return _stopped_by(move) if has_stop(words) else self._ask["agent"]

    def _stop_beside_calls(self, result: ToolResult, events: Sequence[Event]) -> Termination | None:
        """Return the ending, if the user's calls that were just executed came with a stop token."""
        if result.by == "agent" or not self._rules.stop_beside_calls_counts:
            return None
        moves = (event for event in reversed(events) if isinstance(event, Message))
        match next(moves, None):
            case Message(reply=ToolCallReply(text=str() as text)) as move if has_stop(text):
                return _stopped_by(move)
            case _:
                return None


def _stopped_by(move: Message) -> Termination:
    return Termination("user_stop", near_token=move.near_token)


def apply_limits(
    instructions: Ask | Termination, progress: ConversationProgress, limits: Limits, rules: Rules
) -> TurnAction:
    """Return the directive, or the ending that a limit makes of it.

    Under the reference's rules a limit overrides a stop on the same step; faults stand.
    """
    stop = instructions if isinstance(instructions, Termination) else None
    if stop and (rules.stop_outranks_limits or stop.reason not in {"user_stop", "agent_stop"}):
        return stop
    is_within = progress.errors < limits.errors and progress.steps < limits.steps
    if is_within and limits.seconds is None:
        return instructions
    reached = _find_reached_limit(progress, limits, has_stopped=stop is not None)
    if reached is None:
        return instructions
    if rules.bad_reply_is_the_speakers and _user_ran_on(progress, reached):
        return Termination(
            "user_error", f"{reached}: the user called tools and asked the agent nothing"
        )
    return Termination(reached)


def _find_reached_limit(
    progress: ConversationProgress, limits: Limits, *, has_stopped: bool
) -> TerminationReason | None:
    if progress.errors >= limits.errors:
        return "too_many_errors"
    if progress.steps >= limits.steps:
        return "max_steps"
    if not has_stopped and limits.seconds is not None and progress.seconds >= limits.seconds:
        return "timeout"
    return None


def _user_ran_on(progress: ConversationProgress, reached: TerminationReason) -> bool:
    """Return whether the user did most of what a limit counts since the agent moved last."""
    since = list(takewhile(lambda event: event.by == "user", reversed(progress.events)))
    results = [event for event in since if isinstance(event, ToolResult)]
    if reached == "too_many_errors":
        return 2 * sum(result.error for result in results) > progress.errors
    # A reply that calls is one step and running the calls another.
    calling = sum(
        isinstance(event, Message) and isinstance(event.reply, ToolCallReply) for event in since
    )
    return bool(results) and 4 * calling > progress.steps


DONE = ToolSpec(
    "done",
    "Call this when everything that the ticket asks for is done, or cannot be done.",
    {"type": "object", "properties": {}, "required": []},
)


def solo_tools(environment: Environment) -> Toolset:
    """Return what the agent sees: its own tools, the user's, and `done`."""
    return Toolset((*environment.tools("agent"), *environment.tools("user"), DONE), must_call=True)


class Solo:
    """The protocol of one ticket."""

    sides: tuple[Role, ...] = ("agent",)

    def __init__(
        self, environment: Environment, rules: Rules, limits: Limits, history: Sequence[Event] = ()
    ) -> None:
        """Prepare the protocol; `history` is what the agent has done before."""
        self._history = tuple(history)
        self._tools = solo_tools(environment)
        self._rules = rules
        self._limits = limits

    def opening(self) -> tuple[Event, ...]:
        """Return the history: solo mode has neither a conversation nor a greeting."""
        return self._history

    def next(self, progress: ConversationProgress) -> TurnAction:
        """Ask for the first call without counting it as a step, then route and limit."""
        if not progress.events:
            return Ask("agent", self._tools, is_step=False)
        instructions = self._route(progress.events[-1])
        if isinstance(instructions, Execute):
            return instructions
        return apply_limits(instructions, progress, self._limits, self._rules)

    def _route(self, event: Event) -> Ask | Execute | Termination:
        if isinstance(event, ToolResult):
            return Ask("agent", self._tools)
        match event.reply:
            case ToolCallReply(calls=calls):
                is_done = any(call.name == DONE.name for call in calls)
                return Termination("agent_stop") if is_done else Execute(calls)
            case TextReply(utterance=utterance):
                if STOP in utterance.intended:
                    return Termination("agent_stop")
                return Termination("agent_error", "words in solo mode, where every reply is a call")
            case UnparsedReply(error=error):
                own_fault = self._rules.bad_reply_is_the_speakers
                return Termination("agent_error" if own_fault else "infrastructure_error", error)


class SingleTurn:
    """The protocol of one question.

    Args:
        task: The question.
        environment: The environment, whose tools are shown.
        steps: Number of replies with calls that are executed, each followed by another reply; with
            0, the agent's first reply ends the conversation.
    """

    sides: tuple[Role, ...] = ("agent",)

    @renamed_arguments(world="environment")
    def __init__(self, task: Task, environment: Environment, steps: int = 0) -> None:
        self._history: Sequence[Event] = task.history
        self._words = [message for turn in task.turns for message in turn.messages]
        self._ask = Ask("agent", environment.tools("agent"))
        self._steps = steps
        self._left = steps

    def opening(self) -> tuple[Event, ...]:
        """Return what was said before."""
        return tuple(self._history)

    def next(self, progress: ConversationProgress) -> TurnAction:
        """Speak the user's words, ask the agent, execute what is to be executed, and end."""
        new = progress.events[len(self._history) :]
        if len(new) < len(self._words):
            return Speak("user", text_reply(self._words[len(new)]))
        if not new:
            return self._ask
        match new[-1]:
            case Message(by="agent", reply=ToolCallReply(calls=calls)) if self._left:
                self._left -= 1
                return Execute(calls)
            case Message(by="agent", reply=ToolCallReply()) if self._steps:
                return Termination("max_steps", f"more than {self._steps} replies with calls")
            case Message(by="agent"):
                return Termination("turns_done")
            case ToolResult() | Message():
                return self._ask
