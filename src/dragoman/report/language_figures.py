"""Figures of languages: drops against English, correlations, and consistency of language."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellName, Comparison
from dragoman.analysis.correlation import Columns, correlation
from dragoman.analysis.measure_metrics import MeasureRow, newest
from dragoman.core.conditions import ENGLISH, IN_ENGLISH, JOIN
from dragoman.core.tools import Role
from dragoman.report.figure_spec import Datum, FigureSpec, Section, distinct_names, file_name
from dragoman.report.summary_figures import GridCell, setting

_SCENARIOS = (IN_ENGLISH, "interaction", "tools", "domain")
_FEWEST_SPOKES = 3

_INTERVALS = "Whiskers are 95 % intervals over tasks."


def language_figures(
    cells: Sequence[GridCell], comparisons: Iterable[Comparison]
) -> Iterator[FigureSpec]:
    """Yield the language figures of runs with another language than English."""
    if all(cell.is_english for cell in cells):
        return
    compared = tuple(comparisons)
    for suite in distinct_names(cell.suite for cell in cells):
        own = [cell for cell in cells if cell.suite == suite]
        if not all(cell.is_english for cell in own):
            yield _bars(own, suite, "pass^1")
            yield from _loss_figures(own, suite, compared)
            yield from _falling(own, suite)
            yield from _radars(own, suite, "pass^1")
            if _rho_name(own):
                yield _bars(own, suite, _rho_name(own))
                yield from _radars(own, suite, _rho_name(own))
            yield from _shared_tools(own, suite)
    yield _map(cells)
    yield from _correlations(cells)


def datum_of(cell: GridCell, figure: str, place: str, series: str = "", column: str = "") -> Datum:
    """Return pass^1 of a cell, or its rho^q with the most trials."""
    if figure == "pass^1":
        first = cell.cell.result.figures[0]
        value, interval, tasks = first.value, first.interval, first.tasks
    else:
        last = cell.cell.rho[-1]
        value, interval, tasks = last.value, last.interval, last.solved
    why = (
        ""
        if value is not None
        else "no task is decided"
        if figure == "pass^1"
        else "no task was solved"
    )
    return Datum(place, value, interval, tasks, series, column, note=why, cell=cell.number)


def _rho_name(cells: Sequence[GridCell]) -> str:
    """Return the rho^q that all cells have; "" if a cell has a single trial."""
    powers = {cell.cell.rho[-1].q if cell.cell.rho else 0 for cell in cells}
    return f"rho^{powers.pop()}" if len(powers) == 1 and 0 not in powers else ""


def _of(figure: str) -> str:
    return "task" if figure == "pass^1" else "solved task"


def _about(figure: str) -> str:
    if figure == "pass^1":
        return "pass^1 is the share of trials that succeed."
    return (
        f"{figure} is pass^{figure[-1]} over pass^1: of what succeeds once, how much succeeds "
        "each time."
    )


def _bars(cells: Sequence[GridCell], suite: str, figure: str) -> FigureSpec:
    return FigureSpec(
        file_name("languages", figure, suite),
        "languages",
        "bars",
        f"{figure} by language, {suite}",
        f"{_about(figure)} {_INTERVALS}",
        tuple(
            datum_of(cell, figure, setting(cells, cell), cell.player)
            for cell in _order_cells(cells)
        ),
        axis=figure,
        of=_of(figure),
    )


def _order_cells(cells: Sequence[GridCell]) -> list[GridCell]:
    """Return English first, then language by language in the scenarios' order."""
    languages = distinct_names(cell.language for cell in cells)
    return sorted(
        cells,
        key=lambda cell: (
            not cell.is_english,
            languages.index(cell.language),
            _rank(cell.scenario),
        ),
    )


def _rank(scenario: str) -> int:
    return _SCENARIOS.index(scenario) if scenario in _SCENARIOS else len(_SCENARIOS)


