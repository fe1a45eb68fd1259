"""Fixtures of tests over the released artifacts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.benchmarks.downloads.pinned_data import pull
from dragoman.benchmarks.tau2.upstream_data import (
    derive_schemas,
    english_domain,
    source_folder,
    tau2_source,
)
from dragoman.composition.conditions.language_artifacts import english_side
from dragoman.curation.translation.discovery import translatable
from dragoman.curation.translation.segments import TranslatableDomain


@pytest.fixture(scope="session")
def pulled_tau2(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pulled data that has tau2-bench."""
    folder = tmp_path_factory.mktemp("pulled")
    local = data_folder / "tau2"
    if not local.is_dir():
        pytest.skip(f"{local} is absent: nothing to translate")
    pull(tau2_source(), source_folder(folder), derive=derive_schemas, from_dir=local)
    return folder


@pytest.fixture(scope="session")
def translatable_of(data_folder: Path, pulled_tau2: Path) -> Callable[[str], TranslatableDomain]:
    """Return a function that gives the translatable texts of a domain, as the fork has it."""
    released = data_folder / "seataubench"
    if not released.is_dir():
        pytest.skip(f"{released} is absent: the fork's English side is there")
    found: dict[str, TranslatableDomain] = {}

    def of(domain: str) -> TranslatableDomain:
        if domain not in found:
            english = english_domain(domain, pulled_tau2)
            found[domain] = translatable(english, english_side(english, str(released), pulled_tau2))
        return found[domain]

    return of
