"""`dragoman import` and `dragoman export`."""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

import msgspec

from dragoman.benchmarks.bfcl.result_files import ResultFile, find_result_files
from dragoman.cli.output import print_error, print_json, print_line
from dragoman.core.errors import UsageError
from dragoman.exchange.bfcl import FileReading, ModelReading, import_bfcl
from dragoman.exchange.result_files import write_results
from dragoman.exchange.table_files import write_json_lines, write_parquet
from dragoman.exchange.tau2 import ImportedFile, export_results, import_results
from dragoman.store.run import RunStore, open_run
from dragoman.tables.outcomes import chosen_scoring
from dragoman.wiring.participants import judge_name

FORMATS = ("tau2", "parquet", "jsonl")


def import_file(path: Path, out: Path, form: str | None, *, as_json: bool) -> None:
    """Make a run of a result file, or of BFCL's result files, and say what came in and how it was read."""
    files = find_result_files(path)
    if files:
        _import_bfcl(files, out, form, as_json=as_json)
        return
    if form is not None:
        raise UsageError(f"--format is for result files of BFCL, and {path} is none")
    imported = import_results(path, out, time.time())
    if as_json:
        print_json({"run": str(out), **msgspec.to_builtins(imported)})
    else:
        print(f"{imported.conversations} conversations imported: {out}")
    for note in _notes(imported):
        print_line(note, to_stderr=True)


def _notes(imported: ImportedFile) -> Iterator[str]:
    """Yield what to know of a result file before its figures."""
    if not imported.is_known:
        yield f"{imported.suite} is no suite of ours: it can be shown and compared, not scored again"
    if imported.rematched:
        yield (
            f"the recorded checks of {imported.rematched} conversations are those of another task than "
            "the one they name: they stand under that task"
        )
    if imported.mismatched:
        yield (
            f"the recorded checks of {imported.mismatched} conversations are not those of their task: "
            "their tasks may have been other ones"
        )


def _import_bfcl(
    files: Sequence[ResultFile], out: Path, form: str | None, *, as_json: bool
) -> None:
    imported = import_bfcl(files, out, time.time(), form)
    if as_json:
        print_json({"run": str(out), **msgspec.to_builtins(imported)})
    else:
        print(f"{imported.conversations} conversations imported: {out}")
        for model in imported.models:
            print_line(_told_form(model))
    for model in imported.models:
        for file in model.files:
            if file.is_mostly_unreadable:
                print_error(_unreadable(model, file))
    if imported.infrastructure_errors:
        faults = f"{imported.infrastructure_errors} conversations ended by infrastructure"
        print_line(f"{faults}: the model was not reached", to_stderr=True)
    if imported.left_out:
        print_line(f"left out: {', '.join(imported.left_out)}", to_stderr=True)
    print(f"no verdicts yet: dragoman score {quote(str(out))} --rules bfcl-v4", file=sys.stderr)


def _told_form(model: ModelReading) -> str:
    """Return a line on the form in which a model's calls were read."""
    counts = ", ".join(f"{name} in {count}" for name, count in model.spoken_for.items())
    return f"{model.model}: calls read as {model.form}" + (
        f" (replies: {counts})" if counts else ""
    )


def _unreadable(model: ModelReading, file: FileReading) -> str:
    return (
        f"{model.model}, {file.category}: no calls could be read as {model.form} in "
        f"{file.replies - file.read} of {file.replies} replies: figures would say nothing of the "
        "model; choose another --format"
    )


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
