import asyncio
from pathlib import Path

import aiohttp
import pytest

from dragoman.core.errors import UsageError
from dragoman.testing.world.server import WorldServer
from dragoman.testing.world.written import world_documents, write_documents


def test_documents_are_written_to_a_folder_and_again_without_harm(tmp_path: Path) -> None:
    names = write_documents(tmp_path / "new")
    assert names == write_documents(tmp_path / "new")
    assert {path.name for path in (tmp_path / "new").iterdir()} == set(names)
    assert "catalogue.md" in names


def test_a_file_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "catalogue.md").write_text("mine")
    with pytest.raises(UsageError, match="another content"):
        write_documents(tmp_path)
    assert (tmp_path / "catalogue.md").read_text() == "mine"


def test_the_server_has_the_documents_with_its_own_address() -> None:
    async def fetched() -> tuple[bytes, str]:
        async with (
            WorldServer() as server,
            aiohttp.ClientSession(server.origin) as session,
            session.get("/documents/br.yaml") as response,
        ):
            return await response.read(), server.origin

    content, origin = asyncio.run(fetched())
    assert content == world_documents(origin)["br.yaml"]
    assert origin.encode() in content
