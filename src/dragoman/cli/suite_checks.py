"""Implementation of `dragoman check` and `lint`: checks of suites and of their translations."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, TypeVar

import msgspec

from dragoman.cli.output import print_json, print_line
from dragoman.cli.progress import progress
from dragoman.composition.conditions.language_artifacts import lint_subjects
from dragoman.composition.setup import Setup, build_setup
from dragoman.conditions.language.lint.assets import MEANINGS, Defect
from dragoman.conditions.language.lint.linter import lint
from dragoman.config.environment import data_folder
from dragoman.config.run_config import RunConfig, validated_config
from dragoman.core.conditions import TEXT
from dragoman.core.texts.characters import escape_controls
from dragoman.core.texts.counts import format_count
from dragoman.registry.suites import default_rules_of
from dragoman.report.text_tables import TextTable, print_table
from dragoman.runs.language_check import LanguageCheck, check_languages
from dragoman.runs.plan import not_applicable
from dragoman.runs.suite_check import SuiteCheck, TaskFinding, check_suite

Findings = TypeVar("Findings")

WHOLE = "domain"
"""The default scenario for checks in other languages."""


def check_command(suite: str, options: Mapping[str, object], *, as_json: bool) -> int:
    """Check a suite, also in other languages; return 1 if a task is unfair or impossible."""
    base = RunConfig(suite, ("gold", "silent"), voices=(TEXT,), rules=default_rules_of(suite))
    if options.keys() <= {"rules", "judge"}:
        return _check_suite(msgspec.structs.replace(base, **options), as_json=as_json)
    given = {"scenarios": (WHOLE,), **options, "agents": ("gold",)}
    return _check_languages(
        validated_config(msgspec.structs.replace(base, **given)), as_json=as_json
    )


def _check_suite(config: RunConfig, *, as_json: bool) -> int:
    found = asyncio.run(_closed_after(build_setup(config), check_suite))
    if as_json:
        print_json(found)
    else:
        _print(found)
    return 1 if found.unpassable else 0


def _check_languages(config: RunConfig, *, as_json: bool) -> int:
    setup = build_setup(config)
    left_out = not_applicable(setup)
    found = asyncio.run(_closed_after(setup, check_languages))
    if as_json:
        print_json({"not_applicable": left_out, "checks": found})
    else:
        for each in found:
            _print_language(each)
        for label, why in left_out.items():
            print_line(f"{label}: not applicable: {why}")
    return 0 if found and all(each.is_sound for each in found) else 1


async def _closed_after(setup: Setup, check: Callable[[Setup], Awaitable[Findings]]) -> Findings:
    try:
        return await check(setup)
    finally:
        await setup.close()


def _print_language(found: LanguageCheck) -> None:
    print(f"{found.suite} as {found.condition}: {format_count(found.tasks, 'task')}")
    print(
        f"gold: 1 on {found.passed} tasks, {len(found.undecided)} need a judge, "
        f"{len(found.failing)} fail; {len(found.other_states)} end in a state that "
        "differs from English"
    )
    print(f"labels: {found.labels} passed to tools, {len(found.refused)} refused")
    print("visible texts that are still English:")
    for part in found.coverage:
        share = f"{part.english / part.texts:6.1%}" if part.texts else "     -"
        places = ", ".join(f"{place} {count}" for place, count in part.places.items())
        print(f"  {part.kind:<20} {share} of {part.texts:<5} {places}".rstrip())
    for note in found.notes:
        print(f"note: {note}")
    _print_findings("fail", found.failing, found.tasks)
    _print_findings("end in a different state", found.other_states, found.tasks)
    _print_findings("refused labels", found.refused, 0)
    print()


def _print(found: SuiteCheck) -> None:
    low, high = found.floor
    undecided = len(found.gold_undecided)
    print(f"{found.suite} under {found.rules}: {format_count(found.tasks, 'task')}")
    print(
        f"gold: 1 on {found.gold_passed} tasks, {undecided} need a judge, {len(found.unpassable)} "
        "cannot be passed"
    )
    print(f"floor: {low} to {high} tasks are passed by doing nothing")
    if found.words_suffice:
        print(
            f"       {high + len(found.words_suffice)} at most by giving the required information "
            "without any call"
        )
    for title, findings in (
        ("cannot be passed", found.unpassable),
        ("passed by doing nothing", found.free),
        ("passed by words alone", found.words_suffice),
        ("refused writes of the reference plan", found.failing_writes),
        ("reward basis without criteria", found.nothing_to_judge),
        ("criteria outside the reward basis", found.ignored),
    ):
        _print_findings(title, findings, found.tasks)
    if undecided:
        print(f"\nneed a judge ({undecided}): {' '.join(found.gold_undecided)}")


def _print_findings(title: str, findings: tuple[TaskFinding, ...], of: int) -> None:
    if not findings:
        return
    print(f"\n{title} ({len(findings)}):")
    reasons: dict[str, list[str]] = {}
    for finding in findings:
        reasons.setdefault(finding.why, []).append(finding.task)
    for why, tasks in reasons.items():
        print_line(f"  {'all tasks' if len(tasks) == of else ' '.join(tasks)}: {why}")


_Column = tuple[str, str]


class LintRequest(NamedTuple):
    """The artifacts to lint: a folder, and its domains and languages; all if none is named."""

    assets: str
    domains: tuple[str, ...]
    languages: tuple[str, ...]


class LintReport(msgspec.Struct, frozen=True):
    """The domains and languages that were checked, and the findings."""

    looked_at: tuple[tuple[str, str], ...]
    defects: tuple[Defect, ...]

    @property
    def counts(self) -> Counter[tuple[str, str, str]]:
        """The number of findings, by domain, language and code."""
        found: Counter[tuple[str, str, str]] = Counter()
        for each in self.defects:
            found[each.domain, each.language, each.code] += each.count
        return found


def print_lint(wanted: LintRequest, *, full: bool, as_json: bool) -> int:
    """Lint translated artifacts and print the findings; return 1 if there are any."""
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
    """Print the number of findings by code, with a column for each domain and language."""
    counts = report.counts
    codes = [code for code in MEANINGS if any(each.code == code for each in report.defects)]
    if not codes:
        print(f"{format_count(len(report.looked_at), 'folder')}, no defects")
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
    places_found = format_count(len(report.defects), "place")
    print(f"\n{places_found}, {format_count(counts.total(), 'defect')}")


def _print_details(report: LintReport, *, full: bool) -> None:
    """Print the meaning of each code; in full also every place."""
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
    return escape_controls(f"  {where}{place}: {' '.join(defect.what.split())}{times}")
