"""Formatting of numbers and names, the same in the HTML report and in a terminal."""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from dragoman.analysis.cell_summary import CellSummary, LedgerLine
from dragoman.analysis.intervals import Interval
from dragoman.analysis.measure_metrics import Form, MeasureRow
from dragoman.analysis.pass_hat import ReferenceFigures
from dragoman.core.costs import Cost
from dragoman.core.episodes import TerminationReason
from dragoman.core.scores import ComponentScore, Scored, Verdict
from dragoman.core.tasks import Component
from dragoman.core.texts import counts
from dragoman.core.usage import Usage
from dragoman.scoring.measures.turn_timing import AgentResponse

ASSUMED = "ASSUMED"
ASSUMED_NOTE = "rests on verdicts that were assumed, not judged"

UNKNOWN = "unknown"

_MINUTE = 60
_MOST_REASONS = 3
_MOST_LABELS = 10
_MOST_OF_REASON = 200
_LEAST_P = 0.001
_LEAST_SHOWN = Decimal("0.0001")

ENDINGS: dict[TerminationReason, str] = {
    "user_stop": "the user ended the conversation",
    "agent_stop": "the agent ended the conversation",
    "turns_done": "all turns of the benchmark were done",
    "max_steps": "the limit of steps was reached",
    "too_many_errors": "the limit of tool errors was reached",
    "timeout": "the time limit was reached",
    "agent_error": "the agent sent an unusable reply",
    "user_error": "the simulated user failed",
    "infrastructure_error": "an infrastructure error occurred",
    "code_error": "code of an agent, a user or a tool raised an exception",
}
"""The meaning of each way in which conversations end."""

COMPONENTS: dict[Component, str] = {
    "DB": "the final database state is as expected",
    "ENV_ASSERTION": "checks of the final state hold",
    "ACTION": "the expected tool calls are made",
    "COMMUNICATE": "required information is said",
    "NL_ASSERTION": "assertions about the conversation hold",
    "CALLS": "the calls are the expected calls",
}
"""The criterion of each component of a score."""


def criterion(part: ComponentScore) -> str:
    """Return the criterion of a component; of a failed one with the word that tells it apart."""
    words = COMPONENTS[part.component]
    is_failed = isinstance(part.verdict, Scored) and part.verdict.value < 1
    return f"expected: {words}" if is_failed else words


FAILED_USER_CHECKS: dict[str, str] = {
    "goal_kept": "the simulated user changed its goal",
    "nothing_invented": "it invented facts",
    "nothing_leaked": "it revealed its instructions",
    "not_ended_early": "it left too early",
    "own_language": "it left its language",
}
"""The failure that each check of the simulated user means."""


def number(value: float | None) -> str:
    """Return a figure with three decimals, or `none` for a missing figure."""
    return "none" if value is None else f"{value:.3f}"


def share(value: float | None) -> str:
    """Return a share in percent, or `none`."""
    return "none" if value is None else f"{100 * value:.1f}\u00a0%"


def measured_value(row: MeasureRow | None) -> str:
    """Return the value of a measure's figure, or `-` if there is none.

    If something is undecided, the result has both bounds.
    """
    if row is None or row.value is None:
        return "-"
    bounds = (row.value,) if row.most is None else (row.value, row.most)
    return " to ".join(_format_value(row.form, value) for value in bounds)


def _format_value(form: Form, value: float) -> str:
    match form:
        case "share" | "percent":
            return f"{value:.1%}"
        case "correlation":
            return f"{value:.2f}"
        case "total":
            return f"{value:g}"
        case "seconds":
            return f"{value:,.1f} s"
        case _:
            return f"{value:.3g}"


def measured_interval(row: MeasureRow) -> str:
    """Return the interval of a measure's figure in brackets, or `none`."""
    if row.interval is None:
        return "none"
    if row.form in {"share", "percent"}:
        return f"[{row.interval.low:.1%}, {row.interval.high:.1%}]"
    if row.form == "seconds":
        return f"[{row.interval.low:,.1f} s, {row.interval.high:,.1f} s]"
    return f"[{row.interval.low:.3g}, {row.interval.high:.3g}]"


