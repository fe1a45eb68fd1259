"""`dragoman check`."""

import asyncio

from dragoman.cli.output import print_json
from dragoman.core.rules import DEFAULT_RULES
from dragoman.runs.check import Finding, SuiteCheck, check_suite
from dragoman.wiring.config import RunConfig
from dragoman.wiring.setup import build_setup


def check_suite_command(suite: str, rules: str | None, judge: str | None, *, as_json: bool) -> int:
    """Check a suite and print what was found; 1 where gold fails a task it should pass."""
    config = RunConfig(
        suite, ("gold", "silent"), judge=judge or "none", rules=rules or DEFAULT_RULES.name
    )
    found = asyncio.run(check_suite(build_setup(config)))
    if as_json:
        print_json(found)
    else:
        _print(found)
    return 1 if found.unpassable else 0


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


def _print_findings(title: str, findings: tuple[Finding, ...], of: int) -> None:
    if not findings:
        return
    print(f"\n{title} ({len(findings)}):")
    reasons: dict[str, list[str]] = {}
    for finding in findings:
        reasons.setdefault(finding.why, []).append(finding.task)
    for why, tasks in reasons.items():
        print(f"  {'all tasks' if len(tasks) == of else ' '.join(tasks)}: {why}")
