"""Translation QA issues with severities, and the segment pair that QA checks inspect."""

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
"""`refuse`: the text is damaged and must not be used. `flag`: a person should check it."""


class QaIssue(msgspec.Struct, frozen=True):
    """A problem of one translation.

    Attributes:
        code: Its class, a key of `MEANINGS`.
        address: The segment's address.
        what: The problem, in one line.
        severity: Whether the text is refused, or flagged for a reviewer.
        count: Number of occurrences.
    """

    code: str
    address: str
    what: str
    severity: Severity
    count: int = 1


class IssueMeaning(NamedTuple):
    """The meaning of a code, and the share of the quality estimate that each issue removes."""

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
    "code-lost": IssueMeaning("refuse", 0.5, "a code span is not kept"),
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
"""Severity, weight and meaning of each code, in the order of tables."""


def qa_issue(code: str, address: str, what: str, count: int = 1) -> QaIssue:
    """Return an issue with the severity of its code."""
    return QaIssue(code, address, what, MEANINGS[code].severity, count)


class LanguageExpectations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Expectations on translations from English into one language; empty if unknown.

    Attributes:
        length: The fewest and most characters for one character of the source; None if unknown.
        why_length: The origin of these numbers.
        number_words: The words of 0, 1, 2 and so on, each with all its forms.
        scales: The factor for the number before a word, by word.
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
    """Return the expectations on a language; empty ones if it is not listed."""
    return _file().languages.get(code, LanguageExpectations())


def function_words() -> frozenset[str]:
    """Return English words that only English texts need."""
    return _file().function_words


def wrappers() -> tuple[str, ...]:
    """Return the beginnings of answers with more than the translation, in lower case."""
    return _file().wrappers


@functools.cache
def _file() -> _File:
    content = importlib.resources.files(__package__).joinpath("expectations.toml").read_bytes()
    return msgspec.toml.decode(content, type=_File)


class TranslationCriteria(msgspec.Struct, frozen=True):
    """The criteria for a domain's translations into one language.

    Attributes:
        language: The language.
        do_not_translate: The terms that stay in the domain's texts.
        glossary: The domain's labels in the language.
        detector: The language detector; without it, a text in another language of the same script
            may pass.
    """

    language: Language
    do_not_translate: DoNotTranslate
    glossary: Glossary
    detector: Detector | None = None


class SegmentPair:
    """A segment, its restored translation, and the criteria for both."""

    def __init__(self, segment: Segment, target: str, criteria: TranslationCriteria) -> None:
        self.segment = segment
        self.source = segment.source
        self.target = target
        self.language = criteria.language
        self.do_not_translate = criteria.do_not_translate
        self.glossary = criteria.glossary
        self.detector = criteria.detector

    def issue(self, code: str, what: str, count: int = 1) -> QaIssue:
        """Return an issue of this segment."""
        return qa_issue(code, self.segment.address, what, count)

    @cached_property
    def expected(self) -> LanguageExpectations:
        """The expectations on the language."""
        return expectations_of(self.language.code)

    @cached_property
    def kept(self) -> tuple[Span, ...]:
        """The spans of the source that must stay; none for a stand-alone label."""
        if self.segment.mode == "label":
            return ()
        return self.do_not_translate.spans(self.source, self.segment.component, self.segment.kept)

    @cached_property
    def found(self) -> tuple[Span, ...]:
        """The spans of the translation that must stay."""
        return self.do_not_translate.spans(self.target, self.segment.component, self.segment.kept)

    @cached_property
    def source_words(self) -> str:
        """The source without the spans that must stay."""
        return blank_spans(self.source, self.kept)

    @cached_property
    def target_words(self) -> str:
        """The translation without the spans that must stay."""
        return blank_spans(self.target, self.found)
