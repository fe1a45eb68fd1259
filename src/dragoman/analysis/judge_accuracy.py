"""Accuracy of judges against human labels, agreement of judges, and rates corrected for errors.

A judge that says yes too often makes every agent look better. Conversations that people also
labelled give estimates of its sensitivity and specificity; Rogan and Gladen (1978) solve for the
true rate: (raw + specificity - 1) / (sensitivity + specificity - 1). A judge that is not better
than chance carries no information, and its rates are not corrected. The bias from later context is
how often a judge changes its answer on a reply once it sees the whole conversation.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import (
    INTERVAL_METHOD,
    RESAMPLES,
    TAIL,
    Interval,
    drawn_sums,
    middle_interval,
)
from dragoman.analysis.rater_agreement import (
    Coefficient,
    RaterAgreement,
    agreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
    percentile_interval,
    split_items,
)
from dragoman.core.content_keys import content_key, derive_seed

_BETTER_THAN_CHANCE = "the judge is not better than chance on the labelled conversations"


class JudgedPair(msgspec.Struct, frozen=True):
    """The human label of one conversation, and the judge's answer about it."""

    truth: bool
    judged: bool


class JudgeErrors(msgspec.Struct, frozen=True):
    """Errors of a judge on labelled conversations.

    A figure is None if it has no conversations.

    Attributes:
        hits: Number of true items that the judge calls true.
        missed: Number of true items that the judge calls false.
        false_alarms: Number of false items that the judge calls true.
        rejections: Number of false items that the judge calls false.
    """

    hits: int
    missed: int
    false_alarms: int
    rejections: int

    @property
    def sensitivity(self) -> float | None:
        """The share of true ones that the judge finds (its recall)."""
        return _share(self.hits, self.missed)

    @property
    def specificity(self) -> float | None:
        """The share of false ones that it denies."""
        return _share(self.rejections, self.false_alarms)

    @property
    def precision(self) -> float | None:
        """The share of what it says to be true that is."""
        return _share(self.hits, self.false_alarms)


class Corrected(msgspec.Struct, frozen=True):
    """A rate as judged, and the same rate corrected for the judge's errors.

    Attributes:
        raw: The rate of the judge's answers.
        value: The corrected rate, between 0 and 1; None if it cannot be corrected.
        interval: 95 % interval over the judged and the labelled conversations.
        why: Reason why the rate cannot be corrected; "" if it can.
    """

    raw: float
    value: float | None
    interval: Interval | None
    why: str = ""


def judge_errors(pairs: Sequence[JudgedPair]) -> JudgeErrors:
    """Return the counts of a judge's answers against the truth."""
    counts = [(pair.truth, pair.judged) for pair in pairs]
    return JudgeErrors(
        hits=counts.count((True, True)),
        missed=counts.count((True, False)),
        false_alarms=counts.count((False, True)),
        rejections=counts.count((False, False)),
    )


def corrected_rate(judged: Sequence[bool], pairs: Sequence[JudgedPair]) -> Corrected:
    """Return the rate of a judge's answers, raw and corrected.

    The interval covers the uncertainty of both samples: the raw rate is drawn given the judged
    conversations, sensitivity and specificity given the labelled ones. Each count is raised by a
    half, so that a judge without an error in a small sample does not count as a perfect judge.

    Args:
        judged: The judge's answers about the conversations that the rate covers; at least one.
        pairs: The judge's answers and the labels of labelled conversations.
    """
    raw = sum(judged) / len(judged)
    errors = judge_errors(pairs)
    sensitivity, specificity = errors.sensitivity, errors.specificity
    if sensitivity is None or specificity is None:
        lacking = "true" if sensitivity is None else "false"
        return Corrected(raw, None, None, f"no labelled conversation is {lacking}")
    if sensitivity + specificity <= 1:
        return Corrected(raw, None, None, _BETTER_THAN_CHANCE)
    value = _solve_true_rate(raw, sensitivity, specificity)
    interval = _interval(sum(judged), len(judged), errors)
    if interval is None:
        why = f"{_BETTER_THAN_CHANCE}, as far as {len(pairs)} can tell"
        return Corrected(raw, None, None, why)
    return Corrected(raw, value, interval)


def _solve_true_rate(raw: float, sensitivity: float, specificity: float) -> float:
    return min(max((raw + specificity - 1) / (sensitivity + specificity - 1), 0.0), 1.0)


def _interval(said: int, count: int, errors: JudgeErrors) -> Interval | None:
    """Return the middle 95 % of draws; None if a judge like this may well be chance."""
    import numpy as np

    seed = derive_seed(content_key(said, count, errors), f"intervals {INTERVAL_METHOD}")
    draws = np.random.default_rng(seed)
    raw = draws.beta(said + 0.5, count - said + 0.5, RESAMPLES)
    sensitivity = draws.beta(errors.hits + 0.5, errors.missed + 0.5, RESAMPLES)
    specificity = draws.beta(errors.rejections + 0.5, errors.false_alarms + 0.5, RESAMPLES)
    better = sensitivity + specificity - 1
    if np.quantile(better, TAIL) <= 0:
        return None
    kept = better > 0
    values = np.clip((raw[kept] + specificity[kept] - 1) / better[kept], 0, 1)
    return middle_interval(values)


