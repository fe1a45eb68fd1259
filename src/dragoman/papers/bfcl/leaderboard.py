"""Leaderboard styles of BFCL: its aggregates, and text against voice as BFCL Audio has it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

import msgspec

from dragoman.analysis.aggregate_scores import AggregateScore
from dragoman.dataframes.category_tables import ScoredPlayer, scores_table
from dragoman.dataframes.comparison_frames import voice_frame
from dragoman.dataframes.leaderboard import (
    LeaderboardEntry,
    VoiceResults,
    leaderboard_entries,
    runs_without_leaderboard,
    summarize_voice_runs,
)
from dragoman.dataframes.text_files import as_csv, as_markdown
from dragoman.report import formatting
from dragoman.report.capabilities import StyleRequest, StyleResult
from dragoman.report.table_markup import (
    csv_table,
    html_tables,
    latex_tables,
    markdown_tables,
    page_texts,
)
from dragoman.report.text_tables import PaperTable, TextTable
from dragoman.report.voice import ACCURACY, voice_tables


class _Aggregates:
    """The aggregates of BFCL, or of another benchmark that has a leaderboard."""

    name = "bfcl"
    about = "aggregates of its categories"
    options = ()
    endings = (".md", ".tex", ".csv", ".html", ".json")

    def make(self, request: StyleRequest) -> StyleResult:
        """Return the categories and aggregates of every agent.

        Raises:
            UsageError: As raised by `leaderboard_entries`.
        """
        found = leaderboard_entries(request.folders, request.rules, request.judge)
        text = tuple(each for entry in found for each in _entry_text(entry))
        if not any(each.value is not None for entry in found for each in entry.categories):
            runs = (f"dragoman score {quote(str(folder))}" for folder in request.folders)
            text = (f"no conversation has a verdict yet; score first: {'; '.join(runs)}", *text)
        document = {"boards": msgspec.to_builtins(found)}
        tables = (_paper_table(found),)
        texts = [table.with_texts() for table in tables]
        return StyleResult(
            text,
            document,
            {
                ".md": lambda: markdown_tables(texts).encode(),
                ".tex": lambda: latex_tables(map(page_texts, tables)).encode(),
                ".html": lambda: html_tables(texts).encode(),
                ".csv": lambda: "\n".join(map(csv_table, tables)).encode(),
                ".json": lambda: msgspec.json.format(msgspec.json.encode(document)),
            },
            tables,
            tuple(map(_absence_note, runs_without_leaderboard(request.folders))),
        )


AGGREGATES = _Aggregates()


def _absence_note(folder: Path) -> str:
    return (
        f"{folder} is not in the leaderboard: its benchmark has none; "
        f"its figures: dragoman table {quote(str(folder))}"
    )


def _paper_table(entries: Sequence[LeaderboardEntry]) -> PaperTable:
    """Return the categories and aggregates of all agents as a table for papers."""
    rules = ", ".join(dict.fromkeys(entry.rules for entry in entries))
    players = [
        ScoredPlayer(
            (entry.agent,),
            {each.name: each for each in _known_scores(entry)},
            stored=_stored(entry),
        )
        for entry in entries
    ]
    categories = (each.name for entry in entries for each in entry.categories)
    aggregates = (each.name for entry in entries for each in entry.aggregates)
    table = scores_table(
        f"pass^1 on {entries[0].benchmark} by category, with 95 % confidence intervals over tasks.",
        ("agent",),
        players,
        tuple(dict.fromkeys((*categories, *aggregates))),
    )
    notes = [
        *([table.note] if table.note else []),
        *(_unreadable_note(entry) for entry in entries if entry.unreadable),
        f"Rules {rules}",
    ]
    return msgspec.structs.replace(table, note=". ".join(notes))


def _known_scores(entry: LeaderboardEntry) -> Iterator[AggregateScore]:
    """Yield the categories, and the aggregates that have a task."""
    yield from entry.categories
    yield from (each for each in entry.aggregates if each.tasks)


def _stored(entry: LeaderboardEntry) -> dict[str, dict[str, str | int]]:
    """Return the stored values of each category, and of each aggregate."""
    suites = {each.name: f"{entry.benchmark}:{each.name}" for each in entry.categories}
    return {
        each.name: {
            **({"suite": suites[each.name]} if each.name in suites else {}),
            "agent": entry.agent,
            "k": 1,
            "rules": entry.rules,
        }
        for each in _known_scores(entry)
    }


def _unreadable_note(entry: LeaderboardEntry) -> str:
    return (
        f"{entry.agent}: in most replies of {', '.join(entry.unreadable)} no calls could be read: "
        "the figures may say more of how they were read than of the agent"
    )


def _entry_text(entry: LeaderboardEntry) -> Iterator[TextTable | str]:
    if entry.unreadable:
        yield _unreadable_note(entry)
    aggregates = [each for each in entry.aggregates if each.tasks]
    yield TextTable(
        headings=("", "pass^1, 95 % interval", "tasks", "missing"),
        rows=tuple(map(_aggregate_row, (*entry.categories, *aggregates))),
        title=f"{entry.agent}, rules {entry.rules}",
        numbers=frozenset({"tasks"}),
    )
    spread = entry.formats
    if spread is not None:
        yield (
            f"prompt formats: {len(spread.accuracy)}, largest difference {spread.largest:.1f} "
            f"points, standard deviation {spread.deviation:.2f}, variance {spread.variance:.2f}"
        )


def _aggregate_row(score: AggregateScore) -> tuple[str, str, str, str]:
    figure = formatting.number(score.value)
    if score.value is not None and score.interval is not None:
        low, high = score.interval.low, score.interval.high
        figure += f" [{low:.3f}, {high:.3f}]"
    between = f"between {score.bounds.low:.3f} and {score.bounds.high:.3f}"
    if score.value is None:
        figure = between
    elif score.tasks < score.size:
        figure += f"\n{between}"
    tasks = f"{score.tasks:,}"
    if score.tasks < score.size:
        tasks += f" of {score.size:,}"
    return score.name, figure, tasks, ", ".join(score.missing)


class _Audio:
    """Text against every recognizer and against audio agents, in runs on any suite."""

    name = "bfcl-audio"
    about = "text, recognizers and audio-native agents"
    options = ()
    endings = (".md", ".csv", ".json", ".tex")

    def make(self, request: StyleRequest) -> StyleResult:
        """Return the results of each input mode on the same tasks.

        Raises:
            UsageError: As raised by `summarize_voice_runs`.
        """
        found = summarize_voice_runs(request.folders, request.rules, request.judge)
        tables = voice_tables(found.summary)
        document = {"facts": dict(found.facts), "board": msgspec.to_builtins(found.summary)}
        return StyleResult(
            (*_warnings(found), *tables, "", *(f"{name}: {value}" for name, value in found.facts)),
            document,
            {
                ".tex": lambda: latex_tables(map(_with_caption, tables)).encode(),
                ".json": lambda: msgspec.json.format(msgspec.json.encode(document)),
                ".md": lambda: as_markdown("Text against voice", tables, found.facts).encode(),
                ".csv": lambda: as_csv(voice_frame(found.summary)).encode(),
            },
        )


AUDIO = _Audio()


def _warnings(found: VoiceResults) -> Iterator[str]:
    for row in found.summary.input_modes:
        if row.cell.is_mostly_unreadable:
            yield formatting.unreadable(row.cell)


def _with_caption(table: TextTable) -> TextTable:
    """Return a table whose title is a caption: in a terminal the agent's name is enough."""
    is_accuracy = table.headings[0] == ACCURACY
    title = f"Accuracy of {table.title} by input." if is_accuracy else table.title
    return msgspec.structs.replace(table, title=f"{title[:1].upper()}{title[1:]}")
