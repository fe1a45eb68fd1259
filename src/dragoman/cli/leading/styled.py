"""`dragoman report`, plain or in a style."""

from pathlib import Path

import msgspec

from dragoman.cli.reading import write_report
from dragoman.core.errors import UsageError

STYLE = "mm-tau-p2"

ENDINGS = {
    "html": ".html",
    "md": ".md",
    "latex": ".tex",
    "json": ".json",
    "csv": ".csv",
    "parquet": ".parquet",
}
"""The formats of a report, and how their files end."""


class ReportRequest(msgspec.Struct, frozen=True):
    """What a person asked to have written, and where to."""

    folders: tuple[Path, ...]
    out: Path | None = None
    rules: str | None = None
    judge: str | None = None
    prices: Path | None = None
    style: str | None = None
    form: str | None = None
    weights: str | None = None
    kept: float | None = None
    definitions: str | None = None


def write_styled(asked: ReportRequest) -> Path:
    """Write a report and return its path.

    Raises:
        UsageError: For a style or format that there is not, and what `mm_tau_results` raises.
        StoreError: Where a run cannot be read, or the report not be written.
    """
    form = _form(asked)
    plain = (asked.folders, asked.out, asked.rules, asked.judge, asked.prices)
    if asked.style is None:
        return write_report(*plain)
    # Tables of results are loaded where they are wanted: a plain report begins sooner without.
    from dragoman.analysis.cards_kept import KEPT
    from dragoman.analysis.mm_tau.definitions import definitions_named
    from dragoman.cli.leading.mm_tau import mm_tau_weights, mm_tau_writers
    from dragoman.cli.leading.written import write_all
    from dragoman.report.mm_tau.page import mm_tau_page
    from dragoman.tables.mm_tau_boards import mm_tau_results
    from dragoman.wiring.participants import judge_name

    found = mm_tau_results(
        asked.folders,
        asked.rules,
        judge_name(asked.judge),
        mm_tau_weights(asked.weights),
        KEPT if asked.kept is None else asked.kept,
        definitions_named(asked.definitions),
    )
    if form == "html":
        return write_report(*plain, mm_tau_page(found.boards, found.facts))
    path = asked.out or asked.folders[0] / f"{STYLE}{ENDINGS[form]}"
    write_all([path], mm_tau_writers(found), ENDINGS[form])
    return path


def _form(asked: ReportRequest) -> str:
    if asked.style not in {None, STYLE}:
        raise UsageError(f"--style {asked.style}: choose {STYLE}, or leave it out")
    if asked.weights is not None and asked.style is None:
        raise UsageError(f"--weights goes with --style {STYLE}")
    if asked.kept is not None and asked.style is None:
        raise UsageError(f"--kept goes with --style {STYLE}")
    if asked.definitions is not None and asked.style is None:
        raise UsageError(f"--definitions goes with --style {STYLE}")
    named = {ending: form for form, ending in ENDINGS.items()}
    ending = "" if asked.out is None else asked.out.suffix
    form = asked.form or (named.get(ending, "html") if asked.style else "html")
    if form not in ENDINGS:
        raise UsageError(f"--format {form}: choose {', '.join(ENDINGS)}")
    if form != "html" and asked.style is None:
        raise UsageError(f"--format {form} goes with --style {STYLE}: the whole report is HTML")
    return form
