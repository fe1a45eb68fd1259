"""Rebuilds the shipped acoustic model: `python -m bench.voice.acoustic_model`.

Every shipped English voice reads our own sentences through four channels, a quarter each. The stock
English model is then re-estimated on these recordings. The result goes into a folder, to be
compared and shipped.
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from bench.voice.adaptation_texts import frequent_words, texts_for
from bench.voice.lines import TELEPHONE, noisy_telephone
from bench.voice.training import Programs, trained
from bench.voice.transcripts import transcript

from dragoman.conditions.voice.audio_effects.effects import Noise
from dragoman.conditions.voice.audio_effects.presets import Effect, apply_effects
from dragoman.conditions.voice.pocketsphinx_data import (
    Pronunciations,
    dictionary_lines,
    pocketsphinx_model_folder,
    read_dictionary,
)
from dragoman.core.audio import Audio, write_wav
from dragoman.speech.embedded.espeak_library import (
    SpeechLibrary,
    Voice,
    accent_of,
    accents,
    pronunciations,
    voices_of,
)
from dragoman.speech.embedded.language_model import tokenize_spoken_form
from dragoman.speech.embedded.pocketsphinx_decoder import ADAPTED_FILES, RATE_HZ, padded_samples
from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

LINES = 4
SEED = 1
_SNRS = (15.0, 18.0, 21.0, 25.0)

Reading = tuple[str, Voice, str, tuple[str, ...]]
"""An id, the voice that reads, the text, and its transcript."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tools", type=Path, help="where sphinxtrain is unpacked, or /")
    parser.add_argument("work", type=Path, help="an empty folder for recordings and passes")
    parser.add_argument("target", type=Path, help="where the four files of the model go")
    options = parser.parse_args()
    known = read_dictionary(pocketsphinx_model_folder() / "cmudict-en-us.dict")
    library, frequent = SpeechLibrary(), frequent_words(known)
    texts = [texts_for(number, frequent) for number in range(len(voices_of("en")))]
    ways = _with_accents(
        known, {word for own in texts for t in own for word in tokenize_spoken_form(t)}, library
    )
    readings = _readings(texts, ways, library)
    _write_lists(readings, ways, options.work)
    (options.work / "wav").mkdir(exist_ok=True)
    asyncio.run(_record(readings, options.work / "wav"))
    model = trained(Programs(options.tools), pocketsphinx_model_folder() / "en-us", options.work)
    options.target.mkdir(parents=True, exist_ok=True)
    for name in ADAPTED_FILES:
        (options.target / name).write_bytes((model / name).read_bytes())


def _with_accents(known: Pronunciations, said: set[str], library: SpeechLibrary) -> Pronunciations:
    """Return the known pronunciations of the words, and those of the voices."""
    own = pronunciations(sorted(said & known.keys()), library, accents())
    return {word: tuple(dict.fromkeys((*known[word], *ways))) for word, ways in own.items()}


def _readings(
    texts: Sequence[Sequence[str]], ways: Pronunciations, library: SpeechLibrary
) -> list[Reading]:
    readings: list[Reading] = []
    for voice, own in zip(voices_of("en"), texts, strict=True):
        library.select(accent_of(voice), voice.words_per_minute)
        for text in own:
            words = transcript(text, ways, library.phonemes)
            if words is not None:
                readings.append((f"a{len(readings):05}", voice, text, words))
    return readings


def _write_lists(readings: list[Reading], known: Pronunciations, work: Path) -> None:
    work.mkdir(parents=True, exist_ok=True)
    read = {word for _, _, text, _ in readings for word in tokenize_spoken_form(text)}
    lines = [f"<s> {' '.join(said)} </s> ({name})\n" for name, _, _, said in readings]
    (work / "ids").write_text("".join(f"{name}\n" for name, *_ in readings), "utf-8")
    (work / "transcripts").write_text("".join(lines), "utf-8")
    (work / "dictionary").write_text(
        "".join(dictionary_lines({word: known[word] for word in read})), "utf-8"
    )
    (work / "fillers").write_text("<s> SIL\n</s> SIL\n<sil> SIL\n", "utf-8")


async def _record(readings: list[Reading], folder: Path) -> None:
    seconds = 0.0
    async with SpeechWorkerPool(1) as workers:
        for number, (name, voice, text, _) in enumerate(readings):
            spoken = await EspeakSynthesizer(voice, workers).speak(text, "en", SEED)
            arrived, _ = apply_effects(spoken.audio, _line(number), number)
            recording = Audio(padded_samples(arrived), RATE_HZ)
            (folder / f"{name}.wav").write_bytes(write_wav(recording))
            seconds += recording.seconds
    print(f"{len(readings)} recordings, {seconds / 3600:.2f} hours")


def _line(number: int) -> tuple[Effect, ...]:
    """Return the channel of a recording: clean, telephone, noise, or both, in turn."""
    snr_db = _SNRS[number // LINES % len(_SNRS)]
    return (
        (),
        TELEPHONE,
        (Noise(snr_db=snr_db, colour="pink" if number // LINES % 2 else "white"),),
        noisy_telephone(snr_db),
    )[number % LINES]


if __name__ == "__main__":
    main()
