"""The demonstration: diagnostic agents on the bundled suite, spoken, from a grid file that ships."""

from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

from dragoman.analysis.blame import Blame
from dragoman.runs.play import Played, play, start
from dragoman.studies.blame import find_blame
from dragoman.wiring.grid import load_config
from dragoman.wiring.setup import build_setup

GRID = "demo.toml"


def run_demo(folder: Path, on_done: Callable[[], None]) -> tuple[Played, tuple[Blame, ...]]:
    """Run the demonstration in a folder, leave its grid file there, and find what lost calls."""
    with as_file(files("dragoman.studies") / GRID) as grid:
        config = load_config(grid)
        text = grid.read_text("utf-8")
    played = play(start(build_setup(config), folder), lambda *_: on_done())
    (folder / GRID).write_text(text, "utf-8")
    return played, find_blame(folder, on_done)
