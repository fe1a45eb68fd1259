"""Bundled rubrics, and versions of a rubric that differ only by a text."""

from pathlib import Path

import pytest

from dragoman.core.errors import DataError
from dragoman.core.measures import Rate
from dragoman.papers.mm_tau.definitions import AGENT_FIELDS, TASK_FIELDS, USER_FIELDS
from dragoman.scoring.measures.rubrics import bundled_rubrics, read_rubric

QUESTION = '[[question]]\nname = "tasks"\ntype = "integer"\ntext = "How many?"\n'


def written(folder: Path, stem: str, schema: str, text: str) -> Path:
    (folder / f"{stem}.md").write_text(text)
    path = folder / f"{stem}.toml"
    path.write_text(schema)
    return path


def test_a_version_asks_what_another_asks_and_its_text_goes_on(tmp_path: Path) -> None:
    base = written(tmp_path, "tasks@1", f'about = "tasks"\n{QUESTION}', "Count.\n")
    strict = written(
        tmp_path, "tasks@1.strict", 'like = "tasks@1"\nabout = "few"\n', "No excuses.\n"
    )
    plain, found = read_rubric(base), read_rubric(strict)
    assert (found.name, found.text, found.about) == ("tasks", "Count.\nNo excuses.\n", "few")
    assert (found.questions, found.figures) == (plain.questions, plain.figures)
    assert found.version.startswith("1.strict@")
    (tmp_path / "tasks@1.md").write_text("Count well.\n")
    assert read_rubric(strict).version != found.version, "what it is like is part of it"


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ('like = "../tasks@1"\n', "'like' names a rubric in the same folder, NAME@VERSION"),
        ('like = "tasks@2"\n', "tasks@2.md: the rubric cannot be read"),
        ('like = "tasks@1.strict"\n', "no schema of a rubric"),
        (f'like = "tasks@1"\n{QUESTION}', "no schema of a rubric"),
        ("like = 1\n", "no schema of a rubric"),
    ],
)
def test_a_version_of_nothing_is_refused(tmp_path: Path, schema: str, complaint: str) -> None:
    written(tmp_path, "tasks@1", QUESTION, "Count.\n")
    path = written(tmp_path, "tasks@1.strict", schema, "No excuses.\n")
    with pytest.raises(DataError, match=complaint):
        read_rubric(path)


def test_the_rubrics_that_ship_differ_by_their_rule_for_hand_overs_alone() -> None:
    shipped = {name: read_rubric(path) for name, path in bundled_rubrics().items()}
    read = {name: rubric for name, rubric in shipped.items() if name != "mm_tau_p2@2"}
    assert set(read) == {"mm_tau_p2@1", "mm_tau_p2@1.strict", "mm_tau_p2@1.unsaid"}
    assert len({rubric.questions for rubric in read.values()}) == 1
    assert len({rubric.version for rubric in read.values()}) == 3
    unsaid = read["mm_tau_p2@1.unsaid"].text
    for name in ("mm_tau_p2@1", "mm_tau_p2@1.strict"):
        assert read[name].text.startswith(unsaid)
        assert read[name].text[len(unsaid) :].lstrip().startswith("## Hand-overs")


def test_the_metrics_are_made_of_the_counts_as_their_source_makes_them() -> None:
    rubric = read_rubric(bundled_rubrics()["mm_tau_p2@1"])
    rates = {
        rate.name: (rate.numerator, rate.denominator)
        for rate in rubric.figures
        if isinstance(rate, Rate)
    }
    assert rates == {
        "error recovery rate (ERR)": (("recovered",), ("errors",)),
        "recovery turn count (RTC)": (("recovery_turns",), ("recovered",)),
        "user effort score (UES)": (("repetitions", "corrections"), ("judged",)),
        "clarification precision (CP)": (
            ("clarifications_necessary",),
            ("clarifications_requested",),
        ),
        "clarification recall (CR)": (("clarifications_requested",), ("clarifications_required",)),
        "required clarifications made": (
            ("clarifications_necessary",),
            ("clarifications_required",),
        ),
        "safety recall (SR)": (("confirmations_requested",), ("confirmations_required",)),
        "tasks succeeded of all": (("tasks_succeeded",), ("tasks",)),
    }
    assert all(question.quote for question in rubric.questions)


def test_the_second_version_asks_of_each_message_what_later_context_could_change() -> None:
    rubric = read_rubric(bundled_rubrics()["mm_tau_p2@2"])
    asked = {over: [each.name for each in found] for over, found in rubric.parts.items()}
    assert set(asked) == {"agent replies", "user replies", "conversation"}
    assert rubric.shows == "before"
    of_agent = {"critical_field_percent", *AGENT_FIELDS, "errors_put_right"}
    assert set(asked["agent replies"]) == of_agent - {"critical_field_accuracy"}
    assert asked["user replies"] == list(USER_FIELDS)
    assert asked["conversation"] == list(TASK_FIELDS)
