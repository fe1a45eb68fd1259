"""The documents about the world's APIs, as files: what datasets are collected from."""

from pathlib import Path

from dragoman.benchmarks.itc.world.api_data import countries
from dragoman.benchmarks.itc.world.api_documents import (
    CATALOGUE,
    GONE,
    ORIGIN,
    render_catalogue,
    render_documents,
    render_gone_operations,
)
from dragoman.core.errors import UsageError


def world_documents(origin: str = ORIGIN) -> dict[str, bytes]:
    """Return what describes the APIs, by the names of the files.

    That is an OpenAPI document for each country, a catalogue in Markdown, and in the form of
    International Tool Calling what is gone.

    Args:
        origin: Scheme, host and port of the server that they name.
    """
    return {
        **render_documents(countries(), origin),
        CATALOGUE: render_catalogue(origin),
        GONE: render_gone_operations(origin),
    }


def write_documents(folder: Path, origin: str = ORIGIN) -> list[str]:
    """Write the documents to a folder, which is made; return the names of the files.

    Raises:
        UsageError: Where a file of that name is there with another content, or cannot be written.
    """
    made = world_documents(origin)
    for name, content in made.items():
        path = folder / name
        try:
            if path.exists() and path.read_bytes() != content:
                raise UsageError(f"{path}: is there already, with another content")
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from error
    return list(made)
