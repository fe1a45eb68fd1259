"""Word error rates of the embedded recognizer on the embedded voices.

Usage: `python -m bench.voice.accuracy DATA`. Every shipped English voice speaks every held-out text
through every channel; `--unseen` uses one voice whose accent nothing was adapted to instead. The
stock model without any adaptation is measured too, on every fifth text.
"""

import argparse
import asyncio
import statistics
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.voice.adaptation_texts import frequent_words, texts_for
from bench.voice.held_out import HeldOut, bfcl_messages, service_lines, suite_texts
from bench.voice.lines import MEASURED

from dragoman.conditions.voice.audio_effects.presets import apply_effects
from dragoman.conditions.voice.pocketsphinx_data import pocketsphinx_model_folder, read_dictionary
from dragoman.core.texts.alignment import align, distance
from dragoman.speech.embedded.espeak_library import Voice, voices_of
from dragoman.speech.embedded.language_model import (
    LanguageModel,
    generic_language_model,
    mixed_language_model,
    stock_language_model,
    tokenize_spoken_form,
)
from dragoman.speech.embedded.pocketsphinx_decoder import (
    Acoustics,
    acoustics_in,
    adapted_acoustics,
    stock_acoustics,
)
from dragoman.speech.embedded.recognizer import PocketsphinxRecognizer
from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

SEED = 1
BASELINE_STEP = 5
UNSEEN = Voice("west-midlands", "en", "West Midlands", "en-gb-x-gbcwmd", 160)
"""A voice that is not shipped; nothing was adapted to its accent."""


class Heard(NamedTuple):
    """Result of one text: the words spoken, and the words in error."""

    system: str
    line: str
    voice: str
    group: str
    words: int
    errors: int
    said: tuple[str, ...]
    heard: tuple[str, ...]


class System(NamedTuple):
    """A recognizer to measure: acoustics, and a language model for each suite."""

    name: str
    acoustics: Acoustics
    models: dict[str, LanguageModel]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of benchmark data")
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--step", type=int, default=1, help="hear every n-th text only")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--acoustics", type=Path, help="a rebuilt model instead of the shipped one")
    parser.add_argument("--systems", nargs="+", default=["mixed", "generic", "stock"])
    parser.add_argument("--unseen", action="store_true", help="hear only a voice of another accent")
    parser.add_argument("--show", action="store_true", help="print what was heard wrongly")
    options = parser.parse_args()
    texts = (*service_lines(options.split), *bfcl_messages(options.data, options.split))
    texts = texts[:: options.step]
    heard = asyncio.run(_measure(texts, options))
    for line in table(heard):
        print(line)
    for line in unread_rows(heard, words_read()):
        print(line)
    if options.show:
        for one in heard:
            if one.errors:
                print(f"{one.system} | {one.line} | {one.voice} | {one.group}")
                print(f"  {' '.join(one.said)}\n  {' '.join(one.heard)}")


def table(heard: Sequence[Heard]) -> list[str]:
    """Return the rows of a Markdown table: the median over voices, and the worst voice."""
    rows = [
        "| system | line | texts | median WER | worst voice | words |",
        "|---|---|---|---|---|---|",
    ]
    cells = dict.fromkeys((one.system, one.line) for one in heard)
    for system, line in cells:
        here = [one for one in heard if (one.system, one.line) == (system, line)]
        for group in ("lines", "bfcl", "both"):
            chosen = [one for one in here if group in {one.group, "both"}]
            rates = {
                voice: error_rate(one for one in chosen if one.voice == voice)
                for voice in dict.fromkeys(one.voice for one in chosen)
            }
            if rates:
                worst = max(rates, key=lambda voice: rates[voice])
                rows.append(
                    f"| {system} | {line} | {group} | {statistics.median(rates.values()):.1%} | "
                    f"{worst} {rates[worst]:.1%} | {sum(one.words for one in chosen)} |"
                )
    return rows


def words_read() -> frozenset[str]:
    """Return the words of all texts that voices read for the acoustic model."""
    frequent = frequent_words(read_dictionary(pocketsphinx_model_folder() / "cmudict-en-us.dict"))
    voices = range(len(voices_of("en")))
    return frozenset(
        w for n in voices for text in texts_for(n, frequent) for w in tokenize_spoken_form(text)
    )


def unread_rows(heard: Sequence[Heard], read: frozenset[str]) -> list[str]:
    """Return rows with the share of words that no voice read but that were recognized."""
    rows = ["", "| system | line | words never read while adapting | heard |", "|---|---|---|---|"]
    for system, line in dict.fromkeys((one.system, one.line) for one in heard):
        here = (one for one in heard if (one.system, one.line) == (system, line))
        pairs = [
            pair
            for one in here
            for pair in align(one.said, one.heard)
            if pair.said is not None and pair.said not in read
        ]
        if pairs:
            share = sum(pair.said == pair.heard for pair in pairs) / len(pairs)
            rows.append(f"| {system} | {line} | {len(pairs)} | {share:.1%} |")
    return rows


def error_rate(heard: Iterable[Heard]) -> float:
    """Return the errors per spoken word, over all texts together."""
    counted = [(one.errors, one.words) for one in heard]
    return sum(errors for errors, _ in counted) / sum(words for _, words in counted)


async def _measure(texts: Sequence[HeldOut], options: argparse.Namespace) -> list[Heard]:
    with tempfile.TemporaryDirectory() as folder:
        async with SpeechWorkerPool(options.workers) as workers:
            systems = await _systems(texts, options, Path(folder), workers)
            jobs = [
                _hear(text, voice, line, system, workers)
                for system in systems
                for text in texts[:: BASELINE_STEP if system.name.startswith("stock") else 1]
                for voice in ((UNSEEN,) if options.unseen else voices_of("en"))
                for line in MEASURED
            ]
            return list(await asyncio.gather(*jobs))


async def _systems(
    texts: Sequence[HeldOut], options: argparse.Namespace, folder: Path, workers: SpeechWorkerPool
) -> list[System]:
    suites = dict.fromkeys(text.suite for text in texts)
    adapted = (
        acoustics_in(options.acoustics, "rebuilt") if options.acoustics else adapted_acoustics()
    )
    systems: list[System] = []
    for name in options.systems:
        if name == "mixed":
            models = {
                suite: await mixed_language_model(suite_texts(options.data, suite), folder, workers)
                for suite in suites
            }
            systems.append(System("adapted, mixed", adapted, models))
        elif name == "generic":
            general = await generic_language_model(folder, workers)
            systems.append(System("adapted, generic", adapted, dict.fromkeys(suites, general)))
        elif name == "stock":
            systems.append(
                System("stock", stock_acoustics(), dict.fromkeys(suites, stock_language_model()))
            )
    return systems


async def _hear(
    text: HeldOut, voice: Voice, line: str, system: System, workers: SpeechWorkerPool
) -> Heard:
    spoken = await EspeakSynthesizer(voice, workers).speak(text.spoken, "en", SEED)
    arrived, _ = apply_effects(spoken.audio, MEASURED[line], SEED)
    recognizer = PocketsphinxRecognizer(system.models[text.suite], system.acoustics, workers)
    heard = tokenize_spoken_form((await recognizer.transcribe(arrived, "en")).text)
    words = tokenize_spoken_form(text.spoken)
    errors = int(distance(words, heard))
    return Heard(system.name, line, voice.name, text.group, len(words), errors, words, heard)


if __name__ == "__main__":
    main()
