import json

import msgspec
import pytest

from dragoman.benchmarks.tau2.reward_info import decode_reward, encode_reward
from dragoman.core.errors import DataError
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored, Unscored
from dragoman.core.tasks import Action, Criteria

ACTION = {"action_id": "1_0", "name": "cancel", "arguments": {}, "requestor": "assistant"}
RECORD = {
    "reward": 0.0,
    "db_check": {"db_match": True, "db_reward": 1.0},
    "env_assertions": None,
    "action_checks": [
        {"action": ACTION, "action_match": True, "action_reward": 1.0, "tool_type": "write"}
    ],
    "communicate_checks": [{"info": "38.60", "met": False, "justification": "never said"}],
    "nl_assertions": [],
    "reward_basis": ["DB", "COMMUNICATE"],
    "reward_breakdown": {"DB": 1.0, "COMMUNICATE": 0.0},
    "info": {"env": None},
}


def raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value).encode())


def read_back(score: Score, criteria: Criteria | None) -> Score:
    written = msgspec.json.encode(encode_reward(score, criteria))
    return decode_reward(msgspec.Raw(written), "here")


def test_a_files_verdict_becomes_a_score_with_its_checks_as_evidence() -> None:
    score = decode_reward(raw(RECORD), "here")

    assert (score.rules, score.judge, score.reward) == ("imported", "imported", Scored(0.0))
    assert {part.component: (part.in_basis, part.verdict) for part in score.components} == {
        "DB": (True, Scored(1.0)),
        "ENV_ASSERTION": (False, None),
        "ACTION": (False, Scored(1.0)),
        "COMMUNICATE": (True, Scored(0.0)),
        "NL_ASSERTION": (False, None),
    }
    evidence = {part.component: part.evidence for part in score.components}
    assert evidence["ACTION"] == (Evidence("1_0 cancel", True, kind="write"),)
    assert evidence["COMMUNICATE"] == (Evidence("38.60", False, "never said"),)


def test_the_files_own_breakdown_outranks_its_checks() -> None:
    score = decode_reward(raw({**RECORD, "reward_breakdown": {"COMMUNICATE": 1.0}}), "here")

    (part,) = (part for part in score.components if part.component == "COMMUNICATE")
    assert part.verdict == Scored(1.0)
    assert part.evidence[0].met is False


def test_no_reward_is_unscored_and_says_why() -> None:
    assert decode_reward(raw(None), "here").reward == Unscored("the file has no reward for it")


@pytest.mark.parametrize("reward", [-1, 1.5, 7])
def test_a_reward_that_is_none_is_unscored(reward: float) -> None:
    verdict = decode_reward(raw({**RECORD, "reward": reward}), "here").reward

    assert isinstance(verdict, Unscored)
    assert str(reward) in verdict.reason


def test_a_premature_end_keeps_the_files_note() -> None:
    note = "Simulation terminated prematurely."
    given = {"reward": 0.0, "reward_basis": None, "info": {"note": note}}

    score = decode_reward(raw(given), "here")

    assert (score.reward, score.note) == (Scored(0.0), note)
    assert all(part.verdict is None and not part.in_basis for part in score.components)


@pytest.mark.parametrize(
    "damage",
    [
        {"reward": "1"},
        {"db_check": {"db_match": "yes", "db_reward": 1}},
        {"action_checks": [{"action_match": True}]},
        {"communicate_checks": {}},
        {"info": []},
    ],
)
def test_a_damaged_verdict_is_named(damage: dict[str, object]) -> None:
    with pytest.raises(DataError, match=r"^here: its reward_info is damaged \("):
        decode_reward(raw({**RECORD, **damage}), "here")


def test_a_verdict_without_a_value_is_unscored() -> None:
    found = decode_reward(raw({"reward": None, "db_check": {"db_match": None}}), "here")
    assert found.reward == Unscored("the file has no reward for it")


CRITERIA = Criteria(
    ("DB", "NL_ASSERTION"), actions=(Action("1_0", "cancel", {}),), assertions=("Agent is kind.",)
)


def test_a_score_survives_being_written_and_read_but_for_who_gave_it() -> None:
    score = Score(
        "tau2-1.0.1",
        "assume-met",
        Scored(1.0),
        (
            ComponentScore("DB", True, Scored(1.0), (Evidence("state", True),)),
            ComponentScore("ENV_ASSERTION", False, None),
            ComponentScore(
                "ACTION", False, Scored(0.0), (Evidence("1_0 cancel", False, kind="write"),)
            ),
            ComponentScore("COMMUNICATE", False, None),
            ComponentScore(
                "NL_ASSERTION", True, Scored(1.0), (Evidence("Agent is kind.", True, "?"),), True
            ),
        ),
        note="ended",
    )

    read = read_back(score, CRITERIA)

    assert read == msgspec.structs.replace(score, rules="imported", judge="imported")
    assert read.assumed


def test_what_was_left_open_stays_open() -> None:
    open_part = ComponentScore(
        "NL_ASSERTION", True, Unscored("no judge"), (Evidence("Agent is kind.", None),)
    )
    failed = ComponentScore("DB", True, Scored(0.0), (Evidence("orders/1", False),))
    score = Score("r", "j", Scored(0.0, ("NL_ASSERTION",)), (failed, open_part))

    record = encode_reward(score, CRITERIA)

    assert record is not None
    assert record["nl_assertions"] is None
    assert record["reward_breakdown"] == {"DB": 0.0}
    assert read_back(score, CRITERIA).reward == Scored(0.0, ("NL_ASSERTION",))


@pytest.mark.parametrize("score", [None, Score("r", "j", Unscored("no judge"), ())])
def test_without_a_value_nothing_is_written(score: Score | None) -> None:
    assert encode_reward(score, CRITERIA) is None
