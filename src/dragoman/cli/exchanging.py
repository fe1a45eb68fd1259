"""`dragoman import` and `dragoman export`."""

import sys
import time
from pathlib import Path
from shlex import quote

from dragoman.benchmarks.bfcl.result_files import find_result_files
from dragoman.cli.output import print_line
from dragoman.core.errors import UsageError
from dragoman.exchange.bfcl import import_bfcl
from dragoman.exchange.result_files import write_results
from dragoman.exchange.table_files import write_json_lines, write_parquet
from dragoman.exchange.tau2 import export_results, import_results
from dragoman.store.run import RunStore, open_run
from dragoman.tables.outcomes import chosen_scoring
from dragoman.wiring.participants import judge_name

FORMATS = ("tau2", "parquet", "jsonl")


def import_file(path: Path, out: Path) -> None:
    """Make a run of a result file, or of BFCL's result files, and say what came in."""
    files = find_result_files(path)
    if not files:
        print(f"{import_results(path, out, time.time())} conversations imported: {out}")
        return
    imported = import_bfcl(files, out, time.time())
    print(f"{imported.conversations} conversations imported: {out}")
    if imported.left_out:
        print_line(f"left out: {', '.join(imported.left_out)}", to_stderr=True)
    print(f"no verdicts yet: dragoman score {quote(str(out))} --rules bfcl-v4", file=sys.stderr)


def export_run(  # noqa: PLR0913 - the options of one command
    folder: Path,
    form: str,
    out: str,
    *,
    rules: str | None,
    judge: str | None,
    agent: str | None,
) -> None:
    """Write a run in a format of `FORMATS`; tables go into the folder `out`."""
    if form not in FORMATS:
        raise UsageError(f"cannot export to {form!r}: choose {', '.join(FORMATS)}")
    with open_run(folder, write=False) as store:
        scoring = chosen_scoring(store, rules, judge_name(judge))
        match form:
            case "parquet":
                files = write_parquet(store, scoring, Path(out), agent)
                print(*files, sep="\n")
            case "jsonl":
                path, count = write_json_lines(store, scoring, Path(out), agent)
                print(f"{count} conversations exported: {path}")
            case _:
                _export_tau2(store, scoring, out, agent)
    print(f"verdicts: rules {scoring[0]}, judge {scoring[1]}", file=sys.stderr)


def _export_tau2(store: RunStore, scoring: tuple[str, str], out: str, agent: str | None) -> None:
    """Write a result file; a folder where `out` is one or ends in a slash."""
    path = Path(out)
    exported = export_results(store, scoring, agent)
    as_folder = out.endswith("/") or path.is_dir()
    count = write_results(path, exported.head, exported.simulations, as_folder=as_folder)
    print(f"{count} conversations exported: {path}")
