"""Implementation of `dragoman memory`: show, import, export and compare translation memories."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.cli.output import print_json, print_line
from dragoman.curation.translation import memory_io
from dragoman.report import formatting
from dragoman.report.text_tables import TextTable, print_table


def show_memory(path: Path, prices: Path | None, *, as_json: bool) -> None:
    """Print the contents of a memory, with its usage and cost."""
    held = memory_io.read_memory(path, prices)
    counts, usage, costs, reviews = held.counts, held.usage, held.costs, held.reviews
    if as_json:
        print_json(
            {
                "translations": counts,
                "reviews": reviews,
                "usage": [
                    {
                        "purpose": each.purpose,
                        "model": each.model,
                        "calls": each.calls,
                        "tokens_in": each.input_tokens,
                        "tokens_out": each.output_tokens,
                        "cost": None if cost is None else float(cost.paid),
                    }
                    for each, cost in zip(usage, costs, strict=True)
                ],
            }
        )
        return
    headings = ("from", "to", "origin", "texts")
    print_table(
        TextTable(
            headings,
            tuple(
                (each.source_language, each.target_language, each.origin, f"{each.entries:,}")
                for each in counts
            ),
            title=str(path),
            note="" if counts else "no translations yet",
            numbers=frozenset({"texts"}),
        )
    )
    for each, cost in zip(usage, costs, strict=True):
        print_line(
            f"\n{each.purpose} by {each.model}: {formatting.calls(each)} calls, "
            f"{formatting.format_sent_usage(each)} tokens in, "
            f"{formatting.format_received_usage(each)} out, "
            f"{formatting.money(cost)} ({held.prices.as_of})"
        )
    if reviews:
        print_line(f"\n{formatting.format_count(len(reviews), 'review')} imported")


def import_translations(
    source: str, path: Path, suites: Sequence[str], languages: Sequence[str], *, as_json: bool
) -> None:
    """Import a TMX file, or artifacts of suites, into a memory."""
    found = memory_io.import_translations(source, path, suites, languages)
    if as_json:
        print_json({"imported": found})
        return
    for each in found:
        more = [
            f"{each.read - each.taken:,} kept out by existing translations"
            if each.taken < each.read
            else "",
            f"{each.disagreeing:,} had several translations, of which the most frequent was taken"
            if each.disagreeing
            else "",
            *(f"{count:,} excluded: {why}" for why, count in each.left_out.items()),
        ]
        reported = "; ".join(part for part in more if part)
        print_line(
            f"{each.domain} into {each.language}: {formatting.format_count(each.read, 'text')}"
            f"{f' ({reported})' if reported else ''}"
        )
    if not found:
        print_line(f"{source}: no translations from English")


def export_translations(path: Path, out: Path, language: str) -> None:
    """Export a memory as TMX."""
    count = memory_io.export_translations(path, out, language)
    print_line(f"{out}: {formatting.format_count(count, 'translation')}")


def print_memory_comparison(
    path: Path, other: Path, suites: Sequence[str], languages: Sequence[str], *, as_json: bool
) -> None:
    """Print a comparison of two memories."""
    found = memory_io.compare_memories(path, other, suites, languages)
    if as_json:
        print_json({"agreement": found})
        return
    headings = ("domain", "to", "component", "texts", "equal", "chrF")
    print_table(
        TextTable(
            headings,
            tuple(
                (
                    *(each.domain, each.language, each.component),
                    *(f"{each.texts:,}", f"{each.equal:,}", f"{each.similarity:.3f}"),
                )
                for each in found
            ),
            note="" if found else "the memories have no common text",
            numbers=frozenset(headings[3:]),
        )
    )
