"""Write the word lists of the error simulator: `python -m bench.voice.error_lexicons SOURCES DATA`.

`SOURCES` holds what pip downloads and unzips: `pythainlp` 5.4.0, `jieba` 0.42.1 and `pypinyin` 0.55.0.
`DATA` is the folder of benchmark data; of SEATauBench only policies and tools are read, never what
users are told to say. English comes from the model and the dictionary that pocketsphinx carries.
"""

import argparse
import math
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from dragoman.conditions.voice.language_model_lexicon import read_dictionary
from dragoman.conditions.voice.language_model_trie import read_bigrams
from dragoman.conditions.voice.pocketsphinx_decoder import stock_folder

ROOT = Path(__file__).resolve().parents[2]
LEXICONS = ROOT / "src/dragoman/conditions/voice/errors_lexicons"
OWN_TEXTS = ROOT / "src/dragoman/conditions/language"
SENTENCES = Path(__file__).parent / "filipino_sentences.txt"

ENGLISH_WORDS = 16_000
THAI_WORDS = 10_000
CHINESE_WORDS = 10_000
CHINESE_CHARACTERS = 4_000
SCALE = 10**8

_WORD = re.compile(r"[^\W\d_]{2,}(?:['\u2019-][^\W\d_]+)*|[aioêy](?![^\W_])")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_THAI = re.compile(r"[\u0e01-\u0e4e]{2,}")
_TONES = {"\u0304": "1", "\u0301": "2", "\u030c": "3", "\u0300": "4"}

Row = tuple[str, int, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    own = [*OWN_TEXTS.glob("*/tl.toml"), SENTENCES]
    lists = {
        "en": english(),
        "th": thai(options.sources / "pythainlp/corpus"),
        "zh": chinese(options.sources),
        "vi": counted(artifacts(options.data, "vi")),
        "id": counted(artifacts(options.data, "id")),
        "tl": counted(own_text(path) for path in own),
    }
    for language, rows in lists.items():
        ordered = sorted(rows, key=lambda row: (-row[1], row[0]))
        text = "".join("\t".join(map(str, row)).rstrip() + "\n" for row in ordered)
        (LEXICONS / f"{language}.tsv").write_text(text, "utf-8")
        print(language, len(ordered), "words", len(text.encode()), "bytes")


def english() -> list[Row]:
    model = read_bigrams(stock_folder() / "en-us.lm.bin")
    dictionary = read_dictionary(stock_folder() / "cmudict-en-us.dict")
    rows = [
        (word, max(round(SCALE * math.exp(weight)), 1), dictionary[word][0])
        for word, weight in zip(model.words, model.single.tolist(), strict=True)
        if word in dictionary and re.fullmatch(r"[a-z']{2,}|[ai]", word)
    ]
    return sorted(rows, key=lambda row: -row[1])[:ENGLISH_WORDS]


def thai(corpus: Path) -> list[Row]:
    known = set((corpus / "words_th.txt").read_text("utf-8").split())
    lines = (line.split("\t") for line in (corpus / "tnc_freq.txt").read_text("utf-8").splitlines())
    rows = [
        (word, int(count), "") for word, count in lines if word in known and _THAI.fullmatch(word)
    ]
    return sorted(rows, key=lambda row: -row[1])[:THAI_WORDS]


def chinese(sources: Path) -> list[Row]:
    readings = msgspec.json.decode((sources / "pypinyin/pinyin_dict.json").read_bytes())
    phrases = msgspec.json.decode((sources / "pypinyin/phrases_dict.json").read_bytes())
    dictionary = (sources / "jieba-0.42.1/jieba/dict.txt").read_text("utf-8")
    counts = {
        word: int(count)
        for word, count, *_ in map(str.split, dictionary.splitlines())
        if _CHINESE.fullmatch(word)
    }
    ordered = sorted(counts, key=lambda word: -counts[word])
    characters = [word for word in ordered if len(word) == 1][:CHINESE_CHARACTERS]
    chosen = dict.fromkeys((*ordered[:CHINESE_WORDS], *characters))
    return [
        (
            word,
            max(counts[word], 1),
            " ".join(
                with_number(sound)
                for sound in (
                    [options[0] for options in phrases[word]]
                    if word in phrases
                    else [readings[str(ord(sign))].split(",")[0] for sign in word]
                )
            ),
        )
        for word in chosen
    ]


def with_number(syllable: str) -> str:
    """Return a syllable of pinyin with the number of its tone at the end instead of a mark."""
    decomposed = unicodedata.normalize("NFD", syllable)
    tone = next((_TONES[sign] for sign in decomposed if sign in _TONES), "5")
    bare = "".join(sign for sign in decomposed if sign not in _TONES)
    return unicodedata.normalize("NFC", bare).replace("ü", "v") + tone


def artifacts(data: Path, language: str) -> Iterable[str]:
    folder = data / "seataubench"
    for pattern in (f"*/{language}/*.md", f"*/{language}/tools.json"):
        for path in sorted(folder.glob(pattern)):
            yield path.read_text("utf-8")


def own_text(path: Path) -> str:
    if path.suffix != ".toml":
        return path.read_text("utf-8")
    return "\n".join(_strings(tomllib.loads(path.read_text("utf-8"))))


def _strings(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield re.sub(r"\{\w+\}|`[^`]*`|'[^']*'", " ", value)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def counted(texts: Iterable[str]) -> list[Row]:
    """Return the words of texts, ids and names with underscores left out."""
    counts = Counter(
        word
        for text in texts
        for word in _WORD.findall(
            re.sub(r"\w*_\w*", " ", unicodedata.normalize("NFC", text).lower())
        )
    )
    return [(word, count, "") for word, count in counts.items()]


if __name__ == "__main__":
    main()
