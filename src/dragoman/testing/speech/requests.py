"""Strict parsers of speech requests, one for each provider's protocol."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Literal, TypeVar

import msgspec

from dragoman.core.audio import Audio, read_wav
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.testing.chat_requests import Refusal

Protocol = Literal["openai", "elevenlabs", "deepgram", "cartesia", "gemini", "qwen"]

T = TypeVar("T")


class Posted(msgspec.Struct, frozen=True):
    """A received request: the names in the path, the query, the relevant headers, and the body."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class SpeakRequest(msgspec.Struct, frozen=True):
    """A text to be spoken; `language` is "" and `seed` is None if they were not given."""

    protocol: Protocol
    model: str
    voice: str
    text: str
    language: str = ""
    seed: int | None = None


class Listen(msgspec.Struct, frozen=True):
    """Audio to be recognized; `language` is "" if it was not given.

    `settings` are the other parameters of Deepgram and Qwen, which determine the style of
    transcripts.
    """

    protocol: Protocol
    model: str
    audio: Audio
    language: str = ""
    settings: Mapping[str, object] = {}


class ProviderRefused(Exception):  # noqa: N818 - says what the provider does
    """A request that its provider would refuse."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.refusal = Refusal(message, param)


def openai_speech(posted: Posted) -> SpeakRequest:
    """Parse a request to `/audio/speech`."""
    body = _json(posted, _OpenAISpeech)
    _require(body.response_format == "wav", "response_format is to be wav here", "response_format")
    return SpeakRequest("openai", body.model, body.voice, _text(body.input))


def openai_transcription(posted: Posted) -> Listen:
    """Parse a request to `/audio/transcriptions`."""
    fields = _form(posted)
    _require(_field(fields, "response_format") == "json", "json is given here", "response_format")
    audio, language = _wav(fields.get("file", b"")), _field(fields, "language")
    return Listen("openai", _require_field(fields, "model"), audio, language)


def elevenlabs_speech(posted: Posted) -> SpeakRequest:
    """Parse a request to `/text-to-speech/VOICE`."""
    body = _json(posted, _ElevenLabsSpeech)
    form = posted.query.get("output_format", "")
    _require(form == "wav_24000", f"output_format {form!r}", "output_format")
    voice, text = posted.path["voice"], _text(body.text)
    return SpeakRequest("elevenlabs", body.model_id, voice, text, body.language_code, body.seed)


def elevenlabs_transcription(posted: Posted) -> Listen:
    """Parse a request to `/speech-to-text`."""
    fields = _form(posted)
    audio, language = _wav(fields.get("file", b"")), _field(fields, "language_code")
    return Listen("elevenlabs", _require_field(fields, "model_id"), audio, language)


def deepgram_speech(posted: Posted) -> SpeakRequest:
    """Parse a request to `/speak`, in which the model is the voice."""
    body = _json(posted, _DeepgramSpeech)
    form = (posted.query.get("encoding"), posted.query.get("container"))
    _require(form == ("linear16", "wav"), "linear16 in wav is given here", "encoding")
    model = posted.query.get("model", "")
    _require(bool(model), "model is missing", "model")
    return SpeakRequest("deepgram", model, model, _text(body.text))


def deepgram_transcription(posted: Posted) -> Listen:
    """Parse a request to `/listen`."""
    model = posted.query.get("model", "")
    _require(bool(model), "model is missing", "model")
    language = posted.query.get("language", "")
    return Listen("deepgram", model, _wav(posted.body), language, posted.query)


def cartesia_speech(posted: Posted) -> SpeakRequest:
    """Parse a request to `/tts/bytes`."""
    _require_version(posted)
    body = _json(posted, _CartesiaSpeech)
    form = (body.output_format.container, body.output_format.encoding)
    _require(form == ("wav", "pcm_s16le"), "pcm_s16le in wav is given here", "output_format")
    return SpeakRequest(
        "cartesia", body.model_id, body.voice.id, _text(body.transcript), body.language
    )


def cartesia_transcription(posted: Posted) -> Listen:
    """Parse a request to `/stt`."""
    _require_version(posted)
    fields = _form(posted)
    audio, language = _wav(fields.get("file", b"")), _field(fields, "language")
    return Listen("cartesia", _require_field(fields, "model"), audio, language)


def gemini_request(posted: Posted) -> SpeakRequest | Listen:
    """Parse a request to `generateContent`, which asks for audio or contains it."""
    body, model = _json(posted, _GeminiBody), posted.path["model"]
    parts = [part for content in body.contents for part in content.parts]
    text = "".join(part.text for part in parts)
    generation = body.generation_config
    if "AUDIO" in generation.response_modalities:
        speech = generation.speech_config
        if speech is None:
            raise ProviderRefused("speechConfig is missing", "speechConfig")
        voice = speech.voice_config.prebuilt_voice_config.voice_name
        return SpeakRequest(
            "gemini", model, voice, _text(text), speech.language_code, generation.seed
        )
    blobs = [part.inline_data for part in parts if part.inline_data is not None]
    _require(len(blobs) == 1, "one recording is listened to", "contents")
    return Listen("gemini", model, _wav(_decode_base64(blobs[0].data)))


def qwen_request(posted: Posted) -> SpeakRequest | Listen:
    """Parse a request to `multimodal-generation`: a text, or a message with audio."""
    body = _json(posted, _QwenBody)
    if body.input.text:
        streams = posted.headers.get("X-DashScope-SSE") == "enable"
        _require(streams, "only streams hold audio here", "X-DashScope-SSE")
        asked = body.input
        return SpeakRequest("qwen", body.model, asked.voice, _text(asked.text), asked.language_type)
    audio = [piece.audio for message in body.input.messages for piece in message.content]
    _require(len(audio) == 1, "one recording is listened to", "messages")
    head, _, data = audio[0].partition(";base64,")
    _require(head == "data:audio/wav", "the recording is to be a WAV file", "audio")
    options = body.parameters.asr_options
    language = str(options.get("language", ""))
    return Listen("qwen", body.model, _wav(_decode_base64(data)), language, options)


class _OpenAISpeech(msgspec.Struct):
    model: str
    voice: str
    input: str
    response_format: str = "mp3"


class _ElevenLabsSpeech(msgspec.Struct):
    text: str
    model_id: str
    language_code: str = ""
    seed: int | None = None


class _DeepgramSpeech(msgspec.Struct):
    text: str


class _CartesiaVoice(msgspec.Struct):
    mode: Literal["id"]
    id: str


class _CartesiaFormat(msgspec.Struct):
    container: str
    encoding: str
    sample_rate: int


class _CartesiaSpeech(msgspec.Struct):
    model_id: str
    transcript: str
    voice: _CartesiaVoice
    output_format: _CartesiaFormat
    language: str = ""


class _Prebuilt(msgspec.Struct, rename="camel"):
    voice_name: str


class _VoiceConfig(msgspec.Struct, rename="camel"):
    prebuilt_voice_config: _Prebuilt


class _SpeechConfig(msgspec.Struct, rename="camel"):
    voice_config: _VoiceConfig
    language_code: str = ""


class _Generation(msgspec.Struct, rename="camel"):
    response_modalities: list[str] = []
    speech_config: _SpeechConfig | None = None
    seed: int | None = None


class _Blob(msgspec.Struct, rename="camel"):
    data: str
    mime_type: str


class _Part(msgspec.Struct, rename="camel"):
    text: str = ""
    inline_data: _Blob | None = None


class _Content(msgspec.Struct):
    parts: list[_Part]


class _GeminiBody(msgspec.Struct, rename="camel"):
    contents: list[_Content]
    generation_config: _Generation = msgspec.field(default_factory=_Generation)


class _QwenPiece(msgspec.Struct):
    audio: str


class _QwenMessage(msgspec.Struct):
    content: list[_QwenPiece]


class _QwenInput(msgspec.Struct):
    text: str = ""
    voice: str = ""
    language_type: str = ""
    messages: list[_QwenMessage] = []


class _QwenParameters(msgspec.Struct):
    asr_options: dict[str, object] = {}


class _QwenBody(msgspec.Struct):
    model: str
    input: _QwenInput
    parameters: _QwenParameters = msgspec.field(default_factory=_QwenParameters)


_BOUNDARY = re.compile(r'multipart/form-data;\s*boundary="?([^";]{1,70})')
_NAME = re.compile(rb'Content-Disposition: form-data; name="([^"]{1,100})"')


def _json(posted: Posted, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(posted.body, type=kind)
    except DECODING_ERRORS as error:
        raise ProviderRefused(f"the body is not what it must be: {error}") from error


def _form(posted: Posted) -> dict[str, bytes]:
    found = _BOUNDARY.match(posted.headers.get("Content-Type", ""))
    if found is None:
        raise ProviderRefused("the body is not a form")
    fields: dict[str, bytes] = {}
    for part in posted.body.split(b"--" + found[1].encode())[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        if (name := _NAME.search(head)) is not None:
            fields[name[1].decode("utf-8", "replace")] = content.removesuffix(b"\r\n")
    return fields


def _field(fields: Mapping[str, bytes], name: str) -> str:
    return fields.get(name, b"").decode("utf-8", "replace")


def _require_field(fields: Mapping[str, bytes], name: str) -> str:
    value = _field(fields, name)
    _require(bool(value), f"{name} is missing", name)
    return value


def _text(text: str) -> str:
    _require(bool(text.strip()), "there is nothing to say", "text")
    return text


def _wav(content: bytes) -> Audio:
    try:
        return read_wav(content, "the recording")
    except DataError as error:
        raise ProviderRefused(str(error), "file") from error


def _decode_base64(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ProviderRefused(f"damaged base64: {error}") from error


def _require_version(posted: Posted) -> None:
    _require("Cartesia-Version" in posted.headers, "Cartesia-Version is missing", None)


def _require(holds: bool, message: str, param: str | None) -> None:
    if not holds:
        raise ProviderRefused(message, param)
