"""How a run is played again: the commands, and the grid that they are given."""

from collections.abc import Iterator
from shlex import quote

import msgspec

_GRID = "grid.toml"


class Reproducing(msgspec.Struct, frozen=True):
    """One step: why, and what is typed, or written into a file."""

    why: str
    text: str


class PlayedAs(msgspec.Struct, frozen=True):
    """What a run was started with.

    Attributes:
        run: Its name.
        grid: Its configuration as TOML; empty for one that was played elsewhere.
        version: The version of Dragoman.
        rules: The rule set of the figures.
        judge: Their judge, where it is not the one that the run was started with.
        measures: What else was counted.
    """

    run: str
    grid: str
    version: str
    rules: str
    judge: str = ""
    measures: tuple[str, ...] = ()


def steps(played: PlayedAs) -> Iterator[Reproducing]:
    """Yield how a run is played, scored and shown again."""
    run = quote(played.run)
    if played.grid:
        yield Reproducing(
            f"The grid, as {_GRID}; played with Dragoman {played.version}.", played.grid
        )
        yield Reproducing(
            "Play it. Diagnostic agents and scripts repeat themselves; models draw anew where replies are not remembered.",
            f"dragoman run {_GRID} --out {run}",
        )
    else:
        yield Reproducing(
            "It was played elsewhere: its own file is imported.",
            f"dragoman import FILE --out {run}",
        )
    judge = f" --judge {quote(played.judge)}" if played.judge else ""
    measures = "".join(f" --measure {quote(each)}" for each in played.measures)
    counted = f"\ndragoman score {run}{measures}" if measures else ""
    yield Reproducing(
        "Score what is stored again, and count what else was counted.",
        f"dragoman score {run} --rules {quote(played.rules)}{judge}{counted}",
    )
    yield Reproducing(
        "This page, its figures as files, and its data as tables.",
        f"dragoman report {run}\ndragoman figures {run} --out figures\n"
        f"dragoman export {run} --to parquet --out tables",
    )
