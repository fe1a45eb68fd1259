from dragoman.benchmarks.bfcl.entry_files import ExpectedCall, Question
from dragoman.benchmarks.bfcl.localization import single_turn_values, turn_values
from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry
from dragoman.benchmarks.bfcl.prompts import ShownDocument
from dragoman.core.tasks import Scenario, Task
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import ToolCall


def test_every_value_that_will_do_is_an_alternative_and_what_may_be_omitted_is_none() -> None:
    arguments: dict[str, list[object]] = {
        "city": ["New York", "NYC", ""],
        "days": [2, 0.05],
        "all": [True],
    }
    question = Question("simple_0", "simple", (), (ExpectedCall("f", arguments),))
    assert single_turn_values(question) == (
        ExpectedValue(0, "city", (("New York",), ("NYC",))),
        ExpectedValue(0, "days", (("2",), ("0.05",))),
        ExpectedValue(0, "all", ()),
    )


def test_the_parts_of_objects_are_arguments_and_lists_are_all_their_values() -> None:
    arguments: dict[str, list[object]] = {
        "loan": [{"rate": [3.5], "bank": ["A", "B"]}],
        "ids": [[1, 2], [2, 1]],
    }
    question = Question("simple_0", "simple", (), (ExpectedCall("f", arguments),))
    assert single_turn_values(question) == (
        ExpectedValue(0, "rate", (("3.5",),)),
        ExpectedValue(0, "bank", (("A",), ("B",))),
        ExpectedValue(0, "ids", (("1", "2"), ("2", "1"))),
    )


def test_arguments_of_a_turn_have_the_names_of_their_parameters() -> None:
    document = ShownDocument("mv", "", {"properties": {"source": {}, "destination": {}}})
    call = ToolCall("0", "mv", {"destination": "temp"}, positionals=("a.pdf",))
    task = Task("multi_turn_base_0", "bfcl:multi_turn_base", "", Scenario(""))
    entry = MultiTurnEntry(task, {}, (document,), ((), (call,)))
    assert turn_values(entry) == (
        ExpectedValue(1, "source", (("a.pdf",),)),
        ExpectedValue(1, "destination", (("temp",),)),
    )
