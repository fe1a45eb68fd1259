"""Tables and figures of voice runs: success, word errors, values and attribution."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from dragoman.analysis.aggregate_scores import AggregateScore
from dragoman.analysis.failure_attribution import ATTRIBUTION, FAILURE_SOURCES
from dragoman.analysis.input_modes import ALL_TASKS, measure_count_of
from dragoman.analysis.voice_summary import Contrast, InputModeMetrics, VoiceSummary
from dragoman.core.clarifications import REJECTIONS
from dragoman.core.conditions import NONE
from dragoman.report import formatting
from dragoman.report.figure_spec import Datum, FigureSpec, Section, file_name
from dragoman.report.labels import STAGE_NAMES
from dragoman.report.text_tables import TextTable

ACCURACY = "accuracy"
"""The first heading of tables of accuracy by input."""

MISSING = "-"

TIMING = "timing"
"""The measure of the conversation's clock."""

OVERALL = "overall"

_FARTHEST = (
    "the two recognizers with the largest difference; with more than two recognizers, "
    "this selection makes the interval too narrow"
)
_QUESTIONS = (
    "a question is a message that a judge allowed, or rejected for another reason than "
    "that nothing was asked or could be confirmed; recovered: difference in points to "
    "the same input with --clarify none, paired by task and trial, 95 % interval"
)
_VALUES = "values that calls need: spoken and misrecognized"
_LOST = "lost: "
"""The prefix of the stored counts of misrecognized values by kind."""

_OF_THE_CLOCK = {
    "response time, median": "median response",
    "response time, 95th percentile": "95th percentile",
    "time per task": "task",
    "silences beyond patience": "silences",
    "missed windows": "missed windows",
    "responses of a stated time": "assumed",
}
"""The shown figures of the conversation's clock, with their headings."""

_SECONDS = (
    "median, 95th percentile and time per task by the conversation's clock "
    "(docs/reference/timing.md); assumed: share of responses with assumed latency; "
    "silences and missed windows are counts; wall clock: real duration while other "
    "conversations run in parallel"
)


def voice_tables(summary: VoiceSummary) -> tuple[TextTable, ...]:
    """Return all tables of a grid of voices."""
    makers = (
        _sensitivity,
        _clarifications,
        _decisions,
        _values,
        _attribution_table,
        _time,
        _conversations,
    )
    made = (make(summary) for make in makers)
    return (*accuracy_tables(summary), *(table for table in made if table is not None))


def accuracy_tables(summary: VoiceSummary) -> Iterator[TextTable]:
    """Yield accuracies by category and input: one table for each agent and judge of questions."""
    groups: dict[tuple[str, str], list[InputModeMetrics]] = {}
    for row in summary.input_modes:
        groups.setdefault((player(row), row.input_mode.clarify), []).append(row)
    has_judges = any(row.input_mode.clarify != NONE for row in summary.input_modes)
    for (name, clarify), rows in groups.items():
        judged = f", clarify {clarify}" if has_judges else ""
        has_text = any(row.to_text for row in rows)
        assumed = [f"{formatting.ASSUMED}: {formatting.ASSUMED_NOTE}"]
        notes = [
            *(assumed if any(row.cell.assumed for row in rows) else ()),
            *_compared_with(rows),
            *_lacking(rows),
        ]
        yield TextTable(
            (ACCURACY, *(row.input_mode.name for row in rows)),
            tuple(
                (each, *(_accuracy(row, each) for row in rows))
                for each in summary.names
                if any(each in row.scores for row in rows)
            ),
            f"{name}{judged}",
            "; ".join(notes),
            is_spaced=has_text,
            keys=1,
        )


def player(row: InputModeMetrics) -> str:
    """Return the agent, and its setting unless that is plain English."""
    return ", ".join((row.agent, *row.setting))


