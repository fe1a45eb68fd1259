"""Conversations as text for a terminal, with markup and control codes from data escaped."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.core.clarifications import Clarification
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.measures import MeasureResult
from dragoman.core.replies import Reply, TextReply, ToolCallReply, UnparsedReply, Utterance
from dragoman.core.scores import ComponentScore, Evidence, Score
from dragoman.core.tasks import Task
from dragoman.core.texts.characters import escape_controls
from dragoman.core.tools import Change, ToolCall, ToolResult
from dragoman.report import formatting
from dragoman.report.labels import figure_label, finding_words, measure_label
from dragoman.report.view_model import (
    InferredProfile,
    inference_cost,
    inferred_profiles,
    turn_timings,
)
from dragoman.scoring.measures.turn_timing import TurnTiming

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


MAX_SHOWN = 400
"""Longest shown part of a result or argument, unless all is requested."""

_MET = {
    True: ("met", "green"),
    False: ("not met", "red"),
    None: ("undecided", "yellow"),
}

_Line = tuple[str, str, str]
"""The label of a line, its text, and its style."""


def print_conversation(
    console: "Console", outcome: ConversationResult, task: Task, *, full: bool = False
) -> None:
    """Print one conversation: words, calls, results, changes, ending and score.

    Args:
        console: The output.
        outcome: The conversation with its score, as far as there is one.
        task: The task, for what the user wanted.
        full: Whether long results and arguments are shown to their end.
    """
    limit = None if full else MAX_SHOWN
    place = (outcome.suite, f"task {outcome.task}", f"trial {outcome.trial}")
    console.print(_text(", ".join((*place, outcome.condition.label, outcome.agent)), "bold"))
    _print_lines(console, [("goal", formatting.truncate_text(task.wanted, limit), "dim")])
    if outcome.episode is None:
        console.print(_text("This conversation has not run."))
        return
    decided = {entry.at: entry for entry in outcome.episode.clarifications}
    clock = {turn.at: turn for turn in turn_timings(outcome)}
    inferred = {entry.at: entry for entry in inferred_profiles(outcome.episode)}
    for number, event in enumerate(outcome.episode.events):
        if number in inferred:
            _print_lines(console, _context(inferred.pop(number), limit))
        _print_lines(console, _event(event, limit))
        if number in clock:
            _print_lines(console, [_timing_line(clock[number])])
        if number in decided:
            _print_lines(console, _clarification(decided[number], limit))
    for behind in inferred.values():
        _print_lines(console, _context(behind, limit))
    _print_lines(console, _ending(outcome.episode))
    _print_lines(console, _score(outcome.score))
    for entry in outcome.measures:
        _print_lines(console, _measurement_lines(entry))


def _text(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(escape_controls(text), style=style)


def _print_lines(console: "Console", lines: Sequence[_Line]) -> None:
    from rich.table import Table

    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=11)
    grid.add_column(overflow="fold")
    for label, text, style in lines:
        grid.add_row(_text(label, "bold"), _text(text, style))
    console.print(grid)


def _event(event: Event, limit: int | None) -> list[_Line]:
    if isinstance(event, Message):
        lines = list(_reply(event.reply, limit))
        if event.reasoning:
            thought = formatting.truncate_text(event.reasoning, limit)
            lines.append(("  reasoning", f"{thought} (not delivered)", "dim"))
        first, *rest = lines or [("", "", "")]
        mark = " (scripted)" if event.scripted else ""
        return [("", "", ""), (event.by, first[1] + mark, first[2]), *rest]
    return list(_result(event, limit))


def _timing_line(turn: TurnTiming) -> _Line:
    """Return the start of a turn, the wait before it, and its duration."""
    begins = formatting.UNKNOWN if turn.begins is None else formatting.on_the_clock(turn.begins)
    inferred = [formatting.response(turn.response)] if turn.response is not None else []
    if turn.speaking:
        estimated = " (estimated)" if turn.is_estimated else ""
        inferred.append(f"spoke {turn.speaking:.1f} s{estimated}")
    return "  clock", ", ".join((begins, *inferred)), "dim"


def _clarification(entry: Clarification, limit: int | None) -> list[_Line]:
    """Return a judge's decision on the agent's message above."""
    said = "answered" if entry.is_allowed else f"not answered: {entry.reason}"
    lines = [("  judged", f"{said} ({entry.judge}, {entry.version})", "dim")]
    if entry.answer:
        lines.append(("", formatting.truncate_text(entry.answer, limit), "dim"))
    return lines


def _context(entry: InferredProfile, limit: int | None) -> list[_Line]:
    """Return the user profile that the agent has from here on, or why there is none."""
    if entry.failure:
        said = f"nothing {entry.after}: {entry.failure} ({entry.model})"
        answer = ("", formatting.truncate_text(entry.answer, limit), "dim")
        return [("", "", ""), ("  inferred", said, "red"), answer]
    fields = (
        ("", formatting.truncate_text(f"{name}: {text}", limit), "dim")
        for name, text in entry.fields
    )
    return [("", "", ""), ("  inferred", f"{entry.after} ({entry.model})", "dim"), *fields]


def _reply(reply: Reply, limit: int | None) -> Iterator[_Line]:
    match reply:
        case TextReply(utterance=utterance):
            yield from _utterance(utterance)
        case ToolCallReply(calls=calls, text=text):
            if text:
                yield "", text, ""
            for call in calls:
                yield from _call(call, limit)
        case UnparsedReply(raw=raw, error=error):
            yield "", f"unusable reply: {error}", "red"
            yield "", formatting.truncate_text(raw, limit), ""


def _utterance(utterance: Utterance) -> Iterator[_Line]:
    yield "", utterance.intended, ""
    if utterance.spoken is not UNSET:
        yield "  spoken", utterance.spoken, ""
    if utterance.heard is None:
        yield "  heard", "the audio", "dim"
    elif utterance.heard is not UNSET:
        yield "  heard", utterance.heard, ""


def _call(call: ToolCall, limit: int | None) -> Iterator[_Line]:
    written = call.raw or " ".join(map(_json, (*call.positionals, call.arguments)))
    yield "", f"calls {call.name} {formatting.truncate_text(written, limit)}", "cyan"
    if call.sent is not None:
        yield "  sent", formatting.truncate_text(_json(call.sent), limit), ""
    if call.malformed:
        yield "", f"malformed: {call.malformed}", "red"


def _result(result: ToolResult, limit: int | None) -> Iterator[_Line]:
    label, style = ("  error", "red") if result.error else ("  result", "")
    yield label, formatting.truncate_text(result.content, limit), style
    if result.shown is not None:
        yield "  shown", formatting.truncate_text(result.shown, limit), ""
    if result.executed is not None:
        yield "  executed", formatting.truncate_text(_json(result.executed), limit), ""
    for change in result.changes:
        yield "  changed", _change(change, limit), "magenta"


def _change(change: Change, limit: int | None) -> str:
    path = "/".join(map(str, change.path))
    value = "" if change.op == "del" else f" {formatting.truncate_text(_json(change.value), limit)}"
    side = "" if change.side == "agent" else f" ({change.side}'s side)"
    return f"{path}: {change.op}{value}{side}"


def _ending(episode: Episode) -> list[_Line]:
    ending = episode.ending
    detail = f": {ending.detail}" if ending.detail else ""
    written = ending.near_token and f": the stop token was written {_json(ending.near_token)}"
    steps = formatting.format_count(episode.steps, "step")
    errors = formatting.format_count(episode.errors, "tool error")
    seconds = formatting.duration(episode.seconds)
    cost = inference_cost(episode)
    asked = [("", f"user profile inference: {cost}", "dim")] if cost else []
    return [
        ("", "", ""),
        ("ended", f"{ending.reason}, {formatting.ENDINGS[ending.reason]}{written}{detail}", "bold"),
        ("", f"{steps}, {errors}, {seconds}", "dim"),
        *asked,
    ]


def _score(score: Score | None) -> list[_Line]:
    if score is None:
        return [("score", "not scored yet", "")]
    assumed = f" {formatting.ASSUMED}" if score.assumed else ""
    reward = (
        f"{formatting.verdict(score.reward)}{assumed}, rules {score.rules}, judge {score.judge}"
    )
    lines = [("score", f"{reward}, {score.note}" if score.note else reward, "bold")]
    for part in score.components:
        lines += _component(part)
    return lines + _simulator(score)


def _simulator(score: Score) -> list[_Line]:
    if not score.simulator:
        return []
    said = "failed a check: not evidence about the agent" if score.invalid else "no problem found"
    return [("user", said, "bold"), *map(_evidence, score.simulator)]


def _measurement_lines(entry: MeasureResult) -> list[_Line]:
    """Return the counts of a measure that are not 0, and its findings."""
    counts = ", ".join(
        f"{figure_label(entry.measure, name)} {count:g}"
        for name, count in entry.counts.items()
        if count
    )
    none = "every count is 0" if entry.counts else "nothing to count"
    said = f"unscored: {entry.unscored}" if entry.unscored else counts or none
    lines = [("measure", f"{measure_label(entry.measure)} {entry.version}: {said}", "bold")]
    for found in entry.evidence:
        subject, why = finding_words(entry.measure, found.subject, found.why)
        if why:
            place = "" if found.position is None else f"event {found.position + 1}"
            about = " ".join(part for part in (place, subject) if part)
            lines.append(("", f"{about}: {why}" if about else why, "dim"))
    return lines


def _component(part: ComponentScore) -> Iterator[_Line]:
    basis = "counts" if part.in_basis else "does not count"
    assumed = f" {formatting.ASSUMED}" if part.assumed else ""
    yield "", f"{part.component} ({basis}): {formatting.verdict(part.verdict)}{assumed}", ""
    for row in part.evidence:
        yield _evidence(row)


def _evidence(row: Evidence) -> _Line:
    word, style = _MET[row.met]
    notes = ": ".join(note for note in (row.kind, row.why) if note)
    return f"  {word}", f"{row.subject} ({notes})" if notes else row.subject, style


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
