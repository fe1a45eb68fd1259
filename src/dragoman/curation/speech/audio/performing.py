"""Who says words and who hears them: here, or wherever somebody else has the same engines."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import msgspec

from dragoman.conditions.voice.audio_effects.presets import apply_effects
from dragoman.conditions.voice.channel import SimulatedPath, synthesize
from dragoman.core.audio import Audio
from dragoman.core.recordings import SPEAKER
from dragoman.core.replies import Stage
from dragoman.core.usage import Usage
from dragoman.curation.speech.audio.engines import SetEngines


class SoundMade(msgspec.Struct, frozen=True):
    """What reached the ear of words that were said."""

    audio: Audio
    stages: tuple[Stage, ...]
    usage: tuple[Usage, ...]


class WordsHeard(msgspec.Struct, frozen=True):
    """What a recognizer made of what it was given."""

    words: str
    usage: tuple[Usage, ...] = ()


class Performers(NamedTuple):
    """Those who speak and hear.

    Attributes:
        say: Says words, with the voice that is drawn for them, over the line.
        hear: Has the recognizer of a name hear audio; one that is simulated is given the words.
    """

    say: Callable[[str], Awaitable[SoundMade]]
    hear: Callable[[str, Audio | str], Awaitable[WordsHeard]]


def performing_here(engines: SetEngines) -> Performers:
    """Return those of this process."""

    async def say(said: str) -> SoundMade:
        name = engines.voice_of(said)
        path, seed = engines.voices[name], engines.seed_of(said, "speech")
        spoken = await synthesize(path, said, seed)
        arrived, stages = await asyncio.to_thread(apply_effects, spoken.audio, path.effects, seed)
        synthesis = msgspec.structs.replace(spoken.stages[0], settings={SPEAKER: name})
        return SoundMade(arrived, (synthesis, *stages), spoken.usage)

    async def hear(name: str, given: Audio | str) -> WordsHeard:
        if isinstance(given, str):
            path = engines.simulated[name]
            return WordsHeard(await asyncio.to_thread(misheard, path, given))
        heard = await engines.recognizers[name].transcribe(given, engines.language)
        return WordsHeard(heard.text, () if heard.usage is None else (heard.usage,))

    def misheard(path: SimulatedPath, said: str) -> str:
        seed = engines.seed_of(said, "mishearing")
        return path.simulator.simulate(said, path.language, path.target_wer, seed).text

    return Performers(say, hear)
