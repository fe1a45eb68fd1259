"""How a condition's persona speaks: its pace, its accent, its pauses and fillers."""

from collections.abc import Mapping

import msgspec

from dragoman.conditions.persona.persona_profiles import PersonaProfile
from dragoman.conditions.voice.verbalization.spoken_form import Hesitation
from dragoman.core.conditions import NONE, Condition
from dragoman.core.personas import SpeechHabits
from dragoman.core.protocols import Synthesizer
from dragoman.speech.embedded.espeak import EspeakSynthesizer
from dragoman.wiring.conditions.personas import persona_of


class SpokenAs(msgspec.Struct, frozen=True):
    """Who speaks, how it hesitates, and what a run keeps of both."""

    speakers: tuple[Synthesizer, ...]
    hesitation: Hesitation | None = None
    record: Mapping[str, object] = {}


def spoken_as(
    condition: Condition, cards: Mapping[str, PersonaProfile], speakers: tuple[Synthesizer, ...]
) -> SpokenAs:
    """Return how a condition's user speaks.

    Voices that are not embedded keep their pace. Where no voice has the persona's accent all speak.

    Args:
        condition: The condition.
        cards: A run's cards by name.
        speakers: The voices of its users.

    Raises:
        UsageError: Where the card has no texts in the language that is spoken.
    """
    if condition.persona == NONE:
        return SpokenAs(speakers)
    persona = persona_of(condition, cards, "conversation")
    habits = persona.speech
    if habits == SpeechHabits():
        return SpokenAs(speakers)
    alike = tuple(each for each in speakers if _accent(each) == habits.accent)
    hesitation = Hesitation(habits.pauses, habits.fillers, persona.fillers)
    return SpokenAs(
        tuple(_paced(each, habits.rate) for each in alike or speakers),
        hesitation if habits.pauses or habits.fillers else None,
        {"persona": msgspec.to_builtins(habits)},
    )


def _accent(speaker: Synthesizer) -> str | None:
    return speaker.accent if isinstance(speaker, EspeakSynthesizer) else None


def _paced(speaker: Synthesizer, rate: float) -> Synthesizer:
    return speaker.paced(rate) if isinstance(speaker, EspeakSynthesizer) else speaker
