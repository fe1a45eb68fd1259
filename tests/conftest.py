"""Fixtures shared by all tests: the bundled sample, and real data where they are at hand."""

import functools
import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.benchmarks.bfcl.pulled import read_pulled, source_folder
from dragoman.benchmarks.bfcl.suite import SingleTurnSuite, load_suite
from dragoman.benchmarks.bfcl.upstream import adopt_texts, bfcl_source, derive_texts
from dragoman.benchmarks.data import pull
from dragoman.benchmarks.sample.shop import sample_suite
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.protocols import Provenance

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


def shared_folder(variable: str, default: str) -> Path:
    """Return a folder of real material, or skip; with DRAGOMAN_REQUIRE_DATA=1, fail."""
    folder = Path(os.environ.get(variable) or SHARED / default)
    if folder.is_dir():
        return folder
    reason = f"{folder} is absent: set {variable} to compare with recorded material"
    if os.environ.get("DRAGOMAN_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def read_file(folder: Path, name: str) -> bytes:
    """Read a file that may lie there raw or gzipped."""
    raw = folder / name
    return (
        raw.read_bytes() if raw.exists() else gzip.decompress((folder / f"{name}.gz").read_bytes())
    )


@pytest.fixture(scope="session")
def shop() -> DomainSuite:
    """The bundled sample suite."""
    return sample_suite()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real benchmark data."""
    return shared_folder("DRAGOMAN_DATA", "data")


@pytest.fixture(scope="session")
def truth_folder() -> Path:
    """The folder of recorded verdicts of the references."""
    return shared_folder("DRAGOMAN_TRUTH", "truth")


@pytest.fixture(scope="session")
def seeds_folder() -> Path:
    """The folder of the papers' texts."""
    return shared_folder("DRAGOMAN_SEEDS", "seeds")


@pytest.fixture(scope="session")
def retail(data_folder: Path) -> DomainSuite:
    """tau2 retail from the folder of real data."""
    folder = data_folder / "tau2" / "retail"
    return DomainSuite(
        "tau2:retail",
        lambda name: read_file(folder, name),
        Provenance("tau2-bench", "MIT", "", ""),
    )


def pulled_cache(source: str, data_folder: Path, cache: Path) -> Path:
    """Pull real data into a cache, by the command."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "dragoman", "data", "pull", source),
            *("--from", str(data_folder / source)),
        ],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return cache


@pytest.fixture(scope="session")
def pulled(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache into which tau2's real data were pulled."""
    return pulled_cache("tau2", data_folder, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def pulled_bfcl(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache into which BFCL's real data were pulled."""
    return pulled_cache("bfcl", data_folder, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def read_bfcl(
    data_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], bytes]:
    """What reads BFCL's files by their short names, after they were pulled from the real data."""
    folder = tmp_path_factory.mktemp("data")
    pull(
        bfcl_source(),
        source_folder(folder),
        derive=derive_texts,
        adopt=adopt_texts,
        from_dir=data_folder / "bfcl",
    )
    return functools.partial(read_pulled, folder)


@pytest.fixture(scope="session")
def load_bfcl(read_bfcl: Callable[[str], bytes]) -> Callable[[str], SingleTurnSuite]:
    """What loads a category of BFCL, or a group of them, from the real data."""
    provenance = Provenance("BFCL v4", "Apache-2.0", "", "")
    return functools.cache(lambda name: load_suite(name, read_bfcl, provenance))
