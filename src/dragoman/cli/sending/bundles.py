"""`dragoman bundle` and `dragoman unbundle`."""

from pathlib import Path
from shlex import quote

from dragoman.cli.output import print_error, print_line
from dragoman.core.errors import UsageError
from dragoman.exchange.bundles.packing import pack_run
from dragoman.exchange.bundles.unpacking import unpack_run
from dragoman.runs.jobs import read_manifest
from dragoman.store.run import open_run
from dragoman.wiring.participants import judge_name
from dragoman.wiring.reach import reached_by

ENDING = ".zip"


def bundle(folder: Path, out: Path | None, rules: str | None, judge: str | None) -> None:
    """Write a run as one file, and say what else of this machine is named in it."""
    beside = folder.parent if folder.name else folder.absolute().parent
    path = out or beside / f"{folder.absolute().name}{ENDING}"
    packed = pack_run(folder, path, rules, judge_name(judge))
    size = packed.path.stat().st_size
    print_line(f"{packed.path}: {size / 1e6:,.1f} MB, with {packed.sounds:,} sounds")
    if packed.missing:
        print_error(f"{packed.missing:,} sounds that the run names are not in its folder")
    with open_run(folder, write=False) as store:
        reached = reached_by(read_manifest(store).config)
    if reached:
        print_line(f"named in it, for whoever gets it: {'; '.join(reached)}", to_stderr=True)


def unbundle(path: Path, out: Path | None) -> None:
    """Make a run of a bundle, and say how to look at it."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file: name a bundle that `dragoman bundle` wrote")
    target = out or Path(path.name.removesuffix(ENDING))
    if target.name == path.name:
        raise UsageError(f"{path}: name the run's folder with --out")
    manifest = unpack_run(path, target)
    sounds = len([name for name in manifest.files if name.startswith("audio/")])
    print_line(f"run: {target}, with {sounds:,} sounds; made by Dragoman {manifest.dragoman}")
    run = quote(str(target))
    print_line(f"next: dragoman report {run}, dragoman view {run}", to_stderr=True)
