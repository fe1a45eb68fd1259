import base64
import json
from typing import Any

import pytest

from dragoman.core.audio import Audio, write_wav
from dragoman.testing.chat_requests import ChatBody, Checks, Refusal, read_request

BEEP = Audio(b"\x10\x00" * 800, 8_000)
DATA = base64.b64encode(write_wav(BEEP)).decode()


def part(data: object = DATA, form: object = "wav") -> dict[str, object]:
    return {"type": "input_audio", "input_audio": {"data": data, "format": form}}


def read(*parts: object, role: str = "user", **parameters: Any) -> ChatBody | Refusal:  # noqa: ANN401 - fields of the request
    body = {"model": "m", "messages": [{"role": role, "content": parts}], **parameters}
    return read_request(json.dumps(body).encode(), Checks())


def test_audio_is_read_and_stands_in_texts_as_its_hash() -> None:
    request = read({"type": "text", "text": "Hear: "}, part())
    assert isinstance(request, ChatBody)
    (message,) = request.messages
    assert message.sounds == (BEEP,)
    assert message.text == f"Hear: [audio {BEEP.reference().sha256}]"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (part(form="flac"), "format 'flac': supported are wav and mp3"),
        (part(form="mp3"), "this server reads wav alone"),
        (part(data="data:;base64," + DATA), "data is no base64"),
        (part(data=DATA[:-3]), "data is no base64"),
        (part(data=base64.b64encode(b"RIFF").decode()), "data: no readable WAV file"),
        (part(data=base64.b64encode(write_wav(BEEP)[:-7]).decode()), "truncated"),
        (part(data=3), "Expected `str`"),
        ({"type": "input_audio"}, "missing required field `input_audio`"),
    ],
)
def test_audio_that_is_none_is_refused(wrong: object, said: str) -> None:
    answer = read(wrong)
    assert isinstance(answer, Refusal)
    assert said in answer.message
    assert answer.param == "messages[0]"


def test_only_users_speak() -> None:
    answer = read(part(), role="system")
    assert isinstance(answer, Refusal)
    assert answer.message == "a system message holds no input_audio"


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, "it needs a voice and a format"),
        ({"audio": {"voice": "a", "format": "mp3"}}, "speaks wav and pcm16 alone"),
        ({"audio": {"voice": "a", "format": "wav"}, "stream": True}, "streams are spoken as pcm16"),
    ],
)
def test_a_reply_that_cannot_be_spoken_so_is_refused(parameters: dict[str, Any], said: str) -> None:
    answer = read(part(), modalities=["text", "audio"], **parameters)
    assert isinstance(answer, Refusal)
    assert said in answer.message
