"""Validation of measures against human labels, conversation by conversation and turn by turn."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec

from dragoman.core.capabilities import DescribesDomains, ReadsLabelled
from dragoman.core.errors import UsageError
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.measures import CountedItem, MeasureSetting, ScoringContext
from dragoman.core.protocols import EnvironmentFactory
from dragoman.core.result_files import DomainFacts, LabelledConversation, LabelledFile
from dragoman.core.scores import Unscored
from dragoman.core.tasks import RiskProfile, Task
from dragoman.core.tools import ToolKind
from dragoman.experiments.human_labels import Labels, known_labels, read_labels_of
from dragoman.registry.suites import benchmarks
from dragoman.scoring.measures.agent_questions import QUESTIONS
from dragoman.scoring.measures.count_measure import CountMeasure
from dragoman.scoring.measures.effort import EFFORT
from dragoman.scoring.measures.recovery import recovery_measure
from dragoman.scoring.measures.safety import safety_measure
from dragoman.simulation.phrasebooks import shipped_phrasebook

Entries = Mapping[str, Sequence[CountedItem] | Unscored]
"""Counted items of each measure in one conversation, by measure name."""


class Difference(msgspec.Struct, frozen=True):
    """A conversation in which a measure's counts differ from the labels.

    `measured` is None if nothing could be counted, for the reason `why`. Turns are those of one
    side alone, as places of messages from 0.
    """

    file: str
    conversation: str
    label: str
    labelled: int
    measured: int | None
    only_labelled: tuple[int, ...] = ()
    only_measured: tuple[int, ...] = ()
    why: str = ""


class LabelFigures(msgspec.Struct, frozen=True):
    """Agreement of a measure with one label.

    Attributes:
        label: The label.
        measure: The measure that counts it, with its version.
        conversations: Number of conversations with the label; `unscored` of these cannot be
            measured.
        labelled: Number of labelled occurrences over all of them.
        measured: Number of occurrences that the measure counts in those that it can measure.
        exact: Number of conversations with the same numbers and, if stated, the same turns.
        undecided: Number of occurrences that the measure leaves undecided.
    """

    label: str
    measure: str
    conversations: int
    unscored: int
    labelled: int
    measured: int
    exact: int
    undecided: int = 0


class LabelComparison(msgspec.Struct, frozen=True):
    """Comparison of labels and measures, in total and by label."""

    conversations: int
    unlabelled: int
    figures: tuple[LabelFigures, ...]
    differences: tuple[Difference, ...]

    @property
    def is_exact(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


class _Compared(msgspec.Struct, frozen=True):
    label: str
    labelled: int
    measured: int | None
    difference: Difference | None
    undecided: int = 0


class _ToolKinds:
    """An environment that knows only the kinds of its tools."""

    def __init__(self, kinds: Mapping[str, ToolKind]) -> None:
        self._kinds = kinds

    def kind(self, name: str) -> ToolKind | None:
        return self._kinds.get(name)


def check_labels(paths: Sequence[Path]) -> LabelComparison:
    """Compare human labels in result files of tau2-bench with the counts of measures.

    Raises:
        DataError: If a file is missing, damaged or contradicts itself.
        UsageError: If no conversation has labels, or the domain of a file is not known.
    """
    found = [_compare_file(path) for path in paths]
    compared = [each for path in found for each in path.compared]
    labelled = sum(each.labelled for each in found)
    if not labelled:
        raise UsageError(
            f"{paths[0]}: no conversation has `labels`: docs/how_to/judges.md says how"
        )
    measures = {name: f"{one.name} {one.version}" for name, one in _measures(None).items()}
    figures = (
        _figures(name, measures[label.measure], [each for each in compared if each.label == name])
        for name, label in known_labels().items()
    )
    return LabelComparison(
        labelled,
        sum(each.unlabelled for each in found),
        tuple(each for each in figures if each.conversations),
        tuple(each.difference for each in compared if each.difference is not None),
    )


class _File(msgspec.Struct, frozen=True):
    compared: Sequence[_Compared]
    labelled: int
    unlabelled: int


def _compare_file(path: Path) -> _File:
    file = labelled_records(path)
    facts = domain_facts(file, path)
    reported = [(record, *read_labels_of(record, path)) for record in file.records]
    # A label that occurs anywhere in a file was looked for in the whole file.
    every = {label for _, labels, _ in reported if labels is not None for label in labels.counts}
    compared = [
        each
        for record, labels, language in reported
        if labels is not None
        for each in _compare_labels(
            record, labels, sorted(every), counted_entries(record, language, facts), path
        )
    ]
    count = sum(labels is not None for _, labels, _ in reported)
    return _File(compared, count, len(reported) - count)


def labelled_records(path: Path) -> LabelledFile:
    """Return the conversations of a labelled file."""
    reader = next(each for each in benchmarks() if isinstance(each, ReadsLabelled))
    return reader.read_labelled(path)


def domain_facts(file: LabelledFile, path: Path) -> DomainFacts:
    """Return what is known of the domain of a file."""
    for each in benchmarks():
        if isinstance(each, DescribesDomains):
            facts = each.describe(file.domain)
            if facts is not None:
                return facts
    raise UsageError(f"{path}: nothing is known of the domain {file.domain!r:.80} and its tools")


def _measures(facts: DomainFacts | None) -> Mapping[str, CountMeasure]:
    risk_profile = RiskProfile() if facts is None else facts.risk_profile
    every = (EFFORT, recovery_measure(risk_profile), QUESTIONS, safety_measure(risk_profile))
    return {measure.name: measure for measure in every}


def counted_entries(record: LabelledConversation, language: str, facts: DomainFacts) -> Entries:
    """Return what the measures counted of a conversation, by measure."""
    case = ScoringContext(
        _with_facts(record.task, facts),
        record.episode,
        # Of worlds, these measures ask for the kinds of tools alone, which need no data.
        cast("EnvironmentFactory", lambda _: _ToolKinds(facts.kinds)),
        setting=MeasureSetting(language),
        phrases=_phrases(language),
    )
    entries: dict[str, Sequence[CountedItem] | Unscored] = {}
    for name, measure in _measures(facts).items():
        counted = measure.count(case)
        entries[name] = counted if isinstance(counted, Unscored) else tuple(counted)
    return entries


def _with_facts(task: Task, facts: DomainFacts) -> Task:
    """Return a task with the facts that its user knows, which the format has no place for."""
    scenario = facts.scenarios.get(task.id)
    if scenario is None or task.scenario.facts:
        return task
    known = msgspec.structs.replace(task.scenario, facts=scenario.facts)
    return msgspec.structs.replace(task, scenario=known)


def _phrases(language: str) -> Phrasebook | None:
    return shipped_phrasebook(language)


def _compare_labels(
    record: LabelledConversation, labels: Labels, every: Sequence[str], entries: Entries, path: Path
) -> Iterator[_Compared]:
    for name in every:
        label = known_labels()[name]
        counted = entries[label.measure]
        labelled = labels.counts.get(name, 0)
        if isinstance(counted, Unscored):
            why = counted.reason
            differing = Difference(str(path), record.id, name, labelled, None, why=why)
            yield _Compared(name, labelled, None, differing)
            continue
        found: Counter[int | None] = Counter()
        left: Counter[int | None] = Counter()
        for entry in counted:
            number = entry.counts.get(label.counts, 0) - entry.counts.get(label.less, 0)
            left[entry.position] += int(entry.counts.get(label.undecided, 0))
            found[entry.position] += int(number) - int(entry.counts.get(label.undecided, 0))
        yield _against(record, labels, name, (+found, +left), path)


def _against(
    record: LabelledConversation,
    labels: Labels,
    name: str,
    counted: tuple[Counter[int | None], Counter[int | None]],
    path: Path,
) -> _Compared:
    """Compare the labels with the counts that were found and those that were left open.

    Counts that were left open do not differ from anything.
    """
    found, left = counted
    labelled, measured = labels.counts.get(name, 0), found.total()
    reported = labels.turns.get(name, Counter())
    places = _drop_unplaced(found)
    only_labelled = tuple(sorted((reported - places - _drop_unplaced(left)).elements()))
    only_measured = tuple(sorted((places - reported).elements())) if reported else ()
    difference = None
    is_within = measured <= labelled <= measured + left.total()
    if not is_within or only_labelled or only_measured:
        difference = Difference(
            str(path), record.id, name, labelled, measured, only_labelled, only_measured
        )
    return _Compared(name, labelled, measured, difference, left.total())


def _drop_unplaced(found: Counter[int | None]) -> Counter[int]:
    return Counter({place: count for place, count in found.items() if place is not None})


def _figures(name: str, measure: str, compared: Sequence[_Compared]) -> LabelFigures:
    return LabelFigures(
        label=name,
        measure=measure,
        conversations=len(compared),
        unscored=sum(each.measured is None for each in compared),
        labelled=sum(each.labelled for each in compared),
        measured=sum(each.measured or 0 for each in compared),
        exact=sum(each.difference is None and not each.undecided for each in compared),
        undecided=sum(each.undecided for each in compared),
    )
