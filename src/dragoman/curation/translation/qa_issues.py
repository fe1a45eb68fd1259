"""Translation QA issues with their severities, and the segment pair that QA checks inspect."""

import functools
import importlib.resources
from collections.abc import Mapping
from functools import cached_property
from typing import Literal, NamedTuple

import msgspec

from dragoman.conditions.language.languages import Language
from dragoman.curation.translation.glossary import Glossary
from dragoman.curation.translation.placeholders import DoNotTranslate, Span, blank_spans
from dragoman.curation.translation.segments import Segment
from dragoman.scoring.language_detection import Detector

Severity = Literal["refuse", "flag"]
"""`refuse`: the text is damaged and not to be used. `flag`: somebody should look at it."""


class QaIssue(msgspec.Struct, frozen=True):
    """Something about one translation that should not be.

    Attributes:
        code: Its class, a key of `MEANINGS`.
        address: The segment's address.
        what: What is wrong, in one line.
        severity: Whether the text is refused, or a reviewer's attention asked for.
        count: How often.
    """

    code: str
    address: str
    what: str
    severity: Severity
    count: int = 1


class IssueMeaning(NamedTuple):
    """What a code means, and the share of an estimate of quality that one of it takes away."""

    severity: Severity
    weight: float
    what: str


MEANINGS: Mapping[str, IssueMeaning] = {
    "placeholder-lost": IssueMeaning("refuse", 0.5, "a placeholder did not come back"),
    "placeholder-doubled": IssueMeaning(
        "refuse", 0.5, "a placeholder came back more often than given"
    ),
    "placeholder-invented": IssueMeaning(
        "refuse", 0.5, "a placeholder came back that was not given"
    ),
    "empty": IssueMeaning("refuse", 0.5, "nothing came back"),
    "id-lost": IssueMeaning("refuse", 0.5, "an id of the source is not in the translation"),
    "id-invented": IssueMeaning("refuse", 0.5, "an id or address that the source has not"),
    "address-lost": IssueMeaning(
        "refuse", 0.5, "an e-mail or web address or phone number is not kept"
    ),
    "template-lost": IssueMeaning("refuse", 0.5, "a name in braces is lost, doubled or invented"),
    "marker-lost": IssueMeaning("refuse", 0.5, "a marker such as ###STOP### is not kept"),
    "identifier-lost": IssueMeaning("refuse", 0.5, "the name of a tool or parameter is not kept"),
    "code-lost": IssueMeaning("refuse", 0.5, "what stands in code is not kept"),
    "heading-lost": IssueMeaning("refuse", 0.5, "the translation has another number of headings"),
    "list-item-lost": IssueMeaning(
        "refuse", 0.5, "the translation has another number of list items"
    ),
    "code-span-lost": IssueMeaning(
        "refuse", 0.5, "the translation has another number of code spans"
    ),
    "wrapped": IssueMeaning(
        "refuse", 0.5, "the translation is wrapped in words or marks of an answer"
    ),
    "hidden-character": IssueMeaning(
        "refuse", 0.5, "a character that nobody sees, not in the source"
    ),
    "wrong-script": IssueMeaning("refuse", 0.5, "letters of a script that is not the target's"),
    "label-collision": IssueMeaning("refuse", 0.5, "two values of one set have one label"),
    "id-swapped": IssueMeaning("flag", 0.5, "ids of one shape stand in another order"),
    "value-swapped": IssueMeaning(
        "flag", 0.5, "another value of a field is named than in the source"
    ),
    "number-lost": IssueMeaning("flag", 0.5, "a number of the source is not in the translation"),
    "number-rewritten": IssueMeaning(
        "flag", 0.05, "a number is written as a word or with other signs"
    ),
    "literal-lost": IssueMeaning("flag", 0.4, "a quoted literal is not kept"),
    "name-lost": IssueMeaning("flag", 0.2, "a name or date that calls must repeat is not kept"),
    "label-missing": IssueMeaning("flag", 0.3, "a value is quoted otherwise than by its label"),
    "copied": IssueMeaning("flag", 0.8, "the translation is the source"),
    "residual-english": IssueMeaning("flag", 0.6, "much of the text is still English"),
    "wrong-language": IssueMeaning("flag", 0.8, "a detector takes the text for another language"),
    "length-ratio": IssueMeaning(
        "flag", 0.4, "the translation is far shorter or longer than is usual"
    ),
    "repeated-word": IssueMeaning(
        "flag", 0.3, "a word stands twice in a row, and not in the source"
    ),
    "space-between-han": IssueMeaning("flag", 0.1, "a space between Chinese characters"),
    "outer-space": IssueMeaning("flag", 0.02, "white space around the text is not the source's"),
    "line-breaks": IssueMeaning("flag", 0.1, "the text has another number of lines"),
}
"""Severity and one line about each code, in the order in which tables show them."""


