"""Small assets: a folder of literal files, and a literal English side."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dragoman.benchmarks.tau2.seataubench import domain_declarations
from dragoman.conditions.language.artifacts import AssetFolder
from dragoman.conditions.language.lint.assets import EnglishAssets, Found, LanguageAssets
from dragoman.core.tools import Role, Toolset

Files = Mapping[str, object]
Make = Callable[..., LanguageAssets]
Codes = Callable[[Found], list[tuple[str, str, int]]]


def written(content: object) -> bytes:
    """Return a file's bytes: text as it is, anything else as JSON."""
    return content.encode() if isinstance(content, str) else json.dumps(content).encode()


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Make a language's artifacts of retail from files by name."""

    def call(  # noqa: PLR0913, PLR0917 - what may be chosen, all by keyword
        files: Files = {},  # noqa: B006 - never changed
        english: Files = {},  # noqa: B006 - never changed
        tools: Toolset | None = None,
        hashes: Mapping[str, str] = {},
        domain: str = "retail",
        name: str | None = None,
    ) -> LanguageAssets:
        folder = tmp_path / domain / "id"
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            (folder / path).write_bytes(written(content))
        sides: dict[Role, Toolset] = {} if tools is None else {"agent": tools}
        side = EnglishAssets(
            declared=domain_declarations(domain),
            files={path: written(content) for path, content in english.items()},
            toolsets=sides,
            hashes=dict(hashes),
        )
        return LanguageAssets(domain, "id", AssetFolder(folder), side, name)

    return call


@pytest.fixture
def codes() -> Codes:
    """Return code, place (or file) and count of the findings."""

    def call(found: Found) -> list[tuple[str, str, int]]:
        return [(each.code, each.place or each.path, each.count) for each in found]

    return call
