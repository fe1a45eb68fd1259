"""The style that pages of a report and of the viewer share."""

from importlib.resources import files


def stylesheet() -> str:
    """Return the report's style sheet."""
    return (files("dragoman.report") / "templates" / "report.css").read_text("utf-8")
