"""What a run was played with, as labels and values."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from dragoman.core.measures import MeasureResult
from dragoman.core.scores import NO_JUDGE
from dragoman.runs.jobs import Manifest
from dragoman.tables.caveats import described_users


def facts_of(
    manifest: Manifest,
    users: dict[str, str],
    scoring: tuple[str, str],
    measures: Iterable[MeasureResult] = (),
) -> tuple[tuple[str, str], ...]:
    """Return what a run was played with, and by what it is scored.

    Args:
        manifest: Its manifest.
        users: Who played the user, by agent.
        scoring: Rules and judge of its scores.
        measures: What was counted in it.
    """
    config, (rules, judge) = manifest.config, scoring
    created = datetime.fromtimestamp(manifest.created).astimezone()
    return (
        ("suite", config.suite),
        ("agents", ", ".join(config.agents)),
        ("user", described_users(users) or config.user or "nobody"),
        ("played under", config.rules),
        ("prompts of models", manifest.prompts),
        ("scored by", f"rules {rules}, judge {judge}"),
        ("trials", str(config.trials)),
        ("seed", str(config.seed)),
        ("limits", f"{config.max_steps} steps, {config.max_errors} tool errors"),
        ("started", created.isoformat(timespec="seconds")),
        ("dragoman", manifest.dragoman),
        ("python", manifest.python),
        ("measures", ", ".join(_measures(measures))),
        *_heard(manifest),
        ("data", f"{manifest.provenance.source} ({manifest.provenance.digest})"),
    )


def _measures(counted: Iterable[MeasureResult]) -> Iterator[str]:
    """Yield what was counted, each measure in its version and by its judge."""
    found = {(each.measure, each.version, each.judge): None for each in counted}
    for measure, version, judge in found:
        yield f"{measure} {version}" + ("" if judge == NO_JUDGE else f" by {judge}")


def _heard(manifest: Manifest) -> Iterator[tuple[str, str]]:
    recognizers = dict.fromkeys(
        str(voice["recognizer"]) for voice in manifest.voices.values() if voice.get("recognizer")
    )
    if recognizers:
        yield "recognizers", ", ".join(recognizers)
    transcripts = dict.fromkeys(
        str(voice["transcript"]) for voice in manifest.voices.values() if voice.get("transcript")
    )
    if transcripts:
        yield "agents receive", ", ".join(f"{form} transcripts" for form in transcripts)
    clarified = dict.fromkeys(judge for judge in manifest.clarified.values() if judge)
    if clarified:
        yield "clarifications by", ", ".join(clarified)
