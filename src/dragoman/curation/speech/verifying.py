"""Is a set what it says? Every message, proof, sound, transcript and count is looked at again."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.speech.audio.checking import sound_problems, speech_problems, unchecked_words
from dragoman.curation.speech.audio.counting import SpokenLine, counting_rules
from dragoman.curation.speech.card import Card, card_of, with_speech
from dragoman.curation.speech.messages import messages_of
from dragoman.curation.speech.proving import recovered
from dragoman.curation.speech.reading.how import ValueReader
from dragoman.curation.speech.reading.readers import KNOWN_MATCHERS, reader_of
from dragoman.curation.speech.set_lines import SetLine, digest_of
from dragoman.curation.speech.settings import settings_in
from dragoman.curation.speech.versions import recorded_versions, unknown_in
from dragoman.curation.speech.whitelists import topics_of
from dragoman.registry.suites import load_suite
from dragoman.store.audio_set import AudioSet, read_settings
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


class VerifiedSet(msgspec.Struct, frozen=True):
    """What is wrong with a set, and what of it cannot be looked at again, one line each."""

    problems: tuple[str, ...]
    unchecked: tuple[str, ...]


def verify_set(folder: Path) -> VerifiedSet:
    """Look at a set again: every message, proof, sound, transcript and count.

    Raises:
        DataError: Where a file is missing or damaged.
        UsageError: Where its suites do not exist here.
    """
    return VerifiedSet(problems_of(folder), unchecked_in(folder))


def problems_of(folder: Path) -> tuple[str, ...]:
    """Return what is wrong with a set, one line each; nothing for a sound and whole one.

    Raises:
        DataError: Where a file is missing or damaged.
        UsageError: Where its suites do not exist here.
    """
    settings = read_settings(folder)
    texts = tuple(read_lines(folder / TEXTS, SetLine))
    versions = recorded_versions(settings)
    found = list(unknown_in(versions))
    if versions.matcher not in KNOWN_MATCHERS:
        return tuple(found)  # nothing that it counts can be counted again
    reader = reader_of(versions.matcher, settings.language)
    found += [problem for line in texts for problem in _problems(line, reader)]
    found += _suite_problems(settings, texts, reader)
    card = card_of(settings_in(folder), digest_of(texts), texts)
    if settings.asr:
        recorded = AudioSet(folder)
        lines = _spoken(folder, settings, texts)
        found += [problem for line in lines for problem in speech_problems(line, settings)]
        found += sound_problems(folder, lines)
        rules = counting_rules(versions, settings.language)
        card = with_speech(card, lines, recorded.digest, rules)
    if _card(folder) != card:
        found.append("its card does not tell what is in it")
    return tuple(found)


def unchecked_in(folder: Path) -> tuple[str, ...]:
    """Return what of a set cannot be looked at again, one line each.

    Raises:
        DataError: Where its settings are missing or damaged.
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


def _spoken(
    folder: Path, settings: SetSettings, texts: Sequence[SetLine]
) -> tuple[SpokenLine, ...]:
    """Put the lines of a set together, which are known to be of the same messages."""
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
    proof = recovered(message.values, line.spoken.said, reader)
    if proof != line.spoken.proof:
        yield f"{message.address}: its proof is not that of what is said"
    for each in proof:
        if each.how is None:
            yield f"{message.address}: {each.value!r:.60} is not found in what is said"
    if whitelist.topics != topics_of(message.values):
        yield f"{message.address}: its whitelist is not of what it states"
    if not set((whitelist.named or {}).values()) <= set(whitelist.topics.values()):
        yield f"{message.address}: a model's whitelist has a value that the request has not"


def _card(folder: Path) -> Card:
    path = folder / CARD
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(read_plain(path, MOST_BYTES), type=Card)
