"""The step `filter`: drop operations that failed over time, with a reason for each."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import msgspec

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.pipeline import (
    OPERATION,
    OPERATIONS,
    CurationStep,
    Explode,
    StepFinding,
)
from dragoman.curation.api_datasets.probing.monitor import (
    ExcludedRound,
    check_histories,
    excluded_rounds,
)
from dragoman.curation.api_datasets.probing.responses import AnswerKind, CheckHistory, RoundCheck
from dragoman.store.dataset import Dataset, StoredItem

STEP = "filter"
VERSION = "1"

_AT_ONCE = 500
"""Number of findings stored together; none of them waits for a response."""


class FilterRules(msgspec.Struct, frozen=True):
    """The rules by which operations are dropped.

    Attributes:
        least_rounds: Smallest number of counted rounds for a decision.
        good_share: The share of good rounds that an API needs.
        least_bad: Smallest number of bad rounds from which the share counts; a single one may be a
            slip.
        last_bad: An API is dropped if this many last rounds were all bad; 0 for never.
        last_drift: An API is dropped if this many last good rounds all had other responses than at
            verification; 0 for never.
        offline_share: A round is not counted if more than this share of otherwise healthy hosts had
            no connection.
    """

    least_rounds: int = 1
    good_share: float = 0.8
    least_bad: int = 2
    last_bad: int = 1
    last_drift: int = 1
    offline_share: float = 0.2

    def __post_init__(self) -> None:
        """Validate the rules.

        Raises:
            UsageError: If a rule is invalid.
        """
        for option, share in {"good": self.good_share, "offline": self.offline_share}.items():
            if not 0 <= share <= 1:
                raise UsageError(f"--{option} {share:g}: from 0 to 1")
        counts = {"rounds": self.least_rounds, "least-bad": self.least_bad}
        for option, count in counts.items():
            if count < 1:
                raise UsageError(f"--{option} {count}: at least 1")
        for option, count in {"last-bad": self.last_bad, "last-drift": self.last_drift}.items():
            if count < 0:
                raise UsageError(f"--{option} {count}: at least 0")


class FilterPlan(msgspec.Struct, frozen=True):
    """The rules and the data that they examine."""

    rules: FilterRules
    histories: Mapping[str, CheckHistory]
    aside: Mapping[str, ExcludedRound]


def filter_plan(dataset: Dataset, rules: FilterRules) -> FilterPlan:
    """Return the rules with the histories and excluded rounds of a dataset.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    found = check_histories(dataset)
    return FilterPlan(rules, found, excluded_rounds(found.values(), rules.offline_share))


def filter_steps(plan: FilterPlan) -> tuple[CurationStep, CurationStep]:
    """Return the filter step over operations and the filter step over documents.

    The latter covers the documents without any operations, which were checked as a whole. Findings
    depend on all rounds, so that another round causes all items to be examined again.
    """
    rounds = sorted({check.round for each in plan.histories.values() for check in each.checks})
    settings = {**msgspec.structs.asdict(plan.rules), "rounds": rounds, "aside": sorted(plan.aside)}

    async def look(item: StoredItem) -> StepFinding:
        history = plan.histories.get(item.name)
        if history is None:
            return StepFinding("failed", "it was never checked: `dragoman curate monitor`")
        return apply_rules(history, plan.rules, plan.aside)

    def checked_as_a_whole(item: StoredItem) -> tuple[StoredItem, ...]:
        if item.name not in plan.histories or item.record(ApiDocument).api_list:
            return ()
        return (item,)

    whole = Explode("document", checked_as_a_whole)
    return (
        CurationStep(STEP, VERSION, OPERATION, look, settings, _AT_ONCE, OPERATIONS),
        CurationStep(STEP, VERSION, "document", look, settings, _AT_ONCE, whole),
    )


def apply_rules(history: CheckHistory, rules: FilterRules, aside: Collection[str]) -> StepFinding:
    """Return the finding of the rules on a history."""
    checks = [each for each in history.checks if each.round not in aside]
    if len(checks) < rules.least_rounds:
        return StepFinding("failed", f"checked in {len(checks)} of {rules.least_rounds} rounds")
    reason = _bad_share(checks, rules) or _last_bad(checks, rules) or _drift(checks, rules)
    return StepFinding("dropped", reason) if reason else StepFinding("kept")


def _bad_share(checks: Sequence[RoundCheck], rules: FilterRules) -> str:
    bad = [each for each in checks if each.kind != "good"]
    good = len(checks) - len(bad)
    if len(bad) < rules.least_bad or good >= rules.good_share * len(checks):
        return ""
    return f"good in {good} of {len(checks)} rounds ({_format_kind_counts(bad)})"


def _last_bad(checks: Sequence[RoundCheck], rules: FilterRules) -> str:
    last = checks[-rules.last_bad :] if rules.last_bad else []
    if len(last) < max(1, rules.last_bad) or any(each.kind == "good" for each in last):
        return ""
    times = f"{len(last)} times " if last[1:] else ""
    return f"bad {times}at the last: {last[-1].reason}"


def _drift(checks: Sequence[RoundCheck], rules: FilterRules) -> str:
    good = [each for each in checks if each.kind == "good"]
    last = good[-rules.last_drift :] if rules.last_drift else []
    if len(last) < max(1, rules.last_drift):
        return ""
    always = [each for each in last[-1].drift if all(each in one.drift for one in last)]
    return f"its answers drifted: {'; '.join(always[:3])}" if always else ""


def _format_kind_counts(bad: Sequence[RoundCheck]) -> str:
    kinds: Counter[AnswerKind] = Counter(each.kind for each in bad)
    return ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
