"""Language correctness: over conversations, by position in them, and with success."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.correlation import Correlation, correlation
from dragoman.core.language.correctness import LanguageUse
from dragoman.core.scores import Scored, Unscored

ENGLISH = "en"


class LanguageFigure(msgspec.Struct, frozen=True):
    """Language correctness of one side over conversations, under one definition.

    Attributes:
        rules: The definition's name.
        conversations: Those with at least one turn that counts.
        silent: Those without any, which enter no mean.
        turns: The turns that count.
        correct: Those of them in the expected language.
        unscored: The turns that do not count, by reason, the commonest first.
        mean: The mean over conversations of their shares; None where there is none.
    """

    rules: str
    conversations: int
    silent: int
    turns: int
    correct: int
    unscored: dict[str, int]
    mean: float | None

    @property
    def pooled(self) -> float | None:
        """The share of correct turns over all turns; long conversations weigh more than short."""
        return self.correct / self.turns if self.turns else None


class PositionShare(msgspec.Struct, frozen=True):
    """Turns at one position in a conversation, and those in another language."""

    position: int
    turns: int
    off_target: int

    @property
    def share(self) -> float:
        """The share of turns in another language."""
        return self.off_target / self.turns


class EnglishShare(msgspec.Struct, frozen=True):
    """Turns of one task, over all its trials, and those in English."""

    task: str
    turns: int
    english: int

    @property
    def share(self) -> float | None:
        """The share of English turns; None where no turn counts."""
        return self.english / self.turns if self.turns else None


def language_figure(uses: Sequence[LanguageUse]) -> LanguageFigure:
    """Sum up conversations.

    Raises:
        ValueError: If no conversation is given, or they were not judged by one definition.
    """
    names = {use.rules for use in uses}
    if len(names) != 1:
        raise ValueError(f"a figure needs one definition, not {len(names)}: {sorted(names)}")
    shares = [use.verdict.value for use in uses if isinstance(use.verdict, Scored)]
    turns = sum(len(use.scored) for use in uses)
    reasons = Counter(
        turn.verdict.reason
        for use in uses
        for turn in use.turns
        if isinstance(turn.verdict, Unscored)
    )
    return LanguageFigure(
        rules=names.pop(),
        conversations=len(shares),
        silent=len(uses) - len(shares),
        turns=turns,
        correct=turns - sum(len(use.wrong) for use in uses),
        unscored=dict(reasons.most_common()),
        mean=sum(shares) / len(shares) if shares else None,
    )


def shares_by_position(uses: Iterable[LanguageUse]) -> tuple[PositionShare, ...]:
    """Return, for every position at which a turn counts, the share in another language."""
    turns: Counter[int] = Counter()
    wrong: Counter[int] = Counter()
    for use in uses:
        turns.update(turn.position for turn in use.scored)
        wrong.update(turn.position for turn in use.wrong)
    return tuple(PositionShare(at, turns[at], wrong[at]) for at in sorted(turns))


def drift(shares: Iterable[PositionShare], last: int | None = None) -> Correlation:
    """Correlate position and share, each position weighing the same.

    Late positions are reached by few conversations, and their shares are noise: `last` is the last
    position that is taken in (the source stops at 24), None takes in all.
    """
    used = [entry for entry in shares if last is None or entry.position <= last]
    return correlation([entry.position for entry in used], [entry.share for entry in used])


def english_by_task(uses: Iterable[tuple[str, LanguageUse]]) -> tuple[EnglishShare, ...]:
    """Return the share of English among the turns that count, per task in order of appearance."""
    turns: dict[str, list[bool]] = {}
    for task, use in uses:
        turns.setdefault(task, []).extend(turn.detected == ENGLISH for turn in use.scored)
    return tuple(EnglishShare(task, len(found), sum(found)) for task, found in turns.items())


def correctness_beside_success(
    figures: Mapping[str, LanguageFigure], successes: Mapping[str, float | None]
) -> Correlation:
    """Correlate pooled correctness with pass^k over the cells of a grid.

    Raises:
        ValueError: If the two do not cover the same cells.
    """
    if figures.keys() != successes.keys():
        alone = sorted(figures.keys() ^ successes.keys())
        raise ValueError(f"cells with only one of the two figures: {', '.join(alone)}")
    return correlation(
        [figure.pooled for figure in figures.values()], [successes[cell] for cell in figures]
    )