def _loss_figures(
    cells: Sequence[GridCell], suite: str, comparisons: Sequence[Comparison]
) -> Iterator[FigureSpec]:
    """Yield the differences to English, paired by task."""
    named = {_name(cell): cell for cell in cells}
    order = {cell.number: place for place, cell in enumerate(_order_cells(cells))}
    found = []
    for each in comparisons:
        a, b = named.get(each.a), named.get(each.b)
        if a is None or b is None or a.is_english == b.is_english or not each.gaps:
            continue
        found.append((a, b, each) if a.is_english else (b, a, each))
    if not found:
        return
    data = tuple(
        _difference(setting(cells, other), other, each, sign=1 if each.b == _name(other) else -1)
        for _, other, each in sorted(found, key=lambda entry: order[entry[1].number])
    )
    yield FigureSpec(
        file_name("lost", "to", "english", suite),
        "languages",
        "bars",
        f"Drop vs. English, {suite}",
        "Difference of pass^1 to the same agent and condition in English, over the tasks that both "
        f"finished, in points. {_INTERVALS} An interval that contains 0 may be chance.",
        data,
        "points",
        "difference to English",
    )


def _difference(place: str, cell: GridCell, each: Comparison, *, sign: int) -> Datum:
    gap = each.gaps[0]
    ends = sorted((sign * gap.interval.low, sign * gap.interval.high))
    interval = type(gap.interval)(*ends)
    return Datum(
        place, sign * gap.difference, interval, len(each.pairs), cell.player, cell=cell.number
    )


def _name(cell: GridCell) -> CellName:
    return CellName(cell.run, cell.suite, cell.cell.condition, cell.cell.agent)


def _falling(cells: Sequence[GridCell], suite: str) -> Iterator[FigureSpec]:
    """Yield curves over scenarios for each agent.

    Scenarios range from English to the one in which everything possible is in a language.
    """
    scenarios = sorted({cell.scenario for cell in cells}, key=_rank)
    if len(scenarios) <= 2:  # noqa: PLR2004 - English and one other are in the bars
        return
    for player in distinct_names(cell.player for cell in cells):
        own = sorted(
            (cell for cell in cells if cell.player == player), key=lambda cell: _rank(cell.scenario)
        )
        languages = distinct_names(cell.language for cell in own if not cell.is_english)
        data = tuple(
            datum_of(cell, "pass^1", cell.scenario, language)
            for language in languages
            for cell in own
            if cell.is_english or cell.language == language
        )
        if data:
            yield FigureSpec(
                file_name("degradation", suite, player),
                "languages",
                "lines",
                f"Degradation from English, {suite}, {player}",
                "pass^1 as more is in the language, in the form of SEATauBench's Figure 3. "
                f"{_INTERVALS}",
                data,
            )


def _shared_tools(cells: Sequence[GridCell], suite: str) -> Iterator[FigureSpec]:
    """Yield figures over the number of languages that share the tools.

    They have the form of SEATauBench's Figure 6.
    """
    own = [cell for cell in cells if cell.is_english or _are_shared(cell)]
    if not any(map(_are_shared, own)):
        return
    own.sort(key=_tool_languages)
    for figure in filter(None, ("pass^1", _rho_name(own))):
        yield FigureSpec(
            file_name("tool-languages", figure, suite),
            "languages",
            "lines",
            f"{figure} over the number of languages of tools, {suite}",
            f"{_about(figure)} Tools are shared out to so many languages, English among them; 1 "
            "is English "
            f"alone. In the form of SEATauBench's Figure 6. {_INTERVALS}",
            tuple(_of_tools(own, cell, figure) for cell in own),
            axis=figure,
            along="languages of tools",
            of=_of(figure),
        )


def _are_shared(cell: GridCell) -> bool:
    """Return whether only a cell's tools are in several languages."""
    return cell.scenario == "tools" and JOIN in cell.language


def _tool_languages(cell: GridCell) -> int:
    return 1 if cell.is_english else len(cell.language.split(JOIN))


def _of_tools(cells: Sequence[GridCell], cell: GridCell, figure: str) -> Datum:
    """Return a place on an agent's curve; several mixes of one size have their own series."""
    alike = [
        each
        for each in cells
        if each.player == cell.player and _tool_languages(each) == _tool_languages(cell)
    ]
    seed = cell.cell.condition.axis("partition")
    mix = f", {cell.language} shared by {seed}" if len(alike) > 1 else ""
    languages = str(_tool_languages(cell))
    return msgspec.structs.replace(
        datum_of(cell, figure, languages, f"{cell.player}{mix}"), column=cell.language
    )


