"""Report sections of MM-tau-p2: on the personas of one run, and on all runs as the paper."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

from dragoman.core.conditions import EXPOSURE, NONE, UNEXPOSED
from dragoman.dataframes.results import stored_digests
from dragoman.papers.mm_tau.count_sources import RUBRIC
from dragoman.papers.mm_tau.figures import MmTauPage, mm_tau_page
from dragoman.papers.mm_tau.summary import mm_tau_summaries
from dragoman.report.capabilities import StoredResults
from dragoman.report.figure_spec import FigureSpec
from dragoman.report.text_tables import TextTable

if TYPE_CHECKING:
    import polars as pl


_MEASURES = frozenset({"critical", "effort", "recovery", "safety", RUBRIC})
"""The measures that these metrics need; without any of them the frame is empty."""

_OF_EACH_RUN = """
{% if drawings|selectattr("section", "equalto", key)|list %}
{% for entry in parts %}
{% if several %}<h3>{{ entry.run }}</h3>{% endif %}
{{ mm_tau(entry.part, "personas-" ~ loop.index) }}
{% endfor %}
{% endif %}
"""

_OF_ALL_RUNS = """
{% for entry in parts %}
{{ mm_tau(entry.part, "styled") }}
{% endfor %}
"""


class _MmTauSection:
    """A section in the layout of MM-tau-p2; its heading and layout are given."""

    def __init__(self, key: str, title: str, heading: str, layout: str) -> None:
        self.key = key
        self.title = title
        self.heading = heading
        self._layout = layout

    @cached_property
    def template(self) -> str:
        """Its layout, below the macros that it is made of."""
        macros = files("dragoman.papers.mm_tau") / "section.html.j2"
        return macros.read_text("utf-8") + self._layout

    def part(self, results: StoredResults) -> MmTauPage | None:
        """Return the metrics of a run; None where users are nobody and agents are given nothing."""
        conditions = {row.condition for row in results.rows}
        if all(each.persona == NONE and each.axis(EXPOSURE) == UNEXPOSED for each in conditions):
            return None
        digests, scoring = stored_digests(results.store), (results.rules, results.judge)
        return mm_tau_page(mm_tau_summaries(results.rows, digests, scoring), ())

    def figures(self, part: MmTauPage) -> Iterable[FigureSpec]:
        """Return its figures."""
        return part.drawings

    def tables(self, part: MmTauPage) -> Iterable[TextTable]:  # noqa: ARG002 - the layout has them
        """Return nothing: its layout has its tables."""
        return ()


class _PersonaSection(_MmTauSection):
    """The section on each run, with its data frame."""

    frame_names = ("mm_tau",)

    def frames(self, results: StoredResults) -> "Mapping[str, pl.DataFrame]":
        """Return the metrics, as far as what they are made of was counted."""
        from dragoman.papers.mm_tau.frames import mm_tau_frame

        counted = {entry.measure for row in results.rows for entry in row.measures}
        rows = () if _MEASURES.isdisjoint(counted) else results.rows
        digests, scoring = stored_digests(results.store), (results.rules, results.judge)
        return {"mm_tau": mm_tau_frame(mm_tau_summaries(rows, digests, scoring, definitions=None))}


PERSONAS = _PersonaSection("personas", "Personas", "Personas", _OF_EACH_RUN)
LEAD = _MmTauSection("mm-tau", "MM-τ-p²", "Metrics of MM-τ-p²", _OF_ALL_RUNS)
