"""Downloaded data of tau2-bench: the pinned source, derived tool schemas, and cached domains."""

import functools
import importlib.resources
from collections.abc import Mapping
from pathlib import Path

import msgspec

from dragoman.benchmarks.downloads.pinned_data import PinnedData, open_file
from dragoman.benchmarks.downloads.pinned_sources import Derived, PinnedSource, load_source
from dragoman.benchmarks.tau2.seataubench import RELEASE, domain_declarations
from dragoman.benchmarks.tau2.suite import (
    ALL_DOMAINS,
    DOMAINS,
    TOOL_FILES,
    DomainSuite,
    decode_tools,
)
from dragoman.benchmarks.tau2.tasks import decode_tasks
from dragoman.core.errors import DataError
from dragoman.core.language.translated_domains import EnglishDomain
from dragoman.core.protocols import Provenance
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.tools import Role

DOCSTRINGS = "_docstrings.json"
"""Ending of the names of files with docstrings."""


@functools.cache
def tau2_source() -> PinnedSource:
    """Return the pinned upstream of tau2-bench's English domains."""
    folder = importlib.resources.files("dragoman.benchmarks.tau2")
    return load_source(folder.joinpath("sources.toml").read_bytes())


def derive_schemas(
    entry: Derived, modules: Mapping[str, str]
) -> list[dict[str, object]] | dict[str, str]:
    """Return a toolkit's schemas, or its docstrings, from the texts of its modules.

    Args:
        entry: The file, which names its modules: the toolkit first, then its records.
        modules: Their texts by short name.

    Raises:
        DataError: If the modules do not have the expected form.
    """
    from dragoman.benchmarks.tau2.tool_schemas import tool_docstrings, tool_schemas

    toolkit, *models = entry.modules
    if entry.name.endswith(DOCSTRINGS):
        return tool_docstrings(modules[toolkit], where=toolkit)
    return tool_schemas(modules[toolkit], [modules[name] for name in models], where=toolkit)


HINT = "run `dragoman data pull tau2`"
DOCSTRING_FILES: Mapping[Role, str] = {
    "agent": f"tools{DOCSTRINGS}",
    "user": f"user_tools{DOCSTRINGS}",
}


class DownloadedSuite(DomainSuite):
    """A domain whose translations were released."""

    def __init__(self, domain: str, folder: Path, split: str) -> None:
        source = tau2_source()
        self._folder = folder
        self._domain_name = ALL_DOMAINS[domain].folder or domain
        super().__init__(
            f"tau2:{domain}",
            lambda name: _open(folder, f"{self._domain_name}/{name}"),
            Provenance(f"tau2-bench {source.commit}", source.licence, source.notice, ""),
            ALL_DOMAINS[domain],
            split,
        )

    def english(self) -> EnglishDomain:
        """Return the English side of its domain's artifacts, with the policy of its variant."""
        return msgspec.structs.replace(
            english_domain(self._domain_name, self._folder),
            toolsets=self.toolsets,
            policy_files=self._domain.policy_files,
            decode_tasks=super().english().decode_tasks,
        )


def load_downloaded_suite(domain: str, folder: Path, split: str = "base") -> DownloadedSuite:
    """Load a split of a domain from the folder of pulled data.

    Raises:
        DataError: If a file is missing or damaged; the message names the command that helps.
    """
    return DownloadedSuite(domain, folder, split)


def english_domain(name: str, folder: Path) -> EnglishDomain:
    """Return the English side of a domain's artifacts.

    Raises:
        DataError: If a file is missing or damaged; the message names the command that helps.
    """
    domain = DOMAINS[name]
    return EnglishDomain(
        name=name,
        toolsets={
            side: decode_tools(
                _open(folder, f"{name}/{TOOL_FILES[side]}"), kinds, f"{name}: {TOOL_FILES[side]}"
            )
            for side, kinds in domain.kinds.items()
        },
        files=lambda: _files(name, folder),
        databases=domain.databases,
        policy_files=domain.policy_files,
        compose_policy=domain.compose_policy,
        decode_tasks=lambda translated, where: decode_tasks(
            translated, f"tau2:{name}", domain, where
        ),
        release=RELEASE,
        source_root="data/tau2/domains",
        docstrings=lambda: {side: _docstrings(name, side, folder) for side in domain.kinds},
        declared=domain_declarations(name),
    )


def _docstrings(domain: str, side: Role, folder: Path) -> dict[str, str]:
    """Return the docstrings of a side's tools, with what they say of results and errors."""
    name = f"{domain}/{DOCSTRING_FILES[side]}"
    with TranslatedErrors(DataError, f"{name}: damaged"):
        return msgspec.json.decode(_open(folder, name), type=dict[str, str])


def _files(domain: str, folder: Path) -> dict[str, bytes]:
    """Return tau2-bench's files of a domain by name."""
    prefix = f"{domain}/"
    names = [
        file.name
        for file in tau2_source().files
        if file.kept and file.name.startswith(prefix) and file.name.count("/") == 1
    ]
    return {name.removeprefix(prefix): _open(folder, name) for name in names}


def _open(folder: Path, name: str) -> bytes:
    return open_file(source_folder(folder), tau2_source(), name, HINT)


def user_guidelines(folder: Path) -> tuple[str, str]:
    """Return the reference's guidelines for user simulators: without tools, and with tools."""
    without, with_tools = (
        _open(folder, f"user_simulator/{name}.md").decode("utf-8").strip()
        for name in ("simulation_guidelines", "simulation_guidelines_tools")
    )
    return without, with_tools


def source_folder(folder: Path) -> Path:
    """Return where the pinned files lie under the folder of pulled data."""
    return folder / "tau2" / tau2_source().commit[:12]


TAU2_DATA = PinnedData(tau2_source, source_folder, derive_schemas)
