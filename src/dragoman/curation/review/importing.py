"""Reviewed rows become approved texts, all of them or none."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from dragoman.curation.review.rows import (
    Judgement,
    ReviewedRow,
    ReviewRow,
    Translated,
    judgement,
    rows_of,
)

Check = Callable[[Translated, str], Sequence[str]]
"""Returns why a text cannot stand for a translation: lost identifiers, placeholders, numbers."""


class Approved(msgspec.Struct, frozen=True):
    """A text that a reviewer lets stand; `read` of `of` sections of it were read."""

    text: Translated
    target: str
    read: int
    of: int


class Refusal(msgspec.Struct, frozen=True):
    """A row that cannot be imported, and why."""

    where: str
    why: str


class Acceptance(msgspec.Struct, frozen=True):
    """Of `reviewed` rows `accepted` stand as the machine translated them; `unsure` are left open."""

    reviewed: int
    accepted: int
    unsure: int = 0

    @property
    def rate(self) -> float | None:
        """The share that was accepted; None where nothing was reviewed."""
        return self.accepted / self.reviewed if self.reviewed else None


class Review(msgspec.Struct, frozen=True):
    """What a reviewer's file says.

    Attributes:
        judgements: What is said of each row that was read.
        approved: The texts that may be kept, of rows `ok` and `fixed`.
        gone: Rows whose source is not among the texts any more.
        refused: Rows that cannot be imported; where there is one, nothing is to be kept.
    """

    judgements: tuple[Judgement, ...]
    approved: tuple[Approved, ...]
    gone: tuple[str, ...]
    refused: tuple[Refusal, ...]

    def acceptance(self) -> Mapping[str, Acceptance]:
        """Return how much was accepted, by sheet; a row that a reviewer had fixed before counts not."""
        counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for each in self.judgements:
            if not each.row.text.is_reviewed:
                count = counts[each.row.text.sheet]
                count[0] += each.verdict in {"ok", "fixed"}
                count[1] += each.verdict == "ok"
                count[2] += each.verdict == "unsure"
        return {sheet: Acceptance(*count) for sheet, count in counts.items()}


def reviewed(texts: Sequence[Translated], rows: Iterable[ReviewedRow], check: Check) -> Review:
    """Return what a reviewer's rows say of texts; nothing is stored here.

    Args:
        texts: All texts that can be reviewed, as the memory has them now.
        rows: What came back, in any order; rows that were not read may be absent.
        check: Refuses what a translation must not lose.
    """
    known = {row.source_key: row for text in texts for row in rows_of(text)}
    gone: list[str] = []
    refused: list[Refusal] = []
    found: dict[str, Judgement] = {}
    for row in rows:
        shown = known.get(row.source_key)
        if shown is None:
            _without_text(row, gone, refused)
            continue
        try:
            said = judgement(shown, row)
        except ValueError as error:
            refused.append(Refusal(row.where, str(error)))
            continue
        _keep(said, row.source_key, found, refused)
    judged = [each for each in found.values() if each.verdict]
    refused += _faults(judged, check)
    return Review(tuple(judged), tuple(_approved(judged)), tuple(gone), tuple(refused))


def _without_text(row: ReviewedRow, gone: list[str], refused: list[Refusal]) -> None:
    if not row.source_key:
        refused.append(Refusal(row.where, "its id is missing or damaged: copy it from the export"))
    else:
        gone.append(row.where)


def _keep(said: Judgement, key: str, found: dict[str, Judgement], refused: list[Refusal]) -> None:
    """Keep what is said of a row; a row that stands twice must say the same, or be read once."""
    before = found.get(key)
    if before is None or not before.verdict:
        found[key] = said
    elif said.verdict and (said.verdict, said.text) != (before.verdict, before.text):
        refused.append(Refusal(said.where, f"contradicts {before.where}, which has the same id"))


def _faults(judged: Iterable[Judgement], check: Check) -> list[Refusal]:
    return [
        Refusal(each.where, why)
        for each in judged
        if each.verdict == "fixed"
        for why in check(_alone(each.row), each.text)
    ]


def _alone(row: ReviewRow) -> Translated:
    """Return a row as a text of its own: a section is checked beside its own source."""
    return msgspec.structs.replace(row.text, source=row.source, target=row.translation)


def _approved(judged: Iterable[Judgement]) -> list[Approved]:
    """Put the texts together; what was not read of a document stays as it is."""
    by_text: defaultdict[tuple[str, str], dict[int, Judgement]] = defaultdict(dict)
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
        found.append(Approved(text, target, len(parts), len(rows)))
    return found
