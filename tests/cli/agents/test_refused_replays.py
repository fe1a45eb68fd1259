"""`attribute` ends with status 1 if an endpoint refuses the replays, and prints the rest."""

from collections.abc import Callable
from subprocess import CompletedProcess

from dragoman.models.chat.scripted import ScriptedReply
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Rule, RuleAnswers, Unanswered
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]

ANSWERS = RuleAnswers([Rule(ScriptedReply("I cannot help you with that."))])


def test_refused_replays_are_not_known_and_end_with_status_1(dragoman: Cli) -> None:
    refuses = False

    def answer(request: ChatBody) -> CannedReply | Unanswered:
        return Unanswered("no recorded conversation begins so") if refuses else ANSWERS(request)

    with ModelServer(answer) as serving:
        agent = f"compatible/m?base_url={serving.url}&price=0"
        grid = ("courier", "--agent", agent, "--voice", "simulated:10", "--limit", 1)
        assert dragoman("run", *grid, "--out", "mine", "--no-cache").returncode == 0
        refuses = True

        done = dragoman("attribute", "mine")

    assert done.returncode == 1
    assert "refuses (status 400): no recorded conversation begins so" in done.stderr
    assert "are not known" in done.stderr
    assert "Failed conversations by failure source" in done.stdout