def qa_issue(code: str, address: str, what: str, count: int = 1) -> QaIssue:
    """Return an anomaly with its code's severity."""
    return QaIssue(code, address, what, MEANINGS[code].severity, count)


class LanguageExpectations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is expected of translations from English into one language; nothing where not known.

    Attributes:
        length: The least and most characters for one of the source; None where not known.
        why_length: Where these come from.
        number_words: The words of 0, 1, 2 and so on, each with all its forms.
        scales: What multiplies the number before it, by word.
        repeated: Words that the language itself repeats.
        own_words: Words of the language that are spelled like English function words.
        overlap: The largest share of a translation's letters that may be words of the source.
    """

    length: tuple[float, float] | None = None
    why_length: str = ""
    number_words: tuple[tuple[str, ...], ...] = ()
    scales: dict[str, int] = {}
    repeated: frozenset[str] = frozenset()
    own_words: frozenset[str] = frozenset()
    overlap: float | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    function_words: frozenset[str]
    wrappers: tuple[str, ...]
    languages: dict[str, LanguageExpectations]


def expectations_of(code: str) -> LanguageExpectations:
    """Return what is expected of a language, or nothing where it is not listed."""
    return _file().languages.get(code, LanguageExpectations())


def function_words() -> frozenset[str]:
    """Return English words that no text needs that is not English."""
    return _file().function_words


def wrappers() -> tuple[str, ...]:
    """Return what answers begin with that hold more than the translation, in small letters."""
    return _file().wrappers


@functools.cache
def _file() -> _File:
    content = importlib.resources.files(__package__).joinpath("expectations.toml").read_bytes()
    return msgspec.toml.decode(content, type=_File)


class TranslationCriteria(msgspec.Struct, frozen=True):
    """What a domain's translations into one language are held to.

    Attributes:
        language: The language.
        do_not_translate: What stays in the domain's texts.
        glossary: The domain's labels in the language.
        detector: What tells languages; without it, a text in another language of the same script
            may pass.
    """

    language: Language
    do_not_translate: DoNotTranslate
    glossary: Glossary
    detector: Detector | None = None


class SegmentPair:
    """A segment, its translation with everything put back, and what is known of both."""

    def __init__(self, segment: Segment, target: str, criteria: TranslationCriteria) -> None:
        self.segment = segment
        self.source = segment.source
        self.target = target
        self.language = criteria.language
        self.do_not_translate = criteria.do_not_translate
        self.glossary = criteria.glossary
        self.detector = criteria.detector

    def issue(self, code: str, what: str, count: int = 1) -> QaIssue:
        """Return an anomaly of this segment."""
        return qa_issue(code, self.segment.address, what, count)

    @cached_property
    def expected(self) -> LanguageExpectations:
        """What is expected of the language."""
        return expectations_of(self.language.code)

    @cached_property
    def kept(self) -> tuple[Span, ...]:
        """What must stay of the source; nothing of a stand-alone label."""
        if self.segment.mode == "label":
            return ()
        return self.do_not_translate.spans(self.source, self.segment.component, self.segment.kept)

    @cached_property
    def found(self) -> tuple[Span, ...]:
        """What the translation has of what must stay."""
        return self.do_not_translate.spans(self.target, self.segment.component, self.segment.kept)

    @cached_property
    def source_words(self) -> str:
        """The source without what must stay."""
        return blank_spans(self.source, self.kept)

    @cached_property
    def target_words(self) -> str:
        """The translation without what must stay."""
        return blank_spans(self.target, self.found)
