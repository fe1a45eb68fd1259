"""Verdicts of BFCL: pass or fault, compared with the reference's verdict, as a reward component.

A verdict that differs from the reference's names the rule that decided.
"""

from collections.abc import Callable

import msgspec

from dragoman.benchmarks.bfcl.rules import BFCL_V4, DIFFERENCES, BfclRules
from dragoman.core.scores import UNREADABLE_CALLS, ComponentScore, Evidence, Scored, Unscored
from dragoman.core.texts.decoding import escape_surrogates

DECODER_FAILED = "ast_decoder:decoder_failed"
WRONG_FORMAT = "ast_decoder:decoder_wrong_output_format"


class CallFault(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fault of a reply: the reference's name for it, and the reason.

    The rest is for conversations: the turn, counted from 0; the class and its attributes that
    differ; the first expected results that are missing, shortened.
    """

    error_type: str
    why: str
    turn: int | None = None
    of_class: str = ""
    attributes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class Judged(msgspec.Struct, frozen=True, omit_defaults=True):
    """A verdict: valid without a fault."""

    fault: CallFault | None = None

    @property
    def valid(self) -> bool:
        """Whether the reply passes."""
        return self.fault is None


Outcome = Judged | Unscored


class CallJudgement(msgspec.Struct, frozen=True, omit_defaults=True):
    """A verdict under a rule set, with the reference's verdict if that differs.

    `decided_by` names the rule that turned the reference's verdict into this one.
    """

    rules: str
    outcome: Outcome
    reference: Outcome | None = None
    decided_by: str = ""


class UndecidableError(Exception):
    """The data or the reference, never the reply, allow no verdict."""


JudgeBy = Callable[[BfclRules], Outcome]
"""Judges one reply or conversation under a rule set."""


def compare_with_reference(judge_by: JudgeBy, rules: BfclRules) -> CallJudgement:
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


REFERENCE = "bfcl-v4"


def reward_component(judgement: CallJudgement) -> ComponentScore:
    """Return the component CALLS of a verdict, with the reference's verdict if it differs."""
    outcome = judgement.outcome
    verdict = Scored(float(outcome.valid)) if isinstance(outcome, Judged) else outcome
    evidence = [_evidence(outcome)]
    if judgement.reference is not None:
        said = _evidence(judgement.reference)
        why = f"{said.subject}; {judgement.decided_by} decides"
        evidence.append(Evidence(REFERENCE, said.met, why, "reference"))
    return ComponentScore("CALLS", True, verdict, tuple(evidence))


def _evidence(outcome: Outcome) -> Evidence:
    if isinstance(outcome, Unscored):
        return Evidence("no verdict", None, outcome.reason)
    if outcome.fault is None:
        return Evidence("as expected", True)
    fault = outcome.fault
    kind = UNREADABLE_CALLS if fault.error_type in {DECODER_FAILED, WRONG_FORMAT} else ""
    return Evidence(fault.error_type, False, escape_surrogates(fault.why), kind)
