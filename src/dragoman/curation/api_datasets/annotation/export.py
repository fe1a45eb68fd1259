"""Export of annotation and adjudication sheets for queries after `rate`."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.apis.tasks import ApiTask
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.annotation.assignment import (
    ADJUDICATOR,
    EXPERT,
    Assignment,
    AssignmentPlan,
    OpenQuery,
    assign,
)
from dragoman.curation.api_datasets.annotation.labels import (
    GIVING,
    GOLD,
    SHEET,
    STEP,
    AnnotatorLabel,
    ReviewSheet,
    assigned_rows,
    stored_labels,
)
from dragoman.curation.api_datasets.annotation.sheets import SheetRow, apis_text
from dragoman.curation.api_datasets.operations import (
    KnownOperation,
    known_operations,
    operation_description,
)
from dragoman.curation.api_datasets.pipeline import active, ledger_lines
from dragoman.curation.api_datasets.query_briefs import Brief, used_operations
from dragoman.curation.api_datasets.rate import QueryRating
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome, StoredItem

_ID_LENGTH = 12


class AnnotationBatch(msgspec.Struct, frozen=True):
    """A batch of assigned queries.

    Attributes:
        given: The assignment.
        sheets: The rows of each annotator.
        outcomes: The outcomes to store after the sheets are written.
    """

    given: Assignment
    sheets: dict[str, tuple[SheetRow, ...]]
    outcomes: tuple[StepOutcome, ...]


def annotation_batch(
    dataset: Dataset, gold: Mapping[str, QueryRating], plan: AssignmentPlan
) -> AnnotationBatch:
    """Return the sheets of all queries that lack annotators; nothing is stored yet.

    A query lacks annotators if it has not been decided on and is assigned to fewer annotators than
    the plan requires. An annotator whose labels were discarded does not count.

    Args:
        dataset: The dataset.
        gold: An expert's ratings of queries, by id; ratings of earlier batches are already stored.
        plan: The plan of the assignment.

    Raises:
        UsageError: Without gold questions, or without a query to assign.
        StoreError: If the dataset cannot be read.
    """
    tasks = {item.name: item for item in dataset.items("task")}
    known_gold = {*stored_labels(dataset, GOLD).get(EXPERT, {}), *gold}
    if not known_gold:
        raise UsageError(
            "export: name the queries that an expert has labelled: --gold FILE.csv "
            "(docs/how_to/curate.md)"
        )
    given = assigned_rows(dataset)
    had = {
        name: frozenset(each for each, rows in given.items() if name in rows.values())
        for name in tasks
    }
    records = {name: item.record(ApiTask) for name, item in tasks.items()}
    lacking = _lacking(dataset, known_gold, had, plan)
    queries = {
        name: OpenQuery(records[name].language, lacks, had[name]) for name, lacks in lacking.items()
    }
    hidden = {name: OpenQuery(records[name].language, 0, had[name]) for name in sorted(known_gold)}
    answered = {
        each.name: sum(each.name in had[name] for name in known_gold) for each in plan.annotators
    }
    found = assign(queries, hidden, answered, plan)
    if not found.queries:
        raise UsageError(_nothing(found))
    shown = _load_display_data(dataset, records)
    sheets = {
        annotator: tuple(shown(name, _row_id(plan, annotator, name)) for name in names)
        for annotator, names in found.queries.items()
    }
    return AnnotationBatch(found, sheets, _outcomes(dataset, found, tasks, gold, plan))


def adjudication_batch(
    dataset: Dataset, names: Sequence[str]
) -> tuple[tuple[SheetRow, ...], StepOutcome]:
    """Return the sheet of disputed queries and the outcome to store.

    The annotators differ on these queries. The caller stores the outcome after it has written the
    sheet.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    records = {item.name: item.record(ApiTask) for item in dataset.items("task")}
    shown = _load_display_data(dataset, records)
    rows = {content_key("row", ADJUDICATOR, name)[:_ID_LENGTH]: name for name in sorted(names)}
    sheet = ReviewSheet(ADJUDICATOR, rows)
    line = StepLine(GIVING, "batch", ADJUDICATOR, "kept")
    outcome = StepOutcome(line, (NewItem(SHEET, ADJUDICATOR, sheet),))
    return tuple(shown(name, row) for row, name in rows.items()), outcome


