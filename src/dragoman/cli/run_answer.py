"""The answer of a run in a terminal: the headline, one table and one next step, in 30 lines.

The report and the viewer use the same record of the answer.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from dragoman.core.texts.characters import escape_controls
from dragoman.report import formatting
from dragoman.report.overview import (
    DropRow,
    MatrixCell,
    MatrixRow,
    NotPlayed,
    RunOverview,
    RunTotals,
    ValueShare,
    points_of,
)

NARROWEST, WIDEST = 40, 100
"""Least and greatest width of the answer in columns, on any terminal."""

MAX_LINES = 30
"""Maximum number of lines of the answer and the next steps; `--full` prints everything."""

_MAX_NOTE = 240
_MAX_NOTES = 2
_MAX_KINDS = 3
_MAX_REASON = 80
_ZERO_ANYWAY = re.compile(r"0 whatever (.+) would be")

_HEADINGS = ("pass^1", "change", "finding")
_GAP = "  "
_LEAST_NAME = 16


class _Row(NamedTuple):
    """A row of the table: a name and three values, or a name with words about it."""

    name: str
    figure: str = ""
    drop: str = ""
    cause: str = ""
    indent: str = ""
    words: str = ""


class AnswerNotes(NamedTuple):
    """The text around the answer of a run.

    Attributes:
        scoring: The rule set, the judge and the users, in words.
        endings: The irregular endings of conversations, as lines.
        warnings: Caveats to read before the figures.
        causes: Lines about the causes of failures; they come last.
        recorded: The number of compared recorded verdicts, and of those that agree; None without
            any.
        elsewhere: Conversations that belong to other shards of the plan.
    """

    scoring: str
    endings: Sequence[str] = ()
    warnings: Sequence[str] = ()
    causes: Sequence[str] = ()
    recorded: tuple[int, int] | None = None
    elsewhere: int = 0


class Page(NamedTuple):
    """The room for the answer: width and lines."""

    lines: int = MAX_LINES
    width: int = 80


def answer_lines(found: RunOverview, notes: AnswerNotes, page: Page | None = None) -> list[str]:
    """Return the lines of the answer: the headline, the table and the notes.

    Rows without room are counted in one line.
    """
    most, columns = page or Page()
    width = min(max(columns, NARROWEST), WIDEST)
    rows = list(_rows(found, _unplayed(found.totals, notes.elsewhere)))
    warnings = [*_about_cached_replies(found.totals), *notes.warnings]
    leading = [found.headline, found.detail, *_warnings(warnings)]
    above = [*chain.from_iterable(_wrapped(each, width) for each in leading), ""]
    below = [*_notes(found, notes, width), *([""] if notes.causes else []), *notes.causes]
    room = most - len(above) - len(below)
    fitting = (count for count in range(len(rows), 1, -1) if _height(rows, count, width) <= room)
    shown = next(fitting, 1)
    if 1 < shown < len(rows) and _is_heading(rows[shown - 1]):
        shown -= 1
    table = [*_table(rows[:shown], width)]
    if shown < len(rows):
        more = sum(not _is_heading(row) for row in rows[shown:])
        table.append(f"({formatting.format_count(more, 'more row')}: --full)")
    # Non-breaking spaces kept words together while wrapping; the terminal gets plain spaces.
    return [escape_controls(line.replace("\xa0", " ")) for line in (*above, *table, *below)]


def _is_heading(row: _Row) -> bool:
    """Return whether a row is the name of an agent above its conditions."""
    return not (row.figure or row.words or row.indent)


def _height(rows: Sequence[_Row], count: int, width: int) -> int:
    return sum(1 for _ in _table(rows[:count], width)) + (count < len(rows))


def _about_cached_replies(totals: RunTotals) -> Iterator[str]:
    """Yield a caveat if the endpoint was asked for at most half of the replies."""
    if totals.calls and 2 * totals.replayed >= totals.calls:
        yield (
            f"{totals.replayed:,} of {totals.calls:,} model replies are old ones from the reply "
            "cache; if the model behind the address has changed, run again with --no-cache"
        )


def _warnings(warnings: Sequence[str]) -> Iterator[str]:
    """Yield the caveats to read before the figures."""
    for each in warnings[:_MAX_NOTES]:
        yield formatting.truncate_text(f"Warning: {each}", _MAX_NOTE)
    if (more := len(warnings) - _MAX_NOTES) > 0:
        yield f"{formatting.format_count(more, 'more warning')}: --full"


def _notes(found: RunOverview, notes: AnswerNotes, width: int) -> list[str]:
    """Return the lines below the table."""
    lines = [*_about_significance(found), *_about_values(found), *_not_played(found.not_played)]
    lines += notes.endings[:_MAX_NOTES]
    if notes.recorded is not None:
        lines.append(f"Recorded verdicts: {notes.recorded[1]:,} of {notes.recorded[0]:,} agree.")
    short = [formatting.truncate_text(each, _MAX_NOTE) for each in lines]
    wrapped = (_wrapped(each, width) for each in (*short, _totals(found, notes)))
    return ["", *chain.from_iterable(wrapped)]


def next_lines(  # noqa: PLR0913 - a run, and what is shown of it already
    folder: Path,
    found: RunOverview,
    *,
    is_imported: bool = False,
    is_first: bool = True,
    has_causes: bool = False,
    further: Sequence[tuple[str, str]] = (),
) -> list[str]:
    """Return the commands that show more of a run, the most useful one first.

    Args:
        folder: The run.
        found: Its answer.
        is_imported: Whether the run is imported, so that it cannot be replayed.
        is_first: Whether no other step comes first.
        has_causes: Whether the causes of failures are shown already.
        further: Commands for runs of this kind, each with what it shows.
    """
    run = quote(str(folder))
    steps = [] if has_causes else [(f"dragoman show {run}", "failures by cause")]
    rows = [row for row in (*found.rows, *found.folded) if row.failures.count]
    if not is_imported and any(row.word_error_rate and not row.is_attributed for row in rows):
        steps.insert(0, (f"dragoman attribute {run}", "failure sources, by replay"))
    if is_perfect(found):
        steps = [(f"dragoman report {run}", "a report as one file")]
    steps += further
    steps.append((f"dragoman view {run}", "the run in a browser"))
    steps.append((f"dragoman show {run} --full", "every figure"))
    widest = max(len(command) for command, _ in steps)
    return [
        f"{'Next: ' if is_first and not at else '      '}{command.ljust(widest)}  {about}"
        for at, (command, about) in enumerate(steps)
    ]


def is_perfect(found: RunOverview) -> bool:
    """Return whether every conversation of every cell passed."""
    cells = (cell for row in found.matrix for cell in row.cells if cell is not None)
    return all(cell.figure.bounds.low == 1 and not cell.missing for cell in cells)


def _unplayed(totals: RunTotals, elsewhere: int) -> str:
    """Return the state of the unplayed conversations of a run in words."""
    if not elsewhere:
        return "not run"
    is_complete = totals.planned - totals.played == elsewhere
    return "in other shards" if is_complete else "not run or in other shards"


def _rows(found: RunOverview, unplayed: str) -> Iterator[_Row]:
    """Yield the rows of the table by agent, the agent with the largest drop first.

    The user's agents come before those that ship with Dragoman; agents with a single line come
    last. `unplayed` is the state of unplayed conversations.
    """
    drops: dict[tuple[str, str], float] = {}
    for each in (*found.rows, *found.folded):
        name = each.suite, each.agent
        drops[name] = max(each.drop, drops.get(name, each.drop))
    parts = [
        (
            row.is_diagnostic,
            drops.get((row.suite, row.agent), 0.0),
            list(_rows_of_agent(found, row, unplayed)),
        )
        for row in found.matrix
    ]
    parts.sort(key=lambda part: (part[0], bool(part[2][0].words), -part[1]))
    for *_, rows in parts:
        yield from rows


def _rows_of_agent(found: RunOverview, row: MatrixRow, unplayed: str) -> Iterator[_Row]:
    """Yield an agent's baseline, then its conditions, the largest drop first."""
    cells = [cell for cell in row.cells if cell is not None]
    name = (
        row.label
        if len({each.suite for each in found.matrix}) == 1
        else (f"{row.label}, {row.suite}")
    )
    if len(found.conditions) == 1:
        for cell in cells:
            yield _Row(f"{name}, {cell.label}", _figure(cell), "", _cause(cell, None, unplayed))
        return
    for failed in found.failing:
        if (failed.suite, failed.agent) == (row.suite, row.agent):
            yield _Row(name, words=failed.sentence)
            return
    if len(cells) > 1 and len({cell.figure.value for cell in cells}) == 1:
        yield _Row(name, words=f"pass^1 {_figure(cells[0])} in every condition")
        return
    drops = {
        each.condition: each
        for each in (*found.rows, *found.folded)
        if (each.suite, each.agent) == (row.suite, row.agent)
    }
    yield _Row(name)
    for cell in sorted(cells, key=lambda each: _order(drops.get(each.condition))):
        drop = drops.get(cell.condition)
        is_base = drop is None and cell is cells[0]
        shown = "baseline" if is_base else _drop(drop)
        yield _Row(cell.label, _figure(cell), shown, _cause(cell, drop, unplayed), _GAP)


