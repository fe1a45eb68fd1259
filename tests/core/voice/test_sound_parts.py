import base64
import json

import msgspec
import pytest

from dragoman.core.audio import Audio, write_wav
from dragoman.core.chat_messages import (
    AudioPart,
    hash_encoder,
    message_encoder,
    part_form,
    plain_message,
)

BEEP = Audio(b"\x10\x00" * 800, 8_000)
DATA = base64.b64encode(write_wav(BEEP)).decode()
MESSAGE = {"role": "user", "content": [{"type": "text", "text": "Hear:"}, AudioPart(BEEP)]}
WORDS = {"role": "user", "content": "Hello."}


def test_a_part_is_written_as_the_wire_takes_it() -> None:
    written = json.loads(message_encoder().encode([MESSAGE]))
    assert written[0]["content"][1] == {
        "type": "input_audio",
        "input_audio": {"data": DATA, "format": "wav"},
    }
    qwen = part_form('{"type":"input_audio","input_audio":{"data":"data:;base64,{data}"}}')
    (other,) = json.loads(message_encoder(qwen).encode([AudioPart(BEEP)]))
    assert other == {"type": "input_audio", "input_audio": {"data": f"data:;base64,{DATA}"}}


def test_a_content_key_has_the_hash_of_the_sound_and_is_else_as_ever() -> None:
    encoded = hash_encoder().encode([MESSAGE])
    assert BEEP.reference().sha256.encode() in encoded
    assert len(encoded) < 200
    assert hash_encoder().encode([WORDS]) == msgspec.json.encode([WORDS])


def test_code_that_takes_messages_as_they_are_sent_gets_plain_parts_of_its_own() -> None:
    plain = plain_message(MESSAGE)
    assert plain == json.loads(message_encoder().encode(MESSAGE))
    assert plain_message(WORDS) == WORDS
    assert plain_message(WORDS) is not WORDS


@pytest.mark.parametrize("text", ['{"data":"x"}', '{"a":"{data}{data}"}', "[{data}]", "{data}"])
def test_a_form_without_one_place_for_the_data_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - what is wrong differs
        part_form(text)


def test_what_is_no_part_is_not_encoded() -> None:
    with pytest.raises(TypeError, match="no part of a message: object"):
        message_encoder().encode([object()])
