"""Implementation of `dragoman speak`: synthesis and verification of audio sets."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, get_args

from msgspec.structs import replace

from dragoman.cli.output import INTERRUPTED, print_error, print_json, print_line
from dragoman.cli.progress import show_progress
from dragoman.composition.conditions.voice import CLEAN
from dragoman.core.costs import cost_of
from dragoman.core.errors import UsageError
from dragoman.core.replies import NORMALIZER_SETTING
from dragoman.curation.audio_sets.build import AudioSetRequest, prices_for, run_speak
from dragoman.curation.audio_sets.card import AudioSetCard, SpeechCounts
from dragoman.curation.audio_sets.engines import AudioRequest
from dragoman.curation.audio_sets.messages import How
from dragoman.curation.audio_sets.verify import verify_set
from dragoman.curation.progress import StepStopped
from dragoman.registry.speech_engines import split_names
from dragoman.report import formatting
from dragoman.report.text_tables import TextTable, print_table
from dragoman.store.audio_set_format import (
    MATCHER_SETTING,
    NORMALIZATION_SETTING,
    VERBALIZATION_SETTING,
)

_SHOWN = 20
_HOW: tuple[How, ...] = get_args(How)


class SpeakOptions(NamedTuple):
    """The options of `dragoman speak`."""

    suites: str
    rewriter: str
    topics: str
    out: Path
    texts_only: bool
    tts: str
    asr: str
    line: str
    seed: int
    concurrency: int
    max_cost: str
    prices: Path | None
    sample: int
    workers: int
    ray: str
    read_timeout: float | None = None

    def request(self) -> AudioSetRequest:
        """Return the request that the options make.

        Raises:
            UsageError: If no suite is named, a number is below 1, or speech options are given with
                --texts-only.
        """
        names = tuple(name.strip() for name in self.suites.split(",") if name.strip())
        request = AudioSetRequest(
            tuple(dict.fromkeys(names)),
            self.rewriter,
            self.out,
            None,
            self.topics,
            self.seed,
            self.concurrency,
            self.max_cost,
            self.prices,
            self.sample,
            self.workers,
            self.ray,
            self.read_timeout,
        )
        return replace(request, speech=self._speech())

    def _speech(self) -> AudioRequest | None:
        given = {
            "--speaker": self.tts,
            "--asr": self.asr,
            "--voice": self.line,
            "--workers": self.workers > 1,
            "--ray": self.ray,
        }
        if self.texts_only:
            useless = [name for name, value in given.items() if value]
            if useless:
                raise UsageError(f"{useless[0]}: no audio is made with --texts-only")
            return None
        return AudioRequest(
            split_names(self.tts) if self.tts else (),
            split_names(self.asr) if self.asr else (),
            self.line or CLEAN,
        )


def speak_suites(asked: SpeakOptions, *, as_json: bool) -> int:
    """Make an audio set and print its summary."""
    request = asked.request()
    try:
        card = run_speak(request, progress=show_progress)
    except StepStopped:
        print_error(f"stopped; results so far are in {request.out}: the same command continues")
        return INTERRUPTED
    if as_json:
        print_json(card)
    else:
        _print_card(card, request)
    return 0


def print_verified(folder: Path, *, as_json: bool) -> int:
    """Print the problems of a set; return 1 if there are any."""
    verified = verify_set(folder)
    problems, unchecked = verified.problems, verified.unchecked
    if as_json:
        print_json({"set": str(folder), "problems": problems, "unchecked": unchecked})
        return 1 if problems else 0
    for problem in problems[:_SHOWN]:
        print_line(problem)
    if len(problems) > _SHOWN:
        print_line(f"and {len(problems) - _SHOWN:,} more")
    for line in unchecked:
        print_line(f"not checked: {line}")
    print_line(f"{folder}: {formatting.format_count(len(problems), 'problem')}")
    return 1 if problems else 0


def _print_card(card: AudioSetCard, request: AudioSetRequest) -> None:
    headings = (
        "category",
        "messages",
        "values",
        *_HOW,
        "not found",
        "milder",
    )
    rows = tuple(
        (
            name,
            f"{each.messages:,}",
            f"{each.values:,}",
            *(f"{each.found.get(how, 0):,}" for how in _HOW),
            f"{each.lost:,}",
            f"{sum(each.grades.get(grade, 0) for grade in ('values kept', 'mild', 'text')):,}",
        )
        for name, each in card.categories.items()
    )
    note = (
        "Values of expected calls that messages state, by how they are found in the rewritten text."
    )
    numbers = frozenset(headings[1:])
    print_table(TextTable(headings, rows, str(request.out), note, numbers, keys=1))
    spoken = {
        name: each.speech for name, each in card.categories.items() if each.speech is not None
    }
    if spoken:
        _print_recognition(card, spoken)
    print_line(_rules_line(card))
    prices = prices_for(request)
    for usage in card.usage:
        print_line(
            f"{usage.model}: {formatting.calls(usage)} calls, "
            f"{formatting.format_sent_usage(usage)} tokens in, "
            f"{formatting.format_received_usage(usage)} out, "
            f"{formatting.money(cost_of(usage, prices.price_of))} "
            f"({prices.as_of})"
        )


def _rules_line(card: AudioSetCard) -> str:
    """Return the rules by which a set was made and counted, as its card names them."""
    by = {
        "values": MATCHER_SETTING,
        "words": VERBALIZATION_SETTING,
        "transcripts": NORMALIZER_SETTING,
        "word errors": NORMALIZATION_SETTING,
    }
    return ", ".join(
        f"{what} by {card.made[name]!s:.40}" for what, name in by.items() if name in card.made
    )


def _print_recognition(card: AudioSetCard, spoken: Mapping[str, SpeechCounts]) -> None:
    headings = (
        "category",
        "recognizer",
        "seconds",
        "voices",
        "WER",
        "values",
        *_HOW,
        "misrecognized",
        "misrecognized by kind",
    )
    rows = tuple(
        (
            name,
            recognizer,
            f"{each.seconds:,.0f}",
            f"{len(each.voices)}",
            "-" if heard.word_error_rate is None else f"{heard.word_error_rate:.1%}",
            f"{heard.values:,}",
            *(f"{heard.heard.get(how, 0):,}" for how in _HOW),
            f"{heard.lost:,}",
            ", ".join(f"{count} {kind}" for kind, count in heard.lost_by_kind.items()),
        )
        for name, each in spoken.items()
        for recognizer, heard in each.recognizers.items()
    )
    title = f"{formatting.format_count(card.sounds, 'sound')} of {card.seconds:,.0f} seconds"
    note = "Values that messages state, by how they occur in the transcripts that agents receive."
    numbers = frozenset(headings[2:-1])
    print_table(TextTable(headings, rows, title, note, numbers, keys=2))
