"""Counts of a judge with the field names of MM-tau-p2's code, and how that code sums them up.

The code (repository anupam-purwar/mm-tau-p2) asks a judge about every message and about the conversation,
sums what it answers, and divides sums. A sum that it would divide by 0 it prints as text, as "0/0"; on four
kinds of input it breaks. Here either is a figure without a value, with the reason.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

AGENT_FIELDS = (
    "critical_field_accuracy",
    "message_necessity",
    "clarification_asked",
    "clarification_required",
    "clarification_true_positives",
    "confirmation_asked",
    "confirmation_required",
    "confirmation_true_positives",
    "error_committed",
    "error_identified",
    "error_recovered",
)
"""What the code reads of a judge's answer about one message of the agent."""

USER_FIELDS = ("user_effort",)
"""The same of one message of the user."""

TASK_FIELDS = (
    "tasks_identified",
    "tasks_succeeded",
    "tasks_with_agent_understanding_errors",
    "tasks_with_agent_understanding_errors_succeeded",
)
"""The same of a whole conversation."""

AGENT_MESSAGES, USER_MESSAGES = "agent_msg_counts", "user_msg_counts"
"""Under which names the code counts messages."""

SCORED_MESSAGES = "scored_msg_counts"
"""Entries that the code has scores of, those that it repeats too."""

RECOVERIES = "errors_put_right"
"""Errors that were recovered: what the paper's rate needs, since the code's field counts turns. The code does not
have it; of its counts it is the number of messages with a recovery."""

TEXT = "text: "
"""Before the name of a count of the same conversation in text."""

ASSISTANT, USER = "assistant", "user"

Counts = Mapping[str, float]


class JudgedMessage(msgspec.Struct, frozen=True):
    """One message with what a judge counted in it.

    Attributes:
        role: `user`, `assistant`, or that of a tool.
        counts: By field; None where the judge's answer could not be read, or nobody was asked.
    """

    role: str
    counts: dict[str, float] | None = None


class JudgedConversation(msgspec.Struct, frozen=True):
    """One conversation by voice with the same in text, as the code is given them.

    Attributes:
        name: What it is called: the name of its folder.
        messages: By voice, as they were spoken and heard.
        tasks: What a judge counted over all of it, by field; None where nobody did.
        text_roles: The roles of the messages in text; None where there is no text.
        text_tasks: What a judge counted in the text.
    """

    name: str
    messages: tuple[JudgedMessage, ...]
    tasks: dict[str, float] | None = None
    text_roles: tuple[str, ...] | None = None
    text_tasks: dict[str, float] | None = None


class SummedConversation(msgspec.Struct, frozen=True):
    """The sums of one conversation as the code makes them, or why it breaks there."""

    counts: dict[str, float]
    broken: str = ""


TOOL_FIRST = "the first message is of neither side: the source's code breaks there"


def summed(conversation: JudgedConversation) -> SummedConversation:
    """Return the sums of one conversation.

    A message of neither side repeats the scores of the message before it, as the code has it; one whose
    answer was lost has none, and is counted as a message.
    """
    entries: list[Counts] = []
    last: Counts | None = None
    for number, message in enumerate(conversation.messages):
        is_of_a_side = message.role in {ASSISTANT, USER}
        if not is_of_a_side and not number:
            return SummedConversation({}, TOOL_FIRST)
        if is_of_a_side:
            last = message.counts
        if last is not None:
            entries.append(last)
    counts = {
        name: sum(entry.get(name, 0.0) for entry in entries)
        for name in (*AGENT_FIELDS, *USER_FIELDS)
    }
    counts[RECOVERIES] = sum(entry.get("error_recovered", 0) > 0 for entry in entries)
    counts[SCORED_MESSAGES] = len(entries)
    roles = [message.role for message in conversation.messages]
    counts[AGENT_MESSAGES], counts[USER_MESSAGES] = roles.count(ASSISTANT), roles.count(USER)
    counts |= _tasks(conversation.tasks, "")
    counts |= _tasks(conversation.text_tasks, TEXT)
    if conversation.text_roles is not None:
        counts[TEXT + AGENT_MESSAGES] = conversation.text_roles.count(ASSISTANT)
    return SummedConversation(counts)


def _tasks(found: Mapping[str, float] | None, prefix: str) -> dict[str, float]:
    return {} if found is None else {prefix + name: found.get(name, 0.0) for name in TASK_FIELDS}


def added(counts: Iterable[Counts]) -> dict[str, float]:
    """Return the sums over conversations of what each of them has."""
    total: dict[str, float] = {}
    for entry in counts:
        for name, value in entry.items():
            total[name] = total.get(name, 0.0) + value
    return total


def accuracy_of_messages(counts: Counts) -> float | None:
    """Return a conversation's critical field accuracy as the code has it; None where it has no score.

    It divides by every scored message, the user's too, which have no critical fields: where each side
    says as much, no conversation has more than one half.
    """
    scored = counts.get(SCORED_MESSAGES, 0)
    return counts.get("critical_field_accuracy", 0.0) / scored if scored else None


def known(conversations: Sequence[SummedConversation]) -> list[dict[str, float]]:
    """Return the sums of conversations at which the code does not break."""
    return [each.counts for each in conversations if not each.broken]
