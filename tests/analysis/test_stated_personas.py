"""Personas that tasks state of their users, and pass^1 by them."""

import pytest

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.analysis.grouping import by_axes
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, Termination
from dragoman.core.personas import stated_persona
from dragoman.core.scores import Score, Scored

SCORING = ("dragoman-2", "none")


def played(task: str, reward: float, condition: Condition = PLAIN) -> ConversationResult:
    episode = Episode((), Termination("user_stop"), 1, 0)
    score = Score(*SCORING, Scored(reward), ())
    return ConversationResult("tau2:telecom", condition, "clerk", task, 0, episode, score)


@pytest.mark.parametrize(
    ("task", "persona"),
    [
        ("[mms_issue]bad_apn[PERSONA:Hard]", "task:hard"),
        ("x[PERSONA:None]", "task:none"),
        ("x[PERSONA:Easy] ", "task:easy"),
        ("[PERSONA:Easy]x", ""),
        ("x[PERSONA:]", ""),
        (f"x[PERSONA:{'a' * 41}]", ""),
        ("x[PERSONA:<script>]", ""),
        ("17", ""),
        ("", ""),
    ],
)
def test_a_persona_is_read_from_the_end_of_a_tasks_id(task: str, persona: str) -> None:
    assert stated_persona(task) == persona


def test_a_cell_has_pass_1_by_the_personas_of_its_tasks_and_all_groups_agree() -> None:
    rows = [
        played("a[PERSONA:Hard]", 0),
        played("b[PERSONA:Hard]", 1),
        played("c[PERSONA:None]", 1),
    ]
    (cell,) = summarize(rows, *SCORING)
    assert [(each.persona, each.tasks, each.value) for each in cell.stated] == [
        ("task:none", 1, 1.0),
        ("task:hard", 2, 0.5),
    ]
    groups = {each.values["persona"]: each.value for each in by_axes(rows, ["persona"])}
    assert groups == {"task:hard": 0.5, "task:none": 1.0}


def test_a_card_is_the_persona_where_one_was_played() -> None:
    rows = [played("a[PERSONA:Hard]", 1, PLAIN.with_axes(persona="easy"))]
    (cell,) = summarize(rows, *SCORING)
    assert cell.stated == ()
    assert [each.values["persona"] for each in by_axes(rows, ["persona"])] == ["easy"]


def test_tasks_that_state_nobody_have_no_figures_of_their_own() -> None:
    rows = [played("17", 1)]
    assert summarize(rows, *SCORING)[0].stated == ()
    assert [each.values["persona"] for each in by_axes(rows, ["persona"])] == ["none"]