def _order(drop: DropRow | None) -> float:
    """Return the place of a condition: the baseline, then the largest drop first."""
    return -2.0 if drop is None else -drop.drop


def _figure(cell: MatrixCell) -> str:
    figure = cell.figure
    if figure.value is None:
        return "none"
    within = "" if figure.interval is None else f" [{_whole(figure.interval.low)}, "
    within += "" if figure.interval is None else f"{_whole(figure.interval.high)}]"
    return f"{points_of(figure.value)}{within}{' *' if cell.is_assumed else ''}"


def _whole(value: float) -> str:
    return f"{100 * value:.0f}"


def _drop(row: DropRow | None) -> str:
    if row is None:
        return ""
    interval = f"[{_signed(row.interval.high)}, {_signed(row.interval.low)}]"
    return f"{_signed(row.drop)} {interval}"


def _signed(drop: float) -> str:
    """Return the change of pass^1 in points; a drop is below zero."""
    text = points_of(drop)
    if text == "0.0":
        return text
    return text.removeprefix("-") if text.startswith("-") else f"-{text}"


def _cause(cell: MatrixCell, row: DropRow | None, unplayed: str) -> str:
    if cell.figure.value is None or row is None:
        counts = ((cell.unscored, "excluded"), (cell.missing, unplayed))
        return ", ".join(f"{count:,} {words}" for count, words in counts if count)
    if not row.is_distinguishable:
        return "not significant"
    main = row.main_part
    if main is None:
        return "not known yet"
    if any(part.stage == "not attributed" and part.value > main.value for part in row.parts):
        return "mostly not attributed"
    return f"{main.stage} {points_of(main.value)}"


