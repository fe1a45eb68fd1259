"""Texts that nothing was adapted to, and the texts of their suites.

They are service sentences of our own and messages of BFCL. `dev` is for choosing and may be looked
at; `test` is for the figures. A text is recognized with a language model that is mixed from the
policy, tools and database of its suite. The users' messages never go into a model.
"""

import gzip
import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from dragoman.benchmarks.courier.domain import courier_suite
from dragoman.conditions.voice.verbalization.spoken_form import verbalize
from dragoman.speech.embedded.language_model import SuiteText
from dragoman.speech.embedded.training_sentences import record_sentences, text_sentences

Split = Literal["dev", "test"]

LINES: Mapping[Split, Path] = {
    "dev": Path(__file__).parent / "dev_lines.txt",
    "test": Path(__file__).parent / "held_out_lines.txt",
}
MESSAGES: Mapping[Split, slice] = {"dev": slice(120), "test": slice(120, 180)}
"""Messages of each split, by position in the order of their hashes."""

_MULTI_TURN = "bfcl/BFCL_v4_multi_turn_base.json"
_FEWEST_WORDS, _MOST_WORDS = 9, 26


class HeldOut(NamedTuple):
    """A verbalized text, its set, and the suite whose words the recognizer may expect."""

    group: str
    suite: str
    spoken: str


def service_lines(split: Split) -> tuple[HeldOut, ...]:
    rows = (line.partition(": ") for line in LINES[split].read_text("utf-8").splitlines())
    return tuple(
        HeldOut("lines", suite, spoken) for suite, _, spoken in rows if not suite.startswith("#")
    )


def bfcl_messages(data: Path, split: Split) -> tuple[HeldOut, ...]:
    """Return messages of multi-turn entries, chosen by the hash of their text."""
    texts = {
        message["content"]
        for entry in _json_lines(data / _MULTI_TURN)
        for turn in entry["question"]
        for message in turn
    }
    usable = [text for text in texts if text.isascii() and "\n" not in text and _is_short(text)]
    chosen = sorted(usable, key=lambda text: hashlib.sha256(text.encode()).hexdigest())
    return tuple(HeldOut("bfcl", "bfcl", verbalize(text)) for text in chosen[MESSAGES[split]])


def suite_texts(data: Path, suite: str) -> tuple[SuiteText, ...]:
    if suite == "courier":
        return _courier_texts()
    if suite == "bfcl":
        folder = data / "bfcl/multi_turn_func_doc"
        tools = [row for path in sorted(folder.glob("*.json")) for row in _json_lines(path)]
        environments = [entry["initial_config"] for entry in _json_lines(data / _MULTI_TURN)]
        return record_sentences("tools", tools), record_sentences("database", environments)
    folder = data / "tau2" / suite
    policies = "\n".join(path.read_text("utf-8") for path in sorted(folder.glob("*.md")))
    tools = [
        msgspec.json.decode(path.read_bytes()) for path in sorted(folder.glob("*tools_openai.json"))
    ]
    return (
        text_sentences("policy", policies),
        record_sentences("tools", tools),
        record_sentences("database", _database(folder)),
    )


def _courier_texts() -> tuple[SuiteText, ...]:
    return tuple(
        text_sentences(source, text) if isinstance(text, str) else record_sentences(source, text)
        for source, text in courier_suite().texts().items()
    )


def _database(folder: Path) -> object:
    if (folder / "db.toml").is_file():
        return [tomllib.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*db.toml"))]
    return msgspec.json.decode(_content(folder / "db.json"))


def _json_lines(path: Path) -> Iterator[Any]:
    return (msgspec.json.decode(line) for line in _content(path).splitlines() if line.strip())


def _content(path: Path) -> bytes:
    if path.is_file():
        return path.read_bytes()
    return gzip.decompress(path.with_name(f"{path.name}.gz").read_bytes())


def _is_short(text: str) -> bool:
    return _FEWEST_WORDS <= len(text.split()) <= _MOST_WORDS
