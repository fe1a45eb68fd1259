import asyncio
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.episodes import Event, Message
from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.protocols import ChatRequest, Completion, Judge, JudgeContext, Judgement
from dragoman.core.replies import ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.core.usage import Usage, as_replayed
from dragoman.models.chat.scripted import ScriptedCall, ScriptedModel, ScriptedReply
from dragoman.scoring.judge_prompts import transcript
from dragoman.scoring.judges import VERDICTS_SCHEMA, AssumeMet, ChatJudge, RuleJudge, parse_verdicts


def judged(judge: Judge, assertions: list[str], *said: str) -> Judgement:
    events: list[Event] = [Message("agent", text_reply(text)) for text in said]
    return asyncio.run(judge.judge(assertions, events, JudgeContext("7")))


def by_rule(assertion: str, *said: str) -> bool | None:
    (verdict,) = judged(RuleJudge(), [assertion], *said).verdicts
    assert verdict.assertion == assertion
    assert verdict.why
    return verdict.met


REFUND = "Agent should tell the user the total refund amount is $1,126.04."


@pytest.mark.parametrize(
    ("assertion", "said", "met"),
    [
        (REFUND, "You get $1,126.04 back.", True),
        (REFUND, "You get 1126.04 dollars back.", True),
        (REFUND, "You get $126.04 back.", False),
        (REFUND, "You get your money back.", False),
        ("Agent should tell the user that there are 10 options.", "There are 10.", True),
        ("Agent should tell the user that there are 10 options.", "There are 110.", False),
        ("Agent should provide the tracking number 286422338955.", "286422338955", True),
        ("Agent should provide the tracking number 286422338955.", "28642233895", False),
        ("Agent should tell the user the order is #W123.", "It is #W123.", True),
        ("Agent should tell the user the order is #W123.", "It is #W999.", False),
        (
            "Agent should tell the user the total price of order #W1 is $625.60.",
            "It is $625.60.",
            True,
        ),
        (
            "Agent should tell the user the prices: $180.10, $189.57, and $208.60.",
            "They cost $180.10 and $208.60.",
            False,
        ),
        (
            "Agent should tell the user it was shipped to 943 Maple Drive, Suite 356, IL 60621.",
            "To 943 Maple Drive, Suite 356, Chicago, IL 60621.",
            True,
        ),
        (
            "Agent should tell the user it was shipped to 943 Maple Drive, Suite 356, IL 60621.",
            "To 944 Maple Drive, Suite 356, Chicago, IL 60621.",
            False,
        ),
    ],
)
def test_the_rule_judge_decides_what_must_be_said(assertion: str, said: str, *, met: bool) -> None:
    assert by_rule(assertion, said) is met


@pytest.mark.parametrize(
    "assertion",
    [
        "Agent should tell the user their recent order was paid with a Mastercard.",
        "Agent should tell the user the keyboard backlight is white.",
        "Agent should not tell the user the price of $5.",
        "Agent should never mention the fee of $5.",
        "Agent shouldn't say that the refund is $5.",
        "Agent should tell the user that there is no fee of $5.",
        "Agent should exchange 2 items.",
        "Agent should refund $5.",
        "Agent should cancel order #W5.",
        "Agent should be polite.",
        "",
    ],
)
def test_the_rule_judge_leaves_everything_else_undecided(assertion: str) -> None:
    assert by_rule(assertion, "$5", "5", "2", "#W5", "Mastercard") is None


def test_only_the_agents_words_count() -> None:
    events: list[Event] = [
        Message("user", text_reply("Is it $5?")),
        ToolResult("1", "look", "$5"),
        Message("agent", text_reply("Yes.")),
    ]
    judgement = asyncio.run(
        RuleJudge().judge(["Agent should say it is $5."], events, JudgeContext("7"))
    )
    assert judgement.verdicts[0].met is False


def test_what_was_never_said_is_named() -> None:
    (verdict,) = judged(RuleJudge(), [REFUND], "Nothing.").verdicts
    assert verdict.why == "never said: 1126.04"


