"""How figures and names read, alike in the HTML report and in a terminal."""

from dragoman.analysis.intervals import Interval
from dragoman.core.episodes import EndReason
from dragoman.core.scores import Scored, Verdict
from dragoman.core.tasks import Component

ASSUMED = "ASSUMED"
ASSUMED_NOTE = "rests on verdicts that were assumed instead of judged"

UNKNOWN = "unknown"

_MINUTE = 60

ENDINGS: dict[EndReason, str] = {
    "user_stop": "the user ended the conversation",
    "agent_stop": "the agent ended the conversation",
    "turns_done": "all turns of the benchmark were done",
    "max_steps": "the limit of steps was reached",
    "too_many_errors": "the limit of tool errors was reached",
    "timeout": "the time limit was reached",
    "agent_error": "the agent gave a reply that could not be used",
    "user_error": "the user gave a reply that could not be used",
    "infrastructure_error": "something outside the conversation broke",
}

COMPONENTS: dict[Component, str] = {
    "DB": "the database ended in the expected state",
    "ENV_ASSERTION": "checks of the final state",
    "ACTION": "the expected tool calls were made",
    "COMMUNICATE": "what must be said was said",
    "NL_ASSERTION": "assertions about the conversation",
}


def number(value: float | None) -> str:
    """Return a figure with three decimals, or `none` where there is no figure."""
    return "none" if value is None else f"{value:.3f}"


def interval(value: Interval | None) -> str:
    """Return an interval in brackets, or `none`."""
    return "none" if value is None else f"[{value.low:.3f}, {value.high:.3f}]"


def tokens(count: int | None) -> str:
    """Return a count of tokens; one that was not told is unknown, never 0."""
    return UNKNOWN if count is None else f"{count:,}"


def duration(seconds: float) -> str:
    """Return a length of time in its two largest units."""
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), _MINUTE)
    hours, minutes = divmod(minutes, _MINUTE)
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min {rest} s"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural where it is not 1."""
    return f"{count:,} {noun if count == 1 else noun + 's'}"


def verdict(value: Verdict | None) -> str:
    """Return a verdict in words; None is a component with nothing to judge."""
    if value is None:
        return "nothing to judge"
    if not isinstance(value, Scored):
        return f"unscored: {value.reason}"
    if value.undecided:
        return f"{value.value:g} (undecided: {', '.join(value.undecided)})"
    return f"{value.value:g}"
