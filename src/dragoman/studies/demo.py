"""The demonstration: three diagnostic agents on the sample shop, three trials each."""

from pathlib import Path

from dragoman.runs.play import Played, play, start
from dragoman.wiring.config import RunConfig
from dragoman.wiring.setup import build_setup

DEMO = RunConfig("sample:shop", ("gold", "literal", "silent"), judge="rule", trials=3)


def run_demo(folder: Path) -> Played:
    """Run the demonstration in a folder."""
    return play(start(build_setup(DEMO), folder), lambda *_: None)
