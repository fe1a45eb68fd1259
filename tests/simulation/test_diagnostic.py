import asyncio
from collections.abc import Mapping

import msgspec
import pytest

from dragoman.benchmarks.kit.turn_protocols import HalfDuplex
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.episodes import COMPLETE, Episode, Event, Message
from dragoman.core.protocols import (
    Channel,
    Environment,
    Limits,
    Participant,
    SessionStart,
    StateDelta,
)
from dragoman.core.replies import TextReply, ToolCallReply, Utterance
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES, Rules
from dragoman.core.scores import Scored
from dragoman.core.tasks import (
    Action,
    Criteria,
    FunctionCall,
    KnownFact,
    Scenario,
    Task,
    UserAction,
)
from dragoman.core.tools import Change, Role, ToolCall, ToolKind, ToolResult, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.scoring.judges import RuleJudge
from dragoman.scoring.reward import Scorer
from dragoman.simulation.orchestrator import Conversation, ConversationIO
from dragoman.simulation.participants.confirming import CarefulAgent
from dragoman.simulation.participants.oracle import (
    GoldAgent,
    GoldUser,
    LiteralAgent,
    SilentAgent,
    partner_of,
)
from dragoman.simulation.participants.scripted_user import OfflineUser


class Phone:
    """A world with a tool on each side: the user's works only after the agent's."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self._taken = 0

    def unsynchronized(self) -> "Phone":
        return self

    def tools(self, side: Role) -> Toolset:
        names: dict[Role, tuple[str, ...]] = {"agent": ("enable", "check"), "user": ("toggle",)}
        return Toolset(tuple(ToolSpec(name, "", {}) for name in names[side]))

    def kind(self, name: str) -> ToolKind | None:
        kinds: dict[str, ToolKind] = {"enable": "write", "toggle": "write", "check": "read"}
        return kinds.get(name)

    def owner(self, call: ToolCall) -> Role | None:
        return call.by if call.name in self.tools(call.by) else None

    def call(self, call: ToolCall) -> ToolResult:
        if call.name == "toggle" and "enable" not in self.done:
            return ToolResult(call.id, call.name, "Error: not enabled", call.by, error=True)
        if self.kind(call.name) == "write":
            self.done.append(call.name)
        return ToolResult(call.id, call.name, "ok", call.by)

    def take_changes(self) -> tuple[Change, ...]:
        new, self._taken = self.done[self._taken :], len(self.done)
        return tuple(Change((name,), "set", value=True) for name in new)

    def run_function(self, call: FunctionCall) -> object:
        return call.name in self.done

    def delta(self) -> StateDelta:
        return {(name,): b"1" for name in self.done}

    def changes(self) -> tuple[Change, ...]:
        return ()

    def fingerprint(self) -> Mapping[Role, str | None]:
        return {"agent": ",".join(self.done), "user": None}


def play(
    task: Task,
    environment: Environment,
    pair: tuple[Participant, Participant],
    channel: Channel | None = None,
    rules: Rules = DEFAULT_RULES,
) -> Episode:
    async def conversation() -> Episode:
        turn_protocol = HalfDuplex(environment, rules, Limits())
        agent, user = pair
        surfaces = ConversationIO(
            {"agent": IdentityChannel(), "user": channel or IdentityChannel()},
            {"agent": IdentityView(), "user": IdentityView()},
        )
        sessions = {
            "agent": await agent.open(SessionStart(task, "agent", 0)),
            "user": await user.open(SessionStart(task, "user", 0)),
        }
        return await Conversation(environment, sessions, surfaces, lambda: 0.0).run(turn_protocol)  # type: ignore[arg-type]  # literal keys

    return asyncio.run(conversation())


def names_called(episode: Episode) -> list[tuple[str, str]]:
    return [
        (event.by, call.name)
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    ]


def last_words(events: tuple[Event, ...], side: Role) -> str:
    return next(
        event.reply.text
        for event in reversed(events)
        if isinstance(event, Message) and event.by == side and isinstance(event.reply, TextReply)
    )


@pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES], ids=lambda rules: rules.name)
@pytest.mark.parametrize("agent", [GoldAgent(), LiteralAgent()], ids=lambda agent: agent.name)
def test_the_reference_plan_succeeds_on_every_sample_task_that_rules_can_decide(
    shop: DomainSuite, agent: Participant, rules: Rules
) -> None:
    scorer = Scorer(shop.factory(rules), rules, RuleJudge())
    rewards = {}
    for task in shop.tasks:
        environment = shop.factory(rules)(task)
        episode = play(task, environment, (agent, partner_of(agent)), rules=rules)
        assert episode.ending.reason in COMPLETE
        score = asyncio.run(scorer.score(task, episode))
        rewards[task.id] = score.reward.value if isinstance(score.reward, Scored) else None
    assert rewards == {
        "larger-jacket": 1.0,
        "return-poles": 1.0,
        "two-swaps": 1.0,
        "too-late": 1.0,
        "cancel-by-mistake": None,
    }


def dual(*actions: Action, communicate_info: tuple[str, ...] = ()) -> Task:
    criteria = Criteria(("DB",), actions=actions, communicate_info=communicate_info)
    return Task("1", "suite", "digest", Scenario("My phone is dead."), criteria)


AGENT_1 = Action("1", "enable", {"line": "L1"})
AGENT_2 = Action("3", "check", {})
USER_1 = Action("2", "toggle", {}, by="user")


@pytest.mark.parametrize(
    "plan",
    [
        (AGENT_1, USER_1, AGENT_2),
        (AGENT_1, USER_1),
        (AGENT_1, AGENT_2, USER_1, USER_1),
        (AGENT_1, USER_1, AGENT_2, USER_1),
        (),
    ],
)
def test_gold_plays_both_sides_of_the_plan_in_its_order(plan: tuple[Action, ...]) -> None:
    episode = play(dual(*plan), Phone(), (GoldAgent(), GoldUser()))
    assert names_called(episode) == [(action.by, action.name) for action in plan]
    assert episode.ending.reason == "user_stop"
    assert episode.errors == 0


@pytest.mark.parametrize("agent", [LiteralAgent(), CarefulAgent()], ids=lambda agent: agent.name)
def test_who_plays_the_plan_with_the_offline_user_asks_for_facts_and_user_actions(
    agent: Participant,
) -> None:
    scenario = Scenario(
        "My line is L1.",
        opening="My phone is dead.",
        facts=(KnownFact("line", "L1", ("line",)),),
        user_actions=(
            UserAction("toggle", {}, ("switch", "data")),
            UserAction("other", {}, ("switch",)),
        ),
    )
    task = Task("1", "s", "d", scenario, Criteria(("DB",), actions=(AGENT_1, USER_1, AGENT_2)))
    episode = play(task, Phone(), (agent, OfflineUser()))
    assert names_called(episode) == [("agent", "enable"), ("user", "toggle"), ("agent", "check")]
    assert episode.ending.reason == "user_stop"
    words = [
        e.reply.text
        for e in episode.events
        if isinstance(e, Message) and isinstance(e.reply, TextReply)
    ]
    assert "Please tell me: what is your line?" in words
    assert "Please do your part now: data. Tell me when it is done." in words
    assert "I did that. It says: ok" in words


def test_gold_may_let_the_user_begin() -> None:
    episode = play(dual(USER_1, AGENT_1), Phone(), (GoldAgent(), GoldUser()))
    assert names_called(episode) == [("user", "toggle"), ("agent", "enable")]
    assert episode.errors == 1
    assert episode.ending.reason == "user_stop"


def test_gold_scores_one_on_a_plan_of_both_sides() -> None:
    task = dual(AGENT_1, USER_1, AGENT_2)
    episode = play(task, Phone(), (GoldAgent(), GoldUser()))
    scorer = Scorer(lambda task: Phone(), DEFAULT_RULES, None)  # noqa: ARG005 - one world for every task
    assert asyncio.run(scorer.score(task, episode)).reward == Scored(1.0)


def test_gold_says_what_must_be_said_within_one_message() -> None:
    task = dual(AGENT_1, communicate_info=("38.60", "B12"))
    words = last_words(play(task, Phone(), (GoldAgent(), GoldUser())).events, "agent")
    assert "38.60" in words
    assert "B12" in words


def test_gold_calls_carry_the_planned_arguments() -> None:
    episode = play(dual(AGENT_1), Phone(), (GoldAgent(), GoldUser()))
    move = next(
        event
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
    )
    assert isinstance(move.reply, ToolCallReply)
    assert move.reply.calls[0].arguments == {"line": "L1"}


def test_gold_works_for_a_task_without_criteria() -> None:
    task = Task("1", "suite", "digest", Scenario("Hello?"))
    assert play(task, Phone(), (GoldAgent(), GoldUser())).ending.reason == "user_stop"


def test_conversations_of_one_participant_are_apart() -> None:
    gold = GoldAgent()
    episodes = [play(dual(AGENT_1), Phone(), (gold, GoldUser())) for _ in range(2)]
    assert episodes[0] == episodes[1]


def test_silence_calls_nothing_and_ends(shop: DomainSuite) -> None:
    for task in shop.tasks:
        environment = shop.factory(DEFAULT_RULES)(task)
        episode = play(task, environment, (SilentAgent(), OfflineUser()))
        assert names_called(episode) == []
        assert environment.delta() == {}
        assert episode.ending.reason == "user_stop"


def test_the_partner_of_gold_is_gold_and_of_all_others_the_offline_user() -> None:
    assert isinstance(partner_of(GoldAgent()), GoldUser)
    assert isinstance(partner_of(LiteralAgent()), OfflineUser)
    assert isinstance(partner_of(SilentAgent()), OfflineUser)


class RecognitionErrors:
    """Carries `Holt` as `Hold`."""

    async def carry(self, utterance: Utterance) -> Utterance:
        heard = utterance.intended.replace("Holt", "Hold")
        return msgspec.structs.replace(utterance, heard=heard)

    def take_usage(self) -> tuple[Usage, ...]:
        return ()


def test_literal_calls_with_what_it_heard_and_gold_with_what_was_planned(
    shop: DomainSuite,
) -> None:
    def first_call(agent: Participant) -> dict[str, object]:
        task = shop.tasks[0]
        environment = shop.factory(DEFAULT_RULES)(task)
        episode = play(task, environment, (agent, partner_of(agent)), RecognitionErrors())
        return next(
            event.reply.calls[0].arguments
            for event in episode.events
            if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        )

    planned: dict[str, object] = {"first_name": "Maren", "last_name": "Holt", "zip": "83702"}
    assert first_call(GoldAgent()) == planned
    assert first_call(LiteralAgent()) == {**planned, "last_name": "Hold"}


def test_literal_keeps_what_no_user_says(shop: DomainSuite) -> None:
    task = shop.tasks[0]
    environment = shop.factory(DEFAULT_RULES)(task)
    episode = play(task, environment, (LiteralAgent(), OfflineUser()), RecognitionErrors())
    calls = [
        call.arguments
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    ]
    assert calls[-1]["new_item_ids"] == ["5100000002"]
