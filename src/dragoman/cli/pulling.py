"""`dragoman data pull`."""

from pathlib import Path
from typing import NamedTuple

from dragoman.benchmarks.pulling.data import Adopt, Derive, PullReport, pull
from dragoman.benchmarks.pulling.sources import Source
from dragoman.cli.output import progress_bytes
from dragoman.core.errors import UsageError
from dragoman.wiring.environment import data_folder


class _Upstream(NamedTuple):
    source: Source
    target: Path
    derive: Derive
    adopt: Adopt | None = None


def pull_source(name: str, from_dir: Path | None, url: str | None) -> None:
    """Pull one benchmark's files into the cache and say what was done."""
    if name not in _UPSTREAMS:
        raise UsageError(f"no data named {name!r} to pull: choose {', '.join(_UPSTREAMS)}")
    print(_pull(_UPSTREAMS[name](data_folder()), from_dir, url).message)


def _pull(upstream: _Upstream, from_dir: Path | None, url: str | None) -> PullReport:
    with progress_bytes("pulling") as advance:
        return pull(
            upstream.source,
            upstream.target,
            derive=upstream.derive,
            adopt=upstream.adopt,
            from_dir=from_dir,
            url=url,
            progress=advance,
        )


def _tau2(folder: Path) -> _Upstream:
    from dragoman.benchmarks.tau2.pulled import source_folder
    from dragoman.benchmarks.tau2.upstream import derive_schemas, tau2_source

    return _Upstream(tau2_source(), source_folder(folder), derive_schemas)


def _bfcl(folder: Path) -> _Upstream:
    from dragoman.benchmarks.bfcl.pulled import source_folder
    from dragoman.benchmarks.bfcl.upstream import adopt_texts, bfcl_source, derive_texts

    return _Upstream(bfcl_source(), source_folder(folder), derive_texts, adopt_texts)


def _seataubench(folder: Path) -> _Upstream:
    from dragoman.benchmarks.tau2.seataubench.upstream import (
        adopt_facts,
        derive_facts,
        seataubench_source,
        source_folder,
    )

    return _Upstream(seataubench_source(), source_folder(folder), derive_facts, adopt_facts)


_UPSTREAMS = {"tau2": _tau2, "bfcl": _bfcl, "seataubench": _seataubench}
