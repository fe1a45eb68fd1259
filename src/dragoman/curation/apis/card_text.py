"""A dataset's card as Markdown."""

from collections.abc import Iterator, Sequence

from dragoman.core.version import VERSION
from dragoman.curation.apis.card import DatasetCard

MOST = 40
"""Lines of one table; what is beyond is counted in one line."""


def card_as_markdown(card: DatasetCard, name: str) -> str:
    """Return a card that people read."""
    return "\n".join(_lines(card, name)) + "\n"


def _lines(card: DatasetCard, name: str) -> Iterator[str]:
    splits = sorted(card.tasks)
    total = sum(card.tasks.values())
    yield f"# {_cell(name)}"
    yield ""
    yield (
        f"{total:,} tasks over {card.operations:,} operations of {card.apis:,} APIs, made by Dragoman "
        f"{VERSION}."
    )
    yield ""
    yield from _table(("split", "tasks"), [(each, f"{card.tasks[each]:,}") for each in splits])
    if card.test_seen:
        parts = ", ".join(f"{number:,} {what}" for what, number in sorted(card.test_seen.items()))
        yield ""
        yield f"Operations of test tasks: {parts}. No training task needs or offers a test operation."
    for what, counts in card.by.items():
        yield ""
        rows = [
            (value, *(f"{by.get(split, 0):,}" for split in splits), f"{sum(by.values()):,}")
            for value, by in counts.items()
        ]
        yield from _table((what, *splits, "all"), rows[:MOST])
        if len(rows) > MOST:
            yield ""
            yield f"And {len(rows) - MOST:,} more."
    yield ""
    yield from _table(
        ("licence of documents", "documents"),
        [(licence or "none stated", f"{n:,}") for licence, n in card.licences.items()],
    )
    yield ""
    yield from _table(
        ("source", "documents"), [(source, f"{n:,}") for source, n in card.sources.items()]
    )
    yield ""
    yield from _table(
        ("step", "of", "source", "seen", "kept", "dropped", "merged", "failed"),
        [
            (
                each.step,
                each.kind,
                each.source,
                *map("{:,}".format, (each.seen, each.kept, each.dropped, each.merged, each.failed)),
            )
            for each in card.funnel
        ],
    )
    if card.audited:
        yield ""
        yield f"{card.audited:,} answers should be looked at by a person: their models did not agree."


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield f"|{'---|' * len(headings)}"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(text: str) -> str:
    """Return what documents say so that it is text in Markdown, whatever it holds."""
    plain = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>|#!" else letter for letter in plain)
