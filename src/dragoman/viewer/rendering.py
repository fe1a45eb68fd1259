"""Page requests, routes and rendering of templates.

All values in a template are escaped, and control characters are written out.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import msgspec
from aiohttp import web

from dragoman.core.texts.characters import escape_controls
from dragoman.report import formatting
from dragoman.report.first_screen import example_words, heat_level
from dragoman.report.html_parts import percent
from dragoman.report.labels import axis_value, cause_words, source_meaning, stage_name
from dragoman.report.overview import basis, points_of
from dragoman.viewer.json_markup import json_markup
from dragoman.viewer.open_runs import Library, OpenedRun

if TYPE_CHECKING:
    import jinja2


MAX_TEXT = 200_000
"""Characters of one text that are written out; what is cut is said."""

SHARED = frozenset({"first_screen.html.j2"})
"""Templates of the report that pages use."""


def render(template: str, **values: object) -> str:
    """Return the text of a page."""
    return templates().get_template(template).render(**values)


def prepare() -> None:
    """Read all templates at the start; later this would slow down the first pages."""
    environment = templates()
    for name in (*_template_names(files("dragoman.viewer") / "templates"), *SHARED):
        environment.get_template(name)


def _template_names(folder: Traversable, within: str = "") -> Iterator[str]:
    for place in folder.iterdir():
        if place.is_dir():
            yield from _template_names(place, f"{within}{place.name}/")
        elif place.name.endswith(".j2"):
            yield f"{within}{place.name}"


@cache
def templates() -> "jinja2.Environment":
    """Return the templates of the pages, with their filters."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FunctionLoader(_template),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_sanitize_value,
    )
    environment.globals.update(
        wording=formatting,
        points_of=points_of,
        basis=basis,
        heat_level=heat_level,
        example_words=example_words,
        source_meaning=source_meaning,
    )
    environment.filters.update(
        number=formatting.number,
        interval=formatting.interval,
        share=formatting.share,
        difference=formatting.difference,
        signed_interval=formatting.signed_interval,
        p_value=formatting.p_value,
        money=formatting.money,
        duration=formatting.duration,
        cut=formatting.truncate_text,
        data=lambda text, most: json_markup(text, formatting.truncate_text(text, most)),
        part=lambda text: quote(text, safe=""),
        moment=_moment,
        day=_day,
        percent=percent,
        stage_name=stage_name,
        axis_value=axis_value,
        cause_words=lambda text: cause_words("fail", text),
    )
    return environment


def _moment(seconds: float) -> str:
    """Return a time in the local time zone, to the minute."""
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().isoformat(" ", "minutes")[:16]
    except (ValueError, OverflowError, OSError):
        return formatting.UNKNOWN


def _day(seconds: float) -> str:
    """Return a time in the local time zone with the month in letters, to the minute."""
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%d %b %Y, %H:%M")
    except (ValueError, OverflowError, OSError):
        return formatting.UNKNOWN


def _template(name: str) -> str:
    package = "dragoman.report" if name in SHARED else "dragoman.viewer"
    return (files(package) / "templates" / name).read_text("utf-8")


def _sanitize_value(value: object) -> object:
    if type(value) is not str:  # markup is our own
        return value
    if len(value) <= MAX_TEXT:
        return escape_controls(value)
    cut = formatting.format_count(len(value) - MAX_TEXT, "character")
    return f"{escape_controls(value[:MAX_TEXT])} … {cut} cut"


class PageRequest(msgspec.Struct, frozen=True):
    """A request for a page.

    Attributes:
        library: The runs that are shown.
        path: The path of the address.
        names: The parts of the address that the page's route names.
        query: The query: all values by name.
        now: The current time, in seconds since 1970.
    """

    library: Library
    path: str
    names: Mapping[str, str]
    query: Mapping[str, tuple[str, ...]]
    now: float

    def first(self, name: str) -> str:
        """Return the first value of a name in the query; "" if there is none."""
        return next(iter(self.query.get(name, ())), "")

    def run(self) -> OpenedRun:
        """Return the run that the address names in `{run}`.

        Raises:
            HTTPNotFound: If the run does not exist.
        """
        return self.run_named(self.names["run"])

    def run_named(self, name: str) -> OpenedRun:
        """Return a run by its name in addresses.

        Raises:
            HTTPNotFound: If the run does not exist.
        """
        found = self.library.find(name)
        if found is None:
            raise web.HTTPNotFound(text="No run has this name.")
        return found

    def page(self, template: str, **values: object) -> web.Response:
        """Return a page made of a template and values."""
        text = render(template, path=self.path, **values)
        return web.Response(text=text, content_type="text/html", charset="utf-8")


Answer = Callable[[PageRequest], web.StreamResponse]
"""A function that answers a request in a thread that reads runs.

It may read its own stores, and must not wait for anything.
"""


def _named_run(asked: PageRequest) -> tuple[OpenedRun, ...]:
    """Return the run that the address names in `{run}`, if it exists."""
    found = asked.library.find(asked.names["run"])
    return () if found is None else (found,)


class Route(NamedTuple):
    """A page.

    Attributes:
        route: Its route, such as `/run/{run}`.
        answer: The function that answers.
        runs: A function that returns the runs that a request depends on; the page is the same as
            long as these do not change. Without a run the page is never kept.
        is_text: Whether the answer is a text, that several readers can get.
    """

    route: str
    answer: Answer
    runs: Callable[[PageRequest], tuple[OpenedRun, ...]] = _named_run
    is_text: bool = True
