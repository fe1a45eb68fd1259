import asyncio
import json
from collections.abc import Callable, Sequence

import msgspec
import pytest

from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry, toolsets
from dragoman.benchmarks.bfcl.multi_turn_execution import (
    NOT_EXECUTED,
    entry_environment,
    played_turns,
)
from dragoman.benchmarks.bfcl.multi_turn_suite import MAX_STEPS, FixedTurns
from dragoman.benchmarks.bfcl.prompts import PromptTexts
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.protocols import SessionInput, SessionReply
from dragoman.core.replies import Reply, TextReply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tools import ToolCall, ToolResult, Toolset
from dragoman.simulation.orchestrator import Conversation, ConversationIO

MakeEntry = Callable[..., MultiTurnEntry]
Play = Callable[..., Episode]

FILES = {"GorillaFileSystem": {"root": {"home": {"type": "directory", "contents": {}}}}}
DONE = text_reply("Done.")


class Scripted:
    """A participant that gives its replies in turn and records its inputs."""

    def __init__(self, *replies: Reply) -> None:
        self.heard: list[list[str]] = []
        self.saw: list[list[str]] = []
        self._replies = iter(replies)

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        self.heard.append(
            [each.text if isinstance(each, TextReply) else each.content for each in heard]
        )
        self.saw.append([tool.name for tool in tools])
        return SessionReply(next(self._replies))

    async def close(self) -> None:
        pass


@pytest.fixture
def play(texts: PromptTexts) -> Play:
    """Play an entry in its own world through the loop."""

    def played(entry: MultiTurnEntry, agent: Scripted, rules: BfclRules = DEFAULT_RULES) -> Episode:
        surfaces = ConversationIO(
            {"agent": IdentityChannel(), "user": IdentityChannel()},
            {"agent": IdentityView(), "user": IdentityView()},
        )
        environment = entry_environment(entry, None)
        talk = Conversation(environment, {"agent": agent}, surfaces, lambda: 0.0)
        turn_protocol = FixedTurns(entry.task.turns, toolsets(entry, texts), rules)
        return asyncio.run(talk.run(turn_protocol))

    return played


@pytest.fixture
def shell(make_entry: MakeEntry) -> Callable[..., MultiTurnEntry]:
    """An entry on an empty directory."""

    def made(*turns: str | None, **changes: object) -> MultiTurnEntry:
        involved = ["GorillaFileSystem"]
        return make_entry(
            turns, [[]] * len(turns), initial_config=FILES, involved_classes=involved, **changes
        )

    return made


def calls(*names: str, malformed: str = "") -> ToolCallReply:
    """Return a reply that calls functions, `touch` with the name of a file."""
    return ToolCallReply(
        tuple(
            ToolCall(
                f"{n}", name, {"file_name": f"{n}"} if name == "touch" else {}, malformed=malformed
            )
            for n, name in enumerate(names)
        )
    )


def test_a_turn_goes_on_while_the_agent_calls_and_ends_with_its_first_reply_in_words(
    play: Play, shell: MakeEntry
) -> None:
    agent = Scripted(calls("touch"), calls("ls"), DONE, calls("ls", "ls"), text_reply("Bye."))
    episode = play(shell("Make 0.", "List it twice."), agent)
    assert episode.ending == Termination("turns_done")
    listing = json.dumps({"current_directory_content": ["0"]})
    assert agent.heard == [["Make 0."], ["None"], [listing], ["List it twice."], [listing, listing]]
    moves = [event for event in episode.events if isinstance(event, Message)]
    assert [(move.by, move.turn) for move in moves] == [
        *[("user", 0), ("agent", 0), ("agent", 0), ("agent", 0)],
        *[("user", 1), ("agent", 1), ("agent", 1)],
    ]
    assert [len(turn.calls) for turn in played_turns(episode.events, 2)] == [2, 2]


def test_a_reply_that_cannot_be_read_ends_its_turn(play: Play, shell: MakeEntry) -> None:
    agent = Scripted(UnparsedReply("[ls(", "never closed"), DONE)
    episode = play(shell("List.", "Thanks."), agent)
    assert episode.ending == Termination("turns_done")
    assert agent.heard == [["List."], ["Thanks."]]


