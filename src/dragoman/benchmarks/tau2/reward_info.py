"""`reward_info` of tau2-bench: decode it to a score, and encode a score as one."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.benchmarks.tau2.tasks import Record, encode_action, encode_assertion
from dragoman.core.errors import DataError
from dragoman.core.scores import (
    IMPORTED,
    ComponentScore,
    Evidence,
    Score,
    Scored,
    Unscored,
    Verdict,
)
from dragoman.core.tasks import Component, Criteria
from dragoman.core.texts.decoding import TranslatedErrors

OURS = "dragoman"
"""Our key in the format's free `info` objects."""


class _StateCheck(msgspec.Struct):
    db_match: bool | None = None


class _Function(msgspec.Struct):
    func_name: str
    message: str | None = None


class _AssertionCheck(msgspec.Struct):
    env_assertion: _Function
    met: bool


class _Action(msgspec.Struct):
    action_id: str
    name: str


class _ActionCheck(msgspec.Struct):
    action: _Action
    action_match: bool
    tool_type: str | None = None


class _SpokenCheck(msgspec.Struct):
    info: str
    met: bool
    justification: str | None = None


class _JudgedCheck(msgspec.Struct):
    nl_assertion: str
    met: bool
    justification: str | None = None


class _Ours(msgspec.Struct, frozen=True, omit_defaults=True):
    rules: str = ""
    judge: str = ""
    note: str = ""
    undecided: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


class _Info(msgspec.Struct, rename={"ours": OURS}):
    ours: _Ours = _Ours()
    note: object = None


class _RewardInfo(msgspec.Struct):
    reward: float | None = None
    db_check: _StateCheck | None = None
    env_assertions: list[_AssertionCheck] | None = None
    action_checks: list[_ActionCheck] | None = None
    communicate_checks: list[_SpokenCheck] | None = None
    nl_assertions: list[_JudgedCheck] | None = None
    reward_basis: list[str] | None = None
    reward_breakdown: dict[str, float | None] | None = None
    info: _Info | None = None


def decode_reward(record: msgspec.Raw, where: str) -> Score:
    """Return a file's verdict on one simulation as a score, with its checks as evidence.

    Raises:
        DataError: If the record does not have the format; the message begins with `where`.
    """
    with TranslatedErrors(DataError, f"{where}: its reward_info is damaged"):
        given = msgspec.json.decode(record, type=_RewardInfo | None)
    if given is None or given.reward is None:
        return unscored_result("the file has no reward for it")
    info = given.info or _Info()
    note = info.note if isinstance(info.note, str) else info.ours.note
    components = tuple(
        _component(name, evidence, given) for name, evidence in _evidence(given).items()
    )
    reward = _fraction(given.reward, info.ours.undecided)
    return Score(IMPORTED, IMPORTED, reward, components, note=note)


def action_subject(identity: str, name: str) -> str:
    """Return how evidence names a planned action."""
    return f"{identity} {name}"


def unscored_result(reason: str) -> Score:
    """Return the score of a simulation to which its file gives none."""
    return Score(IMPORTED, IMPORTED, Unscored(reason), ())


def _fraction(value: float, undecided: tuple[str, ...] = ()) -> Verdict:
    if 0 <= value <= 1:
        return Scored(value, undecided)
    return Unscored(f"the file's reward {value:g} does not lie between 0 and 1")


def _evidence(given: _RewardInfo) -> Mapping[Component, tuple[Evidence, ...]]:
    matches = None if given.db_check is None else given.db_check.db_match
    state = () if matches is None else (Evidence("state", matches),)
    return {
        "DB": state,
        "ENV_ASSERTION": tuple(
            Evidence(check.env_assertion.func_name, check.met, check.env_assertion.message or "")
            for check in given.env_assertions or ()
        ),
        "ACTION": tuple(
            Evidence(
                action_subject(check.action.action_id, check.action.name),
                check.action_match,
                kind=check.tool_type or "",
            )
            for check in given.action_checks or ()
        ),
        "COMMUNICATE": tuple(
            Evidence(check.info, check.met, check.justification or "")
            for check in given.communicate_checks or ()
        ),
        "NL_ASSERTION": tuple(
            Evidence(check.nl_assertion, check.met, check.justification or "")
            for check in given.nl_assertions or ()
        ),
    }


