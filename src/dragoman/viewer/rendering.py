"""Templates: everything that is put into one is escaped, and no text steers the page."""

from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import quote

from dragoman.core.texts.visible import visible
from dragoman.report import wording

if TYPE_CHECKING:
    import jinja2

MAX_TEXT = 200_000
"""Characters of one text that are written out; what is cut is said."""


def render(template: str, **values: object) -> str:
    """Return the text of a page."""
    return _environment().get_template(template).render(**values)


def prepare() -> None:
    """Read all templates: later it would take a page's time, with an index being made beside it."""
    environment = _environment()
    for place in (files("dragoman.viewer") / "templates").iterdir():
        if place.name.endswith(".j2"):
            environment.get_template(place.name)


@cache
def _environment() -> "jinja2.Environment":
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FunctionLoader(_template),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    environment.globals.update(wording=wording)
    environment.filters.update(
        number=wording.number,
        interval=wording.interval,
        share=wording.share,
        difference=wording.difference,
        signed_interval=wording.signed_interval,
        p_value=wording.p_value,
        money=wording.money,
        duration=wording.duration,
        cut=wording.shortened,
        part=lambda text: quote(text, safe=""),
        moment=_moment,
    )
    return environment


def _moment(seconds: float) -> str:
    """Return a moment as people here write it, to the minute."""
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().isoformat(" ", "minutes")[:16]
    except (ValueError, OverflowError, OSError):
        return wording.UNKNOWN


def _template(name: str) -> str:
    return (files("dragoman.viewer") / "templates" / name).read_text("utf-8")


def _shown(value: object) -> object:
    if type(value) is not str:  # markup is our own
        return value
    if len(value) <= MAX_TEXT:
        return visible(value)
    cut = wording.counted(len(value) - MAX_TEXT, "character")
    return f"{visible(value[:MAX_TEXT])} … {cut} cut"
