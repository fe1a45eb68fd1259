"""Validation of a run's judges: against people, against each other, and the corrected rates."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.judge_accuracy import (
    WHOLE,
    Answers,
    Corrected,
    JudgedItem,
    LabelledFigures,
    LaterContextBias,
    PanelFigures,
    Rater,
    corrected_rate,
    labelled_figures,
    later_context_bias,
    pairs_of,
    panel_figures,
)
from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.errors import UsageError
from dragoman.core.measures import Rate
from dragoman.core.replies import TextReply
from dragoman.core.scores import NO_JUDGE
from dragoman.experiments.human_labels import (
    ItemToLabel,
    is_labelled_file,
    judged_labels,
    read_labels,
    write_template,
)
from dragoman.scoring.judge_prompts import transcript
from dragoman.scoring.measures.judged_measure import ASKED_BY_TURN
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import RunStore, open_run

_MAX_SHOWN = 2_000
"""Longest text that people are shown with an item to label, in characters."""


class CorrectedFigure(msgspec.Struct, frozen=True):
    """The share of yes in one cell, as judged and corrected for the judge's errors."""

    rater: Rater
    question: str
    suite: str
    condition: Condition
    agent: str
    items: int
    rate: Corrected


class JudgeCheck(msgspec.Struct, frozen=True):
    """Validation results of a run's judges.

    Attributes:
        labelled: Judges against people; empty without labels.
        panels: Judges against each other.
        corrected: The run's shares of yes, corrected for the judges' errors.
        later_context_bias: Labels of each judge that sees whole conversations, against its labels
            without later context.
        cells: The conversations of split items, by key.
        strangers: Number of labels of conversations or replies that no judge was asked about.
    """

    labelled: tuple[LabelledFigures, ...]
    panels: tuple[PanelFigures, ...]
    corrected: tuple[CorrectedFigure, ...]
    later_context_bias: tuple[LaterContextBias, ...] = msgspec.field(name="hindsight")
    cells: dict[str, StoredCell]
    strangers: int


def check_judges(run: Path, labels: Path | None) -> JudgeCheck:
    """Validate the judges that answered a run's rubrics.

    Args:
        run: The run's folder.
        labels: A file of human labels; None for none.

    Raises:
        UsageError: If no rubric was answered, or no label belongs to a judged item.
        StoreError: If the run cannot be read.
        DataError: If the labels cannot be read.
    """
    reported = {} if labels is None else _load_human_labels(labels)
    with open_run(run, write=False) as store:
        answers = _answers(store)
        if not answers:
            raise UsageError(
                f"{run}: no rubric was answered: `dragoman score {run} --rubric NAME@VERSION "
                "--judge PROVIDER/MODEL` first"
            )
        asked = {item for given in answers.values() for item in given}
        known = {item: value for item, value in reported.items() if item in asked}
        if reported and not known:
            raise UsageError(
                f"{labels}: none of its {len(reported)} labels is of what was judged here"
            )
        boolean = _yes_or_no(store)
        words = _words(store, known)
        cells = {cell.key: cell for cell in store.cells()}
    return JudgeCheck(
        labelled=labelled_figures(answers, known, boolean, words),
        panels=panel_figures(answers),
        corrected=tuple(_corrected_figures(answers, known, boolean, cells)),
        later_context_bias=later_context_bias(answers, _pair_display_variants(answers)),
        cells=cells,
        strangers=len(reported) - len(known),
    )


def _load_human_labels(labels: Path) -> dict[JudgedItem, int]:
    """Return what people said, in a table or in labelled conversations."""
    return judged_labels(labels) if is_labelled_file(labels) else read_labels(labels)


def write_label_template(run: Path, path: Path) -> int:
    """Write a file of labels with a row for each item that judges were asked about, without values.

    Returns:
        The number of rows.

    Raises:
        UsageError: If the file already exists, or no rubric was answered.
        StoreError: If the run cannot be read.
        DataError: If the file cannot be written.
    """
    with open_run(run, write=False) as store:
        items = sorted({item for given in _answers(store).values() for item in given})
        if not items:
            raise UsageError(f"{run}: no rubric was answered: there is nothing to label")
        cells = {cell.key: cell for cell in store.cells()}
        rows = [
            ItemToLabel(item, cells[item.cell], label_text(episode, item)[:_MAX_SHOWN])
            for item, episode in _with_episodes(store, items)
        ]
    write_template(rows, path)
    return len(rows)