def test_the_calls_of_one_reply_are_executed_in_their_order(play: Play, shell: MakeEntry) -> None:
    agent = Scripted(calls("ls", "touch", "ls"), DONE)
    episode = play(shell("Go."), agent)
    results = [event.content for event in episode.events if isinstance(event, ToolResult)]
    assert ["touch" in text or "1" in text for text in results] == [False, False, True]


def test_a_turn_is_forced_to_its_end_after_the_step_beyond_the_limit(
    play: Play, shell: MakeEntry
) -> None:
    replies = [calls("ls")] * (MAX_STEPS + 1)
    episode = play(shell("List.", "Again."), Scripted(*replies, DONE, DONE))
    assert episode.ending == Termination("max_steps", "turn 0: more than 20 steps")
    assert sum(isinstance(event, ToolResult) for event in episode.events) == MAX_STEPS + 1
    (turn,) = played_turns(episode.events, 2)
    assert len(turn.calls) == MAX_STEPS + 1


def test_the_limit_is_of_each_turn(play: Play, shell: MakeEntry) -> None:
    replies = [calls("ls")] * MAX_STEPS
    episode = play(shell("List.", "Again."), Scripted(*replies, DONE, *replies, DONE))
    assert episode.ending == Termination("turns_done")


def test_tools_that_were_withheld_are_shown_from_their_turn_on(
    play: Play, shell: MakeEntry
) -> None:
    entry = shell("Remove it.", None, "Thanks.", missed_function={"1": ["rm"]})
    agent = Scripted(text_reply("I cannot."), DONE, DONE)
    play(entry, agent)
    assert agent.heard == [["Remove it."], ["More tools. Now?"], ["Thanks."]]
    assert ["rm" in names for names in agent.saw] == [False, True, True]


def test_withheld_functions_are_not_shown_and_executed_if_called(
    play: Play, shell: MakeEntry
) -> None:
    entry = shell("Make it.", None, missed_function={"1": ["touch"]})
    agent = Scripted(calls("touch", "ls"), DONE, DONE)
    play(entry, agent)
    assert "touch" not in agent.saw[0]
    assert agent.heard[1] == ["None", json.dumps({"current_directory_content": ["0"]})]


def test_a_turn_without_words_is_the_agents(play: Play, shell: MakeEntry) -> None:
    agent = Scripted(DONE, DONE)
    episode = play(shell("Go.", None), agent)
    assert agent.heard == [["Go."], []]
    assert episode.ending == Termination("turns_done")


def test_a_malformed_call_is_answered_and_ends_the_turn_in_the_reference(
    play: Play, shell: MakeEntry
) -> None:
    broken, mended = calls("touch", malformed="no JSON"), calls("touch")
    agent = Scripted(broken, mended, DONE)
    assert play(shell("Make."), agent).errors == 1
    assert agent.heard[1] == ["Error during execution: the arguments could not be read: no JSON"]
    impatient = Scripted(broken, DONE)
    episode = play(shell("Make.", "Thanks."), impatient, BFCL_V4)
    assert impatient.heard == [["Make."], [agent.heard[1][0], "Thanks."]]
    assert [turn.calls for turn in played_turns(episode.events, 2)] == [(), ()]


def test_beside_a_malformed_call_the_reference_executes_none_and_we_execute_the_others(
    play: Play, shell: MakeEntry
) -> None:
    (broken,) = calls("ls", malformed="no JSON").calls
    (made, unknown) = calls("touch", "fly").calls
    reply = ToolCallReply((made, unknown, broken))
    ours = play(shell("Make."), Scripted(reply, DONE))
    theirs = play(shell("Make."), Scripted(reply), BFCL_V4)
    for episode, executed in ((ours, (made, unknown)), (theirs, ())):
        assert episode.ending == Termination("turns_done")
        assert [turn.calls for turn in played_turns(episode.events, 1)] == [executed]
        assert episode.malformed_calls == 1
    reported = [event.content for event in theirs.events if isinstance(event, ToolResult)]
    assert reported[:2] == [NOT_EXECUTED, NOT_EXECUTED]
    assert reported[2].endswith("could not be read: no JSON")


def test_an_entry_may_be_played_twice_from_its_beginning(play: Play, shell: MakeEntry) -> None:
    entry = shell("Make.")
    first, second = (play(entry, Scripted(calls("touch", "ls"), DONE)) for _ in range(2))
    assert msgspec.structs.replace(first, started=0.0) == second
