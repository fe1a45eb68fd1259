"""Is a set of texts what it says? Every message, proof, whitelist and count is looked at again."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.curation.speech.card import Card, card_of
from dragoman.curation.speech.making import settings_in
from dragoman.curation.speech.messages import messages_of
from dragoman.curation.speech.proving import recovered
from dragoman.curation.speech.set_lines import SetLine, digest_of
from dragoman.curation.speech.whitelists import topics_of
from dragoman.store.audio_sets.layout import CARD, TEXTS
from dragoman.store.audio_sets.lines import read_lines
from dragoman.wiring.suites import load_suite


def problems_of(folder: Path) -> tuple[str, ...]:
    """Return what is wrong with a set, one line each; nothing for a sound and whole one.

    Raises:
        DataError: Where a file is missing or damaged.
        UsageError: Where its suites do not exist here.
    """
    made = settings_in(folder)
    suites = [load_suite(name) for name in _suites(made, folder)]
    messages = [message for suite in suites for message in messages_of(suite)]
    lines = tuple(read_lines(folder / TEXTS, SetLine))
    found = [problem for line in lines for problem in _problems(line)]
    if [line.spoken.message for line in lines] != messages:
        found.append(
            f"its {len(lines):,} messages are not the {len(messages):,} of {', '.join(_suites(made, folder))}"
        )
    if _card(folder) != card_of(made, digest_of(lines), lines):
        found.append("its card does not tell what is in it")
    return tuple(found)


def _problems(line: SetLine) -> Iterator[str]:
    message, whitelist = line.spoken.message, line.whitelist
    proof = recovered(message.values, line.spoken.said)
    if proof != line.spoken.proof:
        yield f"{message.address}: its proof is not that of what is said"
    for each in proof:
        if each.how is None:
            yield f"{message.address}: {each.value!r:.60} is not found in what is said"
    if whitelist.topics != topics_of(message.values):
        yield f"{message.address}: its whitelist is not of what it states"
    if not set((whitelist.named or {}).values()) <= set(whitelist.topics.values()):
        yield f"{message.address}: a model's whitelist has a value that the request has not"


def _suites(made: dict[str, object], folder: Path) -> list[str]:
    suites = made.get("suites")
    if not isinstance(suites, dict):
        raise DataError(f"{folder}: its settings name no suites")
    return list(map(str, suites))


def _card(folder: Path) -> Card:
    path = folder / CARD
    with OutsideErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(path.read_bytes(), type=Card)