def test_every_assertion_gets_a_verdict_in_its_place() -> None:
    assertions = ["Agent should say $1.", "Be kind.", "Agent should say $2."]
    assert [v.met for v in judged(RuleJudge(), assertions, "$2").verdicts] == [False, None, True]


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_assertion_gets_one_verdict(assertion: str, said: str) -> None:
    assert by_rule(assertion, said) in {True, False, None}


def test_assuming_judges_nothing_and_says_so() -> None:
    judgement = judged(AssumeMet(), ["a", "b"])
    assert [(v.assertion, v.met, v.why) for v in judgement.verdicts] == [
        ("a", True, "assumed"),
        ("b", True, "assumed"),
    ]
    assert AssumeMet().assumes
    assert not RuleJudge().assumes


@pytest.mark.parametrize(
    ("assertion", "said"),
    [
        pytest.param(
            "Agent should tell the user that order #W1 cannot be cancelled.",
            "Order #W1 is cancelled.",
            id="cannot",
        ),
        pytest.param(
            "Agent should tell the user that order #W1 was cancelled.",
            "Let me look at order #W1.",
            id="an id is said, the statement is not",
        ),
        pytest.param(
            "Agent should refuse the exchange and tell the user the fee is $5.",
            "I exchanged it for $5.",
            id="more is demanded than words",
        ),
    ],
)
def test_the_rule_judge_never_passes_what_it_has_not_checked(assertion: str, said: str) -> None:
    assert by_rule(assertion, said) is not True


def test_an_id_within_a_longer_one_is_not_that_id() -> None:
    assert by_rule("Agent should tell the user the order is #W12.", "It is #W123.") is False


# The judge over a chat model


def answer(*verdicts: tuple[int, bool]) -> str:
    return json.dumps({"verdicts": [{"id": i, "met": met, "why": "so"} for i, met in verdicts]})


def by_chat(reply: ScriptedReply | str, assertions: list[str]) -> Judgement:
    reply = ScriptedReply(reply) if isinstance(reply, str) else reply
    return judged(ChatJudge(ScriptedModel("m", {"7": [reply]}, greeted=0)), assertions, "Hello.")


@pytest.mark.parametrize(
    "frame", ["{}", "```json\n{}\n```", "```\n{}\n```", "  \n```json {} ```\n", " {} "]
)
def test_json_is_read_fenced_or_not(frame: str) -> None:
    reply = frame.replace("{}", answer((2, False), (1, True)))
    verdicts = by_chat(reply, ["a", "b"]).verdicts
    assert [(v.assertion, v.met, v.why) for v in verdicts] == [
        ("a", True, "so"),
        ("b", False, "so"),
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        '{"verdicts": null}',
        answer((1, True), (1, True)),
        answer((1, True), (2, True), (2, False)),
        answer((1, True), (2, True), (3, True)),
        answer((0, True), (1, True)),
        "yes, both",
        "[true, true]",
        "",
        " ",
        "null",
        '{"verdicts": [{"id": 1, "met": "yes"}, {"id": 2, "met": true}]}',
        '{"verdicts": [{"id": 1, "met": 1}, {"id": 2, "met": true}]}',
        '{"verdicts": [{"id": 1, "met": null}, {"id": 2, "met": true}]}',
        '{"verdicts": [{"id": 1}, {"id": 2}]}',
        '{"verdicts": [{"id": "1", "met": true}, {"id": 2, "met": true}]}',
        answer((1, True), (2, True))[:-1],
        answer((1, True), (2, True)) + " I hope this helps.",
        "[" * 5_000,
    ],
)
def test_a_reply_that_does_not_answer_each_once_is_no_verdict(reply: str) -> None:
    with pytest.raises(JudgeError):
        by_chat(reply, ["a", "b"])


def test_an_assertion_that_the_judge_left_out_is_marked() -> None:
    first, second = by_chat(answer((2, True)), ["a", "b"]).verdicts
    assert (first.met, first.is_answered) == (None, False)
    assert (second.met, second.is_answered) == (True, True)


def test_a_judge_that_calls_a_tool_has_not_answered() -> None:
    with pytest.raises(JudgeError, match="reply has no text"):
        by_chat(ScriptedReply(tool_calls=(ScriptedCall("x", {}),)), ["a"])