def _share(some: int, others: int) -> float | None:
    return some / (some + others) if some + others else None


WHOLE = -1
"""The position of an item that is a whole conversation."""

_TWO = 2


class JudgedItem(msgspec.Struct, frozen=True, order=True):
    """The subject of one answer: a conversation, or the reply at a place in it."""

    cell: str
    position: int
    question: str


class Rater(msgspec.Struct, frozen=True, order=True):
    """One judge at one time, by one version of a rubric."""

    measure: str
    version: str
    judge: str


Answers = Mapping[Rater, Mapping[JudgedItem, int]]
"""By rater, the answers to items; booleans are 0 and 1.

An item without an answer is absent.
"""


class Shift(msgspec.Struct, frozen=True):
    """Difference of a judge's error rates on two halves of the items.

    Attributes:
        low: The share of errors on early, or short, items.
        high: The share of errors on late, or long, items.
        difference: `high` minus `low`.
        interval: 95 % interval over items.
    """

    low: float
    high: float
    difference: float
    interval: Interval | None


class LabelledFigures(msgspec.Struct, frozen=True):
    """Accuracy of one rater on one question that people labelled.

    Attributes:
        rater: The rater.
        question: The question.
        items: Number of items that people labelled.
        unanswered: Number of these items that the rater left unanswered.
        right: Percent agreement with people.
        kappa: Cohen's kappa with people.
        errors: Errors on a yes-or-no question; None for counts.
        by_position: Errors on early and late replies; None for questions about whole conversations.
        by_length: Errors on short and on long items.
    """

    rater: Rater
    question: str
    items: int
    unanswered: int
    right: RaterAgreement
    kappa: RaterAgreement
    errors: JudgeErrors | None
    by_position: Shift | None
    by_length: Shift | None


class PanelFigures(msgspec.Struct, frozen=True):
    """Agreement of several raters on one question of one version of a rubric.

    Attributes:
        measure: The rubric.
        version: Its version.
        question: The question.
        judges: The raters, in the order of the answers in `split`.
        percent: Percent agreement.
        cohen: Cohen's kappa, of two raters; None for more.
        fleiss: Fleiss' kappa.
        alpha: Krippendorff's alpha.
        split: Items with different answers, each with the answers of all raters.
    """

    measure: str
    version: str
    question: str
    judges: tuple[str, ...]
    percent: RaterAgreement
    cohen: RaterAgreement | None
    fleiss: RaterAgreement
    alpha: RaterAgreement
    split: tuple[tuple[JudgedItem, tuple[int | None, ...]], ...]


def labelled_figures(
    answers: Answers,
    labels: Mapping[JudgedItem, int],
    yes_or_no: Iterable[str],
    words: Mapping[JudgedItem, int],
) -> tuple[LabelledFigures, ...]:
    """Return the accuracy of each rater on each question that people labelled.

    Args:
        answers: The answers of the raters.
        labels: The labels of people.
        yes_or_no: The yes-or-no questions.
        words: Length of each labelled item, in words.
    """
    boolean = frozenset(yes_or_no)
    questions: dict[str, dict[JudgedItem, int]] = {}
    for item, label in sorted(labels.items()):
        questions.setdefault(item.question, {})[item] = label
    return tuple(
        _of_rater(rater, given, labelled, words, is_boolean=question in boolean)
        for question, labelled in questions.items()
        for rater, given in sorted(answers.items())
        if any(item.question == question for item in given)
    )


def panel_figures(answers: Answers) -> tuple[PanelFigures, ...]:
    """Return how far raters by one version of a rubric agree, question by question."""
    panels: dict[tuple[str, str], list[Rater]] = {}
    for rater in sorted(answers):
        panels.setdefault((rater.measure, rater.version), []).append(rater)
    return tuple(
        _panel(question, raters, answers)
        for raters in panels.values()
        if len(raters) >= _TWO
        for question in sorted({item.question for each in raters for item in answers[each]})
    )


def pairs_of(
    given: Mapping[JudgedItem, int], labels: Mapping[JudgedItem, int], question: str
) -> list[JudgedPair]:
    """Return a rater's answers to a question with the labels, for items that have both."""
    return [
        JudgedPair(bool(label), bool(given[item]))
        for item, label in sorted(labels.items())
        if item.question == question and item in given
    ]


