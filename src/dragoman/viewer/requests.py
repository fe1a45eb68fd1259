"""What a page is asked, and how pages are listed."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec
from aiohttp import web

from dragoman.viewer.library import Library
from dragoman.viewer.opened import OpenedRun
from dragoman.viewer.rendering import render


class PageRequest(msgspec.Struct, frozen=True):
    """A request for a page.

    Attributes:
        library: The runs that are shown.
        path: The address without what stands after the question mark.
        names: The parts of the address that the page's route names.
        query: What stands after the question mark: all values by name.
        now: When, in seconds since 1970.
    """

    library: Library
    path: str
    names: Mapping[str, str]
    query: Mapping[str, tuple[str, ...]]
    now: float

    def first(self, name: str) -> str:
        """Return the first value of a name after the question mark; "" where there is none."""
        return next(iter(self.query.get(name, ())), "")

    def run(self) -> OpenedRun:
        """Return the run that the address names in `{run}`.

        Raises:
            HTTPNotFound: Where there is none.
        """
        return self.run_named(self.names["run"])

    def run_named(self, name: str) -> OpenedRun:
        """Return a run by its name in addresses.

        Raises:
            HTTPNotFound: Where there is none.
        """
        found = self.library.find(name)
        if found is None:
            raise web.HTTPNotFound(text="There is no run of this name here.")
        return found

    def page(self, template: str, **values: object) -> web.Response:
        """Return a page made of a template and values."""
        text = render(template, path=self.path, **values)
        return web.Response(text=text, content_type="text/html", charset="utf-8")


Answer = Callable[[PageRequest], web.StreamResponse]
"""Answers in a thread that reads runs: it may read its own stores, and must not wait for anything."""


class Route(NamedTuple):
    """A page: its route, such as `/run/{run}`, and what answers."""

    route: str
    answer: Answer
