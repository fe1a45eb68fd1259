"""Report section that compares voices with text."""

from collections.abc import Iterable

from dragoman.analysis.voice_summary import VoiceSummary
from dragoman.dataframes.leaderboard import run_voice_summary
from dragoman.report.capabilities import StoredResults
from dragoman.report.figure_spec import FigureSpec
from dragoman.report.text_tables import TextTable
from dragoman.report.voice import voice_figures, voice_tables

_LAYOUT = """\
{{ section(key, drawings) }}
{% for entry in parts %}
{% if several %}<h3>{{ entry.run }}</h3>{% endif %}
<p class="fine">The same as tables. Rules {{ entry.part.rules }}, judge {{ entry.part.judge }}.</p>
{% for table in entry.tables %}
{{ texts(table) }}
{% endfor %}

{% endfor %}
"""


class _VoiceSection:
    """Section that compares text with every recognizer and with agents that receive audio."""

    key = "voice"
    title = "Voice"
    heading = "Voice"
    template = _LAYOUT

    def part(self, results: StoredResults) -> VoiceSummary | None:
        """Return the summary of the run's input modes; None if nobody spoke in it."""
        return run_voice_summary(results.store, results.rules, results.judge, results.rows)

    def figures(self, part: VoiceSummary) -> Iterable[FigureSpec]:
        """Return its figures."""
        return voice_figures(part)

    def tables(self, part: VoiceSummary) -> Iterable[TextTable]:
        """Return its tables."""
        return voice_tables(part)


VOICE = _VoiceSection()