def _radars(cells: Sequence[GridCell], suite: str, figure: str) -> Iterator[FigureSpec]:
    """Yield a polygon for each agent over languages, in the form of SEATauBench's Figure 4."""
    for scenario in distinct_names(cell.scenario for cell in cells if not cell.is_english):
        own = [cell for cell in _order_cells(cells) if cell.is_english or cell.scenario == scenario]
        if len({cell.language for cell in own}) < _FEWEST_SPOKES:
            continue
        yield FigureSpec(
            file_name("radar", figure, suite, scenario),
            "languages",
            "radar",
            f"{figure} over languages, {suite}, {scenario}",
            f"{_about(figure)} In the form of SEATauBench's Figure 4; intervals are in its data.",
            tuple(datum_of(cell, figure, cell.language, cell.player) for cell in own),
            axis=figure,
            of=_of(figure),
        )


def _map(cells: Sequence[GridCell]) -> FigureSpec:
    """Return languages by domains (and agents where there are several)."""
    has_agents = len({cell.player for cell in cells}) > 1
    return FigureSpec(
        "map-of-languages-and-domains",
        "languages",
        "heat",
        "pass^1 by language and domain",
        "pass^1 in percent and over how many tasks, in the form of SEATauBench's Figure 4.",
        tuple(
            datum_of(
                *(cell, "pass^1", setting(cells, cell)),
                column=f"{cell.suite}, {cell.player}" if has_agents else cell.suite,
            )
            for cell in _order_cells(cells)
        ),
    )


def _correlations(cells: Sequence[GridCell]) -> Iterator[FigureSpec]:
    """Yield figures of Pearson's r between languages, with the pairs that it rests on.

    They show whether the results in one language predict those in another.
    """
    rho = _rho_name(cells)
    languages = distinct_names(cell.language for cell in _order_cells(cells))
    first = _columns(cells, languages, "pass^1")
    last = _columns(cells, languages, rho) if rho else {}
    data = tuple(
        datum
        for at, a in enumerate(languages)
        for place, b in enumerate(languages)
        if (
            datum := _correlation_datum(
                a, b, first if at <= place else last, "pass^1" if at <= place else rho
            )
        )
    )
    if any(datum.value is not None for datum in data if datum.place != datum.column):
        below = f", below it {rho}" if rho else ""
        yield FigureSpec(
            "correlation-of-languages",
            "languages",
            "heat",
            "Correlation of results between languages",
            "Pearson's r of languages over agents, scenarios and domains: above the diagonal "
            f"pass^1{below}, in "
            "the form of SEATauBench's Figure 8. n is the number of pairs; r needs at least "
            "three, and means little with few. Pairs that share an agent or a domain "
            "are not independent.",
            data,
            "r",
            "Pearson's r",
            of="pair",
        )


def _columns(cells: Sequence[GridCell], languages: Sequence[str], figure: str) -> Columns:
    """Return the figures of each language, over agents, scenarios and domains."""
    entries = distinct_entries(cells)
    values = {
        (cell.language, cell.suite, cell.scenario, cell.player): datum_of(cell, figure, "").value
        for cell in cells
    }
    return {
        language: [
            values.get((language, suite, IN_ENGLISH if language == ENGLISH else scenario, player))
            for suite, scenario, player in entries
        ]
        for language in languages
    }


def distinct_entries(cells: Iterable[GridCell]) -> tuple[tuple[str, str, str], ...]:
    """Return domains, scenarios and agents that were played in another language."""
    return tuple(
        dict.fromkeys(
            (cell.suite, cell.scenario, cell.player) for cell in cells if not cell.is_english
        )
    )


def _correlation_datum(a: str, b: str, columns: Columns, series: str) -> Datum | None:
    if not columns:
        return None
    found = correlation(columns[a], columns[b])
    why = "" if found.r is not None else "fewer than three pairs, or one that does not vary"
    return Datum(a, found.r, None, found.n, series, b, note=why)


_LANGUAGES: Section = "languages"
_MEASURE = "language"
_KEPT = "in its language"
_LAST_TURN = 24
"""The last shown turn; few conversations reach later ones, and the paper stops here."""

_FEWEST_TURNS = 5

Measures = Mapping[int, Sequence[MeasureRow]]
"""The figures of measures by the number of their cell."""

Played = Mapping[int, Sequence[ConversationResult]]
"""Conversations by the number of their cell."""


def language_consistency_figures(
    cells: Sequence[GridCell], measures: Measures, played: Played
) -> Iterator[FigureSpec]:
    """Yield the figures of the measure `language`; none where it was not counted."""
    other = [
        cell for cell in cells if not cell.is_english and _find_measure_row(measures, cell, "agent")
    ]
    if not other:
        return
    yield from _correct(cells, other, measures)
    yield from _drift(cells, other, played)
    yield from _retention_success_figure(other, measures)


