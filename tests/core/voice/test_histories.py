import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.audio import Audio
from dragoman.core.chat_messages import (
    OPENAI_PART,
    AudioPart,
    ChatHistory,
    encode_messages,
    has_audio,
    hash_encoder,
    message_encoder,
)

HELLO = {"role": "user", "content": "Hello."}
SPOKEN = {"role": "user", "content": [AudioPart(Audio(b"\x10\x00" * 800, 8_000))]}
ENCODER = message_encoder(OPENAI_PART)

contents = st.none() | st.text(max_size=20) | st.lists(st.dictionaries(st.text(), st.text()))
messages = st.fixed_dictionaries({"role": st.sampled_from(["user", "tool"]), "content": contents})


@given(st.lists(st.lists(messages, max_size=4), max_size=5))
def test_a_history_that_grows_is_written_as_all_of_its_messages(
    added: list[list[dict[str, object]]],
) -> None:
    history = ChatHistory()
    for more in added:
        history += more
        assert encode_messages(history, ENCODER) == msgspec.json.encode(list(history))


def test_audio_is_written_by_the_wires_encoder_also_where_words_were_written_before() -> None:
    history = ChatHistory([HELLO])
    encode_messages(history, ENCODER)
    history.append(SPOKEN)
    for encoder in (ENCODER, hash_encoder()):
        assert encode_messages(history, encoder) == encoder.encode([HELLO, SPOKEN])


def test_audio_is_found_wherever_it_stands() -> None:
    texts = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    history = ChatHistory([HELLO, texts])
    assert not has_audio(history)
    assert not has_audio([HELLO, texts])
    history.append(SPOKEN)
    history.append(HELLO)
    assert has_audio(history)
    assert has_audio([HELLO, SPOKEN])
