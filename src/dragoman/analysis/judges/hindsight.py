"""Whether what was said later changed what a judge says of an earlier reply."""

from collections.abc import Iterable, Iterator

import msgspec

from dragoman.analysis.judges.agreement import (
    Coefficient,
    RaterAgreement,
    agreement,
    percent_agreement,
)
from dragoman.analysis.judges.answers import Answers, JudgedItem, Rater


class Hindsight(msgspec.Struct, frozen=True):
    """One judge on one question: shown what came before each reply, and shown the whole.

    Attributes:
        question: Which.
        before: The judge, shown each reply with what came before it.
        whole: The same, shown the whole conversation.
        differ: The share of labels that differ, of those that both gave.
        changed: What differs, each with the label from before and that of the whole.
    """

    question: str
    before: Rater
    whole: Rater
    differ: RaterAgreement
    changed: tuple[tuple[JudgedItem, int, int], ...]


def hindsight_figures(
    answers: Answers, pairs: Iterable[tuple[Rater, Rater]]
) -> tuple[Hindsight, ...]:
    """Return how labels differ between the two ways of asking.

    Args:
        answers: What raters answered.
        pairs: Each judge as it was shown what came before, and as it was shown the whole.
    """
    return tuple(found for before, whole in pairs for found in _of_pair(answers, before, whole))


def _of_pair(answers: Answers, before: Rater, whole: Rater) -> Iterator[Hindsight]:
    questions: dict[str, list[tuple[JudgedItem, int, int]]] = {}
    for item, label in sorted(answers[before].items()):
        if item in answers[whole]:
            questions.setdefault(item.question, []).append((item, label, answers[whole][item]))
    for question, labels in questions.items():
        rows = [(early, late) for _, early, late in labels]
        changed = tuple(entry for entry in labels if entry[1] != entry[2])
        yield Hindsight(question, before, whole, agreement(_share_changed, rows), changed)


_share_changed = Coefficient(lambda kinds, counts: 1 - percent_agreement.over(kinds, counts))
"""The share of labels that differ."""
