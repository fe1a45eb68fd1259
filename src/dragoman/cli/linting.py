"""`dragoman lint`."""

from collections import Counter
from typing import NamedTuple

import msgspec

from dragoman.cli.output import print_json
from dragoman.cli.progressing.bars import progress
from dragoman.conditions.language.lint.assets import MEANINGS, Defect
from dragoman.conditions.language.lint.linter import lint
from dragoman.core.texts.visible import visible
from dragoman.report.fitting import TextTable, print_table
from dragoman.wiring.conditions.language_assets import lint_subjects
from dragoman.wiring.environment import data_folder

_Column = tuple[str, str]


class LintRequest(NamedTuple):
    """What to lint: a folder, and which domains and languages of it; all where none is named."""

    assets: str
    domains: tuple[str, ...]
    languages: tuple[str, ...]


class LintReport(msgspec.Struct, frozen=True):
    """What was looked at, as domain and language, and what was found."""

    looked_at: tuple[tuple[str, str], ...]
    defects: tuple[Defect, ...]

    @property
    def counts(self) -> Counter[tuple[str, str, str]]:
        """How often each code was found, by domain, language and code."""
        found: Counter[tuple[str, str, str]] = Counter()
        for each in self.defects:
            found[each.domain, each.language, each.code] += each.count
        return found


def print_lint(wanted: LintRequest, *, full: bool, as_json: bool) -> int:
    """Lint translated artifacts and print what was found; 1 where that is anything."""
    report = _lint(wanted)
    if as_json:
        print_json(_as_json(report))
    else:
        _print_table(report)
        _print_details(report, full=full)
    return 1 if report.defects else 0


def _lint(wanted: LintRequest) -> LintReport:
    subjects = list(
        lint_subjects(
            wanted.assets, data_folder(), domains=wanted.domains, languages=wanted.languages
        )
    )
    found: list[Defect] = []
    with progress("linting", len(subjects)) as advance:
        for subject in subjects:
            found += lint(subject)
            advance()
    looked_at = tuple((subject.domain, subject.language) for subject in subjects)
    return LintReport(looked_at, tuple(found))


def _as_json(report: LintReport) -> dict[str, object]:
    return {
        "looked_at": [{"domain": domain, "language": code} for domain, code in report.looked_at],
        "counts": [
            {"domain": domain, "language": language, "code": code, "count": count}
            for (domain, language, code), count in report.counts.items()
        ],
        "defects": report.defects,
    }


def _print_table(report: LintReport) -> None:
    """Print how often each code was found, a column for each domain and language."""
    counts = report.counts
    codes = [code for code in MEANINGS if any(each.code == code for each in report.defects)]
    if not codes:
        print(f"{len(report.looked_at)} folders, no defects")
        return
    places = [f"{domain} {language}" for domain, language in report.looked_at]
    rows = (
        (
            code,
            *(str(counts[domain, language, code] or "-") for domain, language in report.looked_at),
        )
        for code in codes
    )
    print_table(TextTable(("", *places), tuple(rows), numbers=frozenset(places), keys=1))
    print(f"\n{len(report.defects)} places, {counts.total()} defects")


def _print_details(report: LintReport, *, full: bool) -> None:
    """Print what each code means, and in full every place."""
    for code, meaning in MEANINGS.items():
        found = [each for each in report.defects if each.code == code]
        if found:
            print(f"\n{code}: {meaning}" if full else f"  {code}: {meaning}")
            for each in found if full else ():
                print(_line(each))


def _line(defect: Defect) -> str:
    times = f" ({defect.count})" if defect.count > 1 else ""
    where = "/".join(part for part in (defect.domain, defect.language, defect.path) if part)
    place = f" {defect.place}" if defect.place else ""
    return visible(f"  {where}{place}: {' '.join(defect.what.split())}{times}")
