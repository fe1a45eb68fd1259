import pytest

from dragoman.core.audio import NULL_AUDIO_STORE, Audio, MemoryAudioStore, hears_audio
from dragoman.core.errors import DataError

BEEP = Audio(b"\x10\x00" * 800, 8_000)


class Says:
    def __init__(self, *, hears: object) -> None:
        self.hears_audio = hears


def test_what_is_held_is_given_back_once_each() -> None:
    held = MemoryAudioStore()
    assert held.keep(BEEP) == held.keep(BEEP) == BEEP.reference()
    assert held.sound(BEEP.reference()) == BEEP
    assert held.all() == (BEEP,)


def test_what_was_not_kept_cannot_be_heard() -> None:
    assert NULL_AUDIO_STORE.keep(BEEP) == BEEP.reference()
    with pytest.raises(DataError, match="was not kept"):
        NULL_AUDIO_STORE.sound(BEEP.reference())
    with pytest.raises(DataError, match="was not kept"):
        MemoryAudioStore().sound(BEEP.reference())


def test_only_who_says_so_can_hear() -> None:
    assert hears_audio(Says(hears=True))
    assert not hears_audio(Says(hears="yes"))
    assert not hears_audio(object())
