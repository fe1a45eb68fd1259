"""A verdict beside the reference's, with the rule that tells them apart."""

from collections.abc import Callable

import msgspec

from dragoman.benchmarks.bfcl.rules import BFCL_V4, DIFFERENCES, BfclRules
from dragoman.benchmarks.bfcl.verdicts import Judgement, Outcome
from dragoman.core.scores import Unscored

JudgeBy = Callable[[BfclRules], Outcome]
"""Judges one reply or conversation under a rule set."""


def against_reference(judge_by: JudgeBy, rules: BfclRules) -> Judgement:
    """Return a verdict; where the reference's is another, that and what decided."""
    found, reference = judge_by(rules), judge_by(BFCL_V4)
    if _verdict(found) == _verdict(reference):
        return Judgement(rules.name, found)
    return Judgement(rules.name, found, reference, _deciding_rule(judge_by, rules))


def _verdict(result: Outcome) -> tuple[str, int | None] | None:
    """Return what makes two verdicts the same: whether, how and where something is wrong."""
    if isinstance(result, Unscored):
        return "unscored", None
    return None if result.fault is None else (result.fault.error_type, result.fault.turn)


def _deciding_rule(judge_by: JudgeBy, rules: BfclRules) -> str:
    """Return the rule that changed the verdict last on the way from the reference's rules."""
    deciding, tried, before = "", BFCL_V4, _verdict(judge_by(BFCL_V4))
    for name in DIFFERENCES:
        tried = msgspec.structs.replace(tried, **{name: getattr(rules, name)})
        now = _verdict(judge_by(tried))
        if now != before:
            deciding, before = name, now
    return deciding
