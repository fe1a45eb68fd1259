import msgspec
import pytest

from dragoman.benchmarks.bfcl.ast_checker.reply_check import WrittenReply, read_reply
from dragoman.benchmarks.bfcl.entry_files import FunctionDocument, Parameters, Question
from dragoman.benchmarks.bfcl.rules import DEFAULT_RULES
from dragoman.benchmarks.bfcl.stored_replies import (
    TEXT_FORMS,
    ReplyReading,
    StoredAnswer,
    detect_reply_format,
    reply_of_result,
)
from dragoman.core.errors import UsageError
from dragoman.core.replies import ToolCallReply, UnparsedReply, text_reply

QUESTION = Question("simple_python_0", "simple_python", (FunctionDocument("m.f", Parameters({})),))
TAGGED = '<tool_call>{"name": "m.f", "arguments": {"a": 1}}</tool_call>'
UNDERSCORED = TAGGED.replace("m.f", "m_f")
PLAIN = "[m.f(a=1)]"
FENCED = f"```python\n{PLAIN}\n```"
WORDS = "Which city do you mean?"


def reading(*results: object, model: str = "lab-model", chosen: str | None = None) -> ReplyReading:
    return detect_reply_format(
        [StoredAnswer(QUESTION, result) for result in results], model, chosen
    )


def test_the_form_that_reads_most_replies_is_the_models() -> None:
    assert reading(TAGGED, TAGGED, PLAIN, WORDS) == ReplyReading(
        "tool_call", {"python": 1, "tool_call": 2}
    )
    assert reading(FENCED, PLAIN, PLAIN) == ReplyReading("python", {"python": 2, "fence": 1})


def test_of_forms_that_read_as_many_the_first_is_taken() -> None:
    assert reading(TAGGED, PLAIN).form == "python"
    assert TEXT_FORMS[0] == "python"


def test_without_any_call_nothing_speaks_for_another_form_than_the_one_asked_for() -> None:
    assert reading(WORDS) == reading() == ReplyReading("python")


def test_a_chosen_form_is_taken_whatever_the_replies_say() -> None:
    assert reading(TAGGED, chosen="python") == ReplyReading("python")
    with pytest.raises(UsageError, match="unknown format 'yaml': choose one of python, "):
        reading(TAGGED, chosen="yaml")


def test_lists_are_native_calls_and_no_form_of_text_is_looked_for() -> None:
    assert reading([{"m_f": '{"a": 1}'}], TAGGED) == ReplyReading("items")
    assert reading([{"m.f": '{"a": 1}'}]) == ReplyReading("items-dotted")
    assert reading([{"m_f": {"a": 1}}], chosen="fence") == ReplyReading("objects")
    assert reading([{"name": "m.f", "arguments": {}}]) == ReplyReading("named-dotted")


def test_a_model_that_is_said_to_call_natively_may_still_have_its_calls_in_text() -> None:
    assert reading(TAGGED, model="lab-FC").form == "tool_call"
    assert reading(WORDS, model="lab-FC").form == "items"
    assert reading(PLAIN, model="lab-FC").form == "items"


def test_a_form_says_whether_names_were_underscored() -> None:
    assert reading(UNDERSCORED, UNDERSCORED, TAGGED).form == "tool_call-underscored"


def test_a_result_becomes_calls_words_or_what_cannot_be_read() -> None:
    def reply(result: object, form: str) -> object:
        return reply_of_result(StoredAnswer(QUESTION, result), form)

    for result, form in (
        (TAGGED, "tool_call"),
        (UNDERSCORED, "tool_call-underscored"),
        (FENCED, "fence"),
        (PLAIN, "python"),
    ):
        called = reply(result, form)
        assert isinstance(called, ToolCallReply)
        assert called.text == result
        assert [call.arguments for call in called.calls] == [{"a": 1}]
    for stored, form in (
        ([{"m.f": '{"a": 1}'}], "items"),
        ([{"m.f": {"a": 1}}], "objects"),
        ([{"name": "m.f", "arguments": '{"a": 1}'}], "named"),
    ):
        called = reply(stored, form)
        assert isinstance(called, ToolCallReply)
        assert [(call.name, call.arguments) for call in called.calls] == [("m.f", {"a": 1})]
    assert reply(WORDS, "tool_call") == reply(WORDS, "items") == text_reply(WORDS)
    assert isinstance(reply(TAGGED, "python"), UnparsedReply)
    assert isinstance(reply(" ", "python"), UnparsedReply)
    assert isinstance(reply([], "items"), UnparsedReply)


@pytest.mark.parametrize("value", [r'"\ud83d"', "NaN", "Infinity", r'{"\udc00": 1}'])
def test_items_that_no_record_carries_are_kept_as_they_were_stored(value: str) -> None:
    result = [{"f": f'{{"a": {value}}}'}]

    reply = reply_of_result(StoredAnswer(QUESTION, result), "items")

    assert isinstance(reply, UnparsedReply)
    stored = msgspec.json.decode(msgspec.json.encode(reply), type=UnparsedReply)
    assert msgspec.json.decode(stored.raw) == result
    (call,) = read_reply(WrittenReply(msgspec.json.decode(stored.raw), "items"), DEFAULT_RULES)
    assert (call.name, list(call.arguments)) == ("f", ["a"])


@pytest.mark.parametrize("value", [r'"\ud83d\ude00"', "1e5", "[1, null, {}]", '"é"'])
def test_other_items_are_calls(value: str) -> None:
    reply = reply_of_result(StoredAnswer(QUESTION, [{"f": f'{{"a": {value}}}'}]), "items")

    assert isinstance(reply, ToolCallReply)
    assert reply.calls[0].arguments == {"a": msgspec.json.decode(value)}
