"""The realtime server follows the protocol, and reports violations."""

import asyncio
import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from dragoman.core.audio import Audio, MemoryAudioStore
from dragoman.core.errors import UsageError
from dragoman.core.recordings import RecordedMessage
from dragoman.core.replies import AudioRef
from dragoman.models.chat.scripted import ScriptedCall, ScriptedReply
from dragoman.models.realtime_protocol import prepare_audio
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.realtime.responses import RealtimeConfig, SlowDeltas
from dragoman.testing.realtime.server import RealtimeServer
from dragoman.testing.realtime.session import hear_recorded
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Rule, RuleAnswers, Unanswered, When
from dragoman.testing.server_config import load_config

CALLS = Rule(ScriptedReply(None, (ScriptedCall("look", {}),)), When(contains="look"))
SAYS = Rule(ScriptedReply("Here you are, and a good day to you."))

PCM = {"type": "audio/pcm", "rate": 24_000}
SILENCE = base64.b64encode(bytes(4_800)).decode()

Event = dict[str, Any]


def user(text: str) -> Event:
    content = [{"type": "input_text", "text": text}]
    return {
        "type": "conversation.item.create",
        "item": {"type": "message", "role": "user", "content": content},
    }


def output(call_id: str) -> Event:
    item = {"type": "function_call_output", "call_id": call_id, "output": "found"}
    return {"type": "conversation.item.create", "item": item}


ASK: Event = {"type": "response.create"}


async def reported(
    events: Sequence[Event | str], until: str, behaviour: RealtimeConfig | None = None
) -> list[Event]:
    """Send events, and return the received events up to one with a given name."""
    received: list[Event] = []
    async with (
        RealtimeServer(RuleAnswers([CALLS, SAYS]), behaviour) as server,
        aiohttp.ClientSession() as client,
        client.ws_connect(f"{server.url}/realtime?model=any") as socket,
    ):
        for event in events:
            written = event if isinstance(event, str) else msgspec.json.encode(event).decode()
            await socket.send_str(written)
        while not received or received[-1]["type"] != until:
            received.append(msgspec.json.decode(await socket.receive_str(), type=Event))
    return received


def test_a_spoken_response_comes_in_the_protocols_order() -> None:
    names = [
        event["type"] for event in asyncio.run(reported([user("hello"), ASK], "response.done"))
    ]

    once = list(dict.fromkeys(names))
    assert once == [
        "session.created",
        "conversation.item.added",
        "conversation.item.done",
        "response.created",
        "rate_limits.updated",
        "response.output_item.added",
        "response.output_audio_transcript.delta",
        "response.output_audio.delta",
        "response.output_audio.done",
        "response.output_audio_transcript.done",
        "response.output_item.done",
        "response.done",
    ]
    assert names.count("response.output_audio.delta") > 1


def test_a_call_has_its_arguments_and_waits_for_its_output() -> None:
    events = asyncio.run(reported([user("look"), ASK], "response.done"))

    (item,) = events[-1]["response"]["output"]
    assert (item["type"], item["name"], item["arguments"]) == ("function_call", "look", "{}")
    assert item["call_id"].startswith("call_")


