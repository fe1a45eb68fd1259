"""Turn protocol of clarifications: the order of speakers, played in the loop."""

import asyncio
from collections.abc import Sequence

import pytest

from dragoman.benchmarks.kit.turn_protocols import HalfDuplex
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.conditions.clarification.judges import RuleClarificationJudge
from dragoman.conditions.clarification.turn_protocol import (
    MAX_CLARIFICATIONS,
    ClarifyingProtocol,
    clarifying_layer,
)
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.clarifications import ClarificationRequest, ClarificationVerdict
from dragoman.core.episodes import Episode, Message, without_clarifications
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import Channel, Limits, SessionInput, SessionReply
from dragoman.core.replies import TextReply, Utterance, text_reply
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import Action, Criteria, Scenario, Task
from dragoman.core.tools import Role, Toolset
from dragoman.core.usage import Usage
from dragoman.simulation.orchestrator import Conversation, ConversationIO

TASK = Task(
    "t",
    "sample:shop",
    "digest",
    Scenario("Change the order."),
    Criteria(("DB",), (Action("1", "get_order", {"order_id": "#S1000004"}),)),
)
STOP = "###STOP###"
SPOKEN_TO = "It is about my order #S1000004."
ASKS = "Is the order #S1000004?"
ANSWER = "Yes, #S1000004"


class Speaker:
    """A participant that says its words in turn and records its inputs."""

    def __init__(self, *words: str) -> None:
        self.heard: list[list[str]] = []
        self._words = iter(words)

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:  # noqa: ARG002 - it only speaks
        self.heard.append(
            [each.utterance.received or "" for each in heard if isinstance(each, TextReply)]
        )
        return SessionReply(text_reply(next(self._words)))

    async def close(self) -> None:
        pass


class Line:
    """A channel through which utterances arrive in lower case."""

    async def carry(self, utterance: Utterance) -> Utterance:
        return Utterance(utterance.intended, heard=utterance.intended.lower())

    def take_usage(self) -> tuple[Usage, ...]:
        return ()


class Unheard:
    """A channel through which utterances arrive as audio alone."""

    async def carry(self, utterance: Utterance) -> Utterance:
        return Utterance(utterance.intended, utterance.intended, heard=None)

    def take_usage(self) -> tuple[Usage, ...]:
        return ()


