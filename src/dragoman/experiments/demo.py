"""The demonstration: spoken runs of diagnostic agents on the bundled suite.

It uses a grid file that is part of the package.
"""

from importlib.resources import as_file, files
from pathlib import Path

from dragoman.composition.grid_files import load_config
from dragoman.composition.setup import build_setup
from dragoman.runs.jobs import Job
from dragoman.runs.runner import start

GRID = "demo.toml"


def start_demo(folder: Path) -> Job:
    """Create the run of the demonstration in a folder, and leave its grid file there."""
    with as_file(files("dragoman.experiments") / GRID) as grid:
        config = load_config(grid)
        text = grid.read_text("utf-8")
    job = start(build_setup(config), folder)
    (folder / GRID).write_text(text, "utf-8")
    return job