def _component(
    name: Component, evidence: tuple[Evidence, ...], given: _RewardInfo
) -> ComponentScore:
    """Return a component with the file's own value; outside the basis, with what its checks say."""
    stated = (given.reward_breakdown or {}).get(name)
    verdict: Verdict | None = None
    if stated is not None:
        verdict = _fraction(stated)
    elif evidence:
        verdict = Scored(float(all(entry.met for entry in evidence)))
    in_basis = name in (given.reward_basis or ())
    assumed = given.info is not None and name in given.info.ours.assumed
    return ComponentScore(name, in_basis, verdict, evidence, assumed)


def encode_reward(score: Score | None, criteria: Criteria | None) -> Record | None:
    """Return a score as a `reward_info`; None if it has no value.

    Checks are written if every one of them was decided.
    """
    if score is None or isinstance(score.reward, Unscored):
        return None
    decided = {
        part.component: part for part in score.components if isinstance(part.verdict, Scored)
    }
    return {
        "reward": score.reward.value,
        "db_check": _state_check(decided.get("DB")),
        **_checks(decided, criteria),
        "reward_basis": None if criteria is None else criteria.reward_basis,
        "reward_breakdown": {
            name: part.verdict.value
            for name, part in decided.items()
            if part.in_basis and isinstance(part.verdict, Scored)
        },
        "info": {
            OURS: _Ours(
                score.rules,
                score.judge,
                score.note,
                score.reward.undecided,
                tuple(part.component for part in score.components if part.assumed),
            )
        },
    }


class _Free(msgspec.Struct):
    """The contents of a `reward_info` apart from its checks."""

    info: dict[str, msgspec.Raw] | None = None


def update_reward_info(given: msgspec.Raw | None, reward: Record) -> Record:
    """Return a new `reward_info` with the fields of the one before that it does not have itself.

    Values that other programs measured and wrote there are kept. A note goes with the verdict it
    was on.
    """
    if given is None or bytes(given) == b"null":
        return reward
    before = msgspec.json.decode(given, type=dict[str, msgspec.Raw])
    free = msgspec.json.decode(given, type=_Free).info or {}
    new = msgspec.to_builtins(reward["info"])
    info = {**free, **new} if isinstance(new, dict) else free
    if "note" in free:
        info["note"] = msgspec.Raw(b"null")
    return {**before, **reward, "info": info}


def _state_check(part: ComponentScore | None) -> Record | None:
    if part is None or not isinstance(part.verdict, Scored):
        return None
    return {"db_match": part.verdict.value == 1, "db_reward": part.verdict.value}


def _checks(
    decided: Mapping[Component, ComponentScore], criteria: Criteria | None
) -> dict[str, object]:
    actions = () if criteria is None else criteria.actions or ()
    assertions = () if criteria is None else criteria.env_assertions or ()
    asserted, acted = (
        _decided_evidence(decided, "ENV_ASSERTION"),
        _decided_evidence(decided, "ACTION"),
    )
    said, judged = (
        _decided_evidence(decided, "COMMUNICATE"),
        _decided_evidence(decided, "NL_ASSERTION"),
    )
    return {
        "env_assertions": asserted
        and [
            {
                "env_assertion": encode_assertion(assertion),
                "met": entry.met,
                "reward": _worth(entry),
            }
            for assertion, entry in zip(assertions, asserted, strict=True)
        ],
        "action_checks": acted
        and [
            {
                "action": encode_action(action),
                "action_match": entry.met,
                "action_reward": _worth(entry),
                "tool_type": entry.kind or None,
            }
            for action, entry in zip(actions, acted, strict=True)
        ],
        "communicate_checks": said
        and [{"info": e.subject, "met": e.met, "justification": e.why} for e in said],
        "nl_assertions": judged
        and [{"nl_assertion": e.subject, "met": e.met, "justification": e.why} for e in judged],
    }


def _decided_evidence(
    decided: Mapping[Component, ComponentScore], name: Component
) -> Sequence[Evidence] | None:
    """Return a component's evidence where there is some and nothing in it is open."""
    part = decided.get(name)
    if part is None or any(entry.met is None for entry in part.evidence):
        return None
    return part.evidence or None


def _worth(entry: Evidence) -> float:
    return float(entry.met is True)