def points(entry: Contrast | None) -> str:
    """Return a difference in points with its interval; `-` where there is none."""
    if entry is None or entry.value is None:
        return MISSING
    if entry.interval is None:
        return f"{100 * entry.value:+.1f}"
    low, high = entry.interval.low, entry.interval.high
    return f"{100 * entry.value:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"


def _accuracy(row: InputModeMetrics, name: str) -> str:
    score = row.scores.get(name)
    if score is None or score.value is None:
        return MISSING
    lines = [f"{100 * score.value:.1f} % of {_tasks(score)}"]
    if row.to_text:
        lines.append(points(row.to_text.get(name)) + _other_tasks(score, row.to_text.get(name)))
    return "\n".join(lines)


def _tasks(score: AggregateScore) -> str:
    return f"{score.tasks:,}"


def _other_tasks(score: AggregateScore, contrast: Contrast | None) -> str:
    """Return the number of tasks of a difference, if the figure has another one."""
    if contrast is None or contrast.value is None or contrast.tasks == score.tasks:
        return ""
    return f" of {contrast.tasks:,}"


def _compared_with(rows: Sequence[InputModeMetrics]) -> Iterator[str]:
    """Yield the notes on the second lines of cells: the text that they are compared with."""
    for clarify in dict.fromkeys(row.text for row in rows if row.text is not None):
        judged = "" if clarify == NONE else f" with --clarify {clarify}"
        yield (
            f"second line: difference in points to the agent's text{judged}, paired by task and "
            "trial, 95 % interval"
        )


def _lacking(rows: Sequence[InputModeMetrics]) -> Iterator[str]:
    """Yield the aggregates without a figure, and the categories that they lack."""
    lacking = {
        name: score.missing for row in rows for name, score in row.scores.items() if score.missing
    }
    for name, missing in lacking.items():
        yield f"{name} lacks {', '.join(missing)}"


_Column = tuple[str, Callable[[InputModeMetrics], str]]


def _table(
    summary: VoiceSummary, rows: Sequence[InputModeMetrics], title: str, *columns: _Column
) -> TextTable:
    """Return a table with a row for each input mode, and a column for judges if there are any."""
    named: list[_Column] = [("agent", player), ("input", lambda row: row.input_mode.name)]
    if any(row.input_mode.clarify != NONE for row in summary.input_modes):
        named.append(("clarify", lambda row: row.input_mode.clarify))
    return TextTable(
        tuple(heading for heading, _ in (*named, *columns)),
        tuple(tuple(value(row) for _, value in (*named, *columns)) for row in rows),
        title,
        numbers=frozenset(heading for heading, _ in columns),
        keys=len(named),
    )


def _add_note(table: TextTable, note: str) -> TextTable:
    return msgspec.structs.replace(table, note=note)


def _headlines(summary: VoiceSummary) -> tuple[str, ...]:
    """Return the figures that stand for all categories."""
    return tuple(name for name in summary.names if name in {OVERALL, ALL_TASKS})


def _sensitivity(summary: VoiceSummary) -> TextTable | None:
    if not summary.sensitivity:
        return None
    rows = []
    for entry in summary.sensitivity:
        for name in _headlines(summary):
            if name not in entry.spreads:
                continue
            spread = entry.spreads[name]
            ends = f"{spread.lowest} to {spread.highest}"
            label = ", ".join((entry.agent, *entry.setting))
            apart = points(spread.apart), f"{spread.apart.tasks:,}"
            rows.append((label, entry.voice, entry.clarify, name, ends, *apart))
    headings = ("agent", "channel", "clarify", "over", "lowest to highest", "points apart", "tasks")
    numbers = frozenset({"points apart", "tasks"})
    title = "recognizer sensitivity"
    return TextTable(headings, tuple(rows), title, _FARTHEST, numbers, keys=5)


