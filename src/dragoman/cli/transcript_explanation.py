"""Implementation of `dragoman heard`: explains how a recognizer's transcript is scored."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from dragoman.cli.output import console, print_json
from dragoman.conditions.voice.inverse_text_normalization.normalizer import (
    NORMALIZER,
    normalized_transcript,
)
from dragoman.core.errors import UsageError
from dragoman.core.scores import Unscored
from dragoman.core.texts.alignment import MAX_UNITS, Pair, align
from dragoman.core.texts.characters import escape_controls
from dragoman.core.value_matching.folding import primary_language
from dragoman.core.value_matching.lexicon import FULL_LANGUAGES
from dragoman.core.value_matching.matcher import MATCHER, find_value, states
from dragoman.core.value_matching.typed_values import ValueType, value_type
from dragoman.report.text_tables import TextTable, print_table
from dragoman.scoring.speech_accuracy import (
    NORMALIZATION,
    UNSPACED,
    AlignmentCounts,
    character_edits,
    normalize_for_scoring,
    regroup,
    scoring_units,
    word_edits,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


MAX_CHARACTERS = 20_000
"""Longest text that is explained, in characters."""

Kind = Literal["hit", "substitution", "deletion", "insertion"]

_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,7}")
_MARKS: dict[Kind, tuple[str, str]] = {
    "hit": ("", ""),
    "substitution": ("~", "yellow"),
    "deletion": ("-", "red"),
    "insertion": ("+", "magenta"),
}
_GAP = "  "
_LABELS = ("said", "heard", "")
_LABEL_WIDTH = 12


class TranscriptQuestion(NamedTuple):
    """The texts to explain, as they were typed."""

    said: str
    heard: str
    language: str
    values: tuple[str, ...]

    def require_valid(self) -> None:
        """Refuse an invalid question.

        Raises:
            UsageError: For a text that is too long, an invalid language tag, or an empty value.
        """
        named = (
            ("SAID", self.said),
            ("HEARD", self.heard),
            *(("--value", value) for value in self.values),
        )
        for name, text in named:
            if len(text) > MAX_CHARACTERS:
                raise UsageError(
                    f"{name}: {len(text):,} characters; at most {MAX_CHARACTERS:,} are explained"
                )
        if _TAG.fullmatch(self.language) is None:
            shown = repr(self.language[:40])
            raise UsageError(f"--language {shown}: no language tag; write one such as en or pt-BR")
        if not all(value.strip() for value in self.values):
            raise UsageError("--value: it is empty; write what to look for")


class AlignedUnits(msgspec.Struct, frozen=True):
    """A spoken unit and its recognized unit; None for a missing unit."""

    said: str | None
    heard: str | None
    kind: Kind


class RecognizedValue(msgspec.Struct, frozen=True):
    """The place and form in which the texts state a value.

    `start` and `end` are places in the transcript.
    """

    value: str
    type: ValueType
    stated: bool
    form: str | None
    start: int | None
    end: int | None
    stated_in_said: bool


class ScoredTexts(msgspec.Struct, frozen=True):
    """Both texts after scoring normalization."""

    said: str
    heard: str


class Versions(msgspec.Struct, frozen=True):
    """The versions of the rules that the texts were read by."""

    normalizer: str = NORMALIZER
    scoring: str = NORMALIZATION
    matcher: str = MATCHER


class Explanation(msgspec.Struct, frozen=True, omit_defaults=True):
    """The output of `dragoman heard --json`.

    Attributes:
        language: The tag of both texts.
        raw: The transcript as it was given.
        normalized: The transcript after inverse text normalization.
        scoring: Both texts in the form that is counted.
        word_error_rate: None where words cannot be counted.
        character_error_rate: None where characters cannot be counted.
        alignment: Pairs of words; pairs of characters if words are not counted; empty if there are
            too many units.
        values: One entry for each value, in the order in which they were asked for.
        versions: The versions of the rules.
        word_error_reason: The reason for a missing word error rate.
        character_error_reason: The reason for a missing character error rate.
    """

    language: str
    raw: str
    normalized: str
    scoring: ScoredTexts
    word_error_rate: float | None
    character_error_rate: float | None
    alignment: tuple[AlignedUnits, ...]
    values: tuple[RecognizedValue, ...]
    versions: Versions
    word_error_reason: str = ""
    character_error_reason: str = ""


def explain(question: TranscriptQuestion, *, as_json: bool) -> None:
    """Explain a transcript.

    Raises:
        UsageError: If the question cannot be answered.
    """
    question.require_valid()
    said, heard, language, _ = question
    words = word_edits(said, heard, language)
    characters = character_edits(said, heard, language)
    explanation = _explanation(question, words, characters)
    if as_json:
        print_json(explanation)
    else:
        _print(explanation, words, characters)


def _explanation(
    question: TranscriptQuestion,
    words: AlignmentCounts | Unscored,
    characters: AlignmentCounts | Unscored,
) -> Explanation:
    said, heard, language, values = question
    return Explanation(
        language,
        heard,
        normalized_transcript(heard, language),
        ScoredTexts(normalize_for_scoring(said, language), normalize_for_scoring(heard, language)),
        _rate(words),
        _rate(characters),
        tuple(_aligned_units(question)),
        tuple(_describe_value_recognition(value, question) for value in values),
        Versions(),
        _reason(words),
        _reason(characters),
    )


def _rate(edits: AlignmentCounts | Unscored) -> float | None:
    return edits.rate if isinstance(edits, AlignmentCounts) else None


def _reason(edits: AlignmentCounts | Unscored) -> str:
    return edits.reason if isinstance(edits, Unscored) else ""


def _aligned_units(question: TranscriptQuestion) -> Iterator[AlignedUnits]:
    said, heard = _counted_units(question)
    if max(len(said), len(heard)) > MAX_UNITS:
        return
    for pair in align(said, heard):
        yield AlignedUnits(pair.said, pair.heard, _kind(pair))


def _counted_units(question: TranscriptQuestion) -> tuple[Sequence[str], Sequence[str]]:
    """Return both texts as aligned units: words, or characters if words are not counted."""
    said = scoring_units(question.said, question.language)
    heard = scoring_units(question.heard, question.language)
    if primary_language(question.language) in UNSPACED:
        return _characters(said), _characters(heard)
    return said, regroup(said, heard)


def _characters(units: Iterable[str]) -> list[str]:
    """Return the characters of units, each with its combining marks."""
    characters: list[str] = []
    for sign in "".join(units):
        if characters and unicodedata.category(sign)[0] == "M":
            characters[-1] += sign
        elif sign != " ":
            characters.append(sign)
    return characters


def _kind(pair: Pair) -> Kind:
    if pair.said is None:
        return "insertion"
    if pair.heard is None:
        return "deletion"
    return "hit" if pair.said == pair.heard else "substitution"


def _describe_value_recognition(value: str, question: TranscriptQuestion) -> RecognizedValue:
    found = find_value(value, question.heard, question.language)
    in_said = states(value, question.said, question.language)
    kind = value_type(value, question.language)
    if found is None:
        return RecognizedValue(value, kind, False, None, None, None, in_said)
    return RecognizedValue(value, kind, True, found.form, found.start, found.end, in_said)


def _print(
    explanation: Explanation,
    words: AlignmentCounts | Unscored,
    characters: AlignmentCounts | Unscored,
) -> None:
    terminal = console()
    if primary_language(explanation.language) not in FULL_LANGUAGES:
        terminal.print(
            _text(f"number words are not parsed in {explanation.language}, only digits"), end="\n\n"
        )
    _print_texts(terminal, explanation)
    for line in _alignment_lines(explanation.alignment, terminal.width):
        terminal.print(line, soft_wrap=True)
    if not explanation.alignment and explanation.scoring != ScoredTexts("", ""):
        terminal.print(_text(f"more than {MAX_UNITS:,} units: they are not aligned"), end="\n\n")
    legend = _legend(explanation.alignment)
    if legend:
        terminal.print(_text(legend))
    terminal.print(_text(_rate_line("word error rate", words)))
    terminal.print(_text(_rate_line("character error rate", characters)))
    if explanation.values:
        print_table(_table(explanation), terminal)


def _print_texts(terminal: "Console", explanation: Explanation) -> None:
    for label, text in (("raw", explanation.raw), ("normalized", explanation.normalized)):
        room = max(terminal.width - _LABEL_WIDTH, 1)
        for at, line in enumerate(_text(text or "(nothing)").wrap(terminal, room, overflow="fold")):
            line.rstrip()
            shown = "" if at else label
            terminal.print(_text(f"{shown:<{_LABEL_WIDTH}}", "dim") + line, soft_wrap=True)
    terminal.print()


def _alignment_lines(units: Sequence[AlignedUnits], width: int) -> Iterator["Text"]:
    """Yield both texts one below the other with a line of marks, wrapped to the terminal."""
    from rich.cells import cell_len

    block: list[tuple[AlignedUnits, int]] = []
    room = width - _LABEL_WIDTH
    taken = 0
    for unit in units:
        wide = max(
            cell_len(escape_controls(unit.said or "")), cell_len(escape_controls(unit.heard or ""))
        )
        if block and taken + wide > room:
            yield from _block(block)
            block, taken = [], 0
        block.append((unit, wide))
        taken += wide + len(_GAP)
    if block:
        yield from _block(block)


def _block(block: Sequence[tuple[AlignedUnits, int]]) -> Iterator["Text"]:
    """Yield the three lines of a row of units, and an empty one."""
    from rich.text import Text

    lines = [_text(f"{label:<{_LABEL_WIDTH}}", "dim") for label in _LABELS]
    for unit, wide in block:
        mark, style = _MARKS[unit.kind]
        for line, cell in zip(lines, (unit.said or "", unit.heard or "", mark), strict=True):
            line.append_text(_text(cell, style))
            line.append(" " * (wide - _text(cell).cell_len) + _GAP)
    for line in lines:
        line.rstrip()
        if line.plain:
            yield line
    yield Text("")


def _legend(units: Sequence[AlignedUnits]) -> str:
    """Return the meaning and number of each mark that occurs."""
    counts = Counter(unit.kind for unit in units)
    return ", ".join(
        f"{mark} {counts[kind]} {kind}{'' if counts[kind] == 1 else 's'}"
        for kind, (mark, _) in _MARKS.items()
        if mark and counts[kind]
    )


def _rate_line(name: str, edits: AlignmentCounts | Unscored) -> str:
    if isinstance(edits, Unscored):
        return f"{name}: none: {edits.reason}"
    errors = edits.substitutions + edits.deletions + edits.insertions
    return f"{name} {100 * edits.rate:.1f} % ({errors:,} of {edits.said:,})"


def _table(explanation: Explanation) -> TextTable:
    return TextTable(
        ("value", "type", "said", "heard", "form", "as recognized"),
        tuple(
            (
                entry.value,
                entry.type,
                "yes" if entry.stated_in_said else "no",
                "yes" if entry.stated else "no",
                entry.form or "",
                explanation.raw[entry.start : entry.end] if entry.stated else "",
            )
            for entry in explanation.values
        ),
    )


def _text(text: str, style: str = "") -> "Text":
    """Return a text for the terminal, with control codes escaped."""
    from rich.text import Text

    return Text(escape_controls(text), style=style)
