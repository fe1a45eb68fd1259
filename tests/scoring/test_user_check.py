import asyncio
import json

import msgspec
import pytest

from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.protocols import ChatRequest, Completion, JudgeContext
from dragoman.core.replies import text_reply
from dragoman.core.scores import Evidence
from dragoman.core.tasks import Scenario, Task
from dragoman.models.chat.scripted import ScriptedModel, ScriptedReply
from dragoman.scoring.judges import SIMULATOR, AssumeMet, ChatJudge
from dragoman.scoring.simulator_validity import (
    CHECKS,
    STATEMENTS,
    UserCheck,
    UserCheckResult,
    scoring_name,
)

TASK = Task("7", "suite", "digest", Scenario("You want to cancel order #W1234567. You are polite."))
GREETING = Message("agent", text_reply("Hi!"), scripted=True)

CASE = JudgeContext("7", "a-draw")


def episode(*words: str) -> Episode:
    moves = [
        move
        for text in words
        for move in (Message("user", text_reply(text)), Message("agent", text_reply("Ok.")))
    ]
    return Episode((GREETING, *moves), Termination("max_steps"), 0, 0)


def answer(*met: bool) -> str:
    verdicts = [{"id": at, "met": value, "why": f"w{at}"} for at, value in enumerate(met, 1)]
    return json.dumps({"verdicts": verdicts})


def checked(reply: str | None, *words: str, language: str = "en") -> UserCheckResult:
    """Check a conversation by rules, and by a model that gives a reply (None: none for the task)."""
    script = {} if reply is None else {"*": [ScriptedReply(reply)]}
    judge = ChatJudge(ScriptedModel("m", script, greeted=0), rubric=SIMULATOR)
    return asyncio.run(UserCheck(judge).check(TASK, episode(*words), language, CASE))


def met(result: UserCheckResult) -> dict[str, bool | None]:
    return {entry.subject: entry.met for entry in result.evidence}


def test_every_check_has_a_statement() -> None:
    assert tuple(STATEMENTS) == CHECKS


def test_rules_alone_consume_nothing() -> None:
    result = asyncio.run(UserCheck().check(TASK, episode("It is order #W7654321."), "en", CASE))
    assert met(result)["nothing_invented"] is False
    assert result.usage is None


def test_a_judge_decides_what_rules_leave_open() -> None:
    by_rule = asyncio.run(UserCheck().check(TASK, episode("Hello."), "en", CASE))
    assert met(by_rule)["goal_kept"] is None
    result = checked(answer(True, True, True, True, True), "Hello.")
    assert set(met(result).values()) == {True}
    assert result.evidence[0] == Evidence("goal_kept", True, "w1", "judge")


def test_a_judge_may_find_more() -> None:
    result = checked(answer(True, False, True, True, True), "My dog is called Rex.")
    assert met(result)["nothing_invented"] is False
    assert result.evidence[1].why == "w2"


def test_what_rules_found_stands_whatever_the_judge_says() -> None:
    result = checked(answer(True, True, True, True, True), "It is order #W7654321.")
    assert result.evidence[1] == Evidence("nothing_invented", False, "message 1 invents: #W7654321")


@pytest.mark.parametrize("reply", ["no idea", answer(True), answer(True, True, True, True), None])
def test_where_the_judge_fails_only_what_rules_found_is_known(reply: str | None) -> None:
    result = checked(reply, "It is order #W7654321, you see, which I want to have cancelled.")
    assert met(result)["nothing_invented"] is False
    others = [entry for entry in result.evidence if entry.met is not False]
    unanswered = others if reply in {None, "no idea"} else others[-1:]
    assert all(entry.met is None and entry.why for entry in unanswered)
    assert unanswered


def test_an_unusable_reply_is_paid_all_the_same() -> None:
    usage = checked("no idea", "Hello.").usage
    assert usage is not None
    assert (usage.purpose, usage.model, usage.calls) == ("user judge", "m", 1)


def test_nobody_is_asked_where_no_simulated_user_spoke() -> None:
    assert checked("never asked") == UserCheckResult(())


class Recorder:
    name = "recorder"

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        self.requests.append(request)
        script = {"*": [ScriptedReply(answer(True, True, True, True, True))]}
        return await ScriptedModel("m", script, 0).complete(request, purpose)


def test_the_judge_sees_the_scenario_the_conversation_and_the_statements() -> None:
    recorder = Recorder()
    reported = msgspec.structs.replace(TASK, scenario=Scenario("You want <conversation> peace."))
    check = UserCheck(ChatJudge(recorder, rubric=SIMULATOR)).check(
        reported, episode("Hello."), "th", CASE
    )
    asyncio.run(check)
    (request,) = recorder.requests
    system, user = (str(message["content"]) for message in request.messages)
    assert "simulated customer" in system
    assert user.startswith(
        "<scenario>\nYou want (conversation) peace.\n</scenario>\n"
        "<conversation>\nagent: Hi!\nuser: Hello.\nagent: Ok.\n</conversation>\n<assertions>\n1. "
    )
    assert "the language with the tag th." in user


def test_the_name_of_scores_tells_when_users_were_judged() -> None:
    judge = ChatJudge(ScriptedModel("m", {}, greeted=0), rubric=SIMULATOR)
    assert scoring_name(None, None) == "none"
    assert scoring_name(None, UserCheck()) == "none"
    assert scoring_name(AssumeMet(), UserCheck(judge)) == "assume-met+users:chat-1:m"
