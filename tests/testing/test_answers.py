import msgspec
import pytest

from dragoman.core.errors import UsageError
from dragoman.models.chat.scripted import ScriptedCall, ScriptedReply
from dragoman.testing.chat_requests import Call, ChatBody, Function
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Rule, RuleAnswers, Unanswered, When

YES = ScriptedReply("yes")


def request(content: str = "Cancel order 5.", role: str = "user", tool: str = "look") -> ChatBody:
    return msgspec.convert(
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Work."},
                {"role": role, "content": content},
            ],
            "tools": [{"type": "function", "function": {"name": tool}}],
        },
        ChatBody,
    )


@pytest.mark.parametrize(
    ("when", "holds"),
    [
        (When(), True),
        (When(last_role="user"), True),
        (When(last_role="tool"), False),
        (When(contains="order"), True),
        (When(contains="Work."), False),
        (When(matches=r"order \d"), True),
        (When(matches=r"^order"), False),
        (When(tool_names=("look",)), True),
        (When(tool_names=("look", "cancel")), False),
        (When(model="m"), True),
        (When(model="n"), False),
        (When(last_role="user", contains="refund"), False),
    ],
)
def test_all_conditions_of_a_rule_must_hold(when: When, holds: bool) -> None:
    answer = RuleAnswers([Rule(YES, when)])(request())
    expected = Unanswered("none of the script's 1 rules fits this request")
    assert answer == (CannedReply("yes") if holds else expected)


def test_the_first_rule_that_applies_answers() -> None:
    rules = [Rule(ScriptedReply("a"), When(contains="refund")), Rule(YES), Rule(ScriptedReply("c"))]
    assert RuleAnswers(rules)(request()) == CannedReply("yes")


def test_a_rule_may_call_tools_and_write_broken_arguments() -> None:
    reply = ScriptedReply(None, (ScriptedCall("a", {"x": 1}), ScriptedCall("b", "{broken")))
    assert RuleAnswers([Rule(reply)])(request()) == CannedReply(
        None, (Call("", Function("a", '{"x":1}')), Call("", Function("b", "{broken")))
    )


def test_patterns_look_at_the_beginning_of_long_messages_only() -> None:
    rules = RuleAnswers([Rule(YES, When(matches="end"))])
    assert rules(request("x" * 9_997 + "end")) == CannedReply("yes")
    assert isinstance(rules(request("x" * 9_998 + "end")), Unanswered)


def test_a_pattern_that_is_too_long_is_refused() -> None:
    with pytest.raises(UsageError, match="has 501 characters: at most 500"):
        RuleAnswers([Rule(YES, When(matches="x" * 501))])


@pytest.mark.parametrize("pattern", ["(", "*", "(" * 400])
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="is not a regular expression"):
        RuleAnswers([Rule(YES, When(matches=pattern))])
