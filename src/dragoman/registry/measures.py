"""Registry of measures: built-in ones, those of other packages, and rubric files."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.measures import Measure
from dragoman.core.protocols import ChatModel
from dragoman.registry.chat_models import resolve_chat_model
from dragoman.registry.entry_points import find_entry_points, load_entry_point
from dragoman.registry.model_clients import ModelClients
from dragoman.scoring.measures.catalog import BUNDLED_MEASURES, EARLIER_MEASURES, MeasureSetup
from dragoman.scoring.measures.error_review import RUBRIC, ErrorsMeasure, error_rubric
from dragoman.scoring.measures.judged_measure import REPEAT, JudgedMeasure
from dragoman.scoring.measures.rubrics import bundled_rubrics, read_rubric
from dragoman.scoring.measures.safety import JudgedSafety

ENTRY_POINTS = "dragoman.measures"


class MeasureContext(msgspec.Struct, frozen=True):
    """The arguments that measures are made with.

    Attributes:
        scoring: The scorer of rewards, the rules and the risk profile.
        judges: The models that judge by rubrics; each gives a measure of its own.
        connections: The clients of the judging models.
        repeat: Number of times that each judge is asked.
        settles: Whether the judges also decide the cases that `safety` leaves undecided.
    """

    scoring: MeasureSetup
    judges: Sequence[str]
    connections: ModelClients | None = None
    repeat: int = 1
    settles: bool = False


def resolve_measures(names: Sequence[str], artifact_costs: MeasureContext) -> tuple[Measure, ...]:
    """Return the measures of those names, each once.

    Args:
        names: Names of `measure_names` and `rubric_names`, or files of rubrics,
            `NAME@VERSION.toml`.
        artifact_costs: The arguments that the measures are made with.

    Raises:
        UsageError: If a measure does not exist, lacks an extra, or has no judge.
        DataError: If a rubric cannot be read.
    """
    return tuple(each for name in dict.fromkeys(names) for each in _measures(name, artifact_costs))


def measure_names() -> dict[str, str]:
    """Return every measure's name with a line about it."""
    added = {entry.name: f"from {entry.value}" for entry in find_entry_points(ENTRY_POINTS)}
    return {**{name: entry.about for name, entry in BUNDLED_MEASURES.items()}, **added}


def earlier_measure_names() -> dict[str, str]:
    """Return the earlier versions of measures that are kept, each with a line about it."""
    return dict.fromkeys(EARLIER_MEASURES, "an earlier version, to compare with older figures")


def rubric_names() -> dict[str, str]:
    """Return the name of every bundled rubric with a line about it."""
    counting = {name: read_rubric(path).about for name, path in bundled_rubrics().items()}
    return {RUBRIC: error_rubric().about, **counting}


def require_rubric(name: str) -> None:
    """Raise UsageError for a name that is neither a bundled rubric nor the file of one.

    Raises:
        UsageError: For any other name.
    """
    shipped = (RUBRIC, *bundled_rubrics())
    if not name.endswith(".toml") and name not in shipped:
        raise UsageError(
            f"unknown rubric {name!r}: choose {', '.join(shipped)} or a NAME@VERSION.toml"
        )


def _measures(name: str, artifact_costs: MeasureContext) -> Sequence[Measure]:
    if name in BUNDLED_MEASURES:
        return _make_bundled_measures(name, artifact_costs)
    if name in EARLIER_MEASURES:
        return (EARLIER_MEASURES[name](artifact_costs.scoring),)
    if name.endswith(".toml"):
        return _make_judged_measures(Path(name), artifact_costs)
    if name == RUBRIC:
        return [ErrorsMeasure(*asked) for asked in _judge_runs(name, artifact_costs)]
    if name in bundled_rubrics():
        return _make_judged_measures(bundled_rubrics()[name], artifact_costs)
    for entry in find_entry_points(ENTRY_POINTS):
        if entry.name == name:
            return _make_plugin_measures(
                name, load_entry_point(entry, f"measure {name!r}"), artifact_costs
            )
    raise UsageError(
        f"unknown measure {name!r}: choose {', '.join(measure_names())} or a rubric.toml"
    )


def _make_bundled_measures(name: str, artifact_costs: MeasureContext) -> Sequence[Measure]:
    is_model = all("/" in judge for judge in artifact_costs.judges)
    if name != JudgedSafety.name or not artifact_costs.settles or not is_model:
        return (BUNDLED_MEASURES[name].make(artifact_costs.scoring),)
    risk_profile = artifact_costs.scoring.risk_profile
    return [
        JudgedSafety(risk_profile, model, version, f"{REPEAT}{time}" if time > 1 else "")
        for model, version, time in _judge_runs(name, artifact_costs)
    ]


def _make_plugin_measures(
    name: str, target: object, artifact_costs: MeasureContext
) -> Sequence[Measure]:
    if isinstance(target, Path):
        measures = _make_judged_measures(target, artifact_costs)
    else:
        measures = [cast("Measure", target() if isinstance(target, type) else target)]
    for measure in measures:
        if not callable(getattr(measure, "measure", None)):
            raise UsageError(
                f"measure {name!r}: its package gives neither a measure nor a rubric's path"
            )
        if measure.name != name:
            raise UsageError(
                f"measure {name!r}: its package calls it {measure.name!r}: use one name"
            )
    return measures


def _make_judged_measures(path: Path, artifact_costs: MeasureContext) -> Sequence[Measure]:
    """Return the measures of a rubric, one for each judge and repetition."""
    rubric = read_rubric(path)
    risk_profile = artifact_costs.scoring.risk_profile
    return [
        JudgedMeasure(rubric, *asked, risk_profile=risk_profile)
        for asked in _judge_runs(rubric.name, artifact_costs)
    ]


def _judge_runs(
    measure: str, artifact_costs: MeasureContext
) -> Sequence[tuple[ChatModel, str, int]]:
    """Return each judge with its identity, once for each time that it is asked."""
    if not all("/" in judge for judge in artifact_costs.judges):
        raise UsageError(f"measure {measure!r} needs a judge: name one with --judge PROVIDER/MODEL")
    models = [
        resolve_chat_model(judge, artifact_costs.connections) for judge in artifact_costs.judges
    ]
    return [
        (model, key[:8], time)
        for model, key in models
        for time in range(1, artifact_costs.repeat + 1)
    ]
