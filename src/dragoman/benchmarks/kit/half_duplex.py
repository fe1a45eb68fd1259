"""Conversations by turns: who moves next, stop tokens, limits (tau2-bench: 1.3 and 1.4).

The agent greets first, then user and agent alternate; whoever calls tools gets the results and moves
again. Limits are looked at only where no tool result is pending, as in the reference.
"""

from collections.abc import Sequence
from itertools import takewhile

from dragoman.core.episodes import Ending, EndReason, Event, Move
from dragoman.core.protocols import Ask, Directive, Execute, Limits, Progress, World
from dragoman.core.rules import Rules
from dragoman.core.speech import Called, Said, Unparsed, say
from dragoman.core.stop_tokens import has_stop
from dragoman.core.tools import Role, ToolResult

GREETING = "Hi! How can I help you today?"

BAD_REPLY: dict[Role, EndReason] = {"agent": "agent_error", "user": "user_error"}


class HalfDuplex:
    """The protocol of one text conversation with a user."""

    sides: tuple[Role, ...] = ("agent", "user")

    def __init__(
        self,
        world: World,
        rules: Rules,
        limits: Limits,
        history: Sequence[Event] = (),
        *,
        checks_communication: bool = False,
    ) -> None:
        """Prepare the protocol.

        Args:
            world: Whose tools are shown.
            rules: How stops and unusable replies count.
            limits: What ends the conversation.
            history: What happened before; without any the agent greets.
            checks_communication: Whether words together with calls end the conversation.
        """
        self._history = tuple(history)
        self._checks_communication = checks_communication
        self._rules = rules
        self._limits = limits
        self._ask: dict[Role, Ask] = {
            "agent": Ask("agent", world.tools("agent")),
            "user": Ask(
                "user",
                world.tools("user"),
                near_tokens=rules.near_stop_tokens_count,
                needs_words=rules.silence_is_the_users,
            ),
        }

    def opening(self) -> tuple[Event, ...]:
        """Return the history, or the agent's fixed greeting."""
        return self._history or (Move("agent", say(GREETING), scripted=True),)

    def next(self, progress: Progress) -> Directive:
        """Route the last event, then apply the limits."""
        last = progress.events[-1]
        directive = self._route(last)
        if isinstance(last, ToolResult):
            directive = self._stop_beside_calls(last, progress.events) or directive
        if isinstance(directive, Execute):
            return directive
        return limited(directive, progress, self._limits, self._rules)

    def _route(self, event: Event) -> Ask | Execute | Ending:
        if isinstance(event, ToolResult):
            return self._ask[event.by]
        match event.reply:
            case Called(calls=calls, text=text):
                if self._checks_communication and text:
                    return Ending(BAD_REPLY[event.by], "words together with calls")
                return Execute(calls)
            case Said(utterance=utterance):
                return self._after_words(event, utterance.intended)
            case Unparsed(error=error):
                own_fault = self._rules.bad_reply_is_the_speakers
                return Ending(BAD_REPLY[event.by] if own_fault else "infrastructure_error", error)

    def _after_words(self, move: Move, words: str) -> Ask | Ending:
        if move.by == "agent":
            return self._ask["user"]
        return _stopped_by(move) if has_stop(words) else self._ask["agent"]

    def _stop_beside_calls(self, result: ToolResult, events: Sequence[Event]) -> Ending | None:
        """Return the ending, if the user's calls that were just executed came with a stop token."""
        if result.by == "agent" or not self._rules.stop_beside_calls_counts:
            return None
        moves = (event for event in reversed(events) if isinstance(event, Move))
        match next(moves, None):
            case Move(reply=Called(text=str() as text)) as move if has_stop(text):
                return _stopped_by(move)
            case _:
                return None


def _stopped_by(move: Move) -> Ending:
    return Ending("user_stop", near_token=move.near_token)


def limited(directive: Ask | Ending, progress: Progress, limits: Limits, rules: Rules) -> Directive:
    """Return the directive, or the ending that a limit makes of it.

    Under the reference's rules a limit overrides a stop on the same step; faults stand.
    """
    stop = directive if isinstance(directive, Ending) else None
    if stop and (rules.stop_outranks_limits or stop.reason not in {"user_stop", "agent_stop"}):
        return stop
    is_within = progress.errors < limits.errors and progress.steps < limits.steps
    if is_within and limits.seconds is None:
        return directive
    reached = _reached(progress, limits, has_stopped=stop is not None)
    if reached is None:
        return directive
    if rules.bad_reply_is_the_speakers and _user_ran_on(progress, reached):
        return Ending("user_error", f"{reached}: the user called tools and asked the agent nothing")
    return Ending(reached)


def _reached(progress: Progress, limits: Limits, *, has_stopped: bool) -> EndReason | None:
    if progress.errors >= limits.errors:
        return "too_many_errors"
    if progress.steps >= limits.steps:
        return "max_steps"
    if not has_stopped and limits.seconds is not None and progress.seconds >= limits.seconds:
        return "timeout"
    return None


def _user_ran_on(progress: Progress, reached: EndReason) -> bool:
    """Whether most of what a limit counts was done by the user since the agent moved last."""
    since = list(takewhile(lambda event: event.by == "user", reversed(progress.events)))
    results = [event for event in since if isinstance(event, ToolResult)]
    if reached == "too_many_errors":
        return 2 * sum(result.error for result in results) > progress.errors
    # A reply that calls is one step and running the calls another.
    calling = sum(isinstance(event, Move) and isinstance(event.reply, Called) for event in since)
    return bool(results) and 4 * calling > progress.steps
