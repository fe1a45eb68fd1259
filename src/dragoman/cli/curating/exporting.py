"""`dragoman curate export`."""

import shlex
from pathlib import Path

from dragoman.cli.output import print_json, print_line
from dragoman.exchange.api_datasets.writing import export_dataset


def export_files(folder: Path, form: str, out: Path, *, as_json: bool) -> None:
    """Write a dataset, and say what can be done with it."""
    files = export_dataset(folder, form, out)
    if as_json:
        print_json({"form": form, "files": [str(path) for path in files]})
        return
    for path in files:
        print_line(f"{path} ({path.stat().st_size:,} bytes)")
    if form == "suite":
        print_line(f"play it: dragoman run {shlex.quote(f'itc:{out}')} --agent gold,lexical,silent")
