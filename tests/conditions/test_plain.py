import asyncio

from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.replies import Utterance
from dragoman.core.tools import ToolCall, ToolResult


def test_plain_words_arrive_as_they_were_meant() -> None:
    utterance = Utterance("order 5")
    carried = asyncio.run(IdentityChannel().carry(utterance))
    assert carried == utterance
    assert carried.received == "order 5"


def test_plain_words_cost_nothing() -> None:
    channel = IdentityChannel()
    asyncio.run(channel.carry(Utterance("order 5")))
    assert channel.take_usage() == ()


def test_plain_tools_are_seen_called_and_answered_as_they_are(shop: DomainSuite) -> None:
    view, tools = IdentityView(), shop.toolsets["agent"]
    call, result = ToolCall("1", "look", {"x": 1}), ToolResult("1", "look", "one")
    assert view.show(tools) is tools
    assert view.canonical(call) is call
    assert view.present(result, call) is result
