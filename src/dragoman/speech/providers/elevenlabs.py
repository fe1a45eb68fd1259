"""ElevenLabs' speech API: `/text-to-speech/VOICE` and `/speech-to-text`."""

from urllib.parse import quote

import msgspec

from dragoman.core.audio import Audio, write_wav
from dragoman.models.http.http_request import FormFile, encode_form
from dragoman.models.response_audio import decode_wav
from dragoman.speech.providers.protocol import (
    JSON,
    RATE_HZ,
    WAV,
    AsrProtocol,
    Recording,
    SpeechEndpoint,
    SpeechReply,
    SpeechRequest,
    TextToSpeak,
    TtsProtocol,
    decode_reply,
    primary_language,
    words,
)

_OF_THE_VOICE = ("stability", "similarity_boost", "style", "speed", "use_speaker_boost")
_CODES = {"tl": "fil"}
"""Languages that go by another code there."""


class _Transcription(msgspec.Struct):
    text: str


def speech_request(endpoint: SpeechEndpoint, line: TextToSpeak) -> SpeechRequest:
    """Ask for a text as a WAV file, with a seed that the provider follows if possible."""
    voice = {name: value for name, value in endpoint.settings.items() if name in _OF_THE_VOICE}
    body: dict[str, object] = {
        name: value for name, value in endpoint.settings.items() if name not in _OF_THE_VOICE
    }
    body |= {"text": line.text, "model_id": endpoint.model, "seed": line.seed}
    if voice:
        body["voice_settings"] = voice
    if endpoint.tells_language:
        body["language_code"] = _code(line.language)
    url = f"{endpoint.url}/text-to-speech/{quote(endpoint.voice, safe='')}"
    headers = {**_key(endpoint), "Content-Type": JSON, "Accept": WAV}
    return SpeechRequest(f"{url}?output_format=wav_{RATE_HZ}", headers, msgspec.json.encode(body))


def read_speech(body: bytes) -> SpeechReply[Audio]:
    """Read a WAV file; what it costs in credits stands in a header and is not told here."""
    return SpeechReply(decode_wav(body))


def transcription_request(endpoint: SpeechEndpoint, recording: Recording) -> SpeechRequest:
    """Send a WAV file in a form; noises are not to be written down as words."""
    fields: dict[str, object] = {
        "tag_audio_events": False,
        **endpoint.settings,
        "model_id": endpoint.model,
    }
    if endpoint.tells_language:
        fields["language_code"] = _code(recording.language)
    content_type, body = encode_form(
        fields, FormFile("file", "audio.wav", WAV, write_wav(recording.audio))
    )
    headers = {**_key(endpoint), "Content-Type": content_type, "Accept": JSON}
    return SpeechRequest(f"{endpoint.url}/speech-to-text", headers, body)


def read_transcription(body: bytes) -> SpeechReply[str]:
    """Read a transcript."""
    return SpeechReply(words(decode_reply(body, _Transcription, "a transcript").text))


TTS = TtsProtocol(speech_request, read_speech)
ASR = AsrProtocol(transcription_request, read_transcription)


def _key(endpoint: SpeechEndpoint) -> dict[str, str]:
    return {"xi-api-key": endpoint.key} if endpoint.key else {}


def _code(language: str) -> str:
    code = primary_language(language)
    return _CODES.get(code, code)
