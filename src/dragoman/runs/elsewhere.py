"""Plays cells of a run in another process than the run's own, from its configuration alone."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from dragoman.core.episodes import Episode
from dragoman.core.voice.sounds import HeldSounds
from dragoman.models.spending.prices import NO_PRICES
from dragoman.models.spending.purse import Receipts
from dragoman.runs.backend import Finished, PlainCell, PlainRun, Play
from dragoman.runs.plan import cells_from
from dragoman.runs.player import Player
from dragoman.wiring.setup import build_setup


@asynccontextmanager
async def played_elsewhere(run: PlainRun) -> AsyncIterator[Play]:
    """Return what plays cells of a run; all audio and all that was spent is handed back.

    Args:
        run: As a backend was given it.

    Raises:
        UsageError: For an agent that has no name by which it is found here.
    """
    receipts = Receipts()
    setup = msgspec.structs.replace(
        build_setup(run.config, None, NO_PRICES, receipts, run.conditions),
        planned_limits=run.planned_limits,
    )

    cell_from, player = cells_from(setup), Player(setup)

    async def play(plain: PlainCell, earlier: Sequence[Episode]) -> Finished:
        kept = HeldSounds()
        finished = await player.keeping(kept).finished(cell_from(plain), plain.attempt, earlier)
        return msgspec.structs.replace(finished, audio=kept.all(), spent=receipts.take())

    try:
        yield play
    finally:
        await setup.close()
