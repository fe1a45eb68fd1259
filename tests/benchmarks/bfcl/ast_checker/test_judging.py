from collections.abc import Mapping
from typing import Literal

import msgspec
import pytest

from dragoman.benchmarks.bfcl.ast_checker.reply_check import (
    WrittenReply,
    classify_reply,
    judge_by_rules,
    judge_reply,
)
from dragoman.benchmarks.bfcl.entry_files import ExpectedCall, Question, read_question
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, DIFFERENCES, DRAGOMAN_1
from dragoman.benchmarks.bfcl.verdicts import CallFault, CallJudgement, Judged
from dragoman.core.errors import DataError
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply
from dragoman.core.scores import Unscored

HYPOT = {
    "name": "math.hypot",
    "parameters": {
        "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
        "required": ["x", "y"],
    },
}
ASKED = read_question(
    {"id": "simple_python_0", "function": [HYPOT]}, [{"math.hypot": {"x": [4], "y": [5]}}]
)
IRRELEVANT = read_question({"id": "irrelevance_0", "function": [HYPOT]})
RELEVANT = read_question(
    {"id": "live_relevance_0-0-0", "category": "live_relevance", "function": [HYPOT]}
)


def error(question: Question, text: object) -> tuple[str | None, str | None]:
    """The error types of a reply: ours and the reference's."""
    found = []
    for rules in (DEFAULT_RULES, BFCL_V4):
        result = judge_by_rules(question, WrittenReply(text), rules)
        assert isinstance(result, Judged)
        found.append(None if result.fault is None else result.fault.error_type)
    return found[0], found[1]


def test_a_verdict_that_differs_names_the_reference_and_the_rule_that_decided() -> None:
    judgement = judge_reply(ASKED, WrittenReply("[math.hypot(4, 5)]"), DEFAULT_RULES)
    missing = CallFault("simple_function_checker:missing_required", "x is missing")
    assert judgement == CallJudgement(
        "dragoman-2", Judged(), Judged(missing), decided_by="positionals_are_bound"
    )


def test_a_verdict_that_does_not_differ_stands_alone() -> None:
    for text in ("[math.hypot(x=4, y=5)]", "[math.hypot(x=4, y=6)]", "words"):
        judgement = judge_reply(ASKED, WrittenReply(text), DEFAULT_RULES)
        assert judgement == CallJudgement("dragoman-2", judgement.outcome)
        assert judge_reply(ASKED, WrittenReply(text), BFCL_V4).reference is None


def asked(
    schema: Mapping[str, object], values: list[object], category: str = "simple_python"
) -> Question:
    """Return a question for `f(a=...)`, where `a` is optional."""
    function = {"name": "f", "parameters": {"properties": {"a": schema, "b": {"type": "integer"}}}}
    return read_question({"id": f"{category}_0", "function": [function]}, [{"f": {"a": values}}])


TEXT = {"type": "string"}
FLOATS = {"type": "array", "items": {"type": "float"}}
PAIRED = msgspec.structs.replace(
    asked({"type": "integer"}, [1], "parallel"),
    expected=(ExpectedCall("f", {"a": [1, 2]}), ExpectedCall("f", {"a": [1]})),
)
NESTED = '[{"function": "f", "parameters": {"a": [{"k": "v"}]}}]'
OBJECTS = {"type": "array", "items": {"type": "dict"}}

DECIDED = {
    "positionals_are_bound": (asked(TEXT, ["x"]), WrittenReply("[f('x')]")),
    "signs_keep_their_meaning": (asked({"type": "integer"}, [1]), WrittenReply("[f(a=+1)]")),
    "odd_calls_are_unreadable": (asked(TEXT, ["x"]), WrittenReply("[g(a=1).f(a='x')]")),
    "json_is_read_whole": (asked(OBJECTS, [[{"k": ["v"]}]]), WrittenReply(NESTED, "json")),
    "source_is_read_as_written": (
        asked({"type": "integer"}, [5], "simple_java"),
        WrittenReply("[f(a=5)]", "java"),
    ),
    "source_values_are_read": (
        asked({"type": "ArrayList", "items": {"type": "String"}}, [["x"]], "simple_java"),
        WrittenReply([{"f": '{"a": "List.of(\\"x\\")"}'}], "items"),
    ),
    "matching_is_perfect": (PAIRED, WrittenReply("[f(a=1), f(a=2)]")),
    "strings_match_exactly": (asked(TEXT, ["New York"]), WrittenReply("[f(a='new-york')]")),
    "elements_follow_the_schema": (asked(FLOATS, [[1.0]]), WrittenReply("[f(a=[1])]")),
    "any_alternative_sets_the_type": (asked(TEXT, ["x", None]), WrittenReply("[f(a=None)]")),
    "booleans_are_not_numbers": (
        asked({"type": "dict"}, [{"k": [1]}]),
        WrittenReply("[f(a={'k': True})]"),
    ),
    "markers_are_not_values": (asked(TEXT, ["x", ""]), WrittenReply("[f(a='')]")),
    "nested_objects_hold_alternatives": (
        asked({"type": "dict"}, [{"k": [{"m": ["x"]}]}]),
        WrittenReply("[f(a={'k': {'m': 'x'}})]"),
    ),
    "defaults_may_be_given": (
        asked({"type": "integer", "default": 3}, [1, ""]),
        WrittenReply("[f(a=3)]"),
    ),
    "open_schemas_are_judged": (asked({"type": "number"}, [1]), WrittenReply("[f(a=1)]")),
    "attempts_are_not_abstention": (IRRELEVANT, WrittenReply("['math.hypot(x=1, y=2)']")),
    "written_calls_are_calls": (
        IRRELEVANT,
        WrittenReply('<function=math_hypot>{"x": 1}</function>'),
    ),
}


