"""SEATauBench: tau2-bench's domains in South-East Asian languages and Chinese, as released.

Upstream lacks two files: the hashes of the English sources, and the English tool schemas. Facts
that the artifacts leave out are declared by domain, in one TOML file each.
"""

import functools
import importlib.resources
from collections.abc import Mapping
from pathlib import Path

import msgspec

from dragoman.benchmarks.downloads.pinned_data import PinnedData, open_file
from dragoman.benchmarks.downloads.pinned_sources import Derived, PinnedSource, load_source
from dragoman.benchmarks.kit.suite_translations import decode_declarations
from dragoman.core.errors import DataError
from dragoman.core.language.translated_domains import SOURCE_HASHES, DomainDeclarations


@functools.cache
def domain_declarations(domain: str) -> DomainDeclarations:
    """Return what is declared of a domain of tau2-bench."""
    folder = (
        importlib.resources.files("dragoman.benchmarks.tau2") / "seataubench_data" / "declarations"
    )
    return decode_declarations(
        (folder / f"{domain}.toml").read_bytes(), f"the declarations of {domain}"
    )


@functools.cache
def seataubench_source() -> PinnedSource:
    """Return the pinned upstream of the artifacts in its five languages other than English."""
    return load_source(_read_bundled_file("sources.toml"))


def derive_facts(entry: Derived, modules: Mapping[str, str]) -> dict[str, str] | None:
    """Return the hashes of sources; None for the English schemas, which only copies hold.

    Args:
        entry: The file.
        modules: Unused: nothing is read from upstream's modules.
    """
    del modules
    if entry.name != SOURCE_HASHES:
        return None
    return msgspec.toml.decode(_read_bundled_file("source_hashes.toml"), type=dict[str, str])


def adopt_facts(entry: Derived, copy: object) -> object:
    """Return a derived file as we keep it from a copy that says more.

    Raises:
        DataError: If the copy has neither layout.
    """
    try:
        if entry.name == SOURCE_HASHES:
            return _known_hashes(msgspec.convert(copy, dict[str, object]))
        return msgspec.convert(copy, _Artifacts).artifacts
    except msgspec.ValidationError as error:
        raise DataError(f"{entry.name}: {error}") from error


def source_folder(folder: Path) -> Path:
    """Return where the pinned files lie under the folder of pulled data."""
    return folder / "seataubench" / seataubench_source().commit[:12]


class _Artifacts(msgspec.Struct):
    artifacts: dict[str, dict[str, object]]


def _known_hashes(copy: Mapping[str, object]) -> dict[str, str]:
    """Return the hashes of a copy that groups them by kind, without domains that are not pinned."""
    groups = (part for part in copy.values() if isinstance(part, dict))
    hashes = {path: str(digest) for group in groups for path, digest in group.items()}
    return {path: hashes[path] for path in sorted(hashes) if "/mock/" not in path}


def _read_bundled_file(name: str) -> bytes:
    return (
        importlib.resources.files("dragoman.benchmarks.tau2")
        .joinpath("seataubench_data", name)
        .read_bytes()
    )


class SeaTauBench:
    """The released artifacts of tau2-bench's domains."""

    name = "seataubench"

    def folder(self, data: Path) -> Path:
        """Return where they lie under the folder of pulled data."""
        return source_folder(data)

    def require_undamaged(self, prefix: str, data: Path) -> None:
        """Check the pulled files below a path against their pins.

        Raises:
            DataError: If a file is damaged, or a pinned file is missing.
        """
        source, target = seataubench_source(), source_folder(data)
        hint = f"run `dragoman data pull {self.name}`"
        for file in source.files:
            if file.name.startswith(prefix):
                open_file(target, source, file.name, hint)


RELEASE = SeaTauBench()

SEATAUBENCH_DATA = PinnedData(seataubench_source, source_folder, derive_facts, adopt_facts)
