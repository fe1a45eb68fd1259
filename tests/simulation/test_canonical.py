"""Calls get the plan's arguments, and the rest of a conversation stays the same."""

import asyncio
from collections.abc import Iterator, Sequence
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.protocols import SessionInput, SessionReply, SessionStart
from dragoman.core.replies import (
    Reply,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
    text_reply,
)
from dragoman.core.tasks import Action, Criteria, FixedTurn, Scenario, Task
from dragoman.core.tools import NO_TOOLS, ToolCall, ToolResult, Toolset
from dragoman.simulation.participants.canonical_arguments import (
    CanonicalAgent,
    with_canonical_arguments,
)
from dragoman.simulation.participants.oracle import GoldAgent

RESULT = ToolResult("1", "pay", "done")
PAY_RENT = Action("a", "pay", {"to": "rent", "amount": 900, "on": "2026-05-01"})
PAY_POWER = Action("b", "pay", {"to": "power", "amount": 60, "on": "2026-05-02"})
LOOK = Action("c", "look", {"account": "K1"})
PLAN = (LOOK, PAY_RENT, PAY_POWER)


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall("1", name, arguments)


def task(*plan: Action, turns: int = 0) -> Task:
    return Task(
        "t",
        "own",
        "digest",
        Scenario("Pay."),
        Criteria(("DB",), plan),
        turns=tuple(FixedTurn((f"turn {number}",)) for number in range(turns)),
    )


class Replying:
    """Gives its replies in turn."""

    name = "replying"

    def __init__(self, *replies: Reply, call_form: str = "") -> None:
        self._replies = replies
        self._call_form = call_form

    async def open(self, opening: SessionStart) -> "ReplyingSession":  # noqa: ARG002 - it knows its replies
        return ReplyingSession(iter(self._replies), self._call_form)


class ReplyingSession:
    def __init__(self, replies: Iterator[Reply], call_form: str) -> None:
        self._replies = replies
        self._call_form = call_form

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:  # noqa: ARG002 - it knows its replies
        return SessionReply(next(self._replies), call_form=self._call_form)

    async def close(self) -> None:
        pass


def replies_of(
    agent: Replying, of_task: Task, *heard: SessionInput, tools: Toolset = NO_TOOLS
) -> list[Reply]:
    """Return the replies to inputs, one input at a time."""

    async def converse() -> list[Reply]:
        session = await CanonicalAgent(agent).open(SessionStart(of_task, "agent", 0))
        answers = [await session.reply((part,), tools) for part in heard]
        await session.close()
        return [answer.reply for answer in answers]

    return asyncio.run(converse())


def sent(*calls: ToolCall, plan: Sequence[Action] = PLAN) -> list[tuple[dict[str, object], object]]:
    """Return the arguments that calls of one reply get, with those that were sent instead."""
    changed, _ = with_canonical_arguments(calls, plan, plan)
    return [(each.arguments, each.sent) for each in changed]


def test_a_wrong_form_gets_the_plans_value_and_what_was_sent_stays_beside_it() -> None:
    assert sent(call("look", account="k 1")) == [({"account": "K1"}, {"account": "k 1"})]


def test_a_call_that_is_as_planned_stays_as_it_is() -> None:
    planned = call("look", account="K1")
    assert with_canonical_arguments((planned,), PLAN, PLAN) == ((planned,), (LOOK,))


def test_a_call_is_taken_for_the_action_that_it_is_most_like() -> None:
    wrong = call("pay", to="power", amount=60, on="2 May")
    assert with_canonical_arguments((wrong,), PLAN, PLAN)[1] == (PAY_POWER,)
    unlike = call("pay", to="?")
    assert with_canonical_arguments((unlike,), PLAN, PLAN)[1] == (PAY_RENT,)


def test_a_right_call_keeps_its_action_whatever_wrong_one_stands_before_it() -> None:
    wrong = call("pay", to="rent", amount=900, on="")
    right = call("pay", **PAY_RENT.arguments)
    assert sent(wrong, right) == [
        (PAY_POWER.arguments, wrong.arguments),
        (PAY_RENT.arguments, None),
    ]


def test_arguments_that_the_plan_does_not_have_are_left_out_and_missing_ones_put_in() -> None:
    wrong = call("pay", to="rent", currency="EUR")
    assert sent(wrong) == [(PAY_RENT.arguments, wrong.arguments)]


@pytest.mark.parametrize(
    "other",
    [
        call("cancel", account="K1"),
        ToolCall("1", "look", {}, raw="{", malformed="not JSON"),
    ],
)
def test_calls_of_other_tools_and_unreadable_ones_stay(other: ToolCall) -> None:
    assert with_canonical_arguments((other,), PLAN, PLAN) == ((other,), ())


def test_a_planned_call_made_again_stays_and_fulfils_nothing() -> None:
    again = call("pay", **PAY_RENT.arguments)
    assert with_canonical_arguments((again,), PLAN, (PAY_POWER,)) == ((again,), ())


def test_a_call_too_many_stays() -> None:
    extra = call("look", account="K2")
    assert with_canonical_arguments((extra,), PLAN, (PAY_RENT,)) == ((extra,), ())


def test_arguments_without_a_name_are_the_plans_too() -> None:
    action = Action("a", "sort", {}, positionals=("report.pdf",))
    (changed,), fulfilled = with_canonical_arguments(
        (call("sort", file="report"),), (action,), (action,)
    )
    assert (changed.arguments, changed.positionals) == ({}, ("report.pdf",))
    assert fulfilled == (action,)


def test_an_action_is_fulfilled_once_in_a_conversation() -> None:
    wrong = ToolCallReply((call("look", account="k1"),))
    first, second = replies_of(Replying(wrong, wrong), task(LOOK), text_reply("Look."), RESULT)
    assert isinstance(first, ToolCallReply)
    assert first.calls[0].arguments == {"account": "K1"}
    assert second == wrong


