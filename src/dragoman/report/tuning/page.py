"""What trainings bought as one HTML file that opens without a server and fetches nothing."""

import base64
import hashlib
from importlib.resources import files

from dragoman.analysis.contrasts.tuning import TuningBoard
from dragoman.core.texts.visible import visible
from dragoman.report import panels, wording
from dragoman.report.tuning.charts import tuning_charts
from dragoman.report.tuning.tables import tuning_tables


def tuning_page(board: TuningBoard, title: str) -> str:
    """Return the page: charts, then tables, then what it was made of. No script runs in it."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FunctionLoader(_resource),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.globals.update(wording=wording)
    environment.filters.update(
        share=wording.share,
        difference=wording.difference,
        signed_interval=wording.signed_interval,
        p_value=wording.p_value,
        percent=panels.percent,
        signed_percent=panels.signed_percent,
    )
    style = _resource("report.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("tuning.html.j2").render(
        title=title,
        charts=tuning_charts(board),
        tables=tuple(tuning_tables(board)),
        facts=board.facts,
        policy=f"default-src 'none'; style-src 'sha256-{digest}'",
        style=Markup(style),  # noqa: S704 - our own file
    )


def _resource(name: str) -> str:
    return (files("dragoman.report") / "templates" / name).read_text("utf-8")
