"""Every text that users say, taken as a perfect transcript in four written styles, and with one error.

A perfect transcript has no word error, and states after inverse text normalization every value that the
text states. One changed digit, letter, sign or word is an error. A value is not stated any more where one
of its digits or letters was changed.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dragoman.benchmarks.kit.recorded_suite import values_of_reference_plan
from dragoman.conditions.voice.inverse_text_normalization.normalizer import normalized_transcript
from dragoman.conditions.voice.verbalization.spoken_form import verbalize
from dragoman.core.capabilities import ExpectsValues
from dragoman.core.replies import Utterance
from dragoman.core.scores import Unscored
from dragoman.core.tasks import Task, fixed_messages
from dragoman.core.value_matching.matcher import find_value
from dragoman.core.value_matching.typed_values import value_type
from dragoman.registry.suites import load_suite
from dragoman.scoring.speech_accuracy import (
    AlignmentCounts,
    character_edits,
    speech_accuracy,
    word_edits,
)

Style = Callable[[str], str]

_THOUSANDS = re.compile(r"(?<![\w.,#$€£@/:-])([1-9]\d{3,14})(?![\w,@/:-]|\.\d)")
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_AMOUNT = re.compile(
    r"([$€£])\s?(\d+(?:,\d{3})*(?:\.\d+)?)(?![KMBkmb]|\.?\d)(\s(?:thousand|million|billion)\b)?"
)
_CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds"}
_CODE = re.compile(
    r"(?<![\w.@/$€£:,_^+=*(\\-])(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{5,24}(?![\w@/:_^=*)\\-]|\.\w)"
)


def as_typed(text: str) -> str:
    return text


def with_thousands(text: str) -> str:
    """Return a text with commas in numbers of four digits or more; years have none."""
    return _THOUSANDS.sub(
        lambda match: match[0] if _YEAR.fullmatch(match[0]) else f"{int(match[0]):,}", text
    )


def amounts_in_words(text: str) -> str:
    """Return a text with currencies and percent as words behind their figures."""
    text = _AMOUNT.sub(lambda m: f"{m[2]}{m[3] or ''} {_CURRENCIES[m[1]]}", text)
    return re.sub(r"(\d)\s?%", r"\1 percent", text)


def grouped_codes(text: str) -> str:
    """Return a text with hyphens after every third sign of a code."""
    return _CODE.sub(
        lambda match: "-".join(match[0][at : at + 3] for at in range(0, len(match[0]), 3)), text
    )


STYLES: tuple[Style, ...] = (as_typed, with_thousands, amounts_in_words, grouped_codes)


def said_texts(name: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield language, text and stated values of what the users of a suite say."""
    suite = load_suite(name)
    for task in suite.tasks:
        language = getattr(task, "language", "") or "en"
        expected = (
            suite.expected_values(task)
            if isinstance(suite, ExpectsValues)
            else values_of_reference_plan(task)
        )
        values = [value for each in expected for options in each.alternatives for value in options]
        values += [fact.value for fact in task.scenario.facts]
        for text in dict.fromkeys(_texts(task)):
            if len(text) < 5_000 and text.strip():
                stated = [v for v in dict.fromkeys(values) if find_value(v, text, language)]
                yield language, text, stated


def _texts(task: Task) -> Iterator[str]:
    yield from (text for *_, text in fixed_messages(task))
    yield task.scenario.opening
    yield from (f"my {fact.name} is {fact.value}" for fact in task.scenario.facts)


def problems(language: str, text: str, stated: list[str]) -> Iterator[str]:
    """Yield what is lost or counted in perfect transcripts of a text."""
    spoken = verbalize(text, language)
    for style in STYLES:
        transcript = style(text)
        received = normalized_transcript(transcript, language)
        for value in stated:
            if find_value(value, received, language) is None:
                yield f"{style.__name__}: {value!r} is lost in {received!r}"
        found = speech_accuracy(Utterance(text, spoken, transcript), language)
        for counted in (found.words, found.characters):
            if isinstance(counted, AlignmentCounts) and counted.rate:
                yield f"{style.__name__}: {counted} for {transcript!r}"


