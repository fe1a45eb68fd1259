"""What a run found, in one glance."""

from aiohttp import web

from dragoman.viewer.requests import PageRequest, Route


def show(asked: PageRequest) -> web.Response:
    """Show a run."""
    run = asked.run()
    return asked.page("overview.html.j2", run=run, planned=len(run.store.cells()))


ROUTE = Route("/run/{run}", show)
