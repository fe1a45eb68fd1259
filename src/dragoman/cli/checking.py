"""`dragoman check`."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import msgspec

from dragoman.cli.output import print_json, print_line
from dragoman.core.conditions import TEXT
from dragoman.runs.language_check import LanguageCheck, check_languages
from dragoman.runs.plan import not_applicable
from dragoman.runs.suite_check import SuiteCheck, TaskFinding, check_suite
from dragoman.wiring.grid.config import RunConfig, checked
from dragoman.wiring.setup import Setup, build_setup
from dragoman.wiring.suites import default_rules_of

Found = TypeVar("Found")

WHOLE = "domain"
"""The scenario that languages are checked in where none is named."""


def check_command(suite: str, options: Mapping[str, object], *, as_json: bool) -> int:
    """Check a suite, or what it is in other languages; 1 where anything is unfair or impossible."""
    base = RunConfig(suite, ("gold", "silent"), voices=(TEXT,), rules=default_rules_of(suite))
    if options.keys() <= {"rules", "judge"}:
        return _check_suite(msgspec.structs.replace(base, **options), as_json=as_json)
    given = {"scenarios": (WHOLE,), **options, "agents": ("gold",)}
    return _check_languages(checked(msgspec.structs.replace(base, **given)), as_json=as_json)


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


async def _closed_after(setup: Setup, check: Callable[[Setup], Awaitable[Found]]) -> Found:
    try:
        return await check(setup)
    finally:
        await setup.close()


def _print_language(found: LanguageCheck) -> None:
    print(f"{found.suite} as {found.condition}: {found.tasks} tasks")
    print(
        f"gold: 1 on {found.passed} tasks, {len(found.undecided)} need a judge, "
        f"{len(found.failing)} fail; {len(found.other_states)} end in another state than in English"
    )
    print(f"labels: {found.labels} given to tools, {len(found.refused)} refused")
    print("still English of what is seen:")
    for part in found.coverage:
        share = f"{part.english / part.texts:6.1%}" if part.texts else "     -"
        places = ", ".join(f"{place} {count}" for place, count in part.places.items())
        print(f"  {part.kind:<20} {share} of {part.texts:<5} {places}".rstrip())
    for note in found.notes:
        print(f"note: {note}")
    _print_findings("fail", found.failing, found.tasks)
    _print_findings("end in another state", found.other_states, found.tasks)
    _print_findings("labels that are refused", found.refused, 0)
    print()


def _print(found: SuiteCheck) -> None:
    low, high = found.floor
    undecided = len(found.gold_undecided)
    print(f"{found.suite} under {found.rules}: {found.tasks} tasks")
    print(
        f"gold: 1 on {found.gold_passed} tasks, {undecided} need a judge, {len(found.unpassable)} cannot be passed"
    )
    print(f"floor: {low} to {high} tasks are passed by doing nothing")
    if found.words_suffice:
        print(
            f"       {high + len(found.words_suffice)} at most by saying the right words and calling nothing"
        )
    for title, findings in (
        ("cannot be passed", found.unpassable),
        ("passed by doing nothing", found.free),
        ("passed by words alone", found.words_suffice),
        ("a write of the reference plan is refused", found.failing_writes),
        ("the basis names what is not there", found.nothing_to_judge),
        ("listed, but not in the basis", found.ignored),
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
