"""How the shipped English voices say a word: an accent of its own each, and none of them cmudict's."""

from collections.abc import Iterable, Mapping

from dragoman.conditions.voice.pocketsphinx_data import CUSTOM_PRONUNCIATIONS, ipa_to_arpabet
from dragoman.speech.embedded.espeak_library import SpeechLibrary
from dragoman.speech.embedded.voices import Voice, voices_of

LANGUAGE = "en"
_RATE = 160


def accents() -> tuple[str, ...]:
    """Return the engine's names of the accents that the voices have, each once."""
    return tuple(dict.fromkeys(accent_of(voice) for voice in voices_of(LANGUAGE)))


def accent_of(voice: Voice) -> str:
    """Return the engine's name of a voice without the variant of its throat."""
    return voice.engine_voice.partition("+")[0]


def ways_of(
    words: Iterable[str], library: SpeechLibrary, spoken_in: Iterable[str]
) -> Mapping[str, tuple[str, ...]]:
    """Return the phones of every word in these accents, each way once.

    There are none for a word without any, and for those of whose ways we know better.
    """
    ways: dict[str, dict[str, None]] = {word: {} for word in words}
    asked = {word: found for word, found in ways.items() if word not in CUSTOM_PRONUNCIATIONS}
    for accent in spoken_in:
        library.select(accent, _RATE)
        for word, found in asked.items():
            phones = ipa_to_arpabet(library.phonemes(word))
            if phones:
                found[phones] = None
    return {word: tuple(found) for word, found in ways.items()}
