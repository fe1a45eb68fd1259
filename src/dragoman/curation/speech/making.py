"""Makes the texts of an audio set: every message as it is said, proved, with its whitelist, and a card."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.keys import content_key
from dragoman.core.protocols import ChatModel, Suite
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.core.version import VERSION
from dragoman.curation.asking.answers import prompt_version
from dragoman.curation.speech.asking.rewriting import PROMPT as REWRITE
from dragoman.curation.speech.asking.topics import PROMPT as TOPICS
from dragoman.curation.speech.asking.topics import named_topics
from dragoman.curation.speech.card import Card, card_of
from dragoman.curation.speech.messages import UserMessage, messages_of
from dragoman.curation.speech.rules.phenomena import Phenomena, phenomena_of
from dragoman.curation.speech.set_lines import SetLine, digest_of, kept_texts
from dragoman.curation.speech.settling import settled_by_model, settled_by_rules
from dragoman.curation.speech.whitelists import topics_of
from dragoman.models.spending.budget import Budget, parse_limit
from dragoman.models.spending.prices import load_prices
from dragoman.store.audio_sets.layout import CARD, SETTINGS, TEXTS, MessageWhitelist
from dragoman.store.audio_sets.lines import encoded
from dragoman.store.whole_files import write_whole
from dragoman.wiring.connections import Connections
from dragoman.wiring.suites import load_suite
from dragoman.wiring.translators import model_name, translation_model

RULES = "rules"
"""The rewriter that is no model."""
ENGLISH = "en"


class AudioSetRequest(msgspec.Struct, frozen=True):
    """What is to be said, by whom, and where it goes.

    Attributes:
        suites: Names of suites.
        rewriter: `rules`, or `PROVIDER/MODEL`.
        out: The set's folder.
        topics: The model that names topics of whitelists; "" for none.
        seed: Another seed, other words.
        concurrency: How many messages models are asked about at a time.
        max_cost: When to stop; "" for no limit.
        prices: A table of prices of one's own.
    """

    suites: tuple[str, ...]
    rewriter: str
    out: Path
    topics: str = ""
    seed: int = 1
    concurrency: int = 8
    max_cost: str = ""
    prices: Path | None = None


class Speaking:
    """A request, made ready."""

    def __init__(self, asked: AudioSetRequest) -> None:
        """Load what a request names.

        Raises:
            UsageError: For a suite or model that does not exist, or a suite without fixed words.
            DataError: For data that are missing or damaged.
        """
        self.asked = asked
        self.rules = phenomena_of(ENGLISH)
        suites = [load_suite(name) for name in asked.suites]
        self.messages = tuple(message for suite in suites for message in messages_of(suite))
        self.made = _made(asked, suites, self.rules)

    def run(self, on_done: Callable[[int], None]) -> Card:
        """Write what is missing of the set, and its card.

        Args:
            on_done: Is told how many more messages are settled.

        Raises:
            UsageError: Where the folder holds another set, or a model's key or address is missing.
            RunHalted: Where nothing more may be asked; what came until then is in the folder.
            DataError: Where files cannot be read or written.
        """
        _begin(self.asked.out, self.made)
        lines = list(kept_texts(self.asked.out, self.messages))
        path = self.asked.out / TEXTS
        write_whole(path, map(encoded, lines))
        on_done(len(lines))
        with OutsideErrors(DataError, f"{path}: cannot be written"), path.open("ab") as file:
            for more in self._missing(len(lines)):
                file.write(b"".join(map(encoded, more)))
                file.flush()
                lines += more
                on_done(len(more))
        card = card_of(self.made, digest_of(lines), lines)
        write_whole(self.asked.out / CARD, (msgspec.json.format(msgspec.json.encode(card)), b"\n"))
        return card

    def _missing(self, done: int) -> Iterator[list[SetLine]]:
        """Yield the lines from one on, as they come; an error waits until those before it are out."""
        connections = Connections(budget=self._budget())
        with asyncio.Runner() as runner:
            try:
                means = self._means(connections)
                for at in range(done, len(self.messages), self.asked.concurrency):
                    batch = self.messages[at : at + self.asked.concurrency]
                    ended = runner.run(_settled(batch, means))
                    errors = [each for each in ended if isinstance(each, BaseException)]
                    whole = ended.index(errors[0]) if errors else len(ended)
                    yield [each for each in ended[:whole] if isinstance(each, SetLine)]
                    if errors:
                        raise errors[0]
            finally:
                runner.run(connections.close())

    def _means(self, connections: Connections) -> "_Means":
        asked = self.asked
        rewriter = (
            None if asked.rewriter == RULES else translation_model(asked.rewriter, connections)
        )
        topics = translation_model(asked.topics, connections) if asked.topics else None
        return _Means(self.rules, asked.seed, rewriter, topics)

    def _budget(self) -> Budget | None:
        if not self.asked.max_cost:
            return None
        prices = load_prices(self.asked.prices)
        return Budget(parse_limit(self.asked.max_cost), prices.price_of, goes_on="the same command")


class _Means(msgspec.Struct, frozen=True):
    """What messages are settled with."""

    rules: Phenomena
    seed: int
    rewriter: ChatModel | None
    topics: ChatModel | None


async def _settled(messages: Sequence[UserMessage], means: _Means) -> list[SetLine | BaseException]:
    return await asyncio.gather(
        *(_line(message, means) for message in messages), return_exceptions=True
    )


async def _line(message: UserMessage, means: _Means) -> SetLine:
    if means.rewriter is None:
        spoken = settled_by_rules(message, means.rules, means.seed)
    else:
        spoken = await settled_by_model(message, means.rewriter, means.rules, means.seed)
    topics = topics_of(message.values)
    if means.topics is None or not topics:
        return SetLine(spoken, MessageWhitelist(topics))
    named = await named_topics(topics, spoken.said, means.topics)
    return SetLine(spoken, MessageWhitelist(topics, named.topics, named.why), named.usage)


def _made(asked: AudioSetRequest, suites: Sequence[Suite], rules: Phenomena) -> dict[str, object]:
    """Return all that decides what is in a set."""
    is_rules = asked.rewriter == RULES
    return {
        "program": VERSION,
        "suites": {suite.name: suite.provenance.digest for suite in suites},
        "rewriter": RULES if is_rules else model_name(asked.rewriter),
        "rules": f"{rules.version}@{content_key(rules)[:8]}",
        "prompt": "" if is_rules else prompt_version(REWRITE),
        "topics": model_name(asked.topics) if asked.topics else "",
        "topics_prompt": prompt_version(TOPICS) if asked.topics else "",
        "seed": asked.seed,
    }


def _begin(folder: Path, made: dict[str, object]) -> None:
    """Write down what a set is made of, or see that it is the same.

    Raises:
        UsageError: Where the folder holds another set.
    """
    path = folder / SETTINGS
    if not path.is_file():
        write_whole(path, (msgspec.json.format(msgspec.json.encode(made)), b"\n"))
        return
    there = settings_in(folder)
    other = [name for name in made if there.get(name) != made[name]]
    if other:
        raise UsageError(
            f"{folder} holds a set with another {other[0]} "
            f"({there.get(other[0])!r:.80}, not {made[other[0]]!r:.80}): name another folder"
        )


def settings_in(folder: Path) -> dict[str, object]:
    """Return what a set was made of.

    Raises:
        DataError: Where the file is missing or damaged.
    """
    path = folder / SETTINGS
    with OutsideErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(path.read_bytes(), type=dict[str, object])