OF_CONVERSATIONS = {
    "malformed_calls_are_answered",
    "forced_ends_always_count",
    "idle_turns_are_checked",
    "results_match_by_value",
    "answers_are_judged_alone",
    "answers_end_where_words_do",
    "answers_keep_their_numbers",
}


@pytest.mark.parametrize("name", [name for name in DIFFERENCES if name not in OF_CONVERSATIONS])
def test_every_rule_can_decide(name: str) -> None:
    judgement = judge_reply(*DECIDED[name], DEFAULT_RULES)
    assert judgement.decided_by == name
    one = msgspec.structs.replace(BFCL_V4, **{name: True})
    assert judge_reply(*DECIDED[name], one).decided_by == name


def test_a_reply_that_the_reference_cannot_judge_is_unscored_there() -> None:
    function = {"name": "f", "parameters": {"properties": {"a": {"type": "number"}}}}
    question = read_question({"id": "simple_python_0", "function": [function]}, [{"f": {"a": [1]}}])
    judgement = judge_reply(question, WrittenReply("[f(a=1)]"), DEFAULT_RULES)
    assert judgement.outcome == Judged()
    assert isinstance(judgement.reference, Unscored)
    assert judgement.decided_by == "open_schemas_are_judged"


def test_words_are_abstention_and_an_unreadable_call_is_not_except_in_the_reference() -> None:
    assert error(IRRELEVANT, "None of the functions fits.") == (None, None)
    assert error(IRRELEVANT, "") == (None, None)
    called = "irrelevance_error:decoder_success"
    assert error(IRRELEVANT, "[round(30)]") == (called, called)
    tried = "irrelevance_error:unreadable_call"
    for text in (
        "```python\n[math.hypot(x=1, y=2)]\n```",
        "I would call math_hypot(x=1, y=2) here.",
        "['math.hypot(x=1, y=2)']",
        '[{"name": "math.hypot", "parameters": {}}]',
        "[integrate(f=lambda x: x, a=1)]",
    ):
        assert error(IRRELEVANT, text) == (tried, None)
    for text in (
        "math.hypot() does not fit.",
        "Write `def math_hypot(x, y)` yourself.",
        "The function math.hypot (see above) needs x and y.",
        "[1] There is no such function.",
    ):
        found = error(IRRELEVANT, text)
        assert found[1] is None


LEAKED = {
    "hermes": '<tool_call>\n{"name": "math_hypot", "arguments": {"x": 1}}\n</tool_call>',
    "falcon": '<tool_call>\n<tool_call name="math_hypot" arguments={"x": 1}/>\n</tool_call>',
    "mistral": '[TOOL_CALLS][{"name": "math_hypot", "arguments": {"x": 1}}]',
    "python_tag": '<|python_tag|>{"name": "math_hypot", "parameters": {"x": 1}}',
    "function_tag": '<function=math_hypot>{"x": 1}</function>',
    "qwen_xml": "<tool_call>\n<function=math_hypot>\n<parameter=x>\n1\n</parameter>\n</function>",
    "harmony": '<|channel|>commentary to=functions.math_hypot <|message|>{"x": 1}',
    "glm": "<tool_call>math_hypot\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
    "kimi": '<|tool_call_begin|>functions.math_hypot:0<|tool_call_argument_begin|>{"x": 1}',
}
KNOWN_BEFORE = {"hermes", "mistral", "python_tag"}