class Noting(RuleClarificationJudge):
    """A judge that records its requests."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[ClarificationRequest] = []

    async def decide(self, request: ClarificationRequest) -> ClarificationVerdict:
        self.asked.append(request)
        return await super().decide(request)


class Breaks:
    """A judge that cannot be reached."""

    name = "broken"

    async def decide(self, request: ClarificationRequest) -> ClarificationVerdict:
        error = ParticipantError(f"no answer about {request.label}")
        error.usage = Usage("judge", "m", 1)
        raise error


class Talking:
    """One conversation of the shop with clarifications."""

    def __init__(self, shop: DomainSuite, agent: Speaker, user: Speaker) -> None:
        self.environment = shop.factory(DEFAULT_RULES)(shop.tasks[0])
        self.sessions: dict[Role, Speaker] = {"agent": agent, "user": user}

    def play(
        self,
        judge: RuleClarificationJudge | Breaks | None = None,
        limits: Limits | None = None,
        channel: Channel | None = None,
        *,
        aloud: bool = False,
    ) -> Episode:
        inner = HalfDuplex(self.environment, DEFAULT_RULES, limits or Limits())
        turn_protocol = ClarifyingProtocol(
            inner, judge or RuleClarificationJudge(), TASK, aloud=aloud
        )
        channels: dict[Role, Channel] = {
            "agent": IdentityChannel(),
            "user": channel or IdentityChannel(),
        }
        surfaces = ConversationIO(channels, dict.fromkeys(channels, IdentityView()))
        conversation = Conversation(self.environment, self.sessions, surfaces, lambda: 0.0)
        return asyncio.run(conversation.run(turn_protocol))


def said(episode: Episode) -> list[tuple[str, str]]:
    return [
        (event.by, event.reply.text)
        for event in episode.events[1:]
        if isinstance(event, Message) and isinstance(event.reply, TextReply)
    ]


def test_the_turn_goes_on_after_an_answer_and_the_user_never_hears_the_question(
    shop: DomainSuite,
) -> None:
    agent, user = Speaker(ASKS, "Done."), Speaker(SPOKEN_TO, STOP)
    episode = Talking(shop, agent, user).play()

    assert said(episode) == [
        ("user", SPOKEN_TO),
        ("agent", ASKS),
        ("user", ANSWER),
        ("agent", "Done."),
        ("user", STOP),
    ]
    assert agent.heard == [[SPOKEN_TO], [ANSWER]]
    assert user.heard[1] == ["Done."]
    assert [(entry.at, entry.reason) for entry in episode.clarifications] == [
        (2, "allowed"),
        (4, "no question"),
    ]
    plain = Talking(shop, Speaker("Done."), Speaker(SPOKEN_TO, STOP)).play()
    assert without_clarifications(episode).events == plain.events


def test_a_rejected_question_is_the_users_to_answer(shop: DomainSuite) -> None:
    user = Speaker(SPOKEN_TO, "I would rather not.", STOP)
    episode = Talking(shop, Speaker("Can you confirm your password?", "Bye."), user).play()

    assert user.heard[1] == ["Can you confirm your password?"]
    assert [entry.reason for entry in episode.clarifications] == ["outside", "no question"]


def test_a_turn_has_so_many_answers_and_the_next_has_them_again(shop: DomainSuite) -> None:
    times = MAX_CLARIFICATIONS + 1
    agent = Speaker(*[ASKS] * times, ASKS, "Done.")
    user = Speaker(SPOKEN_TO, "Yes, that order.", STOP)
    episode = Talking(shop, agent, user).play()

    reasons = [entry.reason for entry in episode.clarifications]
    assert reasons == ["allowed"] * (times - 1) + ["spent", "allowed", "no question"]


def test_where_nothing_can_be_confirmed_nobody_is_asked(shop: DomainSuite) -> None:
    user = Speaker("Hello.", STOP)
    episode = Talking(shop, Speaker(ASKS), user).play(Breaks())
    assert [entry.reason for entry in episode.clarifications] == ["nothing to clarify"]
    assert episode.ending.reason == "user_stop"


def test_answers_take_no_steps_of_the_benchmark(shop: DomainSuite) -> None:
    words = ("Done.",), (SPOKEN_TO, "And now?", STOP)
    for steps in (2, 3):
        plain = Talking(shop, Speaker(*words[0], "Bye."), Speaker(*words[1])).play(
            limits=Limits(steps)
        )
        asking = Talking(shop, Speaker(ASKS, ASKS, *words[0], "Bye."), Speaker(*words[1])).play(
            limits=Limits(steps)
        )
        assert asking.ending == plain.ending
        assert without_clarifications(asking).events == plain.events


@pytest.mark.parametrize(("aloud", "heard"), [(False, ANSWER), (True, ANSWER.lower())])
def test_an_answer_is_written_unless_it_is_to_be_spoken(
    shop: DomainSuite, *, aloud: bool, heard: str
) -> None:
    agent = Speaker(ASKS, "Done.")
    episode = Talking(shop, agent, Speaker(SPOKEN_TO, STOP)).play(channel=Line(), aloud=aloud)

    assert agent.heard == [[SPOKEN_TO.lower()], [heard]]
    answer = episode.events[3]
    assert isinstance(answer, Message)
    assert isinstance(answer.reply, TextReply)
    assert (answer.reply.utterance.heard == heard) is aloud


def test_a_judge_reads_no_transcript_where_the_agent_heard_the_audio(shop: DomainSuite) -> None:
    judge, agent = Noting(), Speaker(ASKS, "Done.")
    episode = Talking(shop, agent, Speaker(SPOKEN_TO, STOP)).play(judge, channel=Unheard())

    (first, *_) = judge.asked
    assert (first.intended, first.heard, first.message) == (SPOKEN_TO, "", ASKS)
    assert episode.clarifications[0].is_allowed
    assert agent.heard == [[""], [ANSWER]]


def test_a_judge_that_cannot_be_asked_is_infrastructure(shop: DomainSuite) -> None:
    episode = Talking(shop, Speaker(ASKS), Speaker(SPOKEN_TO)).play(Breaks())
    assert (episode.ending.reason, episode.ending.detail) == (
        "infrastructure_error",
        "no answer about t",
    )
    assert [entry.calls for entry in episode.usage] == [1]


def test_a_layers_identity_tells_judges_and_ways_of_answering_apart() -> None:
    judges = (RuleClarificationJudge(), Breaks())
    found = {
        clarifying_layer(judge, aloud=way).identity for judge in judges for way in (True, False)
    }
    assert len(found) == 4
