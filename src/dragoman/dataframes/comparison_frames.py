"""Data frames of comparisons: cells, drops, voice against text, and trainings."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import polars as pl

from dragoman.analysis.cell_summary import PlaceInRun
from dragoman.analysis.comparison import CellName, Comparison, TaskPair
from dragoman.analysis.drops import CountedShare, Drop
from dragoman.analysis.intervals import Interval
from dragoman.analysis.training_contrasts import PairedRate, SideContrast
from dragoman.analysis.voice_summary import Contrast, InputModeMetrics, VoiceSummary
from dragoman.core.conditions import axis_values

_CELLS: dict[str, pl.DataType] = {
    "run_a": pl.String(),
    "run_b": pl.String(),
    "suite": pl.String(),
    "condition_a": pl.String(),
    "condition_b": pl.String(),
    "agent_a": pl.String(),
    "agent_b": pl.String(),
    "differs": pl.String(),
}

_MEANS = {
    "steps": "steps",
    "tool errors": "tool_errors",
    "agent's calls": "agent_calls",
    "agent's tokens in": "agent_tokens_in",
    "agent's tokens out": "agent_tokens_out",
    "seconds": "seconds",
    "cost, USD": "cost_usd",
}
"""Quantities of which a conversation has a mean, by column names."""

GAP_COLUMNS: dict[str, pl.DataType] = {
    **_CELLS,
    "k": pl.Int64(),
    "tasks": pl.Int64(),
    "left_out": pl.Int64(),
    "pass_hat_a": pl.Float64(),
    "pass_hat_b": pl.Float64(),
    "difference": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "p": pl.Float64(),
    "adjusted_p": pl.Float64(),
    "corrected_for": pl.Int64(),
    "won": pl.Int64(),
    "lost": pl.Int64(),
    "assumed": pl.Boolean(),
    **{f"{name}_{side}": pl.Float64() for name in _MEANS.values() for side in ("a", "b")},
}

PAIR_COLUMNS: dict[str, pl.DataType] = {
    **_CELLS,
    "task": pl.String(),
    "rewards_a": pl.List(pl.Float64()),
    "rewards_b": pl.List(pl.Float64()),
    "successes_a": pl.Int64(),
    "successes_b": pl.Int64(),
    "flipped": pl.String(),
}


def comparisons_frame(comparisons: Sequence[Comparison]) -> pl.DataFrame:
    """Return one row per comparison and k; p is that of pass^1 and null for other k.

    A comparison without a common task has one row for k = 1 whose figures are null.
    """
    rows = [row for entry in comparisons for row in _gap_rows(entry)]
    return pl.DataFrame(rows, schema=GAP_COLUMNS, orient="row")


def pairs_frame(comparisons: Sequence[Comparison]) -> pl.DataFrame:
    """Return one row per comparison and task, with the rewards of all trials."""
    rows = [
        {
            **_cells(entry),
            "task": pair.task,
            "rewards_a": list(pair.a),
            "rewards_b": list(pair.b),
            "successes_a": pair.successes[0],
            "successes_b": pair.successes[1],
            "flipped": None if not pair.gain else "won" if pair.gain > 0 else "lost",
        }
        for entry in comparisons
        for pair in entry.pairs
    ]
    return pl.DataFrame(rows, schema=PAIR_COLUMNS, orient="row")


def comparison_object(entry: Comparison) -> dict[str, object]:
    """Return a comparison as JSON has it: figures by k, unknown is null."""
    gaps = {str(gap.k): gap for gap in entry.gaps}
    return {
        "a": _name_object(entry.a),
        "b": _name_object(entry.b),
        "differs": entry.differs,
        "tasks": len(entry.pairs),
        "tasks_by_k": {k: gap.tasks for k, gap in gaps.items()},
        "left_out": entry.left_out,
        "pass_hat_a": {k: gap.a for k, gap in gaps.items()},
        "pass_hat_b": {k: gap.b for k, gap in gaps.items()},
        "difference": {k: gap.difference for k, gap in gaps.items()},
        "interval": {k: msgspec.to_builtins(gap.interval) for k, gap in gaps.items()},
        "p": entry.p,
        "adjusted_p": entry.adjusted_p,
        "family": entry.family,
        "corrected_for": entry.corrected_for,
        "won": list(map(_pair_object, entry.won)),
        "lost": list(map(_pair_object, entry.lost)),
        "means": msgspec.to_builtins(entry.means),
        "assumed": entry.assumed,
    }


def _name_object(name: CellName) -> dict[str, object]:
    return {
        **msgspec.structs.asdict(name),
        "condition": name.condition.label,
        "axes": axis_values(name.condition),
    }


def _pair_object(pair: TaskPair) -> dict[str, object]:
    return {"task": pair.task, "a": pair.a, "b": pair.b}


def _cells(entry: Comparison) -> dict[str, object]:
    return {
        "run_a": entry.a.run,
        "run_b": entry.b.run,
        "suite": entry.a.suite,
        "condition_a": entry.a.condition.label,
        "condition_b": entry.b.condition.label,
        "agent_a": entry.a.agent,
        "agent_b": entry.b.agent,
        "differs": "+".join(entry.differs),
    }


def _gap_rows(entry: Comparison) -> list[dict[str, object]]:
    counts: dict[str, object] = {
        **_cells(entry),
        "tasks": len(entry.pairs),
        "left_out": sum(entry.left_out.values()),
        "won": len(entry.won),
        "lost": len(entry.lost),
        "assumed": entry.assumed,
        **_means(entry),
    }
    if not entry.gaps:
        return [{**counts, "k": 1}]
    return [
        {
            **counts,
            "tasks": gap.tasks,
            "k": gap.k,
            "pass_hat_a": gap.a,
            "pass_hat_b": gap.b,
            "difference": gap.difference,
            "low": gap.interval.low,
            "high": gap.interval.high,
            "p": entry.p if gap.k == 1 else None,
            "adjusted_p": entry.adjusted_p if gap.k == 1 else None,
            "corrected_for": entry.corrected_for if gap.k == 1 else None,
        }
        for gap in entry.gaps
    ]


def _means(entry: Comparison) -> dict[str, float | None]:
    """Return what a conversation took in A and in B, by column."""
    return {
        f"{column}_{side}": getattr(entry.means[name], side)
        for name, column in _MEANS.items()
        if name in entry.means
        for side in ("a", "b")
    }


DROP_COLUMNS: dict[str, pl.DataType] = {
    "suite": pl.String(),
    "agent": pl.String(),
    "base": pl.String(),
    "condition": pl.String(),
    "differs": pl.String(),
    "figure": pl.String(),
    "name": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "count": pl.Float64(),
    "of": pl.Float64(),
    "p": pl.Float64(),
    "adjusted_p": pl.Float64(),
    "corrected_for": pl.Int64(),
    "behind": pl.List(pl.String()),
    "behind_in_base": pl.List(pl.String()),
}
"""Columns of the frame of drops between conditions.

