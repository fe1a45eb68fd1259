"""Models that hear and speak, over real connections."""

import asyncio
import base64
import json
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from dragoman.core.audio import Audio, hears_audio, write_wav
from dragoman.core.chat_messages import AudioPart
from dragoman.core.errors import ParticipantError, UsageError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import TextReply, text_reply
from dragoman.core.tools import NO_TOOLS
from dragoman.models.chat.cached_model import CachedModel
from dragoman.models.chat.completions import decode_completion
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.models.chat.streaming import assemble_completion
from dragoman.models.http.transport import MalformedResponse
from dragoman.models.model_spec import parse_model_spec
from dragoman.registry.model_clients import ModelClients
from dragoman.store.reply_cache import ReplyCache
from dragoman.testing.responses import decoded_text
from dragoman.testing.scripted_answers import Rule, RuleAnswers, When
from dragoman.testing.server import ModelServer

SHORT = Audio(b"\x10\x00" * 800, 8_000)
LONG = Audio(b"\x20\x00" * 16_000, 8_000)
ANSWERS = RuleAnswers(
    [
        Rule(ScriptedReply("The short one."), When(audio=SHORT.reference().sha256[:12])),
        Rule(ScriptedReply("A long one."), When(longer_than=1.5)),
    ]
)
SPOKEN = 'modalities=["text","audio"]&audio={"voice":"alloy","format":"%s"}'


def heard(*sounds: Audio, draw: str = "") -> ChatRequest:
    message: Mapping[str, object] = {"role": "user", "content": [AudioPart(s) for s in sounds]}
    return ChatRequest([message], NO_TOOLS, 7, "task", draw=draw)


def ask(url: str, request: ChatRequest, options: str = "") -> Completion:
    async def work() -> Completion:
        connections = ModelClients()
        name = f"compatible/any?base_url={url}&hears=on"
        try:
            model = connections.chat_model(
                parse_model_spec(f"{name}&{options}" if options else name)
            )
            return await model.complete(request, "agent")
        finally:
            await connections.close()

    return asyncio.run(work())


def test_a_model_that_hears_is_sent_the_audio_and_charged_for_it() -> None:
    with ModelServer(ANSWERS) as server:
        short, both = ask(server.url, heard(SHORT)), ask(server.url, heard(LONG))

    assert short.reply == text_reply("The short one.")
    assert both.reply == text_reply("A long one.")
    assert short.usage.input_audio_tokens is not None
    assert short.usage.input_audio_tokens > len(write_wav(SHORT)) / 4
    assert short.usage.output_audio_tokens == 0


def test_audio_of_which_the_endpoint_tells_nothing_is_of_unknown_size() -> None:
    body = json.dumps(
        {
            "choices": [{"message": {"content": "Yes."}}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 2},
        }
    ).encode()
    usage = decode_completion(body, "m", "agent", heard_sound=True).usage
    assert (usage.input_audio_tokens, usage.output_audio_tokens) == (None, 0)
    assert decode_completion(body, "m", "agent").usage.input_audio_tokens == 0


@pytest.mark.parametrize(
    "options", [SPOKEN % "wav", SPOKEN % "pcm16", f"{SPOKEN % 'pcm16'}&stream=on"]
)
def test_what_a_model_speaks_is_its_transcript_and_its_sound(options: str) -> None:
    with ModelServer(ANSWERS) as server:
        completion = ask(server.url, heard(SHORT), options)

    assert completion.reply == text_reply("The short one.")
    assert completion.spoken is not None
    assert decoded_text(completion.spoken) == "The short one."
    assert completion.usage.output_audio_tokens
    kept = json.loads(bytes(completion.raw))["choices"][0]["message"]["audio"]
    assert "data" not in kept
    assert kept["sha256"] == completion.spoken.reference().sha256


def test_a_spoken_reply_is_remembered_with_its_sound(tmp_path: Path) -> None:
    class Speaking:
        name = "speaking"
        hears_audio = True
        calls = 0

        async def complete(self, request: ChatRequest, purpose: str) -> Completion:  # noqa: ARG002 - it says one thing
            self.calls += 1
            return decode_completion(spoken_body(), self.name, purpose, heard_sound=True)

    model = Speaking()
    with ReplyCache(tmp_path / "replies.sqlite", 1 << 30) as cache:
        cached = CachedModel(model, cache, "id")
        assert hears_audio(cached)

        async def both() -> list[Completion]:
            first = await cached.complete(heard(SHORT), "agent")
            again = await cached.complete(heard(SHORT), "agent")
            await cached.complete(heard(LONG), "agent")
            return [first, again]

        first, again = asyncio.run(both())

    assert model.calls == 2
    assert first.spoken == again.spoken == LONG
    assert again.reply == first.reply == text_reply("Hello.")
    assert again.raw == first.raw
    assert again.usage.replayed == 1


