"""Verdicts on replies: whether they pass, why not, and which rule decided."""

import msgspec

from dragoman.core.scores import Unscored

DECODER_FAILED = "ast_decoder:decoder_failed"
WRONG_FORMAT = "ast_decoder:decoder_wrong_output_format"


class CallFault(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is wrong with a reply: the reference's name for it, and where.

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
    """A verdict: valid where there is no fault."""

    fault: CallFault | None = None

    @property
    def valid(self) -> bool:
        """Whether the reply passes."""
        return self.fault is None


Outcome = Judged | Unscored


class CallJudgement(msgspec.Struct, frozen=True, omit_defaults=True):
    """A verdict under a rule set, beside the reference's where it is another.

    `decided_by` names the rule that turned the reference's verdict into this one.
    """

    rules: str
    outcome: Outcome
    reference: Outcome | None = None
    decided_by: str = ""


class UndecidableError(Exception):
    """What leaves a reply without a verdict: the data or the reference, never the reply."""
