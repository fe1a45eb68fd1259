"""Verification of an audio set: messages, proofs, sounds, transcripts and counts."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.normalizer import normalized_transcript
from dragoman.conditions.voice.verbalization.spoken_form import VERBALIZATION
from dragoman.core.conditions import SIMULATED
from dragoman.core.errors import DataError
from dragoman.core.recordings import SPEAKER
from dragoman.core.replies import AudioRef
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.audio_sets.audio_pipeline import recognizer_input_key, words_spoken
from dragoman.curation.audio_sets.card import (
    AudioSetCard,
    SpokenLine,
    add_speech_counts,
    audio_set_card,
    counting_rules,
)
from dragoman.curation.audio_sets.messages import (
    ValueReader,
    messages_of,
    recover_values,
    topics_of,
)
from dragoman.curation.audio_sets.rewrite import SetLine, digest_of
from dragoman.curation.audio_sets.settings import (
    recorded_settings,
    recorded_versions,
    unknown_versions,
)
from dragoman.curation.audio_sets.value_readers import KNOWN_MATCHERS, reader_of
from dragoman.registry.suites import load_suite
from dragoman.store.audio_set import AudioSet, AudioSetFiles, read_settings
from dragoman.store.audio_set_format import (
    CARD,
    MOST_BYTES,
    SPEECH,
    TEXTS,
    SetSettings,
    SpeechLine,
    TranscriptLine,
    read_lines,
    transcripts_name,
)
from dragoman.store.safe_files import read_plain


def speech_problems(line: SpokenLine, settings: SetSettings) -> Iterator[str]:
    """Yield the problems with the speech and the transcripts of one message."""
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
        if heard.source != recognizer_input_key(speech, is_simulated=name.startswith(SIMULATED)):
            yield f"{where}: {name} heard something else"
        if heard.text != normalized_transcript(heard.words, settings.language, normalizer):
            yield f"{where}: what {name} heard is not written as it is written down"


def unchecked_words(settings: SetSettings) -> Iterator[str]:
    """Yield a line if the words for voices cannot be made again for comparison."""
    if settings.verbalization != VERBALIZATION:
        yield (
            f"the words that voices were given are by {settings.verbalization!r:.80}, not "
            f"{VERBALIZATION!r}: whether they are those of its texts was not checked"
        )


def sound_problems(folder: Path, lines: Sequence[SpokenLine]) -> Iterator[str]:
    """Yield the problems with the audio files of a whole set."""
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


class VerifiedSet(msgspec.Struct, frozen=True):
    """The problems of a set and its parts that cannot be checked, one line each."""

    problems: tuple[str, ...]
    unchecked: tuple[str, ...]


def verify_set(folder: Path) -> VerifiedSet:
    """Check every message, proof, sound, transcript and count of a set.

    Raises:
        DataError: If a file is missing or damaged.
        UsageError: If its suites do not exist here.
    """
    return VerifiedSet(audio_set_problems(folder), unchecked_parts(folder))


def audio_set_problems(folder: Path) -> tuple[str, ...]:
    """Return the problems of a set, one line each; empty for a complete and intact one.

    Raises:
        DataError: If a file is missing or damaged.
        UsageError: If its suites do not exist here.
    """
    settings = read_settings(folder)
    texts = tuple(read_lines(folder / TEXTS, SetLine))
    versions = recorded_versions(settings)
    found = list(unknown_versions(versions))
    if versions.matcher not in KNOWN_MATCHERS:
        return tuple(found)  # none of its counts can be recomputed
    reader = reader_of(versions.matcher, settings.language)
    found += [problem for line in texts for problem in _problems(line, reader)]
    found += _suite_problems(settings, texts, reader)
    card = audio_set_card(recorded_settings(folder), digest_of(texts), texts)
    if settings.asr:
        recorded = AudioSet(folder)
        lines = _join_spoken_lines(folder, settings, texts)
        found += [problem for line in lines for problem in speech_problems(line, settings)]
        found += sound_problems(folder, lines)
        rules = counting_rules(versions, settings.language)
        card = add_speech_counts(card, lines, recorded.digest, rules)
    if _card(folder) != card:
        found.append("its card does not tell what is in it")
    return tuple(found)


def unchecked_parts(folder: Path) -> tuple[str, ...]:
    """Return the parts of a set that cannot be checked, one line each.

    Raises:
        DataError: If its settings are missing or damaged.
    """
    settings = read_settings(folder)
    return tuple(unchecked_words(settings)) if settings.asr else ()


def _suite_problems(
    settings: SetSettings, texts: Sequence[SetLine], reader: ValueReader
) -> Iterator[str]:
    suites = [load_suite(name) for name in settings.suites]
    for suite, (name, digest) in zip(suites, settings.suites.items(), strict=True):
        if suite.provenance.digest != digest:
            yield f"{name} has other data here than the set was made of"
    messages = list(messages_of(suites, reader, settings.sample))
    if [line.spoken.message for line in texts] != messages:
        names = ", ".join(settings.suites)
        yield f"its {len(texts):,} messages are not the {len(messages):,} of {names}"


def _join_spoken_lines(
    folder: Path, settings: SetSettings, texts: Sequence[SetLine]
) -> tuple[SpokenLine, ...]:
    """Join the lines of a set; they are known to be of the same messages."""
    speech = read_lines(folder / SPEECH, SpeechLine)
    heard: Mapping[str, Iterator[TranscriptLine]] = {
        name: read_lines(folder / transcripts_name(name), TranscriptLine) for name in settings.asr
    }
    return tuple(
        SpokenLine(text, spoken, {name: next(lines) for name, lines in heard.items()})
        for text, spoken in zip(texts, speech, strict=True)
    )


def _problems(line: SetLine, reader: ValueReader) -> Iterator[str]:
    message, whitelist = line.spoken.message, line.whitelist
    proof = recover_values(message.values, line.spoken.said, reader)
    if proof != line.spoken.proof:
        yield f"{message.address}: its proof is not that of what is said"
    for each in proof:
        if each.how is None:
            yield f"{message.address}: {each.value!r:.60} is not found in what is said"
    if whitelist.topics != topics_of(message.values):
        yield f"{message.address}: its whitelist is not of what it states"
    if not set((whitelist.named or {}).values()) <= set(whitelist.topics.values()):
        yield f"{message.address}: a model's whitelist has a value that the request has not"


def _card(folder: Path) -> AudioSetCard:
    path = folder / CARD
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(read_plain(path, MOST_BYTES), type=AudioSetCard)