def _clarifications(summary: VoiceSummary) -> TextTable | None:
    rows = [row for row in summary.input_modes if row.input_mode.clarify != NONE]
    if not rows:
        return None
    shares: list[_Column] = [
        (f"question {name}", partial(_share, place))
        for place, name in enumerate(("judged", "allowed", "rejected"))
    ]
    won: list[_Column] = [
        (f"recovered, {name}", partial(_won_back, name))
        for name in _headlines(summary)
        if any(name in row.won_back and row.won_back[name].value is not None for row in rows)
    ]
    title = "clarifications: conversations with a question"
    return _add_note(_table(summary, rows, title, *shares, *won), _QUESTIONS)


def _share(place: int, row: InputModeMetrics) -> str:
    if not row.questions or row.questions[place].value is None:
        return MISSING
    share = row.questions[place]
    return f"{100 * (share.value or 0):.1f} % of {share.of:,}"


def _won_back(name: str, row: InputModeMetrics) -> str:
    return points(row.won_back.get(name))


def _decisions(summary: VoiceSummary) -> TextTable | None:
    """Return the table of judges' decisions by reason."""
    return _counts(
        summary, "clarifications", "clarifications: decisions by reason", _reasons(summary)
    )


def _reasons(summary: VoiceSummary) -> dict[str, str]:
    names = {"allowed": "allowed", **{f"rejected: {reason}": reason for reason in REJECTIONS}}
    return _present_count_headings(summary, "clarifications", names)


def _present_count_headings(
    summary: VoiceSummary, measure: str, names: Mapping[str, str]
) -> dict[str, str]:
    """Return the counts that any input mode has, with their headings."""
    found = [measure_count_of(row.measure_counts, measure) for row in summary.input_modes]
    return {
        name: heading
        for name, heading in names.items()
        if any(
            measure_count is not None and measure_count.counts.get(name) for measure_count in found
        )
    }


def _counts(
    summary: VoiceSummary, measure: str, title: str, names: Mapping[str, str]
) -> TextTable | None:
    """Return a measure's counts: a row for each input mode that has them."""
    rows = [
        row
        for row in summary.input_modes
        if measure_count_of(row.measure_counts, measure) is not None
    ]
    if not rows or not names:
        return None
    columns: list[_Column] = [
        (heading, partial(_count, measure, name)) for name, heading in names.items()
    ]
    return _table(summary, rows, title, *columns)


def _count(measure: str, name: str, row: InputModeMetrics) -> str:
    measure_count = measure_count_of(row.measure_counts, measure)
    if measure_count is None or not measure_count.conversations:
        return MISSING
    return f"{measure_count.counts.get(name, 0):g}"


def _values(summary: VoiceSummary) -> TextTable | None:
    """Return the table of misrecognized values by kind.

    If kinds were not measured, the table has the number of misrecognized values.
    """
    found = [
        measure_count
        for row in summary.input_modes
        if (measure_count := measure_count_of(row.measure_counts, "values"))
    ]
    kinds = dict.fromkeys(
        name
        for measure_count in found
        for name, count in measure_count.counts.items()
        if name.startswith(_LOST) and count
    )
    names = {
        "values": "spoken",
        "lost": "misrecognized",
        **{name: name[len(_LOST) :] for name in kinds},
    }
    if any(measure_count.counts.get("won back") for measure_count in found):
        names["won back"] = "recovered"
    return _counts(summary, "values", _VALUES, names) or _values_heard(summary)


def _values_heard(summary: VoiceSummary) -> TextTable | None:
    rows = [row for row in summary.input_modes if _count_said_values(row)]
    if not rows:
        return None
    lost: _Column = (
        "misrecognized",
        lambda row: f"{_count_said_values(row) - _recognition(row).get('values heard', 0):g}",
    )
    return _table(
        summary, rows, _VALUES, ("spoken", lambda row: f"{_count_said_values(row):g}"), lost
    )


def _recognition(row: InputModeMetrics) -> Mapping[str, int | float]:
    measure_count = measure_count_of(row.measure_counts, "hearing")
    return {} if measure_count is None else measure_count.counts


