"""Episodes: finished conversations with their messages, tool results and termination."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from dragoman.core.clarifications import Clarification
from dragoman.core.errors import ReplayError
from dragoman.core.lazy_names import old_names
from dragoman.core.personas import UserContext
from dragoman.core.renamed_members import RenamedFields
from dragoman.core.replies import Latency, Reply, ToolCallReply
from dragoman.core.tools import Role, ToolCall, ToolResult
from dragoman.core.usage import Usage

TerminationReason = Literal[
    "user_stop",
    "agent_stop",
    "max_steps",
    "too_many_errors",
    "timeout",
    "agent_error",
    "user_error",
    "infrastructure_error",
    "code_error",
    "turns_done",
]
"""Why a conversation ended; `turns_done` is for benchmarks that fix the turns.

`code_error` is for an exception in the user's own agent or user simulator.
"""

FAULTS: frozenset[TerminationReason] = frozenset({"infrastructure_error", "code_error"})
"""The termination reasons that mean a fault.

The conversation has no score, and may be tried again.
"""

COMPLETE: frozenset[TerminationReason] = frozenset({"user_stop", "agent_stop", "turns_done"})
"""The endings after which the outcome is judged; any other regular ending earns 0."""


class Message(msgspec.Struct, frozen=True, tag="move", omit_defaults=True):
    """One participant's move.

    `scripted` marks words that the harness wrote (the greeting). `raw` is the model's reply as it
    came, if a model gave it. `turn` counts the benchmark's turns if it fixes them. `call_form`
    names the form in which calls were asked for as text; it is empty for native calls. `latency` is
    kept for an agent's own replies in spoken conversations. `reasoning` is what a model thought
    before it replied; nobody hears it. `near_token` is an inexactly written stop token; the reply
    has the intended token. `asked_again` says that the reply before it was empty and was not kept.
    """

    by: Role
    reply: Reply
    scripted: bool = False
    turn: int = 0
    raw: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    call_form: str = ""
    latency: Latency | None = None
    reasoning: str = ""
    near_token: str = ""
    asked_again: bool = False


Event = Message | ToolResult
"""One entry of a conversation, in the order in which things happened."""


class Termination(msgspec.Struct, frozen=True, omit_defaults=True):
    """The end of a conversation; `detail` says what broke, if anything did.

    `near_token` is the stop token that ended it, as written, if it was not written exactly.
    """

    reason: TerminationReason
    detail: str = ""
    near_token: str = ""


class InstructionUpdate(msgspec.Struct, frozen=True):
    """A change of one side's instructions during a conversation, after `at` events."""

    at: int
    side: Role
    text: str


class Episode(RenamedFields, frozen=True, omit_defaults=True):
    """One finished conversation.

    `started`, `seconds` and measured latencies vary by run. `malformed_calls` counts calls whose
    arguments could not be read; they are errors too. `calls_in_text` counts the agent's text
    replies that hold a call although calls were not asked for as text. `source` is the foreign
    record of an imported conversation, value for value. `instruction_updates` holds instructions
    that changed during the conversation, `clarifications` the decisions about the agent's
    questions, `contexts` what was inferred about the user.
    """

    events: tuple[Event, ...]
    ending: Termination
    steps: int
    errors: int
    malformed_calls: int = 0
    calls_in_text: int = 0
    usage: tuple[Usage, ...] = ()
    started: float = 0.0
    seconds: float = 0.0
    source: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    instruction_updates: tuple[InstructionUpdate, ...] = msgspec.field(default=(), name="briefed")
    clarifications: tuple[Clarification, ...] = ()
    contexts: tuple[UserContext, ...] = ()

    @property
    def is_fault(self) -> bool:
        """Whether a fault prevents any statement about the participants' behavior."""
        return self.ending.reason in FAULTS


def without_clarifications(episode: Episode) -> Episode:
    """Return a conversation as it is judged, without answered questions and their answers."""
    answered = {entry.at for entry in episode.clarifications if entry.is_allowed}
    if not answered:
        return episode
    left_out = answered.union(place + 1 for place in answered)
    events = (each for place, each in enumerate(episode.events) if place not in left_out)
    return msgspec.structs.replace(episode, events=tuple(events), clarifications=())


class CallWithResult(msgspec.Struct, frozen=True):
    """A call with its result, and the positions of both events; None for a missing result.

    `call` is as its caller wrote it. The result holds the executed arguments if they differ.
    """

    event: int
    call: ToolCall
    result_event: int | None
    result: ToolResult | None

    @property
    def executed(self) -> ToolCall:
        """The call as the world executed it."""
        if self.result is None or self.result.executed is None:
            return self.call
        return msgspec.structs.replace(self.call, arguments=self.result.executed)


def calls_with_results(events: Sequence[Event]) -> Iterator[CallWithResult]:
    """Yield every call with its result, in the order of the conversation.

    Raises:
        ReplayError: If results do not follow their calls in order and by id.
    """
    position = 0
    while position < len(events):
        place, event = position, events[position]
        position += 1
        if isinstance(event, ToolResult):
            raise ReplayError(f"the result of {event.name} ({event.call_id}) follows no call")
        for call in event.reply.calls if isinstance(event.reply, ToolCallReply) else ():
            if position == len(events):
                yield CallWithResult(place, call, None, None)
                continue
            result = events[position]
            if isinstance(result, Message) or result.call_id != call.id:
                raise ReplayError(
                    f"the call of {call.name} ({call.id}) is not followed by its result"
                )
            yield CallWithResult(place, call, position, result)
            position += 1


def executed_calls(events: Sequence[Event]) -> Iterator[tuple[ToolCall, ToolResult | None]]:
    """Yield every call as executed, with its result; None for a missing result.

    Raises:
        ReplayError: If results do not follow their calls in order and by id.
    """
    return ((placed.executed, placed.result) for placed in calls_with_results(events))


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
