"""BFCL's single-turn checks on recorded replies: checks, decoding, and commands.

With `PEER_BFCL=PYTHON`, an interpreter that has the published package, the package does the same
work. Its rounds alternate with ours, so that a machine whose speed varies slows both.

The time of a check runs from calls and a question in memory to the verdict. Neither side's time
includes reading its files, and neither side keeps anything from one check for another.
"""

import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import cast

from bench.bfcl.beside import Peer, beside
from bench.bfcl.commands import print_commands
from bench.recorded import Checked, Recorded, load_recorded

from dragoman.benchmarks.bfcl.ast_checker.call_check import CallCheckContext, check_calls
from dragoman.benchmarks.bfcl.call_parsers.json_calls import read_items
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.reply_parser import Form, read_calls
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.verdicts import Judged
from dragoman.core.errors import DataError
from dragoman.core.tools import ToolCall

ROUNDS = 9
QUOTED = {
    "checks": "48,000",
    "python": "33,000",
    "items": "170,000",
    "java": "6,700",
    "javascript": "7,300",
}
"""Figures of the published package, per second: quoted from a measurement elsewhere."""

Work = Callable[[], int]
"""Function that does some work once and returns how often it succeeded."""


def print_bfcl() -> None:
    try:
        recorded = load_recorded()
    except DataError as error:
        print(f"BFCL's recorded replies are not measured: {error}", file=sys.stderr)
        return
    # The test data stays alive: without freeze, scanning it for garbage would be timed too.
    gc.collect()
    gc.freeze()
    print(f"BFCL, {len(recorded.checked)} decoded replies, medians of {ROUNDS} rounds")
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "cases.json"
        path.write_text(_cases(recorded))
        with beside("peer.py", (str(path),), Path(name)) as peer:
            _print_all(recorded, peer)
    print_commands()


def _print_all(recorded: Recorded, peer: Peer | None) -> None:
    for rules in (BFCL_V4, DEFAULT_RULES):
        work = _checking(recorded.checked, rules)
        _print_measure(f"checks, {rules.name}", "checks", len(recorded.checked), work, peer)
    for form, replies in recorded.replies.items():
        work = _decoding(form, replies)
        _print_measure(f"decodes, {form}", form, len(replies), work, peer)


def _cases(recorded: Recorded) -> str:
    cases: dict[str, object] = dict(recorded.replies)
    cases["checks"] = [
        [
            *(checked.documents, [{name: given} for name, given in checked.calls], checked.answers),
            *(checked.question.language, checked.question.category, checked.underscored),
        ]
        for checked in recorded.checked
    ]
    return json.dumps(cases)


def _checking(checked: Sequence[Checked], rules: BfclRules) -> Work:
    cases = [
        (
            case.question,
            [ToolCall("", name, arguments) for name, arguments in case.calls],
            CallCheckContext(rules, case.question.language, case.underscored),
        )
        for case in checked
    ]

    def work() -> int:
        valid = 0
        for question, calls, terms in cases:
            outcome = check_calls(question, calls, terms)
            valid += isinstance(outcome, Judged) and outcome.fault is None
        return valid

    return work


def _decoding(form: str, replies: Sequence[object]) -> Work:
    def read(reply: object) -> object:
        if form == "items":
            return read_items(reply)
        return read_calls(str(reply), cast("Form", form), BFCL_V4)

    def work() -> int:
        decoded = 0
        for reply in replies:
            try:
                read(reply)
                decoded += 1
            except UnreadableError:
                continue
        return decoded

    return work


def _print_measure(what: str, measure: str, count: int, work: Work, peer: Peer | None) -> None:
    ours: list[float] = []
    theirs: list[float] = []
    succeeded = beside = 0
    for _ in range(ROUNDS):
        start = time.process_time()
        succeeded = work()
        ours.append(time.process_time() - start)
        if peer is not None:
            seconds, beside = peer.spent(measure)
            theirs.append(seconds)
    line = f"  {what:<21}{count / median(ours):9,.0f}/s ({succeeded} of {count} succeed)"
    if peer is None:
        print(f"{line}; published package {QUOTED[measure]}/s (quoted)")
        return
    ratio = median(their / our for their, our in zip(theirs, ours, strict=True))
    there = f"{count / median(theirs):,.0f}/s ({beside} succeed)"
    print(f"{line}; published package {there}: {ratio:.1f} times")


if __name__ == "__main__":
    print_bfcl()
