"""The metrics of MM-tau-p2 that set voice against text: paired by task."""

from collections.abc import Sequence
from statistics import fmean

from dragoman.analysis.comparison import CellOutcomes, compare
from dragoman.analysis.intervals import Interval, paired_ratio_interval
from dragoman.analysis.mm_tau.metrics import Metric, user_turns
from dragoman.core.keys import content_key, derive_seed

NO_TEXT = "there is no text of the same agent and users to set it against"


def modality_robustness(text: CellOutcomes, voice: CellOutcomes, place: Sequence[str]) -> Metric:
    """Return MRS: pass^1 by voice to pass^1 in text, over the tasks that are decided in both."""
    (found,) = compare([(text, voice)])
    pairs = [
        (in_voice / len(pair.b), in_text / len(pair.a))
        for pair in found.pairs
        for in_text, in_voice in (pair.successes,)
    ]
    return _ratio(pairs, (*place, "MRS"), "no task passed in text")


def turn_overhead(text: CellOutcomes, voice: CellOutcomes, place: Sequence[str]) -> Metric:
    """Return TO: how many more turns the user took by voice than in text, to those in text."""
    in_text, in_voice = _turns(text), _turns(voice)
    shared = [
        task
        for task in in_text
        if task in in_voice and text.digests.get(task) == voice.digests.get(task)
    ]
    pairs = [(in_voice[task], in_text[task]) for task in shared]
    found = _ratio(pairs, (*place, "TO"), "")
    if found.value is None:
        return found
    ends = found.interval
    return Metric(
        found.value - 1, None if ends is None else Interval(ends.low - 1, ends.high - 1), found.n
    )


def _turns(cell: CellOutcomes) -> dict[str, float]:
    """Return the user's turns for each conversation of a task, those aside in which it said nothing."""
    known: dict[str, list[float]] = {}
    for row in cell.outcomes:
        if turns := user_turns(row):
            known.setdefault(row.task, []).append(turns)
    return {task: fmean(turns) for task, turns in known.items()}


def _ratio(pairs: Sequence[tuple[float, float]], place: Sequence[str], nothing: str) -> Metric:
    below = sum(each for _, each in pairs)
    if not below:
        return Metric(
            n=len(pairs), why=nothing if pairs else "no task is known in text and by voice"
        )
    seed = derive_seed(content_key(*place), "mm-tau-p2")
    value = sum(above for above, _ in pairs) / below
    return Metric(value, paired_ratio_interval(pairs, seed), len(pairs))
