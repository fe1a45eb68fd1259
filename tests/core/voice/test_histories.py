import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.voice.audio import Audio
from dragoman.core.voice.histories import History, has_sound, written
from dragoman.core.voice.sound_parts import OPENAI_PART, SoundPart, hash_encoder, message_encoder

HELLO = {"role": "user", "content": "Hello."}
SPOKEN = {"role": "user", "content": [SoundPart(Audio(b"\x10\x00" * 800, 8_000))]}
ENCODER = message_encoder(OPENAI_PART)

contents = st.none() | st.text(max_size=20) | st.lists(st.dictionaries(st.text(), st.text()))
messages = st.fixed_dictionaries({"role": st.sampled_from(["user", "tool"]), "content": contents})


@given(st.lists(st.lists(messages, max_size=4), max_size=5))
def test_a_history_that_grows_is_written_as_all_of_its_messages(
    added: list[list[dict[str, object]]],
) -> None:
    history = History()
    for more in added:
        history += more
        assert written(history, ENCODER) == msgspec.json.encode(list(history))


def test_audio_is_written_by_the_wires_encoder_also_where_words_were_written_before() -> None:
    history = History([HELLO])
    written(history, ENCODER)
    history.append(SPOKEN)
    for encoder in (ENCODER, hash_encoder()):
        assert written(history, encoder) == encoder.encode([HELLO, SPOKEN])


def test_audio_is_found_wherever_it_stands() -> None:
    texts = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    history = History([HELLO, texts])
    assert not has_sound(history)
    assert not has_sound([HELLO, texts])
    history.append(SPOKEN)
    history.append(HELLO)
    assert has_sound(history)
    assert has_sound([HELLO, SPOKEN])