@pytest.mark.parametrize(
    ("events", "code"),
    [
        (["{"], "invalid_event"),
        ([{"type": "session.destroy"}], "invalid_event"),
        ([{"type": "session.update", "session": {}}], "invalid_event"),
        (
            [
                {
                    "type": "session.update",
                    "session": {"type": "realtime", "output_modalities": ["text", "audio"]},
                }
            ],
            "invalid_event",
        ),
        (
            [
                {
                    "type": "session.update",
                    "session": {
                        "type": "realtime",
                        "audio": {"input": {"format": {**PCM, "rate": 16_000}}},
                    },
                }
            ],
            "invalid_event",
        ),
        ([{"type": "input_audio_buffer.append", "audio": "no base64!"}], "invalid_value"),
        ([{"type": "input_audio_buffer.append", "audio": "AAAA"}], "invalid_value"),
        ([{"type": "input_audio_buffer.commit"}], "input_audio_buffer_commit_empty"),
        (
            [
                {"type": "input_audio_buffer.append", "audio": SILENCE},
                {"type": "input_audio_buffer.clear"},
                {"type": "input_audio_buffer.commit"},
            ],
            "input_audio_buffer_commit_empty",
        ),
        ([output("nobody")], "invalid_tool_call_id"),
        ([{"type": "response.cancel"}], "response_cancel_not_active"),
        (
            [
                {
                    "type": "conversation.item.truncate",
                    "item_id": "item_9",
                    "content_index": 0,
                    "audio_end_ms": 0,
                }
            ],
            "item_not_found",
        ),
        ([user("hello"), ASK, ASK], "conversation_already_has_active_response"),
    ],
)
def test_what_is_out_of_order_is_an_error_and_the_session_goes_on(
    events: list[Event | str], code: str
) -> None:
    behaviour = RealtimeConfig((SlowDeltas(1.0, seconds=0.001),))
    received = asyncio.run(reported([*events, user("hello"), ASK], "response.done", behaviour))

    errors = [event["error"] for event in received if event["type"] == "error"]
    assert errors[0]["type"] == "invalid_request_error"
    assert errors[0]["code"] == code
    assert received[-1]["response"]["status"] == "completed"


def test_an_error_names_the_event_that_it_is_about() -> None:
    cancel = {"type": "response.cancel", "event_id": "mine"}

    assert asyncio.run(reported([cancel], "error"))[-1]["error"]["event_id"] == "mine"


def test_calls_without_output_have_to_be_answered_first() -> None:
    async def talk() -> Event:
        async with (
            RealtimeServer(RuleAnswers([CALLS, SAYS])) as server,
            aiohttp.ClientSession() as client,
            client.ws_connect(f"{server.url}/realtime?model=any") as socket,
        ):
            for event in (user("look"), ASK):
                await socket.send_json(event)
            while (await socket.receive_json())["type"] != "response.done":
                pass
            await socket.send_json(ASK)
            answer: Event = await socket.receive_json()
            return answer

    assert asyncio.run(talk())["error"]["code"] == "missing_output"


def test_audio_of_no_known_words_is_known_by_its_length_and_hash() -> None:
    asked: list[str] = []

    def answers(request: ChatBody) -> CannedReply | Unanswered:
        asked.append(request.messages[-1].text)
        return RuleAnswers([SAYS])(request)

    async def talk() -> None:
        async with (
            RealtimeServer(answers) as server,
            aiohttp.ClientSession() as client,
            client.ws_connect(f"{server.url}/realtime?model=any") as socket,
        ):
            await socket.send_json({"type": "input_audio_buffer.append", "audio": SILENCE})
            await socket.send_json({"type": "input_audio_buffer.commit"})
            await socket.send_json(ASK)
            while (await socket.receive_json())["type"] != "response.done":
                pass

    asyncio.run(talk())

    assert asked[0].startswith("(audio of 0.10 s, ")
    assert len(asked[0].removeprefix("(audio of 0.10 s, ").removesuffix(")")) == 64


def test_a_file_of_faults_is_read_strictly(tmp_path: Path) -> None:
    path = tmp_path / "faults.json"
    path.write_text('{"responses": [{"kind": "vanished", "rate": 1}]}')

    with pytest.raises(UsageError, match="vanished"):
        load_config(path, RealtimeConfig)


def test_recorded_messages_are_heard_as_they_were_typed() -> None:
    sounds = MemoryAudioStore()
    sound = Audio(bytes(range(256)) * 50, 16_000)

    class Recorded:
        digest = ""
        recognizers = ("generic",)
        speakers = ("us",)
        line = "telephone"
        normalizer = "dragoman-itn-2"
        tasks = ("one",)

        def of(self, task: str) -> Sequence[RecordedMessage]:
            audio = sounds.keep(sound)
            return [
                RecordedMessage("suite", task, 0, 0, "item 5", "item five", audio, (), {}, {}),
            ]

        def sound(self, audio: AudioRef) -> Audio:
            return sounds.sound(audio)

    hear = hear_recorded(Recorded())

    assert hear(prepare_audio(sound)) == "item 5"
    assert hear(Audio(bytes(4_800), 24_000)).startswith("(audio of 0.10 s, ")