def overlooked(language: str, text: str, stated: list[str]) -> Iterator[str]:
    """Yield errors in a text that are not counted, and values found that one of them is in."""
    for value in stated:
        where = find_value(value, text, language)
        assert where is not None
        changed = text[: where.start] + _altered(text[where.start : where.end]) + text[where.end :]
        rest = text[: where.start] + "\n" + text[where.end :]
        # A date without a year is stated whatever the year is.
        once = find_value(value, rest, language) is None and not _is_day(value, language)
        if not re.search(r"[0-9]", value):
            once = once and not re.search(r"[0-9]", text[where.start : where.end])  # a currency
        if changed != text:
            yield from _uncounted(language, text, changed)
            if once and find_value(value, changed, language) is not None:
                yield f"{value!r} is found in {changed!r}"


def unseen_changes(language: str, text: str) -> Iterator[str]:
    """Yield changes of one word or one sign of a text that no rate counts."""
    for changed in (_with_another_word(text), *_with_another_sign(text)):
        if changed != text:
            yield from _uncounted(language, text, changed)


def _with_another_word(text: str) -> str:
    """Return a text with its first word of four letters or more as another one."""
    return re.sub(r"(?<![\w'.@/-])[A-Za-z]{4,}(?![\w'@/-]|\.\w)", "zebra", text, count=1)


def _with_another_sign(text: str) -> Iterator[str]:
    """Yield a text with another currency, without its percent, and without its minus."""
    yield re.sub(r"\$(?=[0-9])", "\u20ac", text, count=1)
    yield re.sub(r"(?<=[0-9])%", "", text, count=1)
    yield re.sub(r"(?<= )-(?=[0-9])", "", text, count=1)


def _is_day(value: str, language: str) -> bool:
    return value_type(value, language) == "date" and re.search(r"[0-9]{4}", value) is None


def _altered(span: str) -> str:
    """Return a span with another last digit, or without digits, with another first letter."""
    digits = list(re.finditer(r"[0-9]", span))
    if digits:
        at = digits[-1].start()
        return f"{span[:at]}{(int(span[at]) + 3) % 10}{span[at + 1 :]}"
    return re.sub(r"(?<![A-Za-z])[A-Za-z]", lambda m: "z" if m[0] in "qQ" else "q", span)


def _uncounted(language: str, text: str, changed: str) -> Iterator[str]:
    edits = word_edits(text, changed, language)
    if isinstance(edits, Unscored):
        edits = character_edits(text, changed, language)
    if isinstance(edits, AlignmentCounts) and not edits.rate:
        yield f"no error is counted for {changed!r}"


FREE = ["courier", "sample:shop", "itc:world"]
PULLED = ["bfcl:non_live", "bfcl:live", "bfcl:multi_turn"]
DOMAINS = ["tau2:retail", "tau2:airline", "tau2:telecom"]


@pytest.mark.slow
@pytest.mark.parametrize("name", FREE)
def test_a_perfect_transcript_loses_nothing_and_an_error_is_seen(name: str) -> None:
    for each in said_texts(name):
        assert [*problems(*each), *overlooked(*each), *unseen_changes(*each[:2])] == []


@pytest.mark.nightly
@pytest.mark.parametrize("name", PULLED)
def test_so_it_is_with_every_text_of_bfcl(
    name: str, pulled_bfcl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    assert [line for each in said_texts(name) for line in problems(*each)] == []
    assert [line for each in said_texts(name) for line in overlooked(*each)] == []
    assert [line for each in said_texts(name) for line in unseen_changes(*each[:2])] == []


@pytest.mark.nightly
@pytest.mark.parametrize("name", DOMAINS)
def test_so_it_is_with_every_text_of_tau2(
    name: str, pulled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled))
    assert [line for each in said_texts(name) for line in problems(*each)] == []
    assert [line for each in said_texts(name) for line in overlooked(*each)] == []
    assert [line for each in said_texts(name) for line in unseen_changes(*each[:2])] == []
