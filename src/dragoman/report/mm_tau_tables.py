"""The metrics of MM-tau-p2 as tables: a row for each metric, a column for each cell of the grid."""

from collections.abc import Iterator, Sequence

from dragoman.analysis.mm_tau.board import METRICS, SUCCESS, MmTauBoard, MmTauCell
from dragoman.analysis.mm_tau.metrics import Metric
from dragoman.core.conditions import NONE, UNEXPOSED
from dragoman.report.fitting import TextTable

MISSING = "-"

_ABOUT = (
    "values with their 95 % interval over tasks, and over how much they are taken (fields, errors, "
    "conversations, or tasks that are paired with text); every metric is defined in docs/mm_tau.md"
)


def mm_tau_tables(board: MmTauBoard) -> Iterator[TextTable]:
    """Yield a table for each suite, agent and setting."""
    groups: dict[tuple[str, ...], list[MmTauCell]] = {}
    for cell in board.cells:
        groups.setdefault((cell.suite, cell.agent, *cell.setting), []).append(cell)
    for names, cells in groups.items():
        yield TextTable(
            ("metric", *map(_heading, cells)),
            (
                *((name, *(_shown(cell.metrics[name]) for cell in cells)) for name in _NAMES),
                ("mm-tap", *(_number(cell.mm_tap) for cell in cells)),
                ("mm-tap, clipped", *(_number(cell.clipped) for cell in cells)),
            ),
            ", ".join(names),
            "; ".join((_ABOUT, *_missing(cells))),
        )


_NAMES = (SUCCESS, *METRICS)


def _heading(cell: MmTauCell) -> str:
    clarify = [] if cell.way.clarify == NONE else [f"clarify {cell.way.clarify}"]
    persona = [] if cell.persona == NONE else [cell.persona]
    exposure = [] if cell.exposure == UNEXPOSED else [f"p={cell.exposure}"]
    return " ".join((cell.way.name, *persona, *exposure, *clarify))


def _shown(metric: Metric) -> str:
    if metric.value is None:
        return MISSING
    lines = [f"{metric.value:.3f} of {metric.n:,g}"]
    if metric.interval is not None:
        lines.append(f"[{metric.interval.low:.3f}, {metric.interval.high:.3f}]")
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}"


def _missing(cells: Sequence[MmTauCell]) -> Iterator[str]:
    """Yield why metrics have no value, each reason once with the metrics that it is of."""
    reasons: dict[str, dict[str, None]] = {}
    for cell in cells:
        for name in _NAMES:
            if cell.metrics[name].value is None:
                reasons.setdefault(cell.metrics[name].why, {})[name] = None
    for why, names in reasons.items():
        yield f"no {', '.join(names)}: {why}"
    lacking = dict.fromkeys(", ".join(cell.lacks) for cell in cells if cell.lacks)
    for lacked in lacking:
        yield f"no mm-tap without {lacked}"
