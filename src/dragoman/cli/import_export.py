"""Implementation of `dragoman import`, `export`, `bundle` and `unbundle`."""

import time
from pathlib import Path
from shlex import quote

import msgspec

from dragoman.cli.output import one_of, print_error, print_json, print_line, print_notice
from dragoman.composition.external_access import external_access
from dragoman.core.errors import DataError, UnknownFormatError, UsageError
from dragoman.core.result_files import ResultFormat
from dragoman.dataframes.results import chosen_scoring
from dragoman.formats.audio_folder import write_audio_folder
from dragoman.formats.inspect_log import write_inspect_logs
from dragoman.formats.junit import write_junit
from dragoman.formats.result_files import export_results, import_run, result_formats
from dragoman.formats.run_bundle import pack_run, unpack_run
from dragoman.formats.run_folders import RunFolderFormat, run_folder_formats
from dragoman.formats.table_files import require_agent, write_csv, write_json_lines, write_parquet
from dragoman.registry.participant_names import judge_name
from dragoman.report import formatting
from dragoman.runs.manifest import read_manifest
from dragoman.store.audio_set_format import SETTINGS
from dragoman.store.folder_contents import require_folder_for
from dragoman.store.run_store import RunStore, open_run

OF_ANY_RUN = ("parquet", "csv", "jsonl", "inspect", "junit")
"""Formats of any run."""
AUDIO_FOLDER = "audiofolder"
"""The format of audio sets, which runs cannot have."""


def import_file(
    path: Path, out: Path, form: str | None, suite: str | None = None, *, as_json: bool
) -> None:
    """Import result files as a run, and print what was read and how."""
    folders = tuple(run_folder_formats())
    for each in folders:
        if each.recognizes(path):
            _import_folder(each, path, out, suite, as_json=as_json)
            return
    if suite is not None:
        known = one_of(each.about for each in folders)
        raise UsageError(f"--suite goes with {known}: other files state their suite")
    try:
        read = import_run(path, out, time.time(), form)
    except UnknownFormatError as error:
        runs = one_of(each.about for each in folders)
        raise DataError(
            f"{path}: not recognized: import reads a result file or folder of tau2-bench, BFCL "
            "files by their names (such as BFCL_v4_simple_python_result.json) or "
            f"{runs}; as tau2-bench's it is refused ({error})"
        ) from error
    if as_json:
        print_json({"run": str(out), **msgspec.to_builtins(read.report)})
    else:
        print(f"{_conversations(len(read.cells))} imported: {out}")
        for line in read.description:
            print_line(line)
    for line in read.warnings:
        print_error(line)
    for line in read.notes:
        print_notice(line)
    if not read.has_verdicts:
        rescore = f"dragoman score {quote(str(out))} --rules {read.rules}"
        print_notice(f"no verdicts yet: {rescore}")


def _conversations(count: int) -> str:
    return formatting.format_count(count, "conversation")


def _sounds(count: int) -> str:
    return formatting.format_count(count, "sound")


def _import_folder(
    form: RunFolderFormat, path: Path, out: Path, suite: str | None, *, as_json: bool
) -> None:
    found = form.read(path, out, time.time(), suite)
    if as_json:
        print_json({"run": str(out), **found.document})
        return
    print(f"{found.done}: {out}")
    for note in found.notes:
        print_notice(note)


