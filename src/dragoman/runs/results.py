"""A run's results as one JSON object."""

from collections.abc import Sequence

import msgspec

from dragoman.analysis.cells import CellSummary
from dragoman.core.scores import METRIC_VERSION
from dragoman.core.usage import total_usage


def results_object(run: str, cells: Sequence[CellSummary]) -> dict[str, object]:
    """Return what `run --json` ends with; figures are keyed by k, unknown is null."""
    usage = total_usage(entry for cell in cells for entry in cell.usage)
    return {
        "run": run,
        "cells": [_cell_object(cell) for cell in cells],
        "infrastructure_errors": sum(cell.infrastructure_errors for cell in cells),
        "usage": [msgspec.structs.asdict(entry) for entry in usage],
    }


def _cell_object(cell: CellSummary) -> dict[str, object]:
    figures = cell.result.figures
    return {
        "suite": cell.suite,
        "condition": cell.condition,
        "agent": cell.agent,
        "rules": cell.rules,
        "judge": cell.judge,
        "metric": METRIC_VERSION,
        "tasks": cell.result.tasks,
        "left_out": cell.result.left_out,
        "trials": cell.result.trials,
        "pass_hat": {str(figure.k): figure.value for figure in figures},
        "interval": {str(figure.k): msgspec.to_builtins(figure.interval) for figure in figures},
        "bounds": {str(figure.k): msgspec.to_builtins(figure.bounds) for figure in figures},
        "assumed": cell.assumed,
        "missing": cell.missing,
        "infrastructure_errors": cell.infrastructure_errors,
        "tool_errors": cell.tool_errors,
        "unscored": cell.unscored,
        "endings": cell.endings,
    }
