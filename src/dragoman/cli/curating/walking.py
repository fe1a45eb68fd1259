"""How commands walk steps: with a bar of progress, until they end or are stopped."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from pathlib import Path

from dragoman.cli.curating.status import show_status
from dragoman.cli.output import INTERRUPTED, print_error
from dragoman.cli.progressing.bars import progress
from dragoman.store.datasets.dataset import Dataset

OnDone = Callable[[int], None]


def walked(step: str, total: int, walk: Callable[[OnDone], Awaitable[None]]) -> int:
    """Walk with a bar of progress; what a person stops goes on with the same command."""
    bar: AbstractContextManager[Callable[[], None]] = progress(step, total)

    async def walking(advance: Callable[[], None]) -> None:
        def on_done(count: int) -> None:
            for _ in range(count):
                advance()

        await walk(on_done)

    try:
        with bar as advance:
            asyncio.run(walking(advance))
    except KeyboardInterrupt:
        print_error("stopped; what came is stored: the same command goes on")
        return INTERRUPTED
    return 0


def shown(folder: Path, step: str, *, as_json: bool) -> int:
    """Print a step's funnel; 1 where something failed."""
    show_status(folder, step=step, as_json=as_json)
    with Dataset(folder, write=False) as dataset:
        return 1 if any(each.failed for each in dataset.funnel() if each.step == step) else 0
