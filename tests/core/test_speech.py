import pytest
from msgspec import UNSET, UnsetType

from dragoman.core.replies import AudioRef, TextReply, Utterance, text_reply


@pytest.mark.parametrize(
    ("spoken", "heard", "received"),
    [
        (UNSET, UNSET, "order 5"),
        ("order five", UNSET, "order five"),
        ("order five", "order fire", "order fire"),
        (UNSET, "order fire", "order fire"),
        ("order five", None, None),
        (UNSET, None, None),
        (UNSET, "", ""),
    ],
)
def test_the_latest_stage_is_what_the_listener_gets(
    spoken: str | UnsetType, heard: str | UnsetType | None, received: str | None
) -> None:
    assert Utterance("order 5", spoken, heard).received == received


def test_audio_alone_does_not_change_the_words() -> None:
    audio = AudioRef("ab", 1.5, 16_000)
    assert Utterance("yes", audio=audio).received == "yes"


def test_a_replys_text_is_what_was_meant_and_not_what_was_heard() -> None:
    assert TextReply(Utterance("order 5", heard="order 9")).text == "order 5"
    assert text_reply("hello") == TextReply(Utterance("hello"))