def _find_measure_row(
    measures: Measures, cell: GridCell, side: Role, figure: str = _KEPT
) -> MeasureRow | None:
    rows = (row for row in measures.get(cell.number, ()) if row.measure == _MEASURE)
    found = next((row for row in rows if (row.part, row.figure) == (side, figure)), None)
    return found if found is not None and found.value is not None else None


def _correct(
    cells: Sequence[GridCell], other: Sequence[GridCell], measures: Measures
) -> Iterator[FigureSpec]:
    for name, figure, title, caption in (
        (
            "kept",
            _KEPT,
            "Turns of the agent in the language",
            "in the form of SEATauBench's Figure 9",
        ),
        ("english", "English", "Turns of the agent in English", "after SEATauBench's Figure 11"),
    ):
        yield FigureSpec(
            f"language-{name}",
            _LANGUAGES,
            "bars",
            title,
            f"Of turns that a detector can tell the language of, {caption}. {_INTERVALS}",
            tuple(
                Datum(
                    f"{cell.suite}, {setting(cells, cell)}",
                    *(found.value, found.interval, found.n, cell.player),
                    cell=cell.number,
                )
                for cell in other
                if (found := _find_measure_row(measures, cell, "agent", figure)) is not None
            ),
            axis="turns",
            of="turn",
        )


def _drift(
    cells: Sequence[GridCell], other: Sequence[GridCell], played: Played
) -> Iterator[FigureSpec]:
    data: list[Datum] = []
    for place in distinct_names(setting(cells, cell) for cell in other):
        rows = [
            row
            for cell in other
            if setting(cells, cell) == place
            for row in played.get(cell.number, ())
        ]
        for side in ("agent", "user"):
            data += _positions(rows, side, f"{place}, {side}")
    if data:
        yield FigureSpec(
            "language-drift",
            _LANGUAGES,
            "lines",
            "Turns in another language, by turn",
            "The share of turns that are not in the language, by the turn of that side in the "
            "conversation, in the "
            f"form of SEATauBench's Figure 10; turns after {_LAST_TURN} and those that fewer than "
            f"{_FEWEST_TURNS} "
            "conversations reached are excluded.",
            tuple(data),
            axis="turns in another language",
            along="turn of the side",
            of="turn",
        )


def _positions(rows: Iterable[ConversationResult], side: Role, series: str) -> Iterator[Datum]:
    turns: Counter[int] = Counter()
    wrong: Counter[int] = Counter()
    for row in rows:
        for entry in newest(row.measures):
            if entry.measure == _MEASURE:
                said = [found for found in entry.evidence if found.subject == side]
                for at, found in enumerate(said, 1):
                    turns[at] += int(found.counts.get(f"{side} turns", 0))
                    wrong[at] += int(found.counts.get(f"{side} wrong", 0))
    for at in sorted(turns):
        if at <= _LAST_TURN and turns[at] >= _FEWEST_TURNS:
            yield Datum(str(at), wrong[at] / turns[at], None, turns[at], series)


def _retention_success_figure(
    other: Sequence[GridCell], measures: Measures
) -> Iterator[FigureSpec]:
    points = [
        (cell, kept.value, cell.cell.result.figures[-1])
        for cell in other
        if (kept := _find_measure_row(measures, cell, "agent")) is not None
        and cell.cell.result.figures[-1].value is not None
    ]
    found = correlation([kept for _, kept, _ in points], [last.value for _, _, last in points])
    if found.r is None:
        return
    power = max(last.k for _, _, last in points)
    yield FigureSpec(
        "language-and-success",
        _LANGUAGES,
        "scatter",
        f"Language consistency and pass^{power}",
        "A dot for each cell in another language, in the form of SEATauBench's Figure 7. "
        f"Pearson's r is {found.r:+.2f}, "
        f"R² {found.r_squared:.2f}, over {found.n} cells.",
        tuple(
            Datum(
                *(cell.cell.condition.label, last.value, last.interval, last.tasks, cell.player),
                x=kept,
                cell=cell.number,
            )
            for cell, kept, last in points
        ),
        axis=f"pass^{power}",
        along="share of the agent's turns in the language",
    )
