"""Resources for a grid of a million spoken conversations.

Usage: `python -m bench.million [MODEL] [PRICES.toml]`. A few hundred conversations of courier are
played and measured: as text with agent and user behind local servers, and spoken over the telephone
channel by the embedded engines. All other figures are products, printed with their factors. MODEL
is priced by the bundled table, or by PRICES.toml; without a price the cost is unknown.
"""

import resource
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import msgspec
from bench.wire import served

from dragoman.composition.concurrency import DEFAULT_CONCURRENCY
from dragoman.composition.setup import build_setup
from dragoman.config.event_loop import run_event_loop
from dragoman.config.run_config import RunConfig
from dragoman.core.costs import cost_of, total_cost
from dragoman.core.episodes import Episode, Message
from dragoman.core.replies import TextReply
from dragoman.core.scores import Score
from dragoman.core.usage import Usage, total_usage
from dragoman.models.prices import load_prices
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import start_job
from dragoman.runs.plan import Cell
from dragoman.store.run_file import FILE

SUITE, LINE = "courier", "telephone"
MANY = 1_000_000
SECONDS_OF_A_CALL = 1.5
"""Assumed seconds of a model call; the results scale in proportion to your own figure."""

AT_A_TIME = 500
"""Conversations that one process plays concurrently."""


class Units(msgspec.Struct):
    """Totals over the conversations of one run.

    Attributes:
        conversations: Number of conversations.
        cpu: CPU seconds, including those of speech workers.
        calls: Model calls.
        utterances: Utterances that were spoken and recognized.
        speech: Seconds of these utterances, as they arrived.
        records: Bytes of the run's file.
        sounds: Bytes of its audio files.
        usage: Usage of models.
    """

    conversations: int = 0
    cpu: float = 0.0
    calls: int = 0
    utterances: int = 0
    speech: float = 0.0
    records: int = 0
    sounds: int = 0
    usage: tuple[Usage, ...] = ()

    def add(self, _cell: Cell, episode: Episode, _score: Score) -> None:
        """Add one conversation to the totals."""
        self.conversations += 1
        self.calls += sum(entry.calls for entry in episode.usage)
        self.usage = total_usage((*self.usage, *episode.usage))
        for event in episode.events:
            if isinstance(event, Message) and isinstance(event.reply, TextReply):
                audio = event.reply.utterance.audio
                self.utterances += audio is not None
                self.speech += 0.0 if audio is None else audio.seconds


def main(model: str = "openai/gpt-4.1-mini", prices: str = "") -> None:
    """Measure, multiply and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gold = RunConfig(SUITE, ("gold",), user="gold")
        _played(gold, folder / "gold")
        with ExitStack() as stack:
            agent, user = (
                stack.enter_context(
                    served(folder, {}, "--replay", str(folder / "gold"), "--side", side)
                )
                for side in ("agent", "user")
            )
            models = RunConfig(
                SUITE,
                (f"compatible/agent?base_url={agent.url}",),
                user=f"compatible/user?base_url={user.url}",
                trials=10,
                concurrency=DEFAULT_CONCURRENCY,
                cache=False,
            )
            text = _played(models, folder / "text")
        spoken = _played(
            RunConfig(SUITE, ("literal",), voices=(LINE,), cache=False), folder / "spoken"
        )
    _print_units(text, spoken)
    _print_million(text, spoken)
    _print_money(text, model, Path(prices) if prices else None)


def _played(config: RunConfig, folder: Path) -> Units:
    units = Units()
    before = _cpu()
    job = start_job(build_setup(config), folder, time.time())

    async def play() -> None:
        await execute(job.setup, pending_cells(job.cells, job.store), job.store, units.add)
        await job.setup.close()

    with job.store:
        run_event_loop(play())
    units.cpu = _cpu() - before
    units.records = (folder / FILE).stat().st_size
    units.sounds = sum(path.stat().st_size for path in folder.glob("audio/*/*.wav"))
    return units


def _cpu() -> float:
    """Return the seconds of CPU of this process and of its children that have ended."""
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in spent)


def _print_units(text: Units, spoken: Units) -> None:
    per = text.conversations
    print(f"{SUITE} as text, agent and user behind local servers, {per} conversations; each:")
    print(
        f"  {text.cpu / per * 1e3:.1f} ms of CPU, {text.calls / per:.1f} calls "
        f"({text.cpu / text.calls * 1e3:.2f} ms each, all-in), {text.records / per / 1e3:.1f} kB"
    )
    per = spoken.conversations
    print(f"{SUITE} spoken, line {LINE}, embedded engines, {per} conversations; each:")
    print(
        f"  {spoken.cpu / per:.2f} s of CPU, {spoken.utterances / per:.1f} utterances of "
        f"{spoken.speech / spoken.utterances:.1f} s ({spoken.cpu / spoken.utterances:.2f} s of CPU "
        f"each: said, carried, heard), {spoken.records / per / 1e3:.1f} kB, "
        f"{spoken.sounds / per / 1e6:.2f} MB of sound"
    )


def _print_million(text: Units, spoken: Units) -> None:
    calls = text.calls / text.conversations
    cpu = text.cpu / text.conversations
    engines = spoken.cpu / spoken.conversations
    waiting = calls * SECONDS_OF_A_CALL
    print(f"{MANY:,} conversations, calls of {SECONDS_OF_A_CALL:g} s:")
    print(f"  one after another they wait {_hours(MANY * waiting)} for models")
    print(
        f"  one process, {AT_A_TIME} at a time: {_hours(MANY * waiting / AT_A_TIME)}, in which it "
        f"makes {calls * AT_A_TIME / waiting * 60:,.0f} calls a minute and uses "
        f"{_hours(MANY * cpu)} of CPU"
    )
    print(
        f"  embedded engines: {_hours(MANY * engines)} of CPU, so "
        f"{_hours(MANY * engines / 64)} on 64 cores; engines of providers: as text, and "
        f"{MANY * spoken.utterances / spoken.conversations:,.0f} utterances, "
        f"{_hours(MANY * spoken.speech / spoken.conversations)} of speech"
    )
    kept = MANY * (spoken.records / spoken.conversations)
    sounds = MANY * spoken.sounds / spoken.conversations
    print(
        f"  disk: {kept / 1e9:,.1f} GB of records, {sounds / 1e12:,.2f} TB of sound if all differ"
    )


def _print_money(text: Units, model: str, own: Path | None) -> None:
    prices = load_prices(own)
    price = prices.price_of(model)
    tokens = sum(entry.input_tokens or 0 for entry in text.usage)
    answered = sum(entry.output_tokens or 0 for entry in text.usage)
    per = text.conversations
    print(
        f"  tokens of agent and user, as the local servers count them: {tokens / per:,.0f} in, "
        f"{answered / per:,.0f} out for each"
    )
    if price is None:
        print(f"  money: {model} has no price: unknown")
        return
    cost = total_cost(cost_of(entry, lambda _: price) for entry in text.usage)
    if cost is None:
        print("  money: unknown, since tokens are")
        return
    print(f"  money: {model} for both: {cost.nominal / per * MANY:,.0f} USD; {prices.as_of}")


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:,.0f} h" if seconds >= 36_000 else f"{seconds / 3600:.1f} h"


if __name__ == "__main__":
    main(*sys.argv[1:])
