"""Runs sphinxtrain: features, three passes of Baum-Welch, and weights for the decoder.

The programs are those of the Debian packages sphinxtrain, sphinxbase-utils and pocketsphinx with
their libraries, installed or unpacked under a folder (`dpkg -x`).
"""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from bench.voice.model_files import write_mixture_weights

from dragoman.speech.embedded.pocketsphinx_decoder import ADAPTED_FILES

PASSES = 3
PARTS = 2

_FEATURES = "-lowerf 130 -upperf 6800 -nfilt 25 -transform dct -lifter 22 -remove_noise yes"
_STREAMS = "-ts2cbfn .ptm. -feat 1s_c_d_dd -svspec 0-12/13-25/26-38 -cmn current -agc none"


class Programs(NamedTuple):
    """The trainer's programs under the folder where it is unpacked."""

    root: Path

    def run(self, name: str, options: str, log: Path) -> None:
        with log.open("wb") as sink:
            subprocess.run(
                self._command(name, options),
                check=True,
                stdout=sink,
                stderr=sink,
                env=self._environment(),
            )

    def start(self, name: str, options: str, log: Path) -> subprocess.Popen[bytes]:
        with log.open("wb") as sink:
            return subprocess.Popen(
                self._command(name, options), stdout=sink, stderr=sink, env=self._environment()
            )

    def _command(self, name: str, options: str) -> list[str]:
        folders = (self.root / "usr/bin", self.root / "usr/lib/sphinxtrain")
        found = [folder / name for folder in folders if (folder / name).is_file()]
        if not found:
            raise SystemExit(
                f"{name}: not under {self.root}; unpack sphinxtrain, sphinxbase-utils and pocketsphinx there"
            )
        return [str(found[0]), *options.split()]

    def _environment(self) -> dict[str, str]:
        libraries = self.root / "usr/lib/x86_64-linux-gnu"
        path = ":".join(str(libraries / part) for part in ("", "blas", "lapack"))
        return {**os.environ, "LD_LIBRARY_PATH": path}


def trained(programs: Programs, stock: Path, work: Path) -> Path:
    """Adapt the stock model to the recordings in a folder; return the folder of the last pass.

    The folder holds `ids`, `transcripts`, `dictionary` and `fillers`, and a WAV file per id.
    """
    programs.run(
        "pocketsphinx_mdef_convert",
        f"-text {stock / 'mdef'} {work / 'mdef.txt'}",
        work / "mdef.log",
    )
    features = work / "features"
    features.mkdir(exist_ok=True)
    programs.run(
        "sphinx_fe",
        f"{_FEATURES} -samprate 16000 -c {work / 'ids'} -di {work / 'wav'} -do {features} -ei wav -eo mfc -mswav yes",
        work / "features.log",
    )
    model = work / "pass0"
    shutil.copytree(stock, model, dirs_exist_ok=True)
    write_mixture_weights(stock / "sendump", model / "mixture_weights")
    for number in range(1, PASSES + 1):
        model = _one_pass(programs, work, model, number)
    return model


def _one_pass(programs: Programs, work: Path, before: Path, number: int) -> Path:
    model = work / f"pass{number}"
    shutil.copytree(before, model, dirs_exist_ok=True)
    for name in ADAPTED_FILES:
        (model / name).unlink()
    counts = [work / f"counts{number}.{part}" for part in range(1, PARTS + 1)]
    running = [
        programs.start("bw", _counting(work, before, folder, part), work / f"{folder.name}.log")
        for part, folder in enumerate(counts, 1)
    ]
    if any(process.wait() for process in running):
        raise SystemExit(f"bw failed; see {work}")
    names = (
        ("mean", "means"),
        ("var", "variances"),
        ("mixw", "mixture_weights"),
        ("tmat", "transition_matrices"),
    )
    targets = " ".join(f"-{short}fn {model / name}" for short, name in names)
    folders = ",".join(map(str, counts))
    programs.run("norm", f"-accumdir {folders} {targets}", work / f"norm{number}.log")
    programs.run(
        "mk_s2sendump",
        f"-pocketsphinx yes -moddeffn {work / 'mdef.txt'} -mixwfn {model / 'mixture_weights'} -sendumpfn {model / 'sendump'}",
        work / f"sendump{number}.log",
    )
    return model


def _counting(work: Path, before: Path, counts: Path, part: int) -> str:
    counts.mkdir(exist_ok=True)
    return (
        f"-hmmdir {before} -moddeffn {work / 'mdef.txt'} {_STREAMS} -dictfn {work / 'dictionary'} "
        f"-fdictfn {work / 'fillers'} -ctlfn {work / 'ids'} -part {part} -npart {PARTS} "
        f"-lsnfn {work / 'transcripts'} -cepdir {work / 'features'} -cepext mfc -accumdir {counts}"
    )