def export_run(  # noqa: PLR0913 - the options of one command
    folder: Path,
    form: str,
    out: str,
    *,
    rules: str | None,
    judge: str | None,
    agent: str | None,
) -> None:
    """Export a run as tables in the folder `out`, or as a result file of its benchmark."""
    if form == AUDIO_FOLDER:
        _export_set(folder, Path(out))
        return
    formats = result_formats()
    folders = {each.name: each for each in run_folder_formats()}
    if form not in (*formats, *OF_ANY_RUN, *folders):
        known = ", ".join((*formats, *OF_ANY_RUN, *folders, AUDIO_FOLDER))
        raise UsageError(f"cannot export to {form!r}: choose {known}")
    require_folder_for(Path(out), "a run")
    if form in folders:
        _export_folders(folders[form], folder, Path(out), agent)
        return
    with open_run(folder, write=False) as store:
        scoring = chosen_scoring(store, rules, judge_name(judge))
        if form in OF_ANY_RUN:
            require_agent(store, agent)
        match form:
            case "parquet" | "csv":
                write = write_csv if form == "csv" else write_parquet
                files = write(store, scoring, Path(out), agent)
                print(*files, sep="\n")
            case "jsonl":
                path, count = write_json_lines(store, scoring, Path(out), agent)
                print(f"{_conversations(count)} exported: {path}")
            case "inspect":
                print(*write_inspect_logs(store, scoring, Path(out), agent), sep="\n")
            case "junit":
                count = write_junit(store, scoring, Path(out), agent)
                print(f"{_conversations(count)} exported: {out}")
            case _:
                _export_results(store, scoring, formats[form], out, agent)
    print_notice(f"verdicts: rules {scoring[0]}, judge {scoring[1]}")


def _export_folders(form: RunFolderFormat, folder: Path, out: Path, agent: str | None) -> None:
    with open_run(folder, write=False) as store:
        require_agent(store, agent)
        found = form.write(store, out, agent)
    for each in found:
        left = f", {each.left_out} excluded, as they have no text or voice" if each.left_out else ""
        print_line(f"{formatting.format_count(each.tasks, 'task')}{left}: {each.path}")


def _export_set(folder: Path, out: Path) -> None:
    """Write the audio set in a folder as a folder of `datasets`."""
    if not (folder / SETTINGS).is_file():
        raise UsageError(f"{folder}: not an audio set; make one with `dragoman speak`")
    written = write_audio_folder(folder, out)
    left_out = f"; {written.left_out:,} excluded, as they have no audio" if written.left_out else ""
    messages = formatting.format_count(written.rows, "message")
    files = formatting.format_count(written.files, "audio file")
    print(f"{messages} in {files}: {out}{left_out}")


def _export_results(
    store: RunStore, scoring: tuple[str, str], form: ResultFormat, out: str, agent: str | None
) -> None:
    """Write a result file; a folder if `out` is one or ends with a slash."""
    path = Path(out)
    exported = export_results(store, scoring, form, agent)
    as_folder = out.endswith("/") or path.is_dir()
    count = form.write(path, exported.head, exported.simulations, as_folder=as_folder)
    print(f"{_conversations(count)} exported: {path}")


ENDING = ".zip"


def bundle(folder: Path, out: Path | None, rules: str | None, judge: str | None) -> None:
    """Write a run as one file, and list the names in it that may identify this machine."""
    beside = folder.parent if folder.name else folder.absolute().parent
    path = out or beside / f"{folder.absolute().name}{ENDING}"
    packed = pack_run(folder, path, rules, judge_name(judge))
    size = packed.path.stat().st_size
    print_line(f"{packed.path}: {size / 1e6:,.1f} MB, with {_sounds(packed.sounds)}")
    if packed.missing:
        print_error(f"{_sounds(packed.missing)} of the run missing from its folder")
    with open_run(folder, write=False) as store:
        reached = external_access(read_manifest(store).config)
    if reached:
        print_line(f"visible to recipients of the bundle: {'; '.join(reached)}", to_stderr=True)


def unbundle(path: Path, out: Path | None) -> None:
    """Unpack a bundle into a run, and print the commands that show it."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file: name a bundle that `dragoman bundle` wrote")
    target = out or Path(path.name.removesuffix(ENDING))
    if target.name == path.name:
        raise UsageError(f"{path}: name the run's folder with --out")
    manifest = unpack_run(path, target)
    sounds = len([name for name in manifest.files if name.startswith("audio/")])
    print_line(f"run: {target}, with {_sounds(sounds)}; made by Dragoman {manifest.dragoman}")
    run = quote(str(target))
    print_notice(f"next: dragoman report {run}, dragoman view {run}")
