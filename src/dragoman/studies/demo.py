"""The demonstration: diagnostic agents on the bundled suite, from a grid file that ships."""

from importlib.resources import as_file, files
from pathlib import Path

from dragoman.runs.play import Played, play, start
from dragoman.wiring.config import load_config
from dragoman.wiring.setup import build_setup

GRID = "demo.toml"


def run_demo(folder: Path) -> Played:
    """Run the demonstration in a folder, and leave its grid file there."""
    with as_file(files("dragoman.studies") / GRID) as grid:
        config = load_config(grid)
        text = grid.read_text("utf-8")
    played = play(start(build_setup(config), folder), lambda *_: None)
    (folder / GRID).write_text(text, "utf-8")
    return played