def _count_said_values(row: InputModeMetrics) -> float:
    return _recognition(row).get("values", 0)


def _attribution_table(summary: VoiceSummary) -> TextTable | None:
    names: dict[str, str] = {"lost": "failed"}
    names |= {name: STAGE_NAMES[name] for name in FAILURE_SOURCES}
    table = _counts(summary, ATTRIBUTION, "failed conversations by failure source", names)
    if table is None:
        return None
    return _add_note(
        table,
        "attributed by `dragoman attribute`; inputs without a row have no attributed failures",
    )


def _time(summary: VoiceSummary) -> TextTable | None:
    held = {
        each.figure
        for row in summary.input_modes
        for each in row.measures
        if each.measure == TIMING
    }
    columns: list[_Column] = [
        (heading, partial(_format_timing, figure))
        for figure, heading in _OF_THE_CLOCK.items()
        if figure in held
    ]
    seconds: _Column = ("wall clock", _seconds)
    table = _table(
        summary, summary.input_modes, "time of a conversation, in seconds", *columns, seconds
    )
    return _add_note(table, _SECONDS)


def _seconds(row: InputModeMetrics) -> str:
    return MISSING if row.seconds is None else f"{row.seconds:.2f}"


def _format_timing(figure: str, row: InputModeMetrics) -> str:
    found = (each for each in row.measures if (each.measure, each.figure) == (TIMING, figure))
    return formatting.measured_value(next(found, None)).removesuffix(" s")


def _conversations(summary: VoiceSummary) -> TextTable:
    """Return the numbers of planned and played conversations, and of those without a score."""
    reasons = dict.fromkeys(reason for row in summary.input_modes for reason in row.cell.unscored)
    table = _table(
        summary,
        summary.input_modes,
        "conversations",
        ("planned", lambda row: f"{row.cell.episodes + row.cell.missing:,}"),
        ("not run", lambda row: f"{row.cell.missing:,}"),
        ("infrastructure errors", lambda row: f"{row.cell.infrastructure_errors:,}"),
        ("code errors", lambda row: f"{row.cell.code_errors:,}"),
        ("unscored", lambda row: f"{sum(row.cell.unscored.values()):,}"),
    )
    return _add_note(table, f"unscored: {'; '.join(reasons)}" if reasons else "")


_VOICE: Section = "voice"
_ONE_CATEGORY = 2
"""The number of score names with a single category: that category and all tasks."""
_INTERVALS = "Whiskers are 95 % intervals over tasks."


def voice_figures(summary: VoiceSummary) -> Iterator[FigureSpec]:
    """Yield the figures of a grid of voices."""
    order = sorted(summary.names, key=lambda name: (name != OVERALL, name != ALL_TASKS))
    if len(summary.names) <= _ONE_CATEGORY:
        yield from _by_input("", [(ALL_TASKS, row, player(row)) for row in summary.input_modes])
    else:
        for label, rows in _players(summary).items():
            yield from _by_input(label, [(name, row, name) for name in order for row in rows])
    yield from _word_errors(summary)
    yield from _shares_of(
        summary, "values", "values", "Misrecognized values, by kind", _kinds(summary)
    )
    failure_sources: dict[str, str] = {name: STAGE_NAMES[name] for name in FAILURE_SOURCES}
    yield from _shares_of(
        summary, ATTRIBUTION, "lost", "Failed conversations by failure source", failure_sources
    )


def _players(summary: VoiceSummary) -> dict[str, list[InputModeMetrics]]:
    """Return the input modes of each agent, by its name and the judge of questions."""
    has_judges = any(row.input_mode.clarify != NONE for row in summary.input_modes)
    groups: dict[str, list[InputModeMetrics]] = {}
    for row in summary.input_modes:
        label = f"{player(row)}, clarify {row.input_mode.clarify}" if has_judges else player(row)
        groups.setdefault(label, []).append(row)
    return groups


