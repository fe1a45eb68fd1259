"""Catalog of leaderboard styles and report sections: ours and those of other packages."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from dragoman.core.errors import UsageError
from dragoman.registry.entry_points import find_entry_points, load_entry_point, load_object
from dragoman.report.capabilities import LeaderboardStyle, ReportSection

STYLE_ENTRY_POINTS = "dragoman.leaderboards"
SECTION_ENTRY_POINTS = "dragoman.report_sections"

BUNDLED_STYLES: Mapping[str, str] = {
    "bfcl": "dragoman.papers.bfcl.leaderboard:AGGREGATES",
    "bfcl-audio": "dragoman.papers.bfcl.leaderboard:AUDIO",
    "mm-tau-p2": "dragoman.papers.mm_tau.leaderboard:MM_TAU",
    "itc": "dragoman.papers.itc.leaderboard:ITC",
}
"""Styles that ship, in the order in which they are listed."""

BUNDLED_SECTIONS: Mapping[str, str] = {
    "voice": "dragoman.dataframes.voice_section:VOICE",
    "personas": "dragoman.papers.mm_tau.section:PERSONAS",
    "apis": "dragoman.papers.itc.section:APIS",
}
"""Sections that ship, in the order of the page."""


def find_style(name: str) -> LeaderboardStyle | None:
    """Return the style of that name; None if it does not exist.

    Raises:
        UsageError: If another package's style cannot be loaded or is invalid.
    """
    if name in BUNDLED_STYLES:
        return cast("LeaderboardStyle", load_object(BUNDLED_STYLES[name]))
    for entry in find_entry_points(STYLE_ENTRY_POINTS, name):
        found = load_entry_point(entry, f"leaderboard {name!r}")
        return _checked_style(name, entry.value, found)
    return None


def styles() -> Iterator[LeaderboardStyle]:
    """Yield all styles, those that ship first.

    Raises:
        UsageError: If another package's style cannot be loaded or is invalid.
    """
    added = (entry.name for entry in find_entry_points(STYLE_ENTRY_POINTS))
    for name in dict.fromkeys((*BUNDLED_STYLES, *added)):
        style = find_style(name)
        if style is not None:
            yield style


def sections() -> Iterator[ReportSection]:
    """Yield all sections in the order of the page, those that ship first.

    Raises:
        UsageError: If another package's section cannot be loaded or is invalid.
    """
    for place in BUNDLED_SECTIONS.values():
        yield cast("ReportSection", load_object(place))
    for entry in find_entry_points(SECTION_ENTRY_POINTS):
        if entry.name not in BUNDLED_SECTIONS:
            found = load_entry_point(entry, f"report section {entry.name!r}")
            yield _checked_section(entry.name, entry.value, found)


def _checked_style(name: str, place: str, found: object) -> LeaderboardStyle:
    style: Any = found() if isinstance(found, type) else found
    _require(f"leaderboard {name!r}", place, style, ("name", "about", "options", "endings", "make"))
    _require_name(f"leaderboard {name!r}", name, style.name)
    checked: LeaderboardStyle = style
    return checked


def _checked_section(name: str, place: str, found: object) -> ReportSection:
    section: Any = found() if isinstance(found, type) else found
    wanted = ("key", "title", "heading", "part", "figures", "tables")
    _require(f"report section {name!r}", place, section, wanted)
    _require_name(f"report section {name!r}", name, section.key)
    checked: ReportSection = section
    return checked


def _require(what: str, place: str, found: object, wanted: tuple[str, ...]) -> None:
    missing = [each for each in wanted if not hasattr(found, each)]
    if missing:
        raise UsageError(f"{what}: {place} lacks {', '.join(missing)}")


def _require_name(what: str, name: str, own: str) -> None:
    if own != name:
        raise UsageError(f"{what}: its package calls it {own!r}: use one name")
