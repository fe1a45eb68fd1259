"""Import of reviewed rows as approved texts: all of them or none."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import msgspec

from dragoman.curation.review.rows import (
    ReadRow,
    ReviewedRow,
    ReviewRow,
    ReviewText,
    cell_text,
    read_row,
    rows_of,
)
from dragoman.store.translation_memory import ReviewCount

_NAMES = "/name"
"""The suffix of the contexts of names."""

Check = Callable[[ReviewText, str], Sequence[str]]
"""A check of a translation.

It returns reasons for refusal: lost identifiers, placeholders or numbers.
"""


class ApprovedText(msgspec.Struct, frozen=True):
    """A text that a reviewer approved; `read` of its `of` sections were reviewed."""

    text: ReviewText
    target: str
    read: int
    of: int


class RefusedRow(msgspec.Struct, frozen=True):
    """A row that cannot be imported, and the reason."""

    where: str
    why: str


class Review(msgspec.Struct, frozen=True):
    """The contents of a reviewer's file.

    Attributes:
        rows: The verdicts on the reviewed rows.
        approved: The texts that may be stored, from rows `ok` and `fixed`.
        gone: Rows whose source is not among the texts any more.
        fitting: Number of rows of existing texts, reviewed or not.
        refused: Rows that cannot be imported; if there are any, nothing may be stored.
    """

    rows: tuple[ReadRow, ...]
    approved: tuple[ApprovedText, ...]
    gone: tuple[str, ...]
    refused: tuple[RefusedRow, ...]
    fitting: int = 0

    def counts(self) -> tuple[ReviewCount, ...]:
        """Return the numbers of verdicts by sheet, without texts that were reviewed before."""
        counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for each in self.rows:
            if not each.row.text.is_reviewed:
                count = counts[each.row.text.sheet]
                count[0] += each.verdict in {"ok", "fixed"}
                count[1] += each.verdict == "ok"
                count[2] += each.verdict == "unsure"
        return tuple(ReviewCount(sheet, *count) for sheet, count in counts.items())


def review_rows(texts: Sequence[ReviewText], rows: Iterable[ReviewedRow], check: Check) -> Review:
    """Return a reviewer's verdicts on texts; nothing is stored here.

    Args:
        texts: All texts that can be reviewed, as in the memory now.
        rows: The returned rows, in any order; rows that were not reviewed may be absent.
        check: Refuses translations that lost something.
    """
    known = {row.source_key: row for text in texts for row in rows_of(text)}
    gone: list[str] = []
    refused: list[RefusedRow] = []
    found: dict[str, ReadRow] = {}
    fitting = 0
    for row in rows:
        shown = known.get(row.source_key)
        if shown is None:
            _without_text(row, gone, refused)
            continue
        fitting += 1
        try:
            said = read_row(shown, row)
        except ValueError as error:
            refused.append(RefusedRow(row.where, str(error)))
            continue
        _keep(said, row.source_key, found, refused)
    judged = [each for each in found.values() if each.verdict]
    refused += _faults(judged, check)
    refused += _shared_names(judged, texts)
    return Review(
        tuple(judged), tuple(_join_approved_texts(judged)), tuple(gone), tuple(refused), fitting
    )


def _without_text(row: ReviewedRow, gone: list[str], refused: list[RefusedRow]) -> None:
    if not row.source_key:
        refused.append(
            RefusedRow(row.where, "its id is missing or damaged: copy it from the export")
        )
    else:
        gone.append(row.where)


def _keep(said: ReadRow, key: str, found: dict[str, ReadRow], refused: list[RefusedRow]) -> None:
    """Keep the verdict on a row; a repeated row must agree or have no verdict."""
    before = found.get(key)
    if before is None or not before.verdict:
        found[key] = said
    elif said.verdict and (said.verdict, said.text) != (before.verdict, before.text):
        refused.append(RefusedRow(said.where, f"contradicts {before.where}, which has the same id"))


def _faults(judged: Iterable[ReadRow], check: Check) -> list[RefusedRow]:
    return [
        RefusedRow(each.where, why)
        for each in judged
        if each.verdict == "fixed"
        for why in check(_alone(each.row), each.text)
    ]


def _shared_names(judged: Sequence[ReadRow], texts: Sequence[ReviewText]) -> list[RefusedRow]:
    """Refuse corrections that give the same name to two things with different names."""
    names = {(text.context, text.source): text.target for text in texts if _is_name(text)}
    names |= {
        (text.context, text.source): each.text
        for each in judged
        if each.verdict == "fixed" and _is_name(text := each.row.text)
    }
    holders: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for (context, source), name in names.items():
        holders[context, _normalize_column_name(name)].append(source)
    found = []
    for each in judged:
        text = each.row.text
        if each.verdict != "fixed" or not _is_name(text):
            continue
        others = holders[text.context, _normalize_column_name(each.text)]
        other = next(
            (
                it
                for it in others
                if _normalize_column_name(it) != _normalize_column_name(text.source)
            ),
            None,
        )
        if other is not None:
            why = f"its correction is the name of {other!r:.60} too: two things need two names"
            found.append(RefusedRow(each.where, why))
    return found


def _is_name(text: ReviewText) -> bool:
    """Return whether a text is a name in the domain's data."""
    return text.context.endswith(_NAMES)


def _normalize_column_name(name: str) -> str:
    return " ".join(cell_text(name).casefold().split())


def _alone(row: ReviewRow) -> ReviewText:
    """Return a row as a separate text, so that a section is checked with its own source."""
    return msgspec.structs.replace(row.text, source=row.source, target=row.translation)


def _join_approved_texts(judged: Iterable[ReadRow]) -> list[ApprovedText]:
    """Join the approved sections into texts; unreviewed sections of a document stay."""
    by_text: defaultdict[tuple[str, str], dict[int, ReadRow]] = defaultdict(dict)
    for each in judged:
        if each.verdict in {"ok", "fixed"}:
            text = each.row.text
            by_text[text.context, text.source][each.row.number] = each
    found = []
    for parts in by_text.values():
        text = next(iter(parts.values())).row.text
        rows = rows_of(text)
        target = "".join(
            parts[row.number].text if row.number in parts else row.translation for row in rows
        )
        found.append(ApprovedText(text, target, len(parts), len(rows)))
    return found
