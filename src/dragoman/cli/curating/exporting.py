"""`dragoman curate export`."""

import shlex
from collections import Counter
from pathlib import Path

import msgspec

from dragoman.cli.curating.auditing import refused_for_secrets
from dragoman.cli.output import print_json, print_line
from dragoman.exchange.api_datasets.writing import export_dataset


def export_files(folder: Path, form: str, out: Path, *, as_json: bool) -> int:
    """Write a dataset, and say what can be done with it; 1 where a credential stands in it."""
    if refused_for_secrets(folder):
        return 1
    done = export_dataset(folder, form, out)
    if as_json:
        print_json(
            {
                "form": form,
                "files": [str(path) for path in done.files],
                "withheld": [msgspec.to_builtins(each) for each in done.withheld],
            }
        )
        return 0
    for path in done.files:
        print_line(f"{path} ({path.stat().st_size:,} bytes)")
    for reason, number in Counter(each.reason for each in done.withheld).items():
        print_line(f"left out: {number:,} ({reason})")
    if form == "suite":
        print_line(f"play it: dragoman run {shlex.quote(f'itc:{out}')} --agent gold,lexical,silent")
    return 0