def _lacking(
    dataset: Dataset,
    gold: set[str],
    had: Mapping[str, frozenset[str]],
    plan: AssignmentPlan,
) -> dict[str, int]:
    """Return the number of annotators that each undecided query lacks."""
    decided = {
        line.name
        for line in ledger_lines(dataset, STEP, {"kept", "dropped"})
        if line.kind == "task"
    }
    fallen = {
        line.name for line in ledger_lines(dataset, STEP, {"dropped"}) if line.kind == "annotator"
    }
    found = {}
    for item in active(dataset, "task", STEP):
        lacks = plan.per_query - len(had[item.name] - fallen)
        if lacks > 0 and item.name not in gold | decided:
            found[item.name] = lacks
    return found


def _nothing(found: Assignment) -> str:
    if found.short:
        languages = ", ".join(f"{language} {count:,}" for language, count in found.short.items())
        return f"export: nobody reads what there is ({languages}): name annotators for it"
    return "export: every query has its annotators already; another batch needs more queries"


def _load_display_data(dataset: Dataset, tasks: Mapping[str, ApiTask]) -> "_Shown":
    documents = [item.record(ApiDocument) for item in dataset.items("document")]
    briefs = {item.name: item.record(Brief) for item in dataset.items("brief")}
    return _Shown(known_operations(documents), briefs, tasks)


class _Shown:
    """The presentation of queries.

    APIs that were dropped are shown too, since a gold question may be a bad query.
    """

    def __init__(
        self,
        known: Mapping[str, KnownOperation],
        briefs: Mapping[str, Brief],
        tasks: Mapping[str, ApiTask],
    ) -> None:
        self._known = known
        self._briefs = briefs
        self._tasks = tasks

    def __call__(self, name: str, row_id: str) -> SheetRow:
        """Return the row of a query."""
        task = self._tasks[name]
        used = [
            self._known[each] for each in used_operations(task, self._briefs) if each in self._known
        ]
        apis = apis_text(operation_description(each.document, each.operation) for each in used)
        return SheetRow(row_id, task.query, task.language, task.country or "Global", apis)


def _row_id(plan: AssignmentPlan, annotator: str, name: str) -> str:
    return content_key("row", plan.seed, annotator, name)[:_ID_LENGTH]


def _outcomes(
    dataset: Dataset,
    found: Assignment,
    tasks: Mapping[str, StoredItem],
    gold: Mapping[str, QueryRating],
    plan: AssignmentPlan,
) -> tuple[StepOutcome, ...]:
    number = 1 + sum(line.kind == "batch" for line in dataset.ledger(GIVING))
    sheets = tuple(
        NewItem(
            SHEET,
            f"{annotator}/{number}",
            ReviewSheet(annotator, {_row_id(plan, annotator, name): name for name in names}),
        )
        for annotator, names in found.queries.items()
    )
    return (
        *(gold_outcome(tasks[name], rating) for name, rating in gold.items()),
        StepOutcome(StepLine(GIVING, "batch", str(number), "kept"), sheets),
    )


def gold_outcome(item: StoredItem, rating: QueryRating) -> StepOutcome:
    """Return the stored form of a gold question.

    A later rating by an expert replaces the earlier one.
    """
    label = AnnotatorLabel(item.name, EXPERT, rating, item.digest)
    line = StepLine(GIVING, "task", item.name, "kept", "gold question", item.source)
    return StepOutcome(line, (NewItem(GOLD, item.name, label),))
