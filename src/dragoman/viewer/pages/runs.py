"""The first page: all runs."""

from datetime import UTC, datetime

import msgspec
from aiohttp import web

from dragoman.core.errors import DragomanError
from dragoman.runs.jobs import read_manifest
from dragoman.viewer.opened import OpenedRun
from dragoman.viewer.requests import PageRequest, Route
from dragoman.wiring.agents.agent_names import specs_of


class _Line(msgspec.Struct, frozen=True):
    """A run in the list; `problem` says why nothing more is known of it."""

    name: str
    title: str
    suite: str = ""
    agents: tuple[str, ...] = ()
    created: str = ""
    planned: int = 0
    stored: int = 0
    problem: str = ""


def show(asked: PageRequest) -> web.Response:
    """List the runs, the newest first."""
    lines = [_line(run) for run in asked.library.runs()]
    return asked.page(
        "runs.html.j2", runs=sorted(lines, key=lambda line: line.created, reverse=True)
    )


def _line(run: OpenedRun) -> _Line:
    try:
        manifest = read_manifest(run.store)
        planned, stored = run.store.counts()
    except DragomanError as error:
        return _Line(run.name, run.title, problem=str(error))
    created = datetime.fromtimestamp(manifest.created, UTC).astimezone()
    return _Line(
        name=run.name,
        title=run.title,
        suite=manifest.config.suite,
        agents=tuple(specs_of(manifest.config.agents)),
        created=created.isoformat(" ", "minutes"),
        planned=planned,
        stored=stored,
    )


ROUTE = Route("/", show)