def _by_input(
    label: str, rows: Sequence[tuple[str, InputModeMetrics, str]]
) -> Iterator[FigureSpec]:
    """Yield the figures of accuracy and of the drop vs. text."""
    of = f", {label}" if label else ""
    yield FigureSpec(
        file_name("voices", label),
        _VOICE,
        "bars",
        f"Accuracy by input{of}",
        "Text, a channel with its recognizer, and an agent that receives the audio (itself). "
        f"{_INTERVALS}",
        tuple(
            Datum(place, found.value, found.interval, found.tasks, _format_input_mode(row))
            for name, row, place in rows
            if (found := row.scores.get(name)) is not None and found.value is not None
        ),
        axis="accuracy",
    )
    lost = tuple(
        Datum(place, less.value, less.interval, less.tasks, _format_input_mode(row))
        for name, row, place in rows
        if (less := row.to_text.get(name)) is not None and less.value is not None
    )
    if lost:
        yield FigureSpec(
            file_name("drops", label),
            _VOICE,
            "bars",
            f"Drop vs. text{of}",
            "Difference to the same agent's text in points, paired by task and trial. "
            f"{_INTERVALS}",
            lost,
            "points",
            "difference to text",
        )


def _word_errors(summary: VoiceSummary) -> Iterator[FigureSpec]:
    data = tuple(
        Datum(player(row), found.value, found.interval, found.n, _format_input_mode(row))
        for row in summary.input_modes
        for found in row.measures
        if (found.measure, found.figure) == ("hearing", "word errors") and found.value is not None
    )
    if data:
        yield FigureSpec(
            "word-errors",
            _VOICE,
            "bars",
            "Word error rate",
            "Substituted, deleted and inserted words, as a share of the spoken words. "
            f"{_INTERVALS}",
            data,
            "rate",
            "word error rate",
            of="word",
        )


def _format_input_mode(row: InputModeMetrics) -> str:
    return (
        row.input_mode.name
        if row.input_mode.clarify == NONE
        else f"{row.input_mode.name}, clarify {row.input_mode.clarify}"
    )


def _kinds(summary: VoiceSummary) -> dict[str, str]:
    found = (measure_count_of(row.measure_counts, "values") for row in summary.input_modes)
    names = dict.fromkeys(
        name
        for measure_count in found
        if measure_count
        for name, count in measure_count.counts.items()
        if count
    )
    return {name: name[len(_LOST) :] for name in names if name.startswith(_LOST)}


def _shares_of(
    summary: VoiceSummary, measure: str, whole: str, title: str, names: dict[str, str]
) -> Iterator[FigureSpec]:
    """Yield the figure of the parts of a count as shares; nothing without counts."""
    data = []
    for row in summary.input_modes:
        measure_count = measure_count_of(row.measure_counts, measure)
        of = measure_count.counts.get(whole, 0) if measure_count is not None else 0
        if measure_count is not None and of:
            place = f"{player(row)}, {_format_input_mode(row)}"
            counts = {shown: measure_count.counts.get(name, 0) for name, shown in names.items()}
            data += [
                Datum(place, count / of, None, of, shown, note=f"{count:g} of {of:g}")
                for shown, count in counts.items()
                if any(
                    each.counts.get(_name_by_heading(names, shown))
                    for other in summary.input_modes
                    if (each := measure_count_of(other.measure_counts, measure))
                )
            ]
    if data:
        counted = "values that calls need" if measure == "values" else "failed conversations"
        yield FigureSpec(
            file_name(measure, "by", "kind" if measure == "values" else "stage"),
            _VOICE,
            "stack",
            title,
            f"Shares of the {counted}; counts are in the data.",
            tuple(data),
            axis=f"of {counted}",
            of="value" if measure == "values" else "conversation",
        )


def _name_by_heading(names: dict[str, str], shown: str) -> str:
    return next(name for name, reported in names.items() if reported == shown)
