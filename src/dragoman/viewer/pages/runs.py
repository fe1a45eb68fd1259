"""The first page: all runs."""

from aiohttp import web

from dragoman.viewer.requests import PageRequest, Route


def show(asked: PageRequest) -> web.Response:
    """List the runs."""
    return asked.page("runs.html.j2", runs=asked.library.runs())


ROUTE = Route("/", show)
