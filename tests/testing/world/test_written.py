import asyncio
from pathlib import Path

import aiohttp
import pytest

from dragoman.core.errors import UsageError
from dragoman.testing.itc_server import SimulatedApiServer, render_api_files, write_documents


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


@pytest.mark.parametrize("page", ["/documents/br.yaml", "/br"])
def test_the_server_has_the_documents_with_its_own_address(page: str) -> None:
    async def fetched() -> tuple[bytes, str]:
        async with (
            SimulatedApiServer() as server,
            aiohttp.ClientSession(server.origin) as session,
            session.get(page) as response,
        ):
            return await response.read(), server.origin

    content, origin = asyncio.run(fetched())
    assert content == render_api_files(origin)["br.yaml"]
    assert origin.encode() in content


def test_the_first_page_lists_the_documents() -> None:
    async def fetched() -> str:
        async with (
            SimulatedApiServer() as server,
            aiohttp.ClientSession(server.origin) as session,
            session.get("/") as response,
        ):
            return (await response.text()).replace(server.origin, "")

    listed = asyncio.run(fetched()).splitlines()
    assert listed == [f"/documents/{name}" for name in render_api_files()]
