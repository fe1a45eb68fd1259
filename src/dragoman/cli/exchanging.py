"""`dragoman import` and `dragoman export`."""

import sys
import time
from pathlib import Path

from dragoman.core.errors import UsageError
from dragoman.runs.exchange import export_results, import_results
from dragoman.runs.outcomes import chosen_scoring
from dragoman.runs.result_files import write_results
from dragoman.store.run import open_run
from dragoman.wiring.participants import judge_name

FORMATS = ("tau2",)


def import_file(path: Path, out: Path) -> None:
    """Make a run of a result file and say what came in."""
    count = import_results(path, out, time.time())
    print(f"{count} conversations imported: {out}")


def export_run(  # noqa: PLR0913 - the options of one command
    folder: Path,
    form: str,
    out: str,
    *,
    rules: str | None,
    judge: str | None,
    agent: str | None,
) -> None:
    """Write a run in a foreign format; a folder where `out` is one or ends in a slash."""
    if form not in FORMATS:
        raise UsageError(f"cannot export to {form!r}: choose {', '.join(FORMATS)}")
    path = Path(out)
    with open_run(folder, write=False) as store:
        scoring = chosen_scoring(store, rules, judge_name(judge))
        exported = export_results(store, scoring, agent)
        as_folder = out.endswith("/") or path.is_dir()
        count = write_results(path, exported.head, exported.simulations, as_folder=as_folder)
    print(f"{count} conversations exported: {path}")
    print(f"verdicts: rules {scoring[0]}, judge {scoring[1]}", file=sys.stderr)
