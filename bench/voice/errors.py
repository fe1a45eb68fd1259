"""Simulated ASR errors against real ones: `python -m bench.voice.errors DATA`.

The shipped voices speak the English texts in turn, through a noisy telephone channel, and the
embedded recognizer hears them. The simulator gets the same texts and the same error rate. Both
results are aligned with the spoken words, and their errors are counted by the same rules. `--split
dev` selects the texts on which the simulator's settings were chosen.
"""

import argparse
import asyncio
import gzip
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from bench.voice.entities import KINDS, entity_cases
from bench.voice.held_out import HeldOut, bfcl_messages, service_lines, suite_texts
from bench.voice.lines import MEASURED

from dragoman.conditions.voice.asr_error_simulation.simulator import ErrorSimulator
from dragoman.conditions.voice.asr_error_simulation.token_errors import (
    ErrorKind,
    Token,
    align_errors,
    tokenize_speech,
)
from dragoman.conditions.voice.asr_error_simulation.vocabulary import build_lexicon
from dragoman.conditions.voice.audio_effects.presets import apply_effects
from dragoman.conditions.voice.verbalization.spelling import EMBEDDED_SOUNDS, with_sounds
from dragoman.conditions.voice.verbalization.spoken_form import verbalize
from dragoman.core.texts.alignment import distance
from dragoman.speech.embedded.espeak_library import Voice, voices_of
from dragoman.speech.embedded.language_model import LanguageModel, mixed_language_model
from dragoman.speech.embedded.pocketsphinx_decoder import adapted_acoustics
from dragoman.speech.embedded.recognizer import PocketsphinxRecognizer
from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

SEED = 1
LINE = "telephone, noise at 20 dB"
SIMULATED_SEEDS = range(3)
CHOSEN_ON = 60
"""Number of messages of `dev` before the ones on which the settings were chosen."""
DEV_VALUES = 6
TARGETS = (0.05, 0.15, 0.30)
UTTERANCES = 200

_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s*|\n+")


class Pair(NamedTuple):
    """The spoken text, and the heard text."""

    said: str
    heard: str


class Counted(NamedTuple):
    """Errors of many utterances by kind and by class of word, and the spoken words."""

    kinds: Counter[str]
    wrong: Counter[str]
    said: Counter[str]
    rate: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of benchmark data")
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--pairs", type=Path, help="what was heard: read, or written where absent")
    parser.add_argument(
        "--rates", action="store_true", help="print the rates of every language too"
    )
    options = parser.parse_args()
    pairs = read_or_hear(options)
    real, simulated = count(pairs), count(simulated_pairs(pairs))
    halves = count(pairs[::2]), count(pairs[1::2])
    print(*kinds_table(real, simulated, halves), "", *words_table(real, simulated), sep="\n")
    if options.rates:
        print("", *rates_table(options.data), sep="\n")


def read_or_hear(options: argparse.Namespace) -> list[Pair]:
    if options.pairs and options.pairs.is_file():
        return [Pair(*row) for row in json.loads(options.pairs.read_text("utf-8"))]
    pairs = asyncio.run(_heard(_texts(options.data, options.split), options))
    if options.pairs:
        options.pairs.write_text(json.dumps(pairs, indent=0), "utf-8")
    return pairs


def simulated_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the same texts with simulated errors, at the recognizer's error rate."""
    simulator, rate = ErrorSimulator(), count(pairs).rate
    return [
        Pair(said, simulator.simulate(said, "en", rate, seed).text)
        for said, _ in pairs
        for seed in SIMULATED_SEEDS
    ]


def count(pairs: Iterable[Pair]) -> Counted:
    lexicon = build_lexicon("en")
    kinds: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    said: Counter[str] = Counter()
    errors = 0.0
    for text, heard in pairs:
        tokens = tokenize_speech(text, lexicon)
        edits = align_errors(tokens, heard.split(), lexicon)
        places = {edit.at + step for edit in edits for step in range(len(edit.said))}
        kinds.update(edit.kind for edit in edits)
        said.update(_class(token, lexicon.phones) for token in tokens)
        wrong.update(_class(tokens[at], lexicon.phones) for at in places)
        errors += distance([token.text for token in tokens], heard.split())
    return Counted(kinds, wrong, said, errors / said.total())