@pytest.mark.parametrize("form", [("items", False), ("python", False), ("python", True)])
@pytest.mark.parametrize("syntax", LEAKED)
def test_a_call_in_any_form_of_text_is_a_call_where_none_was_wanted(
    syntax: str, form: tuple[Literal["items", "python"], bool]
) -> None:
    tried = "irrelevance_error:unreadable_call"
    reply = WrittenReply(LEAKED[syntax], form[0], form[1])
    found = [
        None if result.fault is None else result.fault.error_type
        for rules in (DEFAULT_RULES, DRAGOMAN_1, BFCL_V4)
        for result in [judge_by_rules(IRRELEVANT, reply, rules)]
        if isinstance(result, Judged)
    ]
    assert found == [tried, tried if syntax in KNOWN_BEFORE else None, None]


@pytest.mark.parametrize("form", ["items", "python"])
@pytest.mark.parametrize(
    "words",
    [
        "None of the functions can do this.",
        "<TOOLCALL>[]</TOOLCALL>",
        "",
        "Use math.hypot instead.",
    ],
)
def test_words_stay_abstention_under_every_version(
    form: Literal["items", "python"], words: str
) -> None:
    for rules in (DEFAULT_RULES, DRAGOMAN_1, BFCL_V4):
        assert judge_by_rules(IRRELEVANT, WrittenReply(words, form), rules) == Judged()


def test_mentioning_a_function_is_no_attempt_at_a_call() -> None:
    for text in ("math.hypot() does not fit.", "def math_hypot(x, y): ...", "Use math.hypot."):
        assert error(IRRELEVANT, text) == (None, None)


def test_relevance_wants_any_call_that_can_be_read() -> None:
    assert error(RELEVANT, "[anything(a=1)]") == (None, None)
    failed = "relevance_error:decoder_failed"
    for text in ("words", "", "['math.hypot(x=1, y=2)']"):
        assert error(RELEVANT, text) == (failed, failed)


def test_failed_reading_and_wrong_format_are_told_apart() -> None:
    assert error(ASKED, "words") == ("ast_decoder:decoder_failed",) * 2
    stored = WrittenReply(["words"], "object_items")
    for rules in (DEFAULT_RULES, BFCL_V4):
        result = judge_by_rules(ASKED, stored, rules)
        assert isinstance(result, Judged)
        assert result.fault is not None
        assert result.fault.error_type == "ast_decoder:decoder_wrong_output_format"


def test_a_reply_is_said_called_or_unparsed_with_its_raw_text() -> None:
    functions = ASKED.functions
    called = classify_reply(WrittenReply("[math.hypot(x=1, y=2)]"), functions, DEFAULT_RULES)
    assert isinstance(called, ToolCallReply)
    assert called.calls[0].raw == "math.hypot(x=1, y=2)"
    said = classify_reply(WrittenReply("Nothing fits."), functions, DEFAULT_RULES)
    assert isinstance(said, TextReply)
    assert said.text == "Nothing fits."
    unparsed = classify_reply(WrittenReply("math.hypot(x=1, y=2)\nDone."), functions, DEFAULT_RULES)
    assert isinstance(unparsed, UnparsedReply)
    assert unparsed.raw == "math.hypot(x=1, y=2)\nDone."
    assert isinstance(
        classify_reply(WrittenReply([{"f": "{"}], "items"), functions, DEFAULT_RULES), UnparsedReply
    )


@pytest.mark.parametrize(
    "entry",
    [
        {"id": "simple_python_0", "function": [{"name": "f"}]},
        {"id": "simple_python_0", "function": "f"},
        {"id": "x", "function": []},
    ],
)
def test_a_damaged_entry_is_refused_by_name(entry: dict[str, object]) -> None:
    with pytest.raises(DataError, match=str(entry["id"])):
        read_question(entry, [{"f": {}}])


@pytest.mark.parametrize(
    ("stored", "form"), [([{"math_hypot": "20"}], "items"), ([{"math_hypot": 20}], "object_items")]
)
def test_arguments_that_are_no_object_are_an_attempt_and_no_call_for_the_reference(
    stored: object, form: str
) -> None:
    written = msgspec.convert({"content": stored, "form": form}, WrittenReply)
    for question, ours, theirs in (
        (IRRELEVANT, "irrelevance_error:unreadable_call", None),
        (RELEVANT, "relevance_error:decoder_failed", "relevance_error:decoder_failed"),
    ):
        for rules, expected in ((DEFAULT_RULES, ours), (BFCL_V4, theirs)):
            found = judge_by_rules(question, written, rules)
            assert isinstance(found, Judged)
            assert (found.fault.error_type if found.fault else None) == expected