def _answers(store: RunStore) -> Answers:
    answers: dict[Rater, dict[JudgedItem, int]] = {}
    for cell, entries in store.measured().items():
        for measured in entries:
            if measured.judge == NO_JUDGE or measured.score is not None:
                continue
            rater = Rater(measured.measure, measured.version, measured.judge)
            for entry in measured.evidence:
                if entry.subject in entry.counts:
                    position = WHOLE if entry.position is None else entry.position
                    item = JudgedItem(cell, position, entry.subject)
                    answers.setdefault(rater, {})[item] = int(entry.counts[entry.subject])
    return answers


def _pair_display_variants(answers: Answers) -> Iterator[tuple[Rater, Rater]]:
    """Yield raters of one rubric, model and time: shown what came before, and shown the whole."""
    for before in sorted(answers):
        for whole in sorted(answers):
            asked_before, _, model = before.judge.partition(":")
            asked_whole, _, same = whole.judge.partition(":")
            is_same = (before.measure, model) == (whole.measure, same)
            if is_same and asked_before != ASKED_BY_TURN == asked_whole:
                yield before, whole


def _yes_or_no(store: RunStore) -> frozenset[str]:
    """Return the questions that are answered by yes or no: their own figure is a rate."""
    figures = (figure for declared in store.declared().values() for figure in declared.figures)
    return frozenset(
        figure.name
        for figure in figures
        if isinstance(figure, Rate) and figure.numerator == (figure.name,)
    )


def _corrected_figures(
    answers: Answers,
    labels: Mapping[JudgedItem, int],
    boolean: frozenset[str],
    cells: Mapping[str, StoredCell],
) -> Iterator[CorrectedFigure]:
    for question in sorted({item.question for item in labels} & boolean):
        for rater, given in sorted(answers.items()):
            pairs = pairs_of(given, labels, question)
            if not pairs:
                continue
            places: dict[tuple[str, Condition, str], list[bool]] = {}
            for item, value in sorted(given.items()):
                if item.question == question:
                    cell = cells[item.cell]
                    place = (cell.suite, cell.condition, cell.agent)
                    places.setdefault(place, []).append(bool(value))
            for place, judged in places.items():
                rate = corrected_rate(judged, pairs)
                yield CorrectedFigure(rater, question, *place, len(judged), rate)


def _words(store: RunStore, labels: Mapping[JudgedItem, int]) -> dict[JudgedItem, int]:
    return {
        item: len(_text(episode, item).split()) for item, episode in _with_episodes(store, labels)
    }


def _with_episodes(
    store: RunStore, items: Mapping[JudgedItem, int] | Sequence[JudgedItem]
) -> Iterator[tuple[JudgedItem, Episode]]:
    """Yield items with their conversations, one conversation in memory at a time."""
    of_cell: dict[str, list[JudgedItem]] = {}
    for item in items:
        of_cell.setdefault(item.cell, []).append(item)
    for cell, its in of_cell.items():
        episode = store.episode(cell)
        if episode is not None:
            yield from ((item, episode) for item in its)


def _text(episode: Episode, item: JudgedItem) -> str:
    """Return the words of a reply, or of all messages of a conversation."""
    if 0 <= item.position < len(episode.events):
        return _message_text(episode.events[item.position])
    return "\n".join(filter(None, map(_message_text, episode.events)))


def label_text(episode: Episode, item: JudgedItem) -> str:
    """Return the words of a reply, or the conversation with its calls, as judges are shown it."""
    if 0 <= item.position < len(episode.events):
        return _message_text(episode.events[item.position])
    return transcript(episode.events)


def _message_text(event: Event) -> str:
    return (
        event.reply.text
        if isinstance(event, Message) and isinstance(event.reply, TextReply)
        else ""
    )