def test_words_and_unusable_replies_pass_as_they_are() -> None:
    replies = (text_reply("Which account?"), UnparsedReply("", "nothing"))
    assert replies_of(
        Replying(*replies), task(LOOK), text_reply("Look."), text_reply("K1")
    ) == list(replies)


def test_calls_that_are_judged_as_text_pass_as_they_are() -> None:
    wrong = ToolCallReply((call("look", account="k1"),), "look(account='k1')")
    agent = Replying(wrong, call_form="python")
    assert replies_of(agent, task(LOOK), text_reply("Look.")) == [wrong]


def test_where_turns_are_fixed_a_call_gets_the_arguments_of_its_own_turn() -> None:
    first = msgspec.structs.replace(LOOK, arguments={"account": "K1"}, turn=0)
    third = msgspec.structs.replace(LOOK, arguments={"account": "K3"}, turn=2)
    wrong = ToolCallReply((call("look", account="?"),))
    replies = replies_of(
        Replying(wrong, text_reply("Done."), wrong, text_reply("Done."), wrong),
        task(first, third, turns=3),
        *(text_reply("turn 0"), RESULT, text_reply("turn 1"), RESULT, text_reply("turn 2")),
    )
    assert [each.calls[0].arguments for each in replies if isinstance(each, ToolCallReply)] == [
        {"account": "K1"},
        {"account": "?"},
        {"account": "K3"},
    ]


def test_a_turn_ends_too_where_its_calls_were_not_followed_by_words() -> None:
    second = msgspec.structs.replace(LOOK, turn=1)
    wrong = ToolCallReply((call("look", account="?"),))
    before, after = replies_of(
        Replying(wrong, wrong), task(second, turns=2), text_reply("turn 0"), text_reply("turn 1")
    )
    assert before == wrong
    assert isinstance(after, ToolCallReply)
    assert after.calls[0].arguments == LOOK.arguments


@pytest.mark.parametrize(("alone", "account"), [(False, "k1"), (True, "K1")])
def test_what_the_user_has_to_do_is_no_plan_of_the_agent_unless_it_is_alone(
    *, alone: bool, account: str
) -> None:
    tools = Toolset((), must_call=alone)
    agent = Replying(ToolCallReply((call("look", account="k1"),)))
    of_user = msgspec.structs.replace(LOOK, by="user")
    (reply,) = replies_of(agent, task(of_user), text_reply("Look."), tools=tools)
    assert isinstance(reply, ToolCallReply)
    assert reply.calls[0].arguments == {"account": account}


def test_without_a_plan_nothing_changes() -> None:
    wrong = ToolCallReply((call("look", account="k1"),))
    unplanned = msgspec.structs.replace(task(), criteria=None)
    assert replies_of(Replying(wrong), unplanned, text_reply("Look.")) == [wrong]


def test_gold_plays_every_task_of_the_sample_as_without_it(shop: DomainSuite) -> None:
    async def moves(of_task: Task, *, canonical: bool) -> list[Reply]:
        agent = CanonicalAgent(GoldAgent()) if canonical else GoldAgent()
        session = await agent.open(SessionStart(of_task, "agent", 0))
        return [(await session.reply((), NO_TOOLS)).reply for _ in range(12)]

    for each in shop.tasks:
        own = asyncio.run(moves(each, canonical=False))
        assert asyncio.run(moves(each, canonical=True)) == own
        assert any(isinstance(reply, ToolCallReply) for reply in own)


VALUES = st.one_of(st.integers(0, 2), st.sampled_from(["K1", "k1", ""]))
ARGUMENTS = st.dictionaries(st.sampled_from(["to", "amount"]), VALUES, max_size=2)
NAMES = st.sampled_from(["pay", "look"])
ACTIONS = st.lists(st.builds(Action, st.just("a"), NAMES, ARGUMENTS), max_size=6)
CALLS = st.lists(st.builds(ToolCall, st.just("1"), NAMES, ARGUMENTS), max_size=6)


@given(ACTIONS, st.randoms(use_true_random=False))
def test_the_plans_own_calls_in_any_order_stay_and_fulfil_it(
    plan: list[Action], order: Random
) -> None:
    calls = [ToolCall("1", action.name, action.arguments) for action in plan]
    order.shuffle(calls)
    changed, fulfilled = with_canonical_arguments(calls, plan, plan)
    assert list(changed) == calls
    assert len(fulfilled) == len(plan)


@given(CALLS, ACTIONS)
def test_tools_and_their_order_never_change_and_what_is_put_in_is_the_plans(
    calls: list[ToolCall], plan: list[Action]
) -> None:
    changed, fulfilled = with_canonical_arguments(calls, plan, plan)
    assert [each.name for each in changed] == [each.name for each in calls]
    left = list(plan)
    for action in fulfilled:
        left.remove(action)
    for before, after in zip(calls, changed, strict=True):
        assert after == before or (
            after.sent == before.arguments
            and any((each.name, each.arguments) == (after.name, after.arguments) for each in plan)
        )


def test_an_answered_question_is_no_turn_of_its_own() -> None:
    first, second = Action("a", "pay", {"to": "rent"}), Action("b", "pay", {"to": "power"}, turn=1)
    wrong = ToolCallReply((call("pay", to="nobody"),))
    answer = TextReply(Utterance("rent"), clarifies=True)
    *_, paid = replies_of(
        Replying(text_reply("Is it rent?"), wrong),
        task(first, second, turns=2),
        text_reply("turn 0"),
        answer,
    )
    assert isinstance(paid, ToolCallReply)
    assert [each.arguments for each in paid.calls] == [{"to": "rent"}]
