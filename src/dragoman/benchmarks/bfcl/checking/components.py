"""A verdict of BFCL as a component of a reward, with the rule that tells it from the reference's."""

from dragoman.benchmarks.bfcl.verdicts import (
    DECODER_FAILED,
    WRONG_FORMAT,
    CallJudgement,
    Judged,
    Outcome,
)
from dragoman.core.scores import UNREADABLE_CALLS, ComponentScore, Evidence, Scored, Unscored
from dragoman.core.texts.carried import carried

REFERENCE = "bfcl-v4"


def component_of(judgement: CallJudgement) -> ComponentScore:
    """Return the component CALLS of a verdict, beside the reference's where that is another."""
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
    return Evidence(fault.error_type, False, carried(fault.why), kind)
