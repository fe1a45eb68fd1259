"""Three named sets of definitions of MM-tau-p2's metrics: ours, the paper's and the code's."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median, pstdev
from typing import Literal, get_args

import msgspec

from dragoman.core.errors import UsageError

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
"""Fields that the code reads from a judge's answer about one message of the agent."""

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
"""The number of errors that were recovered.

The paper's rate needs this number, since the code's field counts turns. The code does not have
it; among the code's counts, it is the number of messages with a recovery.
"""

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
        name: The name of its folder.
        messages: By voice, as they were spoken and heard.
        tasks: A judge's counts over the whole conversation, by field; None without a judge.
        text_roles: The roles of the messages in text; None without a text conversation.
        text_tasks: A judge's counts in the text.
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


def sum_conversation(conversation: JudgedConversation) -> SummedConversation:
    """Return the sums of one conversation.

    A message of neither side repeats the scores of the message before it, as the code has it; one
    whose answer was lost has none, and is counted as a message.
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


def add_counts(counts: Iterable[Counts]) -> dict[str, float]:
    """Return the sums over conversations of what each of them has."""
    total: dict[str, float] = {}
    for entry in counts:
        for name, value in entry.items():
            total[name] = total.get(name, 0.0) + value
    return total


def accuracy_of_messages(counts: Counts) -> float | None:
    """Return a conversation's critical field accuracy as the code computes it.

    None if no message has a score. The code divides by every scored message, including the
    user's, which have no critical fields: where both sides have the same number of messages, no
    conversation exceeds one half.
    """
    scored = counts.get(SCORED_MESSAGES, 0)
    return counts.get("critical_field_accuracy", 0.0) / scored if scored else None


def usable_sums(conversations: Sequence[SummedConversation]) -> list[dict[str, float]]:
    """Return the sums of conversations at which the code does not break."""
    return [each.counts for each in conversations if not each.broken]


Definitions = Literal["dragoman", "mm-tau-p2/paper", "mm-tau-p2/code"]
"""The name of a set."""

OWN: Definitions = "dragoman"
PAPER: Definitions = "mm-tau-p2/paper"
CODE: Definitions = "mm-tau-p2/code"

SUCCESS = "pass^1"
IN_TEXT = "pass^1 in text"

NO_TASK = "no task was identified"
TOO_MANY = "more tasks succeeded than were identified"
NO_AGENT_IN_TEXT = "the text has no message of the agent"
NO_TEXT = "no text conversation belongs to it"
NO_MESSAGES = "it has no message"
NOT_JUDGED = "nobody counted tasks in it"
NOT_IN_CODE = "the source's code does not compute it"


class CountedRatio(msgspec.Struct, frozen=True):
    """A figure that is one sum of fields to another, less a constant."""

    above: str
    below: str
    less: float = 0.0


class SourceFigure(msgspec.Struct, frozen=True):
    """One figure of the source's code.

    `why` is the reason why it has no value, as the code prints it where it prints something.
    """

    value: float | None = None
    why: str = ""


class FigureStatistics(msgspec.Struct, frozen=True):
    """Statistics of a figure over conversations; those without the figure are excluded.

    The deviation divides by the number of conversations.
    """

    mean: float
    median: float
    deviation: float
    least: float
    most: float
    conversations: int


CODE_RATIOS: Mapping[str, CountedRatio] = {
    "CP": CountedRatio("clarification_true_positives", "clarification_asked"),
    "CR": CountedRatio("clarification_true_positives", "clarification_required"),
    "SP": CountedRatio("confirmation_true_positives", "confirmation_asked"),
    "SR": CountedRatio("confirmation_true_positives", "confirmation_required"),
    "TE": CountedRatio("message_necessity", AGENT_MESSAGES),
    "TO": CountedRatio(AGENT_MESSAGES, TEXT + AGENT_MESSAGES, 1.0),
    "ERR": CountedRatio("error_identified", "error_committed"),
    "RTC": CountedRatio("error_recovered", "error_identified"),
    "UES": CountedRatio("user_effort", USER_MESSAGES),
    "ARGA": CountedRatio(
        "tasks_with_agent_understanding_errors_succeeded", "tasks_with_agent_understanding_errors"
    ),
    SUCCESS: CountedRatio("tasks_succeeded", "tasks_identified"),
    IN_TEXT: CountedRatio(f"{TEXT}tasks_succeeded", f"{TEXT}tasks_identified"),
}
"""The ratios that the code computes, by metric.

Exceptions are CFA, a mean over conversations, and MRS, a ratio of two of these.
"""

CODE_METRICS = (
    *("CFA", "ARGA", "MRS", "TE", "TO", "UES", "ERR", "RTC", "CP", "CR", "SP", "SR"),
    *(SUCCESS, IN_TEXT),
)
"""Every figure of the code's report that has a name in its tables or figures."""

_PAPER_RATIOS: Mapping[str, CountedRatio] = {
    "ARGA": CODE_RATIOS["ARGA"],
    "TO": CODE_RATIOS["TO"],
    "ERR": CountedRatio(RECOVERIES, "error_committed"),
    "RTC": CountedRatio("error_recovered", RECOVERIES),
    "CP": CODE_RATIOS["CP"],
    "CR": CountedRatio("clarification_asked", "clarification_required"),
    "IAS": CountedRatio("confirmation_true_positives", "confirmation_required"),
    "SR": CountedRatio("confirmation_asked", "confirmation_required"),
    SUCCESS: CODE_RATIOS[SUCCESS],
    IN_TEXT: CODE_RATIOS[IN_TEXT],
}
_NO_FIELDS = "the source's counts lack the number of critical fields of each message"
_NO_OPTIMUM = "the source's counts lack the fewest turns that a task takes"