def not_played_lines(reasons: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each reason why conditions of a grid are not played.

    Args:
        reasons: The reasons by the labels of the conditions.
    """
    labels: dict[str, list[str]] = {}
    for label, why in reasons.items():
        labels.setdefault(why, []).append(label)
    for why, found in labels.items():
        more = len(found) - _MOST_LABELS
        others = [f"and {more:,} more"] if more > 0 else []
        yield f"{', '.join((*found[:_MOST_LABELS], *others))}: {why}"


def reasons_line(counts: Mapping[str, int]) -> str:
    """Return the numbers of unscored conversations by reason, in one line.

    Details in brackets are left to `show`.
    """
    found: dict[str, int] = {}
    for reported, count in counts.items():
        why, _, _ = reported.partition(" (")
        found[why] = found.get(why, 0) + count
    shown = list(found.items())[:_MOST_REASONS]
    left = sum(list(found.values())[_MOST_REASONS:])
    said = [f"{count:,} unscored: {truncate_text(why, _MOST_OF_REASON)}" for why, count in shown]
    return "; ".join([*said, *([f"{left:,} more for other reasons"] if left else [])])


def interval(value: Interval | None) -> str:
    """Return an interval in brackets, or `none`."""
    return "none" if value is None else f"[{value.low:.3f}, {value.high:.3f}]"


def difference(value: float | None) -> str:
    """Return a difference with its sign, or `none`."""
    return "none" if value is None else f"{value:+.3f}"


def signed_interval(value: Interval | None) -> str:
    """Return the interval of a difference in brackets, with signs, or `none`."""
    return "none" if value is None else f"[{value.low:+.3f}, {value.high:+.3f}]"


def p_value(value: float | None) -> str:
    """Return a p-value with three decimals, or an upper bound for a smaller one."""
    if value is None:
        return "none"
    return f"{value:.3f}" if value >= _LEAST_P else f"<{_LEAST_P}"


def mean(value: float | None) -> str:
    """Return an average, or `unknown`."""
    if value is None:
        return UNKNOWN
    return f"{value:,.1f}" if abs(value) >= 1 or not value else f"{value:.3g}"


def reference(figures: ReferenceFigures) -> str:
    """Return the figures that the reference itself would print, with their basis."""
    powers = " ".join(f"^{k} {number(value)}" for k, value in figures.pass_hat.items()) or "none"
    return f"tau2 prints {powers} ({figures.simulations}, {figures.dropped} dropped)"


def unreadable(cell: CellSummary) -> str:
    """Return a warning about a cell of which most replies could not be parsed as calls."""
    return (
        f"{cell.agent}, {cell.suite}: no calls could be parsed in {cell.unreadable:,} of "
        f"{counts.format_count(cell.answered, 'reply', 'replies')}: "
        "the figures may reflect the parsing and not the agent"
    )


def tokens(count: int | None) -> str:
    """Return a count of tokens; a missing count is unknown, never 0."""
    return UNKNOWN if count is None else f"{count:,}"


def format_sent_usage(usage: Usage) -> str:
    """Return the sent usage: tokens, or for speech the characters or the audio."""
    if usage.input_tokens is None and usage.characters is not None:
        return f"{usage.characters:,} characters"
    if usage.input_tokens is None and usage.audio_seconds is not None:
        return f"{duration(usage.audio_seconds)} of audio"
    return tokens(usage.input_tokens)


def format_received_usage(usage: Usage) -> str:
    """Return the received usage: tokens, or for voices without tokens the audio."""
    is_voice = usage.characters is not None and usage.audio_seconds is not None
    if usage.output_tokens is None and usage.audio_seconds is not None:
        return f"{duration(usage.audio_seconds)} of audio" if is_voice else "words"
    return tokens(usage.output_tokens)


def on_the_clock(seconds: float) -> str:
    """Return a moment of a conversation as minutes and seconds: 1:02.5."""
    tenths = round(10 * seconds)
    minutes, rest = divmod(tenths, 10 * _MINUTE)
    return f"{minutes}:{rest // 10:02}.{rest % 10}"


def response(waited: AgentResponse) -> str:
    """Return how long a caller waited for the agent, and the basis of that time."""
    if waited.seconds is None:
        return f"after {UNKNOWN} silence"
    return f"after {waited.seconds:.1f} s of silence ({waited.basis})"


def duration(seconds: float) -> str:
    """Return a length of time in its two largest units."""
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), _MINUTE)
    hours, minutes = divmod(minutes, _MINUTE)
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min {rest} s"


def money(cost: Cost | None) -> str:
    """Return a cost in US dollars, and the paid part if the cache answered some calls."""
    if cost is None:
        return UNKNOWN
    if cost.paid == cost.nominal:
        return f"{_dollars(cost.nominal)} USD"
    return f"{_dollars(cost.nominal)} USD ({_dollars(cost.paid)} paid)"


_FUNCTION = re.compile(r"[\w.]+:[\w.]+")


def describe_unknown_costs(lines: Iterable[LedgerLine]) -> str:
    """Return the models without a known cost and how to set it; "" if there are none."""
    unknown = dict.fromkeys(line.usage.model for line in lines if line.cost is None)
    # The name of a function, MODULE:ATTRIBUTE, cannot carry a price.
    others = [name for name in unknown if _FUNCTION.fullmatch(name)]
    models = [name for name in unknown if name not in others]
    found = []
    if models:
        found.append(
            f"no known cost of {', '.join(models)}: add price=0 to the name of a free model, "
            "price=IN/OUT to others, or give --prices FILE (docs/how_to/costs.md)"
        )
    if others:
        found.append(f"no known cost of {', '.join(others)} (docs/how_to/costs.md)")
    return "; ".join(found)


def _dollars(amount: Decimal) -> str:
    if 0 < amount < _LEAST_SHOWN:
        return f"less than {_LEAST_SHOWN}"
    return f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.4f}"


def calls(usage: Usage) -> str:
    """Return a count of calls, and of those that the cache answered."""
    return f"{usage.calls:,}" + (f" ({usage.replayed:,} from cache)" if usage.replayed else "")


def faults(usage: Usage) -> str:
    """Return failed attempts by kind, or `none`."""
    return ", ".join(f"{kind} {count:,}" for kind, count in usage.faults.items()) or "none"


format_count = counts.format_count


def truncate_text(text: str, limit: int | None) -> str:
    """Return a text up to a limit, with the number of cut characters."""
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]} … {format_count(len(text) - limit, 'character')} cut"


def verdict(value: Verdict | None) -> str:
    """Return a verdict in words; None is a component with nothing to judge."""
    if value is None:
        return "nothing to judge"
    if not isinstance(value, Scored):
        return f"unscored: {value.reason}"
    if value.undecided:
        return f"{value.value:g} (undecided: {', '.join(value.undecided)})"
    return f"{value.value:g}"
