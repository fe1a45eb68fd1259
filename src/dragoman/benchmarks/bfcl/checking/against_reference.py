"""A verdict beside the reference's, with the rule that tells them apart."""

from collections.abc import Callable

import msgspec

from dragoman.benchmarks.bfcl.rules import BFCL_V4, DIFFERENCES, BfclRules
from dragoman.benchmarks.bfcl.verdicts import CallJudgement, Outcome
from dragoman.core.scores import Unscored

JudgeBy = Callable[[BfclRules], Outcome]
"""Judges one reply or conversation under a rule set."""


def against_reference(judge_by: JudgeBy, rules: BfclRules) -> CallJudgement:
    """Return a verdict; where the reference's is another, that and what decided."""
    found = judge_by(rules)
    reference = found if rules == BFCL_V4 else judge_by(BFCL_V4)
    if _verdict(found) == _verdict(reference):
        return CallJudgement(rules.name, found)
    return CallJudgement(rules.name, found, reference, _deciding_rule(judge_by, found, rules))


def _verdict(result: Outcome) -> tuple[str, int | None] | None:
    """Return what makes two verdicts the same: whether, how and where something is wrong."""
    if isinstance(result, Unscored):
        return "unscored", None
    return None if result.fault is None else (result.fault.error_type, result.fault.turn)


def _deciding_rule(judge_by: JudgeBy, found: Outcome, rules: BfclRules) -> str:
    """Return the rule that changed the verdict last on the way from the reference's rules.

    It is looked for from the end of the way, taking one rule back after the other.
    """
    tried = msgspec.structs.replace(rules, name=BFCL_V4.name)
    for name in reversed(DIFFERENCES):
        before = msgspec.structs.replace(tried, **{name: getattr(BFCL_V4, name)})
        if before != tried and _verdict(judge_by(before)) != _verdict(found):
            return name
        tried = before
    return ""
