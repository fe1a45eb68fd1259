"""The metrics of MM-tau-p2 that set voice against text: paired by task."""

from collections.abc import Iterable, Mapping
from statistics import fmean

from dragoman.analysis.comparison import CellOutcomes
from dragoman.analysis.mm_tau.metrics import success, user_turns
from dragoman.analysis.mm_tau.sums import Pair, Sums

NO_TEXT = "there is no text of the same agent and users to set it against"
_NO_TASK = "no task is known in text and by voice"


def modality_robustness(text: CellOutcomes, voice: CellOutcomes) -> Sums:
    """Return MRS: pass^1 by voice to pass^1 in text, over the tasks that are decided in both."""
    in_text, in_voice = success(text.outcomes), success(voice.outcomes)
    pairs = {
        task: (in_voice.tasks[task][0], in_text.tasks[task][0])
        for task in _shared(text, voice, in_text.tasks, in_voice.tasks)
    }
    nothing = "no task passed in text" if pairs else _NO_TASK
    return Sums(pairs, "paired", nothing=nothing, unscored=in_text.unscored + in_voice.unscored)


def turn_overhead(text: CellOutcomes, voice: CellOutcomes) -> Sums:
    """Return TO: how many more turns the user took by voice than in text, to those in text."""
    in_text, in_voice = _turns(text), _turns(voice)
    pairs: dict[str, Pair] = {
        task: (in_voice[task], in_text[task]) for task in _shared(text, voice, in_text, in_voice)
    }
    unscored = sum(
        row.episode is not None and user_turns(row) is None
        for cell in (text, voice)
        for row in cell.outcomes
    )
    return Sums(pairs, "paired", 1.0, nothing=_NO_TASK, unscored=unscored)


def _shared(
    text: CellOutcomes, voice: CellOutcomes, in_text: Iterable[str], in_voice: Mapping[str, object]
) -> list[str]:
    """Return the tasks that are known in both, and are the same there."""
    return [
        task
        for task in in_text
        if task in in_voice and text.digests.get(task) == voice.digests.get(task)
    ]


def _turns(cell: CellOutcomes) -> dict[str, float]:
    """Return the user's turns for each conversation of a task, those aside in which it said nothing."""
    known: dict[str, list[float]] = {}
    for row in cell.outcomes:
        if turns := user_turns(row):
            known.setdefault(row.task, []).append(turns)
    return {task: fmean(turns) for task, turns in known.items()}
