"""Definitions of the source's code and of its paper on the same counts.

There are six worked examples, and conversations that break the code.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import UsageError
from dragoman.papers.mm_tau.definitions import (
    AGENT_FIELDS,
    USER_FIELDS,
    JudgedConversation,
    JudgedMessage,
    code_figures,
    code_statistics,
    definitions_named,
    paper_figures,
)

LOST = None


def agent(**counts: float) -> JudgedMessage:
    return JudgedMessage(
        "assistant", {"critical_field_accuracy": 1, "message_necessity": 1, **counts}
    )


def user(effort: float = 0) -> JudgedMessage:
    return JudgedMessage("user", {"user_effort": effort})


TOOL = JudgedMessage("tool")
PAIR = ("user", "assistant")


def tasks(identified: int, succeeded: int, errors: int = 0, despite: int = 0) -> dict[str, float]:
    return {
        "tasks_identified": identified,
        "tasks_succeeded": succeeded,
        "tasks_with_agent_understanding_errors": errors,
        "tasks_with_agent_understanding_errors_succeeded": despite,
    }


def talk(
    messages: Sequence[JudgedMessage],
    counted: dict[str, float],
    text: Sequence[str],
    counted_in_text: dict[str, float],
) -> JudgedConversation:
    return JudgedConversation("task", tuple(messages), counted, tuple(text), counted_in_text)


def values(found: dict[str, Any]) -> dict[str, Any]:
    return {
        name: each.why if each.value is None else pytest.approx(each.value)
        for name, each in found.items()
    }


E1 = talk([user(), agent(), user(), agent()], tasks(1, 1), PAIR * 2, tasks(1, 1))

_REPAIR = agent(
    clarification_asked=1,
    clarification_required=1,
    clarification_true_positives=1,
    error_identified=1,
    error_recovered=2,
)
_WRONG = agent(critical_field_accuracy=0, error_committed=1)
E2 = talk(
    [user(), _WRONG, TOOL, user(1), _REPAIR, user(1), agent()],
    tasks(1, 1, 1, 1),
    PAIR * 2,
    tasks(1, 1),
)
E2_WITHOUT_TOOLS = talk(
    [user(), _WRONG, user(1), _REPAIR, user(1), agent()],
    tasks(1, 1, 1, 1),
    PAIR * 2,
    tasks(1, 1),
)
E3 = talk(
    [
        user(),
        agent(clarification_asked=1),
        user(1),
        agent(clarification_asked=1, clarification_required=1, clarification_true_positives=1),
        user(),
        agent(confirmation_asked=1, confirmation_required=1, confirmation_true_positives=1),
        user(),
        agent(confirmation_required=1, message_necessity=0),
    ],
    tasks(2, 1),
    PAIR * 3,
    tasks(2, 2),
)
E4 = (
    talk([user(), agent()], tasks(1, 1, 1, 1), PAIR, tasks(1, 1)),
    talk(
        [user(), *(agent(critical_field_accuracy=0.5), user(1)) * 3],
        tasks(3, 1, 2, 0),
        PAIR * 2,
        tasks(3, 2),
    ),
)
E5 = talk([user(), agent()], tasks(1, 0), PAIR, tasks(1, 0))
E6 = talk(
    [user(), JudgedMessage("assistant", LOST), JudgedMessage("user", LOST), agent()],
    tasks(1, 1),
    PAIR,
    tasks(1, 1),
)


def test_a_clean_conversation_has_half_of_its_fields_right_by_the_code_and_all_by_the_paper() -> (
    None
):
    assert values(code_figures([E1])) == {
        "CFA": 0.5,
        "TE": 1,
        "TO": 0,
        "UES": 0,
        "pass^1": 1,
        "pass^1 in text": 1,
        "MRS": 1,
        **dict.fromkeys(("CP", "CR", "SP", "SR", "ERR", "RTC", "ARGA"), "0/0"),
    }
    assert paper_figures([E1])["CFA"].value == 1


def test_a_tools_message_repeats_the_score_before_it() -> None:
    found = values(code_figures([E2]))
    assert found == {
        "CFA": 2 / 7,
        "TE": 4 / 3,
        "TO": 0.5,
        "ERR": 0.5,
        "RTC": 2,
        "UES": 2 / 3,
        "CP": 1,
        "CR": 1,
        "SP": "0/0",
        "SR": "0/0",
        "ARGA": 1,
        "pass^1": 1,
        "pass^1 in text": 1,
        "MRS": 1,
    }
    assert values(code_figures([E2_WITHOUT_TOOLS])) == {**found, "CFA": 1 / 3, "TE": 1, "ERR": 1}
    paper = paper_figures([E2_WITHOUT_TOOLS])
    assert [paper[name].value for name in ("ERR", "RTC", "UES", "CFA")] == [1, 2, 2, None]
    assert "critical fields" in paper["CFA"].why


def test_clarifications_and_confirmations_are_rated_apart_from_the_paper() -> None:
    found = values(code_figures([E3]))
    assert found == {
        "CP": 0.5,
        "CR": 1,
        "SP": 1,
        "SR": 0.5,
        "TE": 0.75,
        "CFA": 0.5,
        "UES": 0.25,
        "TO": 1 / 3,
        "pass^1": 0.5,
        "pass^1 in text": 1,
        "MRS": 0.5,
        **dict.fromkeys(("ERR", "RTC", "ARGA"), "0/0"),
    }
    paper = paper_figures([E3])
    assert [paper[name].value for name in ("CR", "IAS", "SR")] == [2, 0.5, 0.5]
    assert paper["TE"].value is None


def test_sums_and_means_over_conversations_differ() -> None:
    found = values(code_figures(E4))
    expected = {
        "CFA": (0.5 + 1.5 / 7) / 2,
        "UES": 0.6,
        "pass^1": 0.5,
        "pass^1 in text": 0.75,
        "MRS": 2 / 3,
        "ARGA": 1 / 3,
        "TO": 1 / 3,
    }
    assert {name: found[name] for name in expected} == expected
    means = {name: each.mean for name, each in code_statistics(E4).items()}
    assert means["pass^1"] == pytest.approx(2 / 3)
    assert (means["MRS"], means["ARGA"], means["TO"]) == (0.75, 0.5, 0.25)
    assert means["CFA"] == pytest.approx(expected["CFA"])


def test_a_ratio_of_nothing_to_nothing_is_no_figure() -> None:
    found = values(code_figures([E5]))
    assert {name: found[name] for name in ("pass^1", "pass^1 in text", "MRS", "TO", "TE")} == {
        "pass^1": 0,
        "pass^1 in text": 0,
        "MRS": "0.0/0.0",
        "TO": 0,
        "TE": 1,
    }
    assert found["CFA"] == 0.5
    assert "MRS" not in code_statistics([E5])


def test_a_lost_answer_leaves_the_numerators_and_stays_below() -> None:
    found = values(code_figures([E6]))
    assert {name: found[name] for name in ("CFA", "TE", "UES", "TO")} == {
        "CFA": 0.5,
        "TE": 0.5,
        "UES": 0,
        "TO": 1,
    }


@pytest.mark.parametrize(
    ("broken", "metric", "why"),
    [
        (talk([user(), agent()], tasks(0, 0), PAIR, tasks(1, 1)), "pass^1", "no task"),
        (talk([user(), agent()], tasks(0, 0), PAIR, tasks(1, 1)), "ARGA", "no task"),
        (talk([TOOL, user(), agent()], tasks(1, 1), PAIR, tasks(1, 1)), "CFA", "the first message"),
        (
            talk([user(), agent()], tasks(1, 1), ("user",), tasks(1, 1)),
            "TO",
            "the text has no message of the agent",
        ),
        (talk([user(), agent()], tasks(1, 2), PAIR, tasks(1, 1)), "pass^1", "more tasks succeeded"),
        (talk([], tasks(1, 1), PAIR, tasks(1, 1)), "CFA", "it has no message"),
    ],
)
def test_what_breaks_the_code_is_a_figure_without_value_and_a_reason(
    broken: JudgedConversation, metric: str, why: str
) -> None:
    found = code_figures([broken])[metric]
    assert found.value is None
    assert found.why.startswith(why)


def test_sets_of_definitions_are_chosen_by_name() -> None:
    assert definitions_named(None) == ("dragoman",)
    assert definitions_named("mm-tau-p2/paper,mm-tau-p2/code") == (
        "mm-tau-p2/paper",
        "mm-tau-p2/code",
    )
    with pytest.raises(UsageError, match=r"--definitions code: choose dragoman, mm-tau-p2/paper"):
        definitions_named("code")


_COUNTS = st.dictionaries(
    st.sampled_from((*AGENT_FIELDS, *USER_FIELDS)), st.integers(min_value=0, max_value=3)
)
_MESSAGES = st.lists(
    st.builds(JudgedMessage, st.sampled_from(("user", "assistant", "tool")), st.none() | _COUNTS),
    max_size=6,
)
_TALKS = st.builds(
    JudgedConversation,
    st.just("task"),
    _MESSAGES.map(tuple),
    st.none() | st.builds(tasks, st.integers(0, 2), st.integers(0, 2)),
    st.none() | st.lists(st.sampled_from(("user", "assistant")), max_size=4).map(tuple),
    st.none() | st.builds(tasks, st.integers(0, 2), st.integers(0, 2)),
)


@settings(max_examples=15)
@given(st.lists(_TALKS, max_size=3))
def test_every_figure_has_a_value_or_a_reason(found: list[JudgedConversation]) -> None:
    for each in (*code_figures(found).values(), *paper_figures(found).values()):
        assert (each.value is None) == bool(each.why)