def _table(rows: Sequence[_Row], width: int) -> Iterator[str]:
    """Yield the lines of the table; long names continue on the next line."""
    texts = [(row.figure, row.drop, row.cause) for row in rows if not row.words]
    used = [at for at, title in enumerate(_HEADINGS) if any(each[at] for each in texts) or not at]
    widths = [max(len(_HEADINGS[at]), *(len(each[at]) for each in texts), 0) for at in used]
    room = max(width - sum(each + len(_GAP) for each in widths), _LEAST_NAME)
    names = [len(row.indent) + len(row.name) for row in rows if not row.words]
    first = min(max([*names, _LEAST_NAME]), room)
    yield _line("", [_HEADINGS[at] for at in used], first, widths)
    for row in rows:
        if row.words:
            yield from _wrapped(f"{row.name}: {row.words}", width)
            continue
        parts = textwrap.wrap(row.name, first - len(row.indent), break_on_hyphens=False) or [""]
        values = [(row.figure, row.drop, row.cause)[at] for at in used]
        yield _line(row.indent + parts[0], values, first, widths)
        yield from (f"{row.indent}{_GAP}{part}" for part in parts[1:])


def _line(name: str, values: Sequence[str], first: int, widths: Sequence[int]) -> str:
    columns = [value.ljust(width) for value, width in zip(values, widths, strict=True)]
    return _GAP.join([name.ljust(first), *columns]).rstrip()


