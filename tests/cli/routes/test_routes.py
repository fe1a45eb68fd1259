"""One model gives one conversation and one score, on every route of its replies."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.replies import TextReply, ToolCallReply
from dragoman.core.scores import METRIC_VERSION
from dragoman.models.chat.scripted import ScriptedCall, ScriptedReply
from dragoman.store.run_store import open_run
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import canned_reply
from dragoman.testing.server import ModelServer

AGENT = (
    ScriptedReply("<think>I need the number.</think>\nWhat is your tracking number?"),
    ScriptedReply(
        "<think>Now I look.</think>", (ScriptedCall("track_parcel", '{"tracking_number": "KV15'),)
    ),
    ScriptedReply(
        None, (ScriptedCall("functions.track_parcel", {"tracking_number": "KV155016507"}),)
    ),
    ScriptedReply('<tool_call>\n{"name": "track_parcel", "arguments": {}}\n</tool_call>'),
    ScriptedReply("so it is at Aldermoor</think>It was last scanned in Aldermoor."),
)
USER = (
    ScriptedReply("<think>The plan says that I ask.</think>Where is my parcel?"),
    ScriptedReply("[THINK]They want the number.[/THINK]It is KV155016507."),
    ScriptedReply("Please look again."),
    ScriptedReply("<think>All is said.</think>Thank you. ### STOP###"),
    ScriptedReply("###STOP###"),
)
ROUTES = {
    "wire": ((), ""),
    "stream": ((), "&stream=on"),
    "batch": (("--batch", "compatible=0.1"), ""),
}


def model(request: ChatBody) -> CannedReply:
    """Return the reply of a model, by how often it replied before."""
    replies, greeted = (USER, 0) if request.model == "user" else (AGENT, 1)
    at = sum(message.role == "assistant" for message in request.messages) - greeted
    return canned_reply(replies[min(at, len(replies) - 1)])


def reported(event: Event) -> object:
    """Return an event without bodies, ids and times, which differ by route."""
    if not isinstance(event, Message):
        return event.content, event.error
    match event.reply:
        case ToolCallReply(calls=calls, text=text):
            return (
                event.by,
                text,
                [(c.name, c.arguments, c.raw, c.malformed) for c in calls],
                event.reasoning,
            )
        case TextReply() as said:
            return event.by, said.text, event.reasoning
        case unparsed:
            return event.by, unparsed.error, event.reasoning


def reasoned(episode: Episode, side: str) -> int:
    """Return how many replies of a side hold reasoning."""
    moves = [event for event in episode.events if isinstance(event, Message) and event.by == side]
    return sum(bool(move.reasoning) for move in moves)


@pytest.mark.slow
def test_the_same_model_over_every_route_is_the_same_episode_and_score(
    tmp_path: Path, in_process: Callable[..., CompletedProcess[str]]
) -> None:
    played = {}
    with ModelServer(model) as server:
        for route, (options, switch) in ROUTES.items():
            spec = f"compatible/{{}}?base_url={server.url}{switch}"
            who = ("--agent", spec.format("agent"), "--user", spec.format("user"))
            limits = ("--limit", "1", "--no-cache", "--no-preflight", "--out", route)
            done = in_process(
                "run", "courier", *who, *limits, *options, cwd=tmp_path, COMPATIBLE_API_KEY="k"
            )
            assert done.returncode == 0, done.stderr
            assert "reasoning stood between the words of" in done.stdout + done.stderr
            with open_run(tmp_path / route, write=False) as store:
                ((_, _, episode),) = store.episodes()
                (scoring,) = store.scorings()
                (score,) = store.scores(*scoring, METRIC_VERSION).values()
            played[route] = ([reported(event) for event in episode.events], episode.ending, score)
            remarks = {use.purpose: use.remarks for use in episode.usage}
            assert remarks == {
                side: {"separated_reasoning": reasoned(episode, side)} for side in ("agent", "user")
            }

    assert played["stream"] == played["wire"]
    assert played["batch"] == played["wire"]
    events, _, _ = played["wire"]
    assert ("user", "Where is my parcel?", "The plan says that I ask.") in events
    assert ("agent", "What is your tracking number?", "I need the number.") in events
    assert ("agent", "It was last scanned in Aldermoor.", "so it is at Aldermoor") in events
    assert not any("<think>" in str(event) or "[THINK]" in str(event) for event in events)
