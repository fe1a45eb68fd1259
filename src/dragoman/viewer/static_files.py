"""Style and scripts: what is in the package, read once; an address only chooses among their names."""

from functools import cache
from importlib.resources import files

from aiohttp import web

from dragoman.report.style import stylesheet

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


async def static_file(request: web.Request) -> web.Response:
    """Return a file of the viewer's own.

    Raises:
        HTTPNotFound: Where it has none of this name.
    """
    found = _contents().get(request.match_info["name"])
    if found is None:
        raise web.HTTPNotFound(text="There is no such file.")
    kind, content = found
    return web.Response(body=content, content_type=kind, charset="utf-8")


@cache
def _contents() -> dict[str, tuple[str, bytes]]:
    own = {
        entry.name: entry.read_bytes()
        for entry in (files("dragoman.viewer") / "static").iterdir()
        if entry.is_file()
    }
    named = {"report.css": stylesheet().encode(), **own}
    return {
        name: (TYPES[ending], content)
        for name, content in named.items()
        for ending in TYPES
        if name.endswith(ending)
    }
