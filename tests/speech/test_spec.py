"""Voices and ears as people write them."""

from pathlib import Path

import pytest

from dragoman.core.errors import UsageError
from dragoman.speech.specs import (
    LocalSpec,
    SpeechSpec,
    load_speech_facts,
    parse_recognizer,
    parse_synthesizer,
)


def voice(written: str) -> SpeechSpec:
    spec = parse_synthesizer(written)
    assert isinstance(spec, SpeechSpec)
    return spec


def test_a_voice_names_provider_voice_and_model() -> None:
    spec = voice("elevenlabs/21m00Tcm?model=eleven_flash_v2_5&stability=0.4&extra.x=[1]")
    assert (spec.name, spec.voice, spec.model) == (
        "elevenlabs/eleven_flash_v2_5",
        "21m00Tcm",
        "eleven_flash_v2_5",
    )
    assert spec.settings == {"stability": 0.4, "x": [1]}
    assert spec.key_env == "ELEVENLABS_API_KEY"
    assert spec.tells_language


def test_an_ear_names_provider_and_model() -> None:
    spec = parse_recognizer("openai/gpt-4o-transcribe?prompt=2026&language=off")
    assert isinstance(spec, SpeechSpec)
    assert (spec.name, spec.voice) == ("openai/gpt-4o-transcribe", "")
    assert spec.settings == {"prompt": "2026"}
    assert not spec.tells_language


def test_engines_on_this_machine_go_by_path() -> None:
    assert parse_synthesizer("piper//voices/en.onnx?speaker=2") == LocalSpec(
        "piper//voices/en.onnx?speaker=2", "piper", Path("/voices/en.onnx"), {"speaker": 2}
    )
    assert parse_recognizer("whisper/models/small").written == "whisper/models/small"


def test_a_model_that_cannot_be_told_the_language_is_not() -> None:
    assert not voice("elevenlabs/v?model=eleven_multilingual_v2").tells_language
    with pytest.raises(UsageError, match="leave language=on out"):
        voice("elevenlabs/v?model=eleven_multilingual_v2&language=on")


def test_every_difference_makes_another_identity_and_no_key_does() -> None:
    names = [
        "openai/alloy?model=tts-1",
        "openai/echo?model=tts-1",
        "openai/alloy?model=tts-1-hd",
        "openai/alloy?model=tts-1&speed=2",
        "openai/alloy?model=tts-1&language=off",
        "compatible/alloy?model=tts-1",
        "compatible/alloy?model=tts-1&base_url=http://127.0.0.1:1/v1",
    ]
    assert len({voice(name).identity for name in names}) == len(names)
    assert voice(names[0]).identity == voice(f"{names[0]}&key_env=OTHER").identity


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("nobody/x?model=y", "unknown provider of synthesis 'nobody'"),
        ("whisper/x", "unknown provider of synthesis 'whisper'"),
        ("openai", "write openai/VOICE"),
        ("piper/", "write piper/PATH"),
        ("openai/alloy", "which model is to speak"),
        ("openai/alloy?model=m&sped=1", "did you mean 'speed'"),
        ("openai/alloy?model=m&speed=fast", "speed is of type number, not 'fast'"),
        ("openai/alloy?model=m&speed=true", "speed is of type number"),
        ("openai/alloy?model=m&extra.input=x", "not to be set"),
        ("openai/alloy?model=m&extra.=x", "not to be set"),
        ("openai/alloy?model=m&speed=1&extra.speed=2", "given twice"),
        ("openai/alloy?model=m&model=n", "given twice"),
        ("openai/alloy?model=m&language=en", "language is on or off"),
        ("openai/alloy?model=m&base_url=ftp://x", "base_url is an address"),
        ("openai/alloy?model=m&key_env=a-b", "key_env names a variable"),
        ("openai/alloy?model=m&api_key=sk-1", "a key is never part"),
        ("openai/al\x00loy?model=m", "cannot be printed"),
        ("piper/x.onnx?base_url=http://h", "unknown parameter 'base_url'"),
        ("piper/x.onnx?extra.x=1", "unknown parameter 'extra.x'"),
        ("piper/x.onnx?speaker=two", "speaker is of type integer"),
    ],
)
def test_a_mistake_in_a_voice_gets_one_line(written: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint) as caught:
        parse_synthesizer(written)
    assert "sk-1" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_ear_takes_no_voice() -> None:
    with pytest.raises(UsageError, match="unknown parameter 'model'"):
        parse_recognizer("openai/whisper-1?model=x")
    with pytest.raises(UsageError, match="unknown provider of recognition 'piper'"):
        parse_recognizer("piper/x.onnx")


def test_the_table_names_a_key_for_every_provider() -> None:
    providers = load_speech_facts().providers
    assert set(providers) == {
        "openai",
        "groq",
        "compatible",
        "elevenlabs",
        "deepgram",
        "cartesia",
        "gemini",
        "qwen",
    }
    assert all(provider.at.key_env.endswith("_API_KEY") for provider in providers.values())
    assert all(
        provider.at.url.startswith("https://") == provider.at.needs_key
        for provider in providers.values()
    )
