"""Is what was spoken and heard of a set what its texts say, and is its audio there?"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from dragoman.conditions.voice.inverse_text_normalization.normalizer import normalized_transcript
from dragoman.conditions.voice.verbalization.spoken_form import VERBALIZATION
from dragoman.core.conditions import SIMULATED
from dragoman.core.errors import DataError
from dragoman.core.recordings import SPEAKER
from dragoman.core.replies import AudioRef
from dragoman.curation.speech.audio.counting import SpokenLine
from dragoman.curation.speech.audio.speaking import words_spoken
from dragoman.curation.speech.audio.transcribing import source_of
from dragoman.store.audio_set import AudioSetFiles
from dragoman.store.audio_set_format import SetSettings


def speech_problems(line: SpokenLine, settings: SetSettings) -> Iterator[str]:
    """Yield what is wrong with how one message was spoken and heard."""
    text, speech = line.text.spoken, line.speech
    where = text.message.address
    is_comparable = settings.verbalization == VERBALIZATION
    if is_comparable and speech.said != words_spoken(text.said):
        yield f"{where}: the voice was given other words than it was to say"
    normalizer = settings.normalizer
    voices = {stage.settings[SPEAKER] for stage in speech.stages if SPEAKER in stage.settings}
    if not voices <= set(settings.tts) or (speech.audio is not None and not voices):
        yield f"{where}: spoken by nobody whom the set names"
    if speech.audio is None and speech.said and settings.tts and not voices:
        yield f"{where}: was not spoken"
    for name, heard in line.heard.items():
        if heard.source != source_of(speech, is_simulated=name.startswith(SIMULATED)):
            yield f"{where}: {name} heard something else"
        if heard.text != normalized_transcript(heard.words, settings.language, normalizer):
            yield f"{where}: what {name} heard is not written as it is written down"


def unchecked_words(settings: SetSettings) -> Iterator[str]:
    """Yield a line where the words that voices were given cannot be made again, to be compared."""
    if settings.verbalization != VERBALIZATION:
        yield (
            f"the words that voices were given are by {settings.verbalization!r:.80}, not "
            f"{VERBALIZATION!r}: whether they are those of its texts was not checked"
        )


def sound_problems(folder: Path, lines: Sequence[SpokenLine]) -> Iterator[str]:
    """Yield what is wrong with the audio files of a whole set."""
    sounds = AudioSetFiles(folder)
    references = {line.speech.audio: None for line in lines if line.speech.audio is not None}
    for reference in references:
        yield from _damage(sounds, reference)
    for path in sounds.others({reference.sha256 for reference in references}):
        yield f"{path} belongs to no message"


def _damage(sounds: AudioSetFiles, reference: AudioRef) -> Iterator[str]:
    try:
        sounds.sound(reference)
    except DataError as error:
        yield str(error)