def kinds_table(real: Counted, simulated: Counted, halves: tuple[Counted, Counted]) -> list[str]:
    """Return the shares of error kinds, of the recognizer and of the simulator.

    The difference between two halves of the real errors shows the noise to expect.
    """
    rows = [
        f"| {kind} | {share(real, kind):.1%} | {share(simulated, kind):.1%} |"
        for kind in get_args(ErrorKind)
    ]
    return [
        "| kind | recognizer | simulator |",
        "|---|---|---|",
        *rows,
        f"| errors | {real.kinds.total()} | {simulated.kinds.total()} |",
        f"| word error rate | {real.rate:.1%} | {simulated.rate:.1%} |",
        f"| shares that differ | {apart(*halves):.1%} (halves) | {apart(real, simulated):.1%} |",
    ]


def share(counted: Counted, kind: str) -> float:
    return counted.kinds[kind] / counted.kinds.total()


def apart(first: Counted, second: Counted) -> float:
    """Return the share of one distribution of kinds that must move to give the other."""
    return sum(abs(share(first, k) - share(second, k)) for k in get_args(ErrorKind)) / 2


def words_table(real: Counted, simulated: Counted) -> list[str]:
    rows = ["| words said | how many | wrong, recognizer | wrong, simulator |", "|---|---|---|---|"]
    for kind, total in real.said.most_common():
        shares = [one.wrong[kind] / one.said[kind] for one in (real, simulated)]
        rows.append(f"| {kind} | {total} | {shares[0]:.1%} | {shares[1]:.1%} |")
    return rows


def rates_table(data: Path) -> list[str]:
    simulator = ErrorSimulator()
    rows = [
        f"| language | different texts | {' | '.join(f'{target:.0%}' for target in TARGETS)} |",
        f"|---|---|{'---|' * len(TARGETS)}",
    ]
    for language, texts in sentences(data).items():
        measured = []
        for target in TARGETS:
            heard = [
                simulator.simulate(texts[number % len(texts)], language, target, number)
                for number in range(UTTERANCES)
            ]
            measured.append(sum(one.errors for one in heard) / sum(one.units for one in heard))
        cells = " | ".join(f"{rate:.1%}" for rate in measured)
        rows.append(f"| {language} | {len(texts)} | {cells} |")
    return rows


def sentences(data: Path) -> dict[str, list[str]]:
    """Return utterances by language.

    They are held-out English, texts for the users of SEATauBench, and our own sentences.
    """
    found = {"en": [text.spoken for text in _texts(data, "test")]}
    for language in ("vi", "id", "th"):
        content = (data / f"seataubench/retail/{language}/tasks.json.gz").read_bytes()
        reported = [
            task["user_scenario"]["instructions"]["reason_for_call"]
            for task in json.loads(gzip.decompress(content))
        ]
        parts = (part.strip() for text in reported for part in _SENTENCE_END.split(text))
        found[language] = [verbalize(part, language) for part in parts if part][:UTTERANCES]
    for language, name in (("tl", "filipino"), ("zh", "chinese")):
        path = Path(__file__).parent / f"{name}_sentences.txt"
        found[language] = path.read_text("utf-8").splitlines()
    return found


def _class(token: Token, known: object) -> str:
    is_listed = isinstance(known, dict) and token.text in known
    return "unlisted word" if token.kind == "word" and not is_listed else token.kind


def _texts(data: Path, split: str) -> tuple[HeldOut, ...]:
    if split == "test":
        return (*service_lines("test"), *bfcl_messages(data, "test"))
    values = (case for kind in KINDS for case in entity_cases(kind, "dev", DEV_VALUES))
    spoken = (HeldOut("values", "courier", case.spoken) for case in values)
    return (*bfcl_messages(data, "dev")[CHOSEN_ON:], *spoken)


async def _heard(texts: Sequence[HeldOut], options: argparse.Namespace) -> list[Pair]:
    voices = voices_of("en")
    with tempfile.TemporaryDirectory() as folder:
        async with SpeechWorkerPool(options.workers) as workers:
            models = {
                suite: await mixed_language_model(
                    suite_texts(options.data, suite), Path(folder), workers
                )
                for suite in dict.fromkeys(text.suite for text in texts)
            }
            jobs = [
                _hear(text, voices[at % len(voices)], models[text.suite], workers)
                for at, text in enumerate(texts)
            ]
            return list(await asyncio.gather(*jobs))


async def _hear(
    text: HeldOut, voice: Voice, model: LanguageModel, workers: SpeechWorkerPool
) -> Pair:
    said = with_sounds(text.spoken, EMBEDDED_SOUNDS)
    spoken = await EspeakSynthesizer(voice, workers).speak(said, "en", SEED)
    arrived, _ = apply_effects(spoken.audio, MEASURED[LINE], SEED)
    recognizer = PocketsphinxRecognizer(model, adapted_acoustics(), workers)
    heard = await recognizer.transcribe(arrived, "en")
    return Pair(_JOINED.sub(" ", text.spoken), heard.text)


if __name__ == "__main__":
    main()
