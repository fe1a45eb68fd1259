"""The style that pages of a report and of the viewer share."""

from importlib.resources import files


def stylesheet() -> str:
    """Return the report's style sheet."""
    return _read("report.css")


def figure_style() -> str:
    """Return the style of figures; its colours are variables of the style sheet."""
    return _read("figure.css")


def _read(name: str) -> str:
    return (files("dragoman.report") / "templates" / name).read_text("utf-8")
