"""The conversations of a run, filtered, in pages."""

from aiohttp import web

from dragoman.viewer.requests import PageRequest, Route

PER_PAGE = 50


def show(asked: PageRequest) -> web.Response:
    """List conversations."""
    run = asked.run()
    return asked.page("conversations.html.j2", run=run, cells=run.store.cells()[:PER_PAGE])


ROUTE = Route("/run/{run}/conversations", show)
