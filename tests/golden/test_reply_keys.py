"""Freeze the keys of remembered replies and translations: a changed key pays for an answer again."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from dragoman.core.audio import Audio
from dragoman.core.protocols import ChatRequest, Completion, SynthesisResult, Transcript
from dragoman.core.replies import Latency
from dragoman.core.tools import NO_TOOLS, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.curation.llm_clients import ModelQuestion, ask_for_json
from dragoman.curation.translation.translators import ChatTranslator, Item, Request
from dragoman.models.chat.cached_model import CachedModel
from dragoman.models.chat.completions import decode_completion
from dragoman.models.model_spec import parse_model_spec
from dragoman.registry.chat_models import resolve_chat_model
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import resolve_recognizer, resolve_synthesizer
from dragoman.speech.cache import CachedRecognizer, CachedSynthesizer
from dragoman.store.reply_cache import ReplyCache
from dragoman.store.translation_memory import MemoryEntry, SourceText

SameJson = Callable[[str, object], None]

MODELS = (
    "openai/gpt-4.1-mini",
    "openai/gpt-4.1-mini?temperature=0.5&max_tokens=100&seed=off",
    "openai/gpt-4o-audio-preview?hears=on&stream=on",
    "anthropic/claude-sonnet-4-5?extra.top_k=5",
    "compatible/m?base_url=http://127.0.0.1:1/v1|http://127.0.0.1:2/v1",
    "openai/text-embedding-3-small?extra.dimensions=256",
)
VOICES = ("openai/alloy?model=gpt-4o-mini-tts", "elevenlabs/Rachel?model=eleven_flash_v2_5")
RECOGNIZERS = ("openai/whisper-1", "deepgram/nova-3", "qwen/qwen3-asr-flash")
TOOL = ToolSpec(
    "find", "Finds a parcel.", {"type": "object", "properties": {"id": {"type": "string"}}}
)
CHAT = ChatRequest(
    [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Xin chào, 你好"}],
    Toolset((TOOL,)),
    7,
    "task",
    session="session",
    draw="draw",
    reply_schema={"type": "object"},
)
SOUND = Audio(b"\x01\x00\x02\x00" * 40, 16_000)


class Answering:
    """A chat model that records its requests."""

    name = "openai/gpt-4.1-mini"

    def __init__(self, text: str) -> None:
        self.asked: list[ChatRequest] = []
        self._text = text

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        self.asked.append(request)
        message = {"role": "assistant", "content": self._text}
        body = {
            "choices": [{"message": message}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2},
        }
        return decode_completion(msgspec.json.encode(body), self.name, purpose, Latency(2.5, 0.75))


class Speaking:
    """A voice and an ear of one name and identity."""

    name = "speech"
    identity = "speech-identity"

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:
        return SynthesisResult(
            SOUND, Usage("synthesis", "m", characters=len(text) + seed * len(language))
        )

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        return Transcript(
            f"heard in {language}", Usage("recognition", "m", audio_seconds=audio.seconds)
        )


@pytest.fixture
def connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelClients:
    """Return connections without a cache; no request is sent."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for provider in ("OPENAI", "ANTHROPIC", "ELEVENLABS", "DEEPGRAM", "DASHSCOPE"):
        monkeypatch.setenv(f"{provider}_API_KEY", "none")
    return ModelClients()


def kept(path: Path) -> list[list[str]]:
    """Return the keys and bodies of a cache of replies."""
    with closing(sqlite3.connect(path)) as file:
        rows = file.execute("SELECT key, body FROM replies ORDER BY key").fetchall()
    return [[key.hex(), body.hex()] for key, body in rows]


def test_models_voices_and_ears_keep_their_identities(
    connections: ModelClients, same_json: SameJson
) -> None:
    """Compare the identities of models, voices and recognizers with the golden ones."""
    found = {
        "specs": {written: parse_model_spec(written).identity for written in MODELS},
        "models": {written: resolve_chat_model(written, connections)[1] for written in MODELS},
        "voices": {
            written: resolve_synthesizer(written, connections).identity for written in VOICES
        },
        "ears": {
            written: resolve_recognizer(written, connections).identity for written in RECOGNIZERS
        },
    }
    same_json("models.json", found)


def test_a_chat_request_keeps_its_key_and_its_stored_reply(
    tmp_path: Path, same_json: SameJson
) -> None:
    """Compare the key and the row of a cached chat reply with the golden ones."""
    sounding = msgspec.structs.replace(
        CHAT,
        messages=[{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        tools=NO_TOOLS,
    )
    path = tmp_path / "replies.sqlite"
    with ReplyCache(path, 1 << 30) as cache:
        model = CachedModel(Answering("Good day."), cache, "identity")
        keys = [
            model.key(each, purpose).hex()
            for each in (CHAT, sounding)
            for purpose in ("agent", "user")
        ]
        asyncio.run(model.complete(CHAT, "agent"))
    same_json("chat_reply.json", {"keys": keys, "kept": kept(path), "tools": CHAT.tools.digest})


def test_speech_keeps_its_keys_and_its_stored_replies(tmp_path: Path, same_json: SameJson) -> None:
    """Compare the keys and the rows of cached sounds and transcripts with the golden ones."""
    found = {}
    for name in ("voice", "ear"):
        path = tmp_path / f"{name}.sqlite"
        with ReplyCache(path, 1 << 30) as cache:
            if name == "voice":
                asyncio.run(CachedSynthesizer(Speaking(), cache).speak("Good day.", "en", 7))
            else:
                asyncio.run(CachedRecognizer(Speaking(), cache).transcribe(SOUND, "en"))
        found[name] = kept(path)
    same_json("speech_replies.json", found)


def test_a_request_of_translation_keeps_its_key(tmp_path: Path, same_json: SameJson) -> None:
    """Compare the question, seed and keys of a translation with the golden ones."""
    reply = '{"translations": [{"id": "1", "text": "Xin chào"}]}'
    model = Answering(reply)
    items = {"1": Item("Hello {name}", {"parcel": "bưu kiện"}, ("{name}",), ("taken",))}
    for attempt in (0, 1):
        request = Request("text", "English", "Vietnamese", items, attempt)
        asyncio.run(ChatTranslator(model).translate(request))
    source = SourceText("en", "vi", "tool find", "Finds a parcel.")
    entry = MemoryEntry(source, "Tìm bưu kiện.", "machine", "m", 1, ("odd",), "Find", 0.5)
    with ReplyCache(tmp_path / "replies.sqlite", 1 << 30) as cache:
        cached = CachedModel(model, cache, "identity")
        keys = [cached.key(each, "translation").hex() for each in model.asked]
    found = {
        "asked": [[each.key, each.seed, each.label] for each in model.asked],
        "remembered": keys,
        "version": ChatTranslator(model).version,
        "source": source.key.hex(),
        "entry": msgspec.json.encode(entry).decode(),
    }
    same_json("translation.json", found)


def test_a_question_of_curation_keeps_its_key(same_json: SameJson) -> None:
    """Compare the key and seed of a question to a model with the golden ones."""
    model = Answering('{"a": 1}')
    question = ModelQuestion(
        "generation", "queries-single-1", {"b": 1, "a": ["x"]}, dict[str, int], {"type": "object"}
    )
    asyncio.run(ask_for_json(question, model))
    same_json("question.json", [[each.key, each.seed, each.label] for each in model.asked])