def test_what_was_asked_and_what_was_answered_is_told() -> None:
    with pytest.raises(JudgeError, match=r"answered \[1, 1\], asked were 1 to 2"):
        by_chat(answer((1, True), (1, False)), ["a", "b"])


def test_a_broken_wire_is_not_a_bad_judge() -> None:
    with pytest.raises(ParticipantError):
        judged(ChatJudge(ScriptedModel("m", {}, greeted=0)), ["a"])


def test_judging_is_counted_as_usage_of_the_judge() -> None:
    usage = by_chat(answer((1, True)), ["a"]).usage
    assert usage is not None
    assert (usage.purpose, usage.model, usage.calls) == ("judge", "m", 1)


def test_the_judge_is_named_by_its_model_and_version() -> None:
    assert ChatJudge(ScriptedModel("m", {}, greeted=0)).name == "chat-1:m"


class Recorder:
    name = "recorder"

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        self.requests.append(request)
        return await ScriptedModel("m", {"*": [ScriptedReply(answer((1, True)))]}, 0).complete(
            request, purpose
        )


class Remembering:
    """A model that gives replies in turn, and the same reply for the same draw.

    It caches replies to repeated requests.
    """

    name = "remembering"

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.memory: dict[str, str] = {}

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        usage = Usage(purpose, self.name, 1)
        if request.draw in self.memory:
            usage = as_replayed(usage)
        else:
            self.memory[request.draw] = self.replies.pop(0)
        return Completion(text_reply(self.memory[request.draw]), msgspec.Raw(b"{}"), usage)


def test_a_remembered_reply_that_cannot_be_read_is_passed_over() -> None:
    model = Remembering("prose", "more prose", answer((1, True)))
    for _ in range(2):
        with pytest.raises(JudgeError, match="not the JSON asked for"):
            judged(ChatJudge(model), ["be kind"], "Hello.")
    found = judged(ChatJudge(model), ["be kind"], "Hello.")
    assert [verdict.met for verdict in found.verdicts] == [True]
    assert found.usage is not None
    assert (found.usage.calls, found.usage.replayed) == (3, 2), "two were read from memory"
    again = judged(ChatJudge(model), ["be kind"], "Hello.")
    assert again.verdicts == found.verdicts
    assert model.replies == [], "nobody was asked again"


def test_the_judge_is_asked_with_the_whole_conversation_and_numbered_assertions() -> None:
    recorder = Recorder()
    judged(ChatJudge(recorder), ["be kind"], "Hello.")
    (request,) = recorder.requests
    system, user = request.messages
    assert system["role"] == "system"
    assert '{"verdicts"' in str(system["content"])
    assert user == {
        "role": "user",
        "content": "<conversation>\nagent: Hello.\n</conversation>\n"
        "<assertions>\n1. be kind\n</assertions>",
    }
    assert (request.label, len(request.tools)) == ("7", 0)
    assert request.reply_schema == VERDICTS_SCHEMA


def test_a_transcript_shows_words_calls_and_results() -> None:
    events: list[Event] = [
        Message("user", text_reply("Cancel it.")),
        Message("agent", ToolCallReply((ToolCall("1", "look", {"x": "é"}),), "Looking.")),
        ToolResult("1", "look", "found"),
        Message("agent", ToolCallReply((ToolCall("2", "look", {}),))),
        Message("agent", UnparsedReply("<", "bad")),
    ]
    assert transcript(events) == (
        "user: Cancel it.\n"
        "agent: Looking.\n"
        'agent calls look {"x":"é"}\n'
        "tool result (look): found\n"
        "agent calls look {}\n"
        "agent: (a reply that could not be read)"
    )


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["verdicts", "id", "met", "why"]), inner)
    ),
    max_leaves=8,
)


@given(JSON.map(json.dumps) | st.text(max_size=30))
def test_any_reply_answers_every_assertion_or_is_no_verdict(reply: str) -> None:
    try:
        verdicts = parse_verdicts(reply, ["a", "b"])
    except JudgeError:
        return
    assert [verdict.assertion for verdict in verdicts] == ["a", "b"]
