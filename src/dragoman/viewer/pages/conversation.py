"""One conversation."""

import re

from aiohttp import web

from dragoman.core.episodes import Episode
from dragoman.viewer.opened import OpenedRun
from dragoman.viewer.requests import PageRequest, Route

_KEY = re.compile(r"(?:[0-9a-f]{2}){1,64}")


def show(asked: PageRequest) -> web.Response:
    """Show a conversation."""
    run = asked.run()
    key = asked.names["key"]
    return asked.page("conversation.html.j2", run=run, key=key, episode=episode_at(run, key))


def episode_at(run: OpenedRun, key: str) -> Episode:
    """Return the last attempt at a cell.

    Raises:
        HTTPNotFound: Where the run has no such cell, or it was not played yet.
    """
    found = run.store.episode(key) if _KEY.fullmatch(key) else None
    if found is None:
        raise web.HTTPNotFound(text="This run has no such conversation, or it was not played yet.")
    return found


ROUTE = Route("/run/{run}/conversation/{key}", show)
