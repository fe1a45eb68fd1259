"""Questions in a language: displayed functions, and labels in calls."""

import pytest

from dragoman.conditions.language.question_tasks import (
    LocalizedQuestions,
    QuestionView,
    label_trees,
)
from dragoman.core.episodes import Message
from dragoman.core.errors import DataError
from dragoman.core.language.question_texts import EVERY, Labels, TranslatedTask, Use
from dragoman.core.layers import Layer
from dragoman.core.replies import text_reply
from dragoman.core.tasks import Action, Criteria, FixedTurn, InitialState, Scenario, Task
from dragoman.core.tools import ToolCall, Toolset, ToolSpec

UNITS = {"celsius": "เซลเซียส", "kelvin": "kelvin", "left": "right of it", "metric": "Metric"}
LABELS: dict[str, Labels] = {"weather": {("unit",): UNITS, ("parts", EVERY, "unit"): UNITS}}
ENGLISH = Toolset((ToolSpec("weather", "Tells it.", {}), ToolSpec("other", "Another.", {})))
THAI = Toolset((ToolSpec("weather", "บอก", {"properties": {"city": {}, "unit": {}}}),))
TASK = Task(
    "q_0",
    "bfcl:simple_python",
    "digest",
    Scenario(""),
    Criteria(("CALLS",), (Action("0", "weather", {"unit": "celsius", "city": "Paris"}),)),
    InitialState(history=(Message("user", text_reply("Hello")),)),
    turns=(FixedTurn(("How is it?",)),),
)


class Questions:
    """The one question, in Thai."""

    files = ("q.json",)

    def task(self, identity: str) -> TranslatedTask:
        assert identity == "q_0"
        history = (Message("user", text_reply("สวัสดี")),)
        return TranslatedTask((FixedTurn(("เป็นอย่างไร",)),), history, "สั้น ๆ", THAI)

    def labels(self, identity: str) -> dict[str, Labels]:
        assert identity == "q_0"
        return LABELS

    def left_in_english(self, use: Use) -> tuple[int, int]:
        return (0, len(use))


@pytest.fixture
def view() -> QuestionView:
    return QuestionView(THAI, LABELS)


def test_functions_are_shown_in_the_language_and_those_it_does_not_have_in_english(
    view: QuestionView,
) -> None:
    shown = view.show(ENGLISH)
    assert [(tool.name, tool.description) for tool in shown] == [
        ("weather", "บอก"),
        ("other", "Another."),
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("เซลเซียส", "celsius"),
        ("Right of it", "left"),
        ("celsius", "celsius"),
        ("Celsius", "Celsius"),
        ("KELVIN", "KELVIN"),
        ("rankine", "rankine"),
        ("Metric", "metric"),
        ("METRIC", "METRIC"),
        (5, 5),
        (["เซลเซียส"], ["เซลเซียส"]),
    ],
)
def test_labels_are_read_and_values_are_left_for_the_suite_to_judge(
    view: QuestionView, written: object, meant: object
) -> None:
    call = ToolCall("0", "weather", {"unit": written, "city": "เซลเซียส"})
    assert view.canonical(call).arguments == {"unit": meant, "city": "เซลเซียส"}


def test_labels_inside_lists_and_without_names_are_read(view: QuestionView) -> None:
    nested = ToolCall("0", "weather", {"parts": [{"unit": "เซลเซียส"}, {"unit": "kelvin"}]})
    assert view.canonical(nested).arguments == {"parts": [{"unit": "celsius"}, {"unit": "kelvin"}]}
    unnamed = ToolCall("0", "weather", {}, positionals=("เซลเซียส", "เซลเซียส", "เซลเซียส"))
    assert view.canonical(unnamed).positionals == ("เซลเซียส", "celsius", "เซลเซียส")


def test_calls_of_other_functions_stay_the_same_objects(view: QuestionView) -> None:
    call = ToolCall("0", "other", {"unit": "เซลเซียส"})
    assert view.canonical(call) is call


def test_two_values_that_share_a_spelling_have_no_way_back() -> None:
    with pytest.raises(DataError, match=r"weather\.unit"):
        label_trees({"weather": {("unit",): {"a": "kelvin", "Kelvin": "ข"}}})
    assert not label_trees({"gene": {("type",): {"AA": "AA", "Aa": "Aa"}}})["gene"]


def test_the_surface_of_tasks_changes_what_is_said_and_told_alone() -> None:
    layer = LocalizedQuestions(Questions(), ("tasks",)).layer(TASK, Layer("language", "key"))
    assert layer.task is not None
    assert layer.policy is not None
    reported = layer.task(TASK)
    assert reported.turns == (FixedTurn(("เป็นอย่างไร",)),)
    assert reported.history == (Message("user", text_reply("สวัสดี")),)
    assert (reported.id, reported.digest, reported.criteria) == (
        TASK.id,
        TASK.digest,
        TASK.criteria,
    )
    assert layer.policy("Be brief.") == "สั้น ๆ"
    assert (layer.view, layer.plan, layer.wording) == (None, None, None)


def test_the_surface_of_tools_changes_functions_and_what_gold_calls_alone() -> None:
    layer = LocalizedQuestions(Questions(), ("tools",)).layer(TASK, Layer("language", "key"))
    assert (layer.task, layer.policy) == (None, None)
    assert layer.plan is not None
    planned = layer.plan(TASK).criteria
    assert planned is not None
    assert planned.actions is not None
    assert planned.actions[0].arguments == {"unit": "เซลเซียส", "city": "Paris"}


def test_every_label_of_a_question_is_tried() -> None:
    asked = LocalizedQuestions(Questions(), ("tools", "tasks"))
    tried = {(each.place, each.label) for each in asked.label_calls(TASK)}
    assert tried == {
        (place, label)
        for place in ("weather.unit", "weather.parts.*.unit")
        for label in ("เซลเซียส", "right of it", "Metric")
    }
    assert list(LocalizedQuestions(Questions(), ("tasks",)).label_calls(TASK)) == []
