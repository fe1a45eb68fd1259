"""Language models of the embedded recognizer: general English, or with a suite's texts.

A suite's texts are its tool schemas, its policy and its database, never its users' words: a
recognizer that expects the spoken words would know the answer in advance. The texts used are a part
of the model's key, and of the record of every result that was made with it.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from dragoman.conditions.voice.pocketsphinx_data import pocketsphinx_model_folder
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.speech.embedded.worker_messages import MixJob
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

SHARE = 0.3
"""The weight of a suite's own n-grams in a mixed model."""

RECIPE = 4
"""Grows whenever the same texts begin to give another model."""

MAX_SENTENCES = 200_000

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONGEST_WORD = 24


Counted = tuple[tuple[int, tuple[str, ...]], ...]
"""Sentences as words, and how often each counts."""


class SuiteText(msgspec.Struct, frozen=True):
    """Verbalized sentences of one source (`policy`, `tools`, `database`)."""

    source: str
    sentences: tuple[str, ...]


class TextUsed(msgspec.Struct, frozen=True):
    """Record of a text that went into a model."""

    source: str
    sentences: int
    key: str


class LanguageModel(msgspec.Struct, frozen=True):
    """A language model on disk: its name in tables, its files, its content key and its texts."""

    name: str
    language_model: str
    dictionary: str
    key: str
    texts: tuple[TextUsed, ...] = ()


def stock_language_model() -> LanguageModel:
    """Return the unchanged model that comes with pocketsphinx.

    Raises:
        UsageError: If the extra `voice` is not installed.
    """
    folder = pocketsphinx_model_folder()
    return LanguageModel(
        "stock",
        str(folder / "en-us.lm.bin"),
        str(folder / "cmudict-en-us.dict"),
        content_key("generic"),
    )


async def generic_language_model(folder: Path, workers: SpeechWorkerPool) -> LanguageModel:
    """Return the general English model; it is built once and then reused.

    Args:
        folder: Folder of models; it is created if it is missing.
        workers: Worker pool that builds the model.

    Raises:
        ParticipantError: If the model cannot be built.
    """
    return await _build_once("generic", (), content_key("generic", RECIPE, SHARE), folder, workers)


async def mixed_language_model(
    texts: Sequence[SuiteText], folder: Path, workers: SpeechWorkerPool
) -> LanguageModel:
    """Return the generic model mixed with texts; built once and reused by its content key.

    Args:
        texts: Texts of the suite's tools, policy and database.
        folder: Folder of models; it is created if it is missing.
        workers: Worker pool that builds the model.

    Raises:
        UsageError: If the texts hold no words or too many.
        ParticipantError: If the model cannot be built.
    """
    key = mixed_model_key(texts)
    made = await _build_once(f"mixed:{key[:8]}", _collect_sentences(texts), key, folder, workers)
    used = tuple(
        TextUsed(text.source, len(text.sentences), content_key(text.sentences)) for text in texts
    )
    return msgspec.structs.replace(made, texts=used)


async def _build_once(
    name: str, sentences: Counted, key: str, folder: Path, workers: SpeechWorkerPool
) -> LanguageModel:
    language_model, dictionary = folder / f"{key}.arpa", folder / f"{key}.dict"
    await workers.do(MixJob(sentences, SHARE, str(language_model), str(dictionary)), str)
    return LanguageModel(name, str(language_model), str(dictionary), key)


def mixed_model_key(texts: Sequence[SuiteText]) -> str:
    """Return the content key of the model that texts are mixed into.

    Raises:
        UsageError: If the texts hold no words or too many.
    """
    return content_key("mixed", RECIPE, SHARE, _collect_sentences(texts))


def tokenize_spoken_form(spoken: str) -> tuple[str, ...]:
    """Return verbalized text as recognizers write it: lower-case words without punctuation."""
    lower = _JOINED.sub(" ", spoken).lower().replace("\u2019", "'")
    return tuple(word for word in _WORD.findall(lower) if len(word) <= _LONGEST_WORD)


def _collect_sentences(texts: Iterable[SuiteText]) -> Counted:
    found = {
        words: 1 for text in texts for s in text.sentences if (words := tokenize_spoken_form(s))
    }
    if not found:
        raise UsageError("a mixed language model needs words, and the texts given have none")
    if len(found) > MAX_SENTENCES:
        raise UsageError(
            f"a mixed language model takes {MAX_SENTENCES} sentences, not {len(found)}"
        )
    return tuple((1, words) for words in sorted(found))
