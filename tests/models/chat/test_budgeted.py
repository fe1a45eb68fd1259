"""A budget holds however many calls are made at once, each over a real connection."""

import asyncio
from decimal import Decimal

import pytest

from dragoman.core.costs import Price
from dragoman.core.errors import RunHalted
from dragoman.core.protocols import ChatRequest
from dragoman.core.tools import NO_TOOLS
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.models.model_spec import parse_model_spec
from dragoman.registry.model_clients import ModelClients
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import ServerConfig

ASKED = ChatRequest([{"role": "user", "content": "x" * 4_000}], NO_TOOLS, 1, "task")


async def asked_at_once(url: str, budget: Budget, calls: int) -> list[object]:
    connections = ModelClients(budget=budget)
    model = connections.chat_model(parse_model_spec(f"compatible/any?base_url={url}"))
    try:
        asked = (model.complete(ASKED, "agent") for _ in range(calls))
        return await asyncio.gather(*asked, return_exceptions=True)
    finally:
        await connections.close()


@pytest.mark.parametrize("limit", ["0.0500 USD", "0.0501 USD"])
def test_sixty_four_calls_at_once_pass_a_budget_by_less_than_one_call(limit: str) -> None:
    rules = RuleAnswers([Rule(reply=ScriptedReply("Yes."))])
    with ModelServer(rules, ServerConfig()) as server:
        url = server.url
        first = Budget(parse_spend_limit("1 tokens"), lambda _model: None)
        asyncio.run(asked_at_once(url, first, 1))
        # A price by which every call costs a tenth of a cent.
        price = Price(1_000 / first.spent, 1_000 / first.spent)
        budget = Budget(parse_spend_limit(limit), lambda _model: price)

        outcomes = asyncio.run(asked_at_once(url, budget, 64))

    refused = [outcome for outcome in outcomes if isinstance(outcome, RunHalted)]
    answered = round(budget.spent / Decimal("0.001"))
    assert len(refused) == 64 - answered
    assert 0 <= budget.spent - budget.limit.amount < Decimal("0.001")
