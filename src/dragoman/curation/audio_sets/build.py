"""Build of an audio set: rewrite messages, synthesize, transcribe, write the card."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from itertools import pairwise
from pathlib import Path

import msgspec

from dragoman.composition.concurrency import require_read_timeout, timeouts_of
from dragoman.composition.spending import with_stated_prices
from dragoman.conditions.voice.verbalization.spoken_form import VERBALIZATION
from dragoman.core.content_keys import content_key
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.progress import long_step
from dragoman.core.protocols import ChatModel, Suite
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.version import VERSION
from dragoman.curation.audio_sets.audio_pipeline import (
    recorded_or_spoken_words,
    synthesize_messages,
    transcribe_messages,
    verbalization_mismatch,
)
from dragoman.curation.audio_sets.card import (
    AudioSetCard,
    SpokenLine,
    add_speech_counts,
    audio_set_card,
    counting_rules,
)
from dragoman.curation.audio_sets.engines import (
    WORKER_TIMEOUTS,
    AudioRequest,
    SetEngines,
    SpeechFunctions,
    SpeechJob,
    engines_key,
    local_speech,
    remote_speech,
)
from dragoman.curation.audio_sets.messages import UserMessage, ValueReader, messages_of, topics_of
from dragoman.curation.audio_sets.rewrite import REWRITE_PROMPT as REWRITE
from dragoman.curation.audio_sets.rewrite import TOPICS_PROMPT as TOPICS
from dragoman.curation.audio_sets.rewrite import (
    SetLine,
    digest_of,
    kept_texts,
    name_topics,
    rewrite_message_with_model,
    rewrite_message_with_rules,
)
from dragoman.curation.audio_sets.rule_based_rewriting import Phenomena, phenomena_of
from dragoman.curation.audio_sets.settings import (
    begin_set,
    unknown_versions,
    verbalization_of_texts,
    versions_of,
)
from dragoman.curation.audio_sets.value_readers import reader_of
from dragoman.curation.concurrency import map_in_order
from dragoman.curation.llm_clients import prompt_version
from dragoman.curation.progress import (
    Advance,
    Progress,
    ProgressInTurn,
    show_nothing,
    stopping_here,
)
from dragoman.distributed.worker_backends import pool_from_options
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.prices import PriceTable, load_prices
from dragoman.registry.chat_models import model_name, translation_model
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import SpeechEngines
from dragoman.registry.suites import load_suite
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_set import AudioSet
from dragoman.store.audio_set_format import CARD, TEXTS, MessageWhitelist, encode_line
from dragoman.store.folder_contents import require_folder_for

RULES = "rules"
"""The name of the rewriter that uses rules instead of a model."""
ENGLISH = "en"


class AudioSetRequest(msgspec.Struct, frozen=True):
    """A request for an audio set: the messages, the engines and the output folder.

    Attributes:
        suites: Names of suites.
        rewriter: `rules`, or `PROVIDER/MODEL`.
        out: The set's folder.
        speech: The speech engines; None for texts only.
        topics: The model that names topics of whitelists; "" for none.
        seed: The seed; another one gives other words, voices and errors.
        concurrency: Messages under way at the same time, in models and engines.
        max_cost: Spending limit; "" for none.
        prices: A file with a custom price table.
        sample: Number of tasks; 0 for all.
        workers: Number of processes that speak and hear; 1 for the command's own.
        ray: The cluster that runs the workers as actors; "" for none.
        read_timeout: Seconds a server may be silent during a call; None for a default that depends
            on its address.
    """

    suites: tuple[str, ...]
    rewriter: str
    out: Path
    speech: AudioRequest | None = None
    topics: str = ""
    seed: int = 1
    concurrency: int = 8
    max_cost: str = ""
    prices: Path | None = None
    sample: int = 0
    workers: int = 1
    ray: str = ""
    read_timeout: float | None = None

    def __post_init__(self) -> None:
        """Validate the request.

        Raises:
            UsageError: For no suite, or an invalid number.
        """
        if self.concurrency < 1:
            raise UsageError(f"--concurrency {self.concurrency}: at least 1")
        require_read_timeout(self.read_timeout)
        if self.sample < 0:
            raise UsageError(f"--limit {self.sample}: a number of tasks, or 0 for all")
        if not self.suites:
            raise UsageError("no suite: name one, or several by commas (`dragoman list suites`)")


OnDone = Callable[[str, int], None]
"""A callback for a stage's name and the number of messages that finished it."""