def _of_rater(
    rater: Rater,
    given: Mapping[JudgedItem, int],
    labels: Mapping[JudgedItem, int],
    words: Mapping[JudgedItem, int],
    *,
    is_boolean: bool,
) -> LabelledFigures:
    """Return how a rater did on one question, whose labels these are."""
    question = next(iter(labels)).question
    answered = sorted(item for item in labels if item in given)
    rows = [(labels[item], given[item]) for item in answered]
    wrong = {item: int(labels[item] != given[item]) for item in answered}
    return LabelledFigures(
        rater=rater,
        question=question,
        items=len(labels),
        unanswered=len(labels) - len(answered),
        right=agreement(percent_agreement, rows),
        kappa=agreement(cohen_kappa, rows),
        errors=judge_errors(pairs_of(given, labels, question)) if is_boolean else None,
        by_position=_shift(wrong, {item: item.position for item in answered})
        if any(item.position >= 0 for item in answered)
        else None,
        by_length=_shift(wrong, {item: words[item] for item in answered if item in words}),
    )


def _shift(wrong: Mapping[JudgedItem, int], sizes: Mapping[JudgedItem, int]) -> Shift | None:
    """Return errors below and above the median of a size; None if all are of one size."""
    ordered = sorted(sizes.values())
    if not ordered or ordered[0] == ordered[-1]:
        return None
    middle = ordered[len(ordered) // 2]
    # If the median is also the smallest size, it belongs to the small ones.
    bound = middle if middle > ordered[0] else next(size for size in ordered if size > middle)
    rows = [_error(is_high=sizes[item] >= bound, is_wrong=bool(wrong[item])) for item in sizes]
    high, wrong_high, low, wrong_low = map(sum, zip(*rows, strict=True))
    shares = wrong_low / low, wrong_high / high
    return Shift(*shares, shares[1] - shares[0], _shift_interval(rows))


def _error(*, is_high: bool, is_wrong: bool) -> tuple[float, ...]:
    """Return an item's addends: large items, errors in these, small items, errors in these."""
    return tuple(map(float, (is_high, is_high and is_wrong, not is_high, not is_high and is_wrong)))


def _shift_interval(rows: Sequence[tuple[float, ...]]) -> Interval | None:
    """Return the interval of the excess error rate of large items over small ones.

    A draw without small or large items has no value.
    """
    import numpy as np

    high, wrong_high, low, wrong_low = drawn_sums(rows).T
    with np.errstate(divide="ignore", invalid="ignore"):
        return percentile_interval(wrong_high / high - wrong_low / low)


def _panel(question: str, raters: Sequence[Rater], answers: Answers) -> PanelFigures:
    given = [answers[rater] for rater in raters]
    items = sorted({item for each in given for item in each if item.question == question})
    rows = [tuple(each.get(item) for each in given) for item in items]
    first = raters[0]
    return PanelFigures(
        measure=first.measure,
        version=first.version,
        question=question,
        judges=tuple(rater.judge for rater in raters),
        percent=agreement(percent_agreement, rows),
        cohen=agreement(cohen_kappa, rows) if len(raters) == _TWO else None,
        fleiss=agreement(fleiss_kappa, rows),
        alpha=agreement(krippendorff_alpha, rows),
        split=tuple((items[place], rows[place]) for place in split_items(rows)),
    )


class LaterContextBias(msgspec.Struct, frozen=True):
    """Labels of one judge on one question, without and with later context of each reply.

    Attributes:
        question: The question.
        before: The judge that sees each reply with the context before it.
        whole: The same judge that sees the whole conversation.
        differ: The share of differing labels among the items that both labelled.
        changed: The items with different labels, each with the label of `before` and that of
            `whole`.
    """

    question: str
    before: Rater
    whole: Rater
    differ: RaterAgreement
    changed: tuple[tuple[JudgedItem, int, int], ...]


def later_context_bias(
    answers: Answers, pairs: Iterable[tuple[Rater, Rater]]
) -> tuple[LaterContextBias, ...]:
    """Return the difference of a judge's labels without and with later context.

    Args:
        answers: The answers of the raters.
        pairs: Pairs of one judge: as it saw the context before a reply, and as it saw the whole
            conversation.
    """
    return tuple(found for before, whole in pairs for found in _of_pair(answers, before, whole))


def _of_pair(answers: Answers, before: Rater, whole: Rater) -> Iterator[LaterContextBias]:
    questions: dict[str, list[tuple[JudgedItem, int, int]]] = {}
    for item, label in sorted(answers[before].items()):
        if item in answers[whole]:
            questions.setdefault(item.question, []).append((item, label, answers[whole][item]))
    for question, labels in questions.items():
        rows = [(early, late) for _, early, late in labels]
        changed = tuple(entry for entry in labels if entry[1] != entry[2])
        yield LaterContextBias(question, before, whole, agreement(_share_changed, rows), changed)


_share_changed = Coefficient(lambda kinds, counts: 1 - percent_agreement.over(kinds, counts))
"""The share of labels that differ."""
