"""OpenAI's speech API: `/audio/speech` and `/audio/transcriptions`."""

import msgspec

from dragoman.core.audio import Audio, write_wav
from dragoman.models.http.http_request import FormFile, encode_form
from dragoman.models.response_audio import decode_wav
from dragoman.speech.providers.protocol import (
    JSON,
    WAV,
    AsrProtocol,
    Recording,
    ReportedUsage,
    SpeechEndpoint,
    SpeechReply,
    SpeechRequest,
    TextToSpeak,
    TtsProtocol,
    count,
    decode_reply,
    length,
    primary_language,
    words,
)


class _Usage(msgspec.Struct):
    input_tokens: object = None
    output_tokens: object = None
    seconds: object = None


class _Transcription(msgspec.Struct):
    text: str
    usage: _Usage | None = None


def speech_request(endpoint: SpeechEndpoint, line: TextToSpeak) -> SpeechRequest:
    """Ask for a text as a WAV file; the voice follows the text's own language."""
    body = {
        **endpoint.settings,
        "model": endpoint.model,
        "voice": endpoint.voice,
        "input": line.text,
        "response_format": "wav",
    }
    headers = {**endpoint.bearer, "Content-Type": JSON, "Accept": WAV}
    return SpeechRequest(f"{endpoint.url}/audio/speech", headers, msgspec.json.encode(body))


def read_speech(body: bytes) -> SpeechReply[Audio]:
    """Read a WAV file."""
    return SpeechReply(decode_wav(body))


def transcription_request(endpoint: SpeechEndpoint, recording: Recording) -> SpeechRequest:
    """Send a WAV file in a form."""
    language = {"language": primary_language(recording.language)} if endpoint.tells_language else {}
    fields = {
        **endpoint.settings,
        "model": endpoint.model,
        "response_format": "json",
        **language,
    }
    content_type, body = encode_form(
        fields, FormFile("file", "audio.wav", WAV, write_wav(recording.audio))
    )
    headers = {**endpoint.bearer, "Content-Type": content_type, "Accept": JSON}
    return SpeechRequest(f"{endpoint.url}/audio/transcriptions", headers, body)


def read_transcription(body: bytes) -> SpeechReply[str]:
    """Read a transcript; models charged by tokens tell those, others the seconds."""
    said = decode_reply(body, _Transcription, "a transcript")
    usage = said.usage or _Usage()
    counted = ReportedUsage(
        count(usage.input_tokens), count(usage.output_tokens), length(usage.seconds)
    )
    return SpeechReply(words(said.text), counted)


TTS = TtsProtocol(speech_request, read_speech)
ASR = AsrProtocol(transcription_request, read_transcription)