def _about_significance(found: RunOverview) -> Iterator[str]:
    """Yield the corrections of intervals and significance, which may seem to contradict."""
    if found.rows or found.folded:
        many = formatting.format_count(found.comparisons, "comparison")
        yield (
            "Points of pass^1 with 95% intervals of each row alone. Significance is tested "
            f"after correction for {many} (Holm)."
        )
    if any(cell is not None and cell.is_assumed for row in found.matrix for cell in row.cells):
        yield f"*: {formatting.ASSUMED_NOTE}."


def _about_values(found: RunOverview) -> Iterator[str]:
    row = found.subject
    if row is None or not row.values:
        return
    shown = [
        each.name if each.value is None else f"{each.name} {each.value:.0%} ({_of(each)})"
        for each in row.values[:_MAX_KINDS]
    ]
    rate = "" if row.word_error_rate is None else f" WER {row.word_error_rate:.1%}."
    yield f"Misrecognized values of {row.label} {row.phrase}: {', '.join(shown)}.{rate}"


def _of(share: ValueShare) -> str:
    return f"{share.count:g}/{share.of:g}"


def _not_played(entries: Sequence[NotPlayed]) -> Iterator[str]:
    for each in entries[:_MAX_NOTES]:
        yield f"Not played: {each.name}: {each.why}"
    if len(entries) > _MAX_NOTES:
        yield f"Not played: {len(entries) - _MAX_NOTES} more: --full"


def _totals(found: RunOverview, notes: AnswerNotes) -> str:
    totals = found.totals
    said = [formatting.format_count(totals.planned - notes.elsewhere, "conversation")]
    if missing := totals.planned - totals.played - notes.elsewhere:
        said.append(f"{missing:,} not run")
    if notes.elsewhere:
        said.append(f"{notes.elsewhere:,} more in other shards")
    said.append(_excluded(totals))
    said.append(formatting.format_count(totals.infrastructure, "infrastructure error"))
    if totals.code_errors:
        said.append(formatting.format_count(totals.code_errors, "code error"))
    if totals.invalid_users:
        said.append(formatting.format_count(totals.invalid_users, "invalid user"))
    unknown = "; ".join(filter(None, ("cost unknown", totals.cost_note)))
    said.append(unknown if totals.cost is None else formatting.money(totals.cost))
    if totals.replayed and 2 * totals.replayed < totals.calls:
        # These are old replies: the endpoint itself was not asked.
        said.append(f"{totals.replayed:,} of {totals.calls:,} model replies from the cache")
    return f"{', '.join(said)}; {notes.scoring}."


def _excluded(totals: RunTotals) -> str:
    """Return the number of conversations without a verdict, with the most frequent reason."""
    text = f"{totals.unscored:,} excluded"
    if not totals.exclusions:
        return text
    reason = textwrap.shorten(next(iter(totals.exclusions)), _MAX_REASON, placeholder=" ...")
    # A reward of 0 is certain, but it stays out of pass^k while a component is undecided.
    if found := _ZERO_ANYWAY.fullmatch(reason):
        reason = f"{found[1]} is undecided, although the reward is 0 in either case"
    more = len(totals.exclusions) - 1
    return f"{text} ({reason}{f'; {more} more reasons' if more else ''})"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)
