"""Which language a text is in: langid's naive Bayes over bytes, beside fastText's lid.176."""

from functools import cache
from threading import Lock
from typing import Protocol

from dragoman.core.errors import UsageError
from dragoman.scoring.language_detection import Detection

_LOADING = Lock()


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
        """Return the likeliest language, or None for a text of nothing but white space."""
        if not text.strip():
            return None
        label, probability = self._identifier.classify(text)
        return Detection(label, float(probability))


def load_langid() -> LangidDetector:
    """Return the detector, which is loaded at the first call and shared after it.

    Raises:
        UsageError: Where the extra `language` is not installed.
    """
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> LangidDetector:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError as error:
        raise UsageError(
            "language detection is an extra: pip install 'dragoman[language]'"
        ) from error
    return LangidDetector(LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True))