`figure` is the kind of figure in a row (lost, stage, value, word errors, ...), and `name` is
its stage or kind. Shares are from 0 to 1. `behind` holds the keys of the conversations that a
figure rests on.
"""

_BASE = "base"

_NO_TEST = (None, None, None)
"""The p, the corrected p and the number of comparisons of figures without a test."""

_DropRow = tuple[object, ...]


def drops_frame(drops: Iterable[Drop]) -> pl.DataFrame:
    """Return every figure of losses as a row; p is that of the loss, and null for other figures."""
    rows = [
        (
            *(loss.comparison.a.suite, loss.comparison.a.agent),
            *(loss.comparison.a.condition.label, loss.comparison.b.condition.label),
            "+".join(loss.comparison.differs),
            *row,
        )
        for loss in drops
        for row in _rows(loss)
    ]
    return pl.DataFrame(rows, schema=DROP_COLUMNS, orient="row")


def _rows(loss: Drop) -> Iterator[_DropRow]:
    found = loss.comparison
    tasks = float(len(found.pairs))
    yield (
        *(
            "lost",
            "",
            loss.value,
            *_drop_ends(loss.interval),
            None,
            tasks,
            found.p,
            found.adjusted_p,
            found.corrected_for,
        ),
        *(_keys(loss.failed), _keys([each for part in loss.parts for each in part.in_base])),
    )
    for part in loss.parts:
        ends = _drop_ends(part.interval)
        yield (
            *("stage", part.stage, part.value, *ends, float(len(part.behind)), tasks, *_NO_TEST),
            *(_keys(part.behind), _keys(part.in_base)),
        )
    failed = float(len(loss.failed))
    misrecognized = float(len(loss.misrecognized))
    yield (
        *(
            "failed with a value misheard",
            "",
            misrecognized / failed if failed else None,
            None,
            None,
        ),
        *(misrecognized, failed, *_NO_TEST, _keys(loss.misrecognized), []),
    )
    for share in loss.values:
        yield _share("value not heard", share.name, share)
    for figure, sides in (
        ("word errors", loss.word_errors),
        ("turns in another language", loss.other_language),
    ):
        for name, side in ((_BASE, sides.base), ("condition", sides.other)):
            if side is not None:
                yield _share(figure, name, side)


def _share(figure: str, name: str, share: CountedShare) -> _DropRow:
    keys = _keys(share.behind)
    behind = ([], keys) if name == _BASE else (keys, [])
    ends = _drop_ends(share.interval)
    return (figure, name, share.value, *ends, share.count, share.of, *_NO_TEST, *behind)


def _drop_ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _keys(places: Sequence[PlaceInRun]) -> list[str]:
    return [place.key for place in places]


VOICE_COLUMNS: dict[str, pl.DataType] = {
    "agent": pl.String(),
    "setting": pl.String(),
    "voice": pl.String(),
    "recognizer": pl.String(),
    "clarify": pl.String(),
    "figure": pl.String(),
    "name": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Float64(),
    "about": pl.String(),
}
"""Columns of the frame of voice figures.