class AudioSetBuilder:
    """A builder of an audio set from a loaded request."""

    def __init__(self, asked: AudioSetRequest) -> None:
        """Load the suites, rules and engines of a request.

        Raises:
            UsageError: For a suite, model or engine that does not exist, for a suite without fixed
                words, for a set with rules that are unknown here, or if the folder holds something
                else.
            DataError: For data that are missing or damaged.
        """
        require_folder_for(asked.out, "an audio set")
        self.asked = asked
        self._rules = phenomena_of(ENGLISH)
        suites = [load_suite(name) for name in asked.suites]
        is_spoken = asked.speech is not None
        self._versions = versions_of(asked.out, is_spoken=is_spoken)
        for why in unknown_versions(self._versions):
            raise UsageError(f"{asked.out}: {why}")
        self._reader = reader_of(self._versions.matcher, ENGLISH)
        self.messages = tuple(messages_of(suites, self._reader, asked.sample))
        # Paid calls are cached, so that an interrupted build reuses them.
        self._budget = _budget(asked)
        timeouts = timeouts_of(asked.read_timeout)
        self._connections = ModelClients(timeouts, budget=self._budget, cache_enabled=True)
        self._engines = None
        self._digests = [suite.provenance.digest for suite in suites]
        self._open_pool = pool_from_options(asked.workers, asked.ray, WORKER_TIMEOUTS)
        self._made = _describe_inputs(asked, suites, self._rules)
        self._made |= self._versions.made(is_spoken=is_spoken)
        if asked.speech is not None:
            engines = SpeechEngines(suites, self._connections)
            normalizer = self._versions.normalizer
            self._engines = SetEngines(asked.speech, engines, ENGLISH, asked.seed, normalizer)
            self._made |= self._engines.made

    @property
    def stages(self) -> dict[str, int]:
        """Number of items by the stage's name."""
        count = len(self.messages)
        if self._engines is None:
            return {"texts": count}
        return {"texts": count, "speech": count, "transcripts": count * len(self._engines.asr)}

    def run(self, on_done: OnDone) -> AudioSetCard:
        """Write the missing parts of the set, and its card.

        Args:
            on_done: Receives the progress.

        Raises:
            UsageError: If the folder holds another set, or an incomplete one whose words cannot be
                made here, or if a model's key or address is missing.
            ParticipantError: If an engine fails; earlier results are in the folder.
            RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results
                are in the folder.
            DataError: If files cannot be read.
            StoreError: If files cannot be written.
        """
        self._require_own_words()
        begin_set(self.asked.out, self._made)
        with asyncio.Runner() as runner:
            try:
                card = runner.run(self._completed(on_done))
            finally:
                runner.run(self._close())
        path = self.asked.out / CARD
        atomic_write(path, (msgspec.json.format(msgspec.json.encode(card)), b"\n"))
        return card

    def _require_own_words(self) -> None:
        """Refuse a set with missing texts whose words this version would verbalize differently."""
        folder, verbalization = self.asked.out, verbalization_of_texts(self.asked.out)
        if verbalization == VERBALIZATION:
            return
        if len(list(kept_texts(folder, self.messages))) < len(self.messages):
            raise verbalization_mismatch(folder, verbalization)

    async def _completed(self, on_done: OnDone) -> AudioSetCard:
        asked, engines = self.asked, self._engines
        texts = await self._texts(on_done)
        card = audio_set_card(self._made, digest_of(texts), texts)
        if engines is None:
            return card
        said = recorded_or_spoken_words(asked.out, texts, self._versions.verbalization)
        async with self._performing(engines) as performers:
            speech = await synthesize_messages(
                asked.out,
                texts,
                said,
                engines,
                performers,
                asked.concurrency,
                lambda count: on_done("speech", count),
            )
            heard = await transcribe_messages(
                asked.out,
                speech,
                engines,
                performers,
                asked.concurrency,
                lambda count: on_done("transcripts", count),
            )
        lines = [
            SpokenLine(text, spoken, {name: lines[at] for name, lines in heard.items()})
            for at, (text, spoken) in enumerate(zip(texts, speech, strict=True))
        ]
        rules = counting_rules(self._versions, engines.language)
        return add_speech_counts(card, lines, AudioSet(asked.out).digest, rules)

    def _performing(self, engines: SetEngines) -> AbstractAsyncContextManager[SpeechFunctions]:
        asked = self.asked
        if self._open_pool is None or asked.speech is None:
            return nullcontext(local_speech(engines))
        same = engines_key(engines, self._digests)
        work = SpeechJob(
            asked.suites,
            asked.speech,
            engines.language,
            asked.seed,
            asked.workers,
            same,
            asked.read_timeout,
        )
        return remote_speech(self._open_pool, work, self._budget)

    async def _texts(self, on_done: OnDone) -> list[SetLine]:
        lines = list(kept_texts(self.asked.out, self.messages))
        path = self.asked.out / TEXTS
        atomic_write(path, map(encode_line, lines))
        on_done("texts", len(lines))
        means = self._means()
        with TranslatedErrors(StoreError, f"{path}: cannot be written"), path.open("ab") as file:

            def keep(_: UserMessage, line: SetLine) -> None:
                file.write(encode_line(line))
                file.flush()
                lines.append(line)
                on_done("texts", 1)

            await map_in_order(
                self.messages[len(lines) :],
                lambda message: _line(message, means),
                self.asked.concurrency,
                keep,
            )
        return lines

    def _means(self) -> "_Means":
        asked, connections = self.asked, self._connections
        rewriter = (
            None if asked.rewriter == RULES else translation_model(asked.rewriter, connections)
        )
        topics = translation_model(asked.topics, connections) if asked.topics else None
        return _Means(self._rules, asked.seed, self._reader, rewriter, topics)

    async def _close(self) -> None:
        if self._engines is not None:
            await self._engines.close()
        await self._connections.close()


