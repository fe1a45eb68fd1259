from decimal import Decimal

import msgspec

from dragoman.analysis.cell_summary import (
    ConversationResult,
    LedgerLine,
    ledger,
    ledger_cost,
    merge_ledgers,
    summarize,
)
from dragoman.core.conditions import PLAIN
from dragoman.core.costs import FREE, Cost, Price, no_price
from dragoman.core.episodes import Episode, Termination
from dragoman.core.scores import Score, Scored
from dragoman.core.usage import Usage

AGENT = Usage("agent", "m", input_tokens=1_000_000, output_tokens=0)
JUDGE = Usage("judge", "j", input_tokens=1_000_000, output_tokens=0)


def price_of(model: str) -> Price | None:
    return {"m": Price(Decimal(1), Decimal(2)), "j": Price(Decimal(3), Decimal(4))}.get(model)


def dollars(amount: int) -> Cost:
    return Cost(Decimal(amount), Decimal(amount))


def test_usage_is_added_up_and_priced_by_purpose_and_model() -> None:
    agent, judge = ledger([AGENT, JUDGE, AGENT], price_of)
    assert (agent.usage.calls, agent.cost) == (2, dollars(2))
    assert (judge.usage.calls, judge.cost) == (1, dollars(3))
    assert ledger_cost((agent, judge)) == dollars(5)


def test_one_line_of_unknown_cost_makes_the_whole_unknown() -> None:
    lines = ledger([AGENT, Usage("user", "other", input_tokens=1, output_tokens=1)], price_of)
    assert [line.cost for line in lines] == [dollars(1), None]
    assert ledger_cost(lines) is None


def test_where_nothing_was_recorded_the_cost_is_not_zero_but_unknown() -> None:
    assert ledger_cost(()) is None


def test_ledgers_add_up() -> None:
    one, other = ledger([AGENT, JUDGE], price_of), ledger([AGENT], price_of)
    assert merge_ledgers([*one, *other]) == ledger([AGENT, JUDGE, AGENT], price_of)
    assert merge_ledgers([*one, *ledger([AGENT], no_price)])[0].cost is None


def test_attempts_without_an_answer_do_not_hide_what_the_others_cost() -> None:
    failed = Usage("agent", "m", 0, faults={"timeout": 2})
    assert ledger([failed], price_of) == (LedgerLine(failed, FREE),)
    (line,) = merge_ledgers([*ledger([failed], price_of), *ledger([AGENT], price_of)])
    assert (line.usage.calls, line.usage.faults, line.cost) == (1, {"timeout": 2}, dollars(1))


def test_a_cell_counts_earlier_attempts_and_judges() -> None:
    episode = Episode((), Termination("user_stop"), 1, 0, usage=(AGENT,))
    score = Score("rules", "chat", Scored(1.0), (), usage=JUDGE)
    row = ConversationResult("suite", PLAIN, "a", "t", 0, episode, score, earlier=(AGENT, JUDGE))
    (cell,) = summarize([row], "rules", "chat", price_of)
    assert {line.usage.purpose: line.usage.calls for line in cell.ledger} == {
        "agent": 2,
        "judge": 2,
    }
    assert cell.cost == dollars(8)
    (blind,) = summarize([row], "rules", "chat")
    assert blind.cost is None
    assert blind.usage == cell.usage


def test_a_cell_counts_what_trying_its_conversations_out_used() -> None:
    rows = [ConversationResult("suite", PLAIN, agent, "t", 0, key=agent) for agent in ("a", "b")]
    tried = msgspec.structs.replace(AGENT, purpose="preflight")
    cells = summarize(rows, "rules", "chat", price_of, {"b": (tried,), "c": (AGENT,)})
    assert [cell.usage for cell in cells] == [(), (tried,)]