def definitions_named(text: str | None) -> tuple[Definitions, ...]:
    """Return the sets of that name, several by commas; ours where none is named.

    Raises:
        UsageError: For a name that no set has.
    """
    names = [part.strip() for part in (text or OWN).split(",")]
    known_names: dict[str, Definitions] = {name: name for name in get_args(Definitions)}
    unknown = next((name for name in names if name not in known_names), None)
    if unknown is not None:
        raise UsageError(f"--definitions {unknown:.80}: choose {', '.join(known_names)}")
    return tuple(known_names[name] for name in dict.fromkeys(names))


def code_figures(conversations: Sequence[JudgedConversation]) -> dict[str, SourceFigure]:
    """Return the code's figures of all conversations: sums of counts, divided."""
    sums = [sum_conversation(each) for each in conversations]
    usable = usable_sums(sums)
    if sums and not usable:
        return dict.fromkeys(CODE_METRICS, SourceFigure(why=sums[0].broken))
    return _code(usable)


def _code(usable: Sequence[Mapping[str, float]]) -> dict[str, SourceFigure]:
    total = add_counts(usable)
    found = {name: _compute_ratio(total, ratio) for name, ratio in CODE_RATIOS.items()}
    if found[SUCCESS].why in {NO_TASK, TOO_MANY}:
        # The code computes these after pass^1, at which it breaks.
        found["ARGA"] = found[SUCCESS]
    means = [each for counts in usable if (each := accuracy_of_messages(counts)) is not None]
    found["CFA"] = SourceFigure(fmean(means)) if means else SourceFigure(why=NO_MESSAGES)
    found["MRS"] = _robustness(found[SUCCESS], found[IN_TEXT])
    return {name: found[name] for name in CODE_METRICS}


def code_statistics(conversations: Sequence[JudgedConversation]) -> dict[str, FigureStatistics]:
    """Return statistics over conversations of the code's figures of each conversation.

    Conversations without a value are excluded.
    """
    figures = [code_figures([each]) for each in conversations]
    found = {}
    for name in CODE_METRICS:
        values = [value for each in figures if (value := each[name].value) is not None]
        if values:
            found[name] = FigureStatistics(
                *(fmean(values), median(values), pstdev(values), min(values), max(values)),
                len(values),
            )
    return found


def paper_figures(conversations: Sequence[JudgedConversation]) -> dict[str, SourceFigure]:
    """Return the paper's metrics of the same counts, as far as these suffice.

    IAS takes every action that needed a confirmation as taken; UES is the mean count of a
    conversation.
    """
    sums = [sum_conversation(each) for each in conversations]
    usable = usable_sums(sums)
    total = add_counts(usable)
    found = {name: _compute_ratio(total, ratio) for name, ratio in _PAPER_RATIOS.items()}
    found["CFA"] = _fields_right(conversations)
    found["TE"] = SourceFigure(why=_NO_OPTIMUM)
    found["UES"] = (
        SourceFigure(total["user_effort"] / len(usable))
        if usable
        else SourceFigure(why=next((each.broken for each in sums), NO_MESSAGES))
    )
    found["MRS"] = _robustness(found[SUCCESS], found[IN_TEXT])
    return found


def _fields_right(conversations: Sequence[JudgedConversation]) -> SourceFigure:
    """Return CFA if it is the same for any number of fields.

    This holds if each message has the same share of correct fields.
    """
    shares = {
        message.counts.get("critical_field_accuracy", 0.0)
        for each in conversations
        for message in each.messages
        if message.role == "assistant" and message.counts is not None
    }
    if not shares:
        return SourceFigure(why=NO_MESSAGES)
    return SourceFigure(shares.pop()) if len(shares) == 1 else SourceFigure(why=_NO_FIELDS)


def _compute_ratio(total: Mapping[str, float], ratio: CountedRatio) -> SourceFigure:
    if ratio.below not in total:
        is_of_text = ratio.below.startswith(TEXT)
        return SourceFigure(why=NO_TEXT if is_of_text else NOT_JUDGED)
    above, below = total.get(ratio.above, 0.0), total[ratio.below]
    if ratio.below.endswith("tasks_identified"):
        if not below:
            return SourceFigure(why=NO_TASK)
        if above > below:
            return SourceFigure(why=TOO_MANY)
    if not below:
        no_agent = ratio.below == TEXT + AGENT_MESSAGES
        return SourceFigure(why=NO_AGENT_IN_TEXT if no_agent else f"{above:g}/{below:g}")
    return SourceFigure(above / below - ratio.less)


def _robustness(voice: SourceFigure, text: SourceFigure) -> SourceFigure:
    if voice.value is None or text.value is None:
        return SourceFigure(why=voice.why or text.why)
    if not text.value:
        return SourceFigure(why=f"{voice.value:.1f}/{text.value:.1f}")
    return SourceFigure(voice.value / text.value)
