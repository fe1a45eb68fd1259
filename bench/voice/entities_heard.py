"""Shares of values that arrive through the embedded voices and recognizer.

Usage: `python -m bench.voice.entities_heard`. The shipped English voices speak the values in turn,
through each channel. The language model is the generic one mixed with the names in the database and
a policy: the sentences of the callers are not in it.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.voice.entities import COUNT, KINDS, Case, Names, Split, entity_cases, rate, read_names
from bench.voice.lines import MEASURED

from dragoman.conditions.voice.audio_effects.presets import apply_effects
from dragoman.conditions.voice.verbalization.spelling import (
    EMBEDDED_SOUNDS,
    spoken_email,
    with_sounds,
)
from dragoman.speech.embedded.espeak_library import Voice, voices_of
from dragoman.speech.embedded.language_model import LanguageModel, SuiteText, mixed_language_model
from dragoman.speech.embedded.pocketsphinx_decoder import adapted_acoustics
from dragoman.speech.embedded.recognizer import PocketsphinxRecognizer
from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

SEED = 1
LINES = ("clean", "telephone")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--count", type=int, default=COUNT, help="values of each kind")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kind", default="", help="only kinds whose name holds this")
    parser.add_argument("--show", action="store_true", help="print what was heard of each value")
    options = parser.parse_args()
    asyncio.run(_print_table(options.split, options))


async def _print_table(split: Split, options: argparse.Namespace) -> None:
    print(f"| {split}, {options.count} of each kind | {' | '.join(LINES)} | wanted |")
    print(f"|---|{'---|' * len(LINES)}---|")
    with tempfile.TemporaryDirectory() as folder:
        async with SpeechWorkerPool(options.workers) as workers:
            names = read_names()
            texts = [SuiteText("database", _records(names)), SuiteText("policy", names.policy)]
            model = await mixed_language_model(texts, Path(folder), workers)
            for kind in (kind for kind in KINDS if options.kind in kind.name):
                cases = entity_cases(kind, split, options.count)
                heard = {line: await _heard(cases, line, model, workers) for line in LINES}
                shares = " | ".join(f"{rate(kind, cases, heard[line]):.0%}" for line in LINES)
                wanted = "" if kind.wanted is None else f"{kind.wanted[0]}/{kind.wanted[1]}"
                print(f"| {kind.name} | {shares} | {wanted} |", flush=True)
                for line in LINES if options.show else ():
                    for case, words in zip(cases, heard[line], strict=True):
                        print(f"{kind.name}\t{line}\t{case.value}\t{case.spoken}\t{words}")


def _records(names: Names) -> tuple[str, ...]:
    """Return texts of the customer database: names, and verbalized e-mail addresses."""
    addresses = (
        spoken_email(f"{name.lower()}@{names.hosts[number % len(names.hosts)]}")
        for number, name in enumerate(names.database)
    )
    return (*names.database, *addresses)


async def _heard(
    cases: Sequence[Case], line: str, model: LanguageModel, workers: SpeechWorkerPool
) -> list[str]:
    voices = voices_of("en")
    jobs = [
        _hear(case, voices[number % len(voices)], line, model, workers)
        for number, case in enumerate(cases)
    ]
    return list(await asyncio.gather(*jobs))


async def _hear(
    case: Case, voice: Voice, line: str, model: LanguageModel, workers: SpeechWorkerPool
) -> str:
    said = with_sounds(case.spoken, EMBEDDED_SOUNDS)
    spoken = await EspeakSynthesizer(voice, workers).speak(said, "en", SEED)
    arrived, _ = apply_effects(spoken.audio, MEASURED[line], SEED)
    recognizer = PocketsphinxRecognizer(model, adapted_acoustics(), workers)
    return (await recognizer.transcribe(arrived, "en")).text


if __name__ == "__main__":
    main()