`figure` is the kind of figure in a row (accuracy, points to text, ...), and `name` is its
category or count.
"""

_VoiceRow = tuple[str, str, float | None, float | None, float | None, float | None, str]


def voice_frame(summary: VoiceSummary | None) -> pl.DataFrame:
    """Return each figure of a summary as a row: shares (0 to 1), their differences, counts.

    Missing values are null; without a summary the frame has no rows.
    """
    if summary is None:
        return pl.DataFrame(schema=VOICE_COLUMNS)
    rows = [
        (row.agent, ", ".join(row.setting), *msgspec.structs.astuple(row.input_mode), *found)
        for row in summary.input_modes
        for found in _input_mode_rows(row)
    ]
    rows += [
        (
            *(entry.agent, ", ".join(entry.setting), entry.voice, None, entry.clarify),
            *_contrast_row("recognizers apart", name, spread.apart),
            f"{spread.lowest} to {spread.highest}",
        )
        for entry in summary.sensitivity
        for name, spread in entry.spreads.items()
    ]
    return pl.DataFrame(rows, schema=VOICE_COLUMNS, orient="row", strict=False)


def _input_mode_rows(row: InputModeMetrics) -> Iterator[_VoiceRow]:
    for name, score in row.scores.items():
        low, high = _voice_ends(score.interval)
        missing = ", ".join(score.missing)
        about = f"missing: {missing}" if missing else ""
        yield "accuracy", name, score.value, low, high, score.tasks, about
    for name, entry in row.to_text.items():
        yield *_contrast_row("points to text", name, entry), f"text, clarify {row.text}"
    for name, entry in row.won_back.items():
        yield *_contrast_row("points won back", name, entry), "clarify none"
    for share in row.questions:
        low, high = _voice_ends(share.interval)
        yield "conversations with a question", share.name, share.value, low, high, share.of, ""
    yield from _counts(row)


def _contrast_row(
    figure: str, name: str, entry: Contrast
) -> tuple[str, str, float | None, float | None, float | None, float]:
    low, high = _voice_ends(entry.interval)
    return figure, name, entry.value, low, high, entry.tasks


def _voice_ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _counts(row: InputModeMetrics) -> Iterator[_VoiceRow]:
    for measure_count in row.measure_counts:
        for name, count in measure_count.counts.items():
            about = f"version {measure_count.version}, judge {measure_count.judge}"
            yield measure_count.measure, name, count, None, None, measure_count.conversations, about
        if measure_count.unscored:
            yield measure_count.measure, "unscored", measure_count.unscored, None, None, None, ""
    for each in row.measures:
        low, high = _voice_ends(each.interval)
        yield f"{each.measure}: figure", each.figure, each.value, low, high, each.n, each.form
    cell = row.cell
    planned = cell.episodes + cell.missing
    yield "seconds a conversation", "mean", row.seconds, None, None, cell.answered, "wall clock"
    counts = {
        "planned": planned,
        "not run": cell.missing,
        "infrastructure errors": cell.infrastructure_errors,
        "code errors": cell.code_errors,
        **{f"unscored: {reason}": count for reason, count in cell.unscored.items()},
    }
    for name, count in counts.items():
        yield "conversations", name, count, None, None, planned, ""


_TEXTS = ("suite", "a", "b", "by", "group", "part", "figure")
_NUMBERS = (
    "value_a",
    "low_a",
    "high_a",
    "value_b",
    "low_b",
    "high_b",
    "in_a",
    "in_b",
    "difference",
    "low",
    "high",
    "p",
    "adjusted_p",
)
CONTRAST_COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(_TEXTS, pl.String()),
    **dict.fromkeys(_NUMBERS, pl.Float64()),
    **dict.fromkeys(("tasks_a", "tasks_b", "tasks"), pl.Int64()),
}


def contrasts_frame(found: Sequence[SideContrast]) -> pl.DataFrame:
    """Return one row per contrast and figure: both sides, B less A, and what is missing as null."""
    rows = [
        (each.suite, each.a, each.b, each.axis, each.group, rate.part, rate.name, *_numbers(rate))
        for each in found
        for rate in each.rates
    ]
    return pl.DataFrame(rows, schema=CONTRAST_COLUMNS, orient="row")


def _numbers(rate: PairedRate) -> tuple[float | None, ...]:
    return (
        *(rate.a.value, *_contrast_ends(rate.a.interval)),
        *(rate.b.value, *_contrast_ends(rate.b.interval)),
        *(rate.in_a, rate.in_b),
        *(rate.difference, *_contrast_ends(rate.interval), rate.p, rate.adjusted_p),
        *(rate.a.tasks, rate.b.tasks, rate.tasks),
    )


def _contrast_ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)