class _Means(msgspec.Struct, frozen=True):
    """The rules and models that rewrite messages and name topics."""

    rules: Phenomena
    seed: int
    reader: ValueReader
    rewriter: ChatModel | None
    topics: ChatModel | None


async def _line(message: UserMessage, means: _Means) -> SetLine:
    if means.rewriter is None:
        spoken = rewrite_message_with_rules(message, means.rules, means.seed, means.reader)
    else:
        spoken = await rewrite_message_with_model(
            message, means.rewriter, means.rules, means.seed, means.reader
        )
    topics = topics_of(message.values)
    if means.topics is None or not topics:
        return SetLine(spoken, MessageWhitelist(topics))
    named = await name_topics(topics, spoken.said, means.topics)
    return SetLine(spoken, MessageWhitelist(topics, named.topics, named.why), named.usage)


def run_speak(asked: AudioSetRequest, *, progress: Progress = show_nothing) -> AudioSetCard:
    """Build an audio set, or its missing parts.

    Args:
        asked: The request.
        progress: Entered for texts, speech and transcripts, one after the other.

    Raises:
        UsageError: For a suite, model or engine that does not exist, or a folder with another set.
        ParticipantError: If an engine fails; earlier results are in the folder.
        RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results are
            in the folder.
        StepStopped: If the user interrupts it; earlier results are in the folder.
        DataError: For data that are missing or damaged.
        StoreError: For files that cannot be written.
    """
    with long_step("reading the suite"):
        speaking = AudioSetBuilder(asked)
    stages = speaking.stages
    following = {stage: (after,) for stage, after in pairwise(stages)}
    shown: dict[str, Advance] = {}
    done: Counter[str] = Counter()
    with stopping_here(), ProgressInTurn(progress) as in_turn:

        def show(stage: str) -> None:
            if stage not in shown:
                shown[stage] = in_turn.begin(stage, stages[stage])

        def on_done(stage: str, count: int) -> None:
            show(stage)
            shown[stage](count)
            done[stage] += count
            if done[stage] >= stages[stage]:
                # The first result of the next stage may take long.
                list(map(show, following.get(stage, ())))

        return speaking.run(on_done)


def prices_for(asked: AudioSetRequest) -> PriceTable:
    """Return the prices of the models of a set.

    Raises:
        UsageError: For a price table that cannot be read.
    """
    return with_stated_prices(load_prices(asked.prices), (asked.rewriter, asked.topics))


def _budget(asked: AudioSetRequest) -> Budget | None:
    if not asked.max_cost:
        return None
    price_of = prices_for(asked).price_of
    return Budget(parse_spend_limit(asked.max_cost), price_of, goes_on="the same command")


def _describe_inputs(
    asked: AudioSetRequest, suites: Sequence[Suite], rules: Phenomena
) -> dict[str, object]:
    """Return all settings that determine the texts of a set."""
    is_rules = asked.rewriter == RULES
    return {
        "program": VERSION,
        "suites": {
            name: suite.provenance.digest for name, suite in zip(asked.suites, suites, strict=True)
        },
        "rewriter": RULES if is_rules else model_name(asked.rewriter),
        "rules": f"{rules.version}@{content_key(rules)[:8]}",
        "prompt": "" if is_rules else prompt_version(REWRITE),
        "topics": model_name(asked.topics) if asked.topics else "",
        "topics_prompt": prompt_version(TOPICS) if asked.topics else "",
        "seed": asked.seed,
        **({"sample": asked.sample} if asked.sample else {}),
    }