def spoken_body(**audio: object) -> bytes:
    data = base64.b64encode(write_wav(LONG)).decode()
    given = {"id": "audio-1", "data": data, "transcript": "Hello.", "expires_at": 1} | audio
    return json.dumps({"choices": [{"message": {"content": None, "audio": given}}]}).encode()


@pytest.mark.parametrize(
    ("audio", "said"),
    [
        ({"transcript": ""}, "spoken, and has no transcript"),
        ({"transcript": None}, "spoken, and has no transcript"),
        ({"data": "%%%"}, "the spoken reply is damaged"),
        ({"data": base64.b64encode(b"RIFFxxxxWAVE").decode()}, "a WAV file without samples"),
        ({"data": 3}, "the spoken reply is damaged"),
    ],
)
def test_a_spoken_reply_that_nobody_can_read_is_the_endpoints_fault(
    audio: dict[str, object], said: str
) -> None:
    with pytest.raises(ParticipantError, match=said):
        decode_completion(spoken_body(**audio), "m", "agent")


def test_a_transcript_without_sound_is_what_was_said() -> None:
    completion = decode_completion(spoken_body(data=""), "m", "agent")
    assert completion.reply == text_reply("Hello.")
    assert completion.spoken is None


def test_pieces_of_speech_in_a_stream_may_be_one_code_or_each_its_own() -> None:
    pcm = LONG.pcm[:1_000]
    whole = base64.b64encode(pcm).decode()
    apart = [base64.b64encode(piece).decode() for piece in (pcm[:400], pcm[400:])]
    for pieces in (apart, [whole[:500], whole[500:]]):
        deltas: list[object] = [{"audio": {"data": piece}} for piece in pieces]
        deltas.append({"audio": {"transcript": "Hi."}})
        events = [{"choices": [{"delta": delta}]} for delta in deltas]
        stream = b"".join(b"data: %b\n\n" % json.dumps(each).encode() for each in events)
        completion = decode_completion(
            assemble_completion(stream + b"data: [DONE]\n\n"), "m", "agent"
        )
        assert completion.spoken == Audio(pcm, 24_000)
        assert isinstance(completion.reply, TextReply)
    broken = b'data: {"choices":[{"delta":{"audio":{"data":"=a="}}}]}\n\ndata: [DONE]\n\n'
    with pytest.raises(MalformedResponse, match="a piece of the spoken reply is damaged"):
        assemble_completion(broken)


def test_the_table_knows_who_hears_and_how_and_a_name_may_say_so() -> None:
    assert parse_model_spec("openai/gpt-4o-audio-preview").audio is not None
    assert parse_model_spec("openai/gpt-4.1").audio is None
    assert parse_model_spec("openai/gpt-4o-audio-preview?hears=off").audio is None
    assert (
        parse_model_spec("vllm/ultravox?hears=on").audio
        == parse_model_spec("gemini/gemini-3-pro").audio
    )
    qwen = parse_model_spec("vllm/any?hears=qwen").audio
    assert qwen == parse_model_spec("dashscope/qwen3-omni-flash").audio
    assert qwen is not None
    assert b"data:;base64," in qwen.before
    with pytest.raises(UsageError, match=r"hears is on, off, or how it takes audio \(openai, "):
        parse_model_spec("vllm/any?hears=well")


def test_saying_that_a_model_hears_makes_it_no_other_model() -> None:
    assert parse_model_spec("vllm/any?hears=on").identity == parse_model_spec("vllm/any").identity


def test_a_form_of_speech_that_is_not_read_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(UsageError, match="a format that is read: wav or pcm16"):
        parse_model_spec('openai/gpt-audio?audio={"voice":"alloy","format":"mp3"}')
    with pytest.raises(UsageError, match="modalities is of type array"):
        parse_model_spec("openai/gpt-audio?modalities=audio")
    assert msgspec.json.encode(parse_model_spec('openai/gpt-audio?modalities=["text"]').settings)
