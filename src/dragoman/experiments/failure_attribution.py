"""The failure attribution experiment: replays failed conversations with one stage made perfect.

Only decisive replays are played. The first uses the intended words, unless the run already has it.
If they save the conversation, the next uses a clean channel; if they do not, it uses canonical
arguments. Replays are stored in folders under the run.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.failure_attribution import (
    ATTRIBUTION,
    ATTRIBUTION_METRICS,
    Counterfactuals,
    FailureAttribution,
    FailureSource,
    attribution_result,
    failure_source,
)
from dragoman.composition.conditions.voice import CLEAN
from dragoman.composition.setup import build_setup
from dragoman.config.agent_specs import agent_text, specs_of
from dragoman.config.event_loop import run_event_loop
from dragoman.config.run_config import RunConfig, validated_config
from dragoman.core.conditions import ITSELF, MIXED, RECORDED, SIMULATED, TEXT
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import RequestsRefused, UsageError
from dragoman.core.replies import TextReply, ToolCallReply
from dragoman.core.scores import Scored, is_success
from dragoman.core.tasks import Action, Task
from dragoman.core.texts.entities import argument_texts
from dragoman.core.value_matching.matcher import states
from dragoman.dataframes.results import chosen_scoring, outcomes
from dragoman.registry.participants import calls_in_text
from dragoman.registry.speech_engines import ORACLE
from dragoman.runs.jobs import Job, external_reach, resume_job
from dragoman.runs.manifest import Manifest, read_manifest
from dragoman.runs.measure_runner import measure_locally
from dragoman.runs.plan import GridPlace
from dragoman.runs.runner import play, start
from dragoman.runs.trust import require_trust
from dragoman.scoring.measures.speech_recognition import RECOGNITION, VALUES
from dragoman.simulation.participants.canonical_arguments import canonical_name
from dragoman.store.conversation_writes import StoredMeasure
from dragoman.store.run_file import FILE as FILE_OF_RUN
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import RunStore, open_run

Verdicts = dict[GridPlace, bool | None]
"""Verdicts of conversations: success or failure; None if unknown."""


NO_CHANGES: Mapping[str, object] = {}


class Replays(msgspec.Struct, frozen=True):
    """Folder, settings and permitted network access of one run's replays.

    `waiting` holds waiting options that differ from the run's; the folder does not depend on them.
    `on_refused` is called with the refusal of an endpoint that answers none of a stage's replays:
    their verdicts stay unknown.
    """

    folder: Path
    config: RunConfig
    on_done: Callable[[], None]
    reached: Collection[str]
    waiting: Mapping[str, object] = NO_CHANGES
    on_refused: Callable[[str], None] = lambda _: None

    def play(self, stage: str, places: Collection[GridPlace]) -> list[ConversationResult]:
        """Play these conversations, unless they exist already, and return their results.

        Args:
            stage: The stage that is made perfect, for the name of the folder.
            places: The places of the conversations.
        """
        if not places:
            return []
        job = self._job(stage, places)
        try:
            play(job, lambda *_: self.on_done())
        except RequestsRefused as refusal:
            self.on_refused(str(refusal))
        with open_run(job.store.folder, write=False) as store:
            scoring = job.setup.rules.name, job.setup.judge_name
            return list(outcomes(store, *scoring, heads_only=False))

    def _job(self, stage: str, places: Collection[GridPlace]) -> Job:
        """Return the run of these conversations: begun before and stopped, it is gone on with."""
        config = _of_these(self.config, places)
        folder = self.folder / f"{stage}-{content_key(config, tuple(places))[:16]}"
        if (folder / FILE_OF_RUN).exists():
            return resume_job(folder, self.waiting, vouched=self.reached)
        conditions = dict.fromkeys(place.condition for place in places)
        config = validated_config(msgspec.structs.replace(config, **self.waiting))
        return start(build_setup(config, conditions=tuple(conditions)), folder, places)


def verdicts(rows: Iterable[ConversationResult]) -> Verdicts:
    """Return which conversations succeeded, by their places."""
    return {place_of(row): has_passed(row) for row in rows}


def place_of(row: ConversationResult) -> GridPlace:
    """Return where a conversation stands in its grid."""
    return GridPlace(row.condition, row.agent, row.task, row.trial)


def has_passed(row: ConversationResult) -> bool | None:
    """Return whether a conversation succeeded; None if that is not known."""
    if row.score is None or not isinstance(row.score.reward, Scored):
        return None
    return is_success(row.score.reward.value)


def _of_these(config: RunConfig, places: Collection[GridPlace]) -> RunConfig:
    """Return a run's configuration with the tasks and agents of these places alone."""
    return validated_config(
        msgspec.structs.replace(
            config,
            tasks=tuple(dict.fromkeys(place.task for place in places)),
            limit=None,
            agents=tuple(dict.fromkeys(agent_text(config.agents, place.agent) for place in places)),
        )
    )


FOLDER = "blame"


def attribute_failures(
    run: Path,
    on_done: Callable[[], None],
    *,
    trust: bool = False,
    waiting: Mapping[str, object] = NO_CHANGES,
    on_refused: Callable[[str], None] = lambda _: None,
) -> tuple[FailureAttribution, ...]:
    """Play the replays in folders of the run, and store the attribution as a measure.

    Args:
        run: The run's folder.
        on_done: Called after each conversation.
        trust: Whether to continue a run that somebody else made.
        waiting: Waiting options that differ from the run's.
        on_refused: Called with the refusal of an endpoint that answers none of a stage's replays.

    Raises:
        UsageError: If no conversation of the run failed, or none can be played again, or somebody
            else made the run and replays would execute or reach something.
        StoreError: If the run cannot be read or written.
    """
    with open_run(run, write=False) as store:
        manifest, tasks = read_manifest(store), store.tasks()
        reached = external_reach(store, manifest)
        require_trust(store, reached, reached, trust=trust)
        rows = outcomes(store, *chosen_scoring(store, None, None), heads_only=True)
        found = verdicts(rows)
    lost = [place for place, passed in found.items() if passed is False]
    _require_playable(run, manifest, lost)
    replays = Replays(run / FOLDER, manifest.config, on_done, reached, waiting, on_refused)
    found |= verdicts(replays.play("understood", _open(map(_understood_place, lost), found)))
    spoken = [place for place in lost if not _is_simulated(place)]
    clean = {place for place in spoken if _is_recorded_cleanly(place, manifest)}
    saved = [
        place for place in spoken if place not in clean and found.get(_understood_place(place))
    ]
    found |= _clean_verdicts(replays, saved, found)
    unsaved = [place for place in lost if found.get(_understood_place(place)) is False]
    specs = specs_of(manifest.config.agents)
    native = [place for place in unsaved if not calls_in_text(specs.get(place.agent, place.agent))]
    found |= _canonical_verdicts(replays, native, tasks)
    saved_by_words = [place for place in lost if found.get(_understood_place(place))]
    hearing = _recognition(run, reached, saved_by_words, tasks) if saved_by_words else {}
    failure_sources = {place: _attribute_failure(place, found, clean, hearing) for place in lost}
    _store(run, failure_sources)
    return tuple(
        FailureAttribution(
            place.condition.label, place.agent, place.task, place.trial, failure_source
        )
        for place, failure_source in failure_sources.items()
    )


def _require_playable(run: Path, manifest: Manifest, lost: Sequence[GridPlace]) -> None:
    if manifest.imported is not msgspec.UNSET:
        raise UsageError(f"{run}: an imported run cannot be played again: name a run of your own")
    if not lost:
        raise UsageError(f"{run}: no conversation failed: there is nothing to attribute")


def _is_simulated(place: GridPlace) -> bool:
    """Return whether errors were simulated: nobody spoke, and no channel could be clean."""
    condition = place.condition
    hears = condition.recognizer if _is_recorded(place) else condition.voice
    return hears.startswith(SIMULATED)


def _is_recorded(place: GridPlace) -> bool:
    return place.condition.voice == RECORDED


def _is_recorded_cleanly(place: GridPlace, manifest: Manifest) -> bool:
    """Return whether a conversation was recorded over a clean channel, so needs no replay."""
    record = manifest.voices.get(place.condition.label, {})
    return _is_recorded(place) and record.get("line") == CLEAN


def _understood_place(place: GridPlace) -> GridPlace:
    """Return the place with the words that were meant: in text, the place itself."""
    if _is_simulated(place):
        return _with_axes(place, voice=TEXT, recognizer=MIXED)
    is_spoken = place.condition.voice != TEXT
    return _with_axes(place, recognizer=ORACLE) if is_spoken else place


def _over_clean_line(place: GridPlace) -> GridPlace:
    return _with_axes(place, voice=CLEAN)


def _canonical(place: GridPlace) -> GridPlace:
    """Return the place with the words that were meant and canonical arguments."""
    return msgspec.structs.replace(_understood_place(place), agent=canonical_name(place.agent))


def _with_axes(place: GridPlace, **values: str) -> GridPlace:
    return msgspec.structs.replace(place, condition=place.condition.with_axes(**values))


def _open(places: Iterable[GridPlace], found: Verdicts) -> list[GridPlace]:
    """Return the places that have no verdict yet."""
    return [place for place in dict.fromkeys(places) if found.get(place) is None]


def _clean_verdicts(replays: Replays, saved: Sequence[GridPlace], found: Verdicts) -> Verdicts:
    """Return the verdicts on conversations over a clean channel.

    Recorded conversations are spoken again if that is possible.
    """
    live = [place for place in saved if not _is_recorded(place)]
    played = verdicts(replays.play("clean", _open(map(_over_clean_line, live), found)))
    recorded = [place for place in saved if _is_recorded(place)]
    try:
        anew = replays.play("clean", _open(map(_over_clean_line, recorded), found | played))
    except UsageError:
        # The recognizer of the recorded set may be out of reach now: an unknown verdict is reported
        # as such.
        return played
    return played | verdicts(anew)


def _canonical_verdicts(
    replays: Replays, lost: Iterable[GridPlace], tasks: Mapping[str, Task]
) -> Verdicts:
    """Return the verdicts with canonical arguments.

    Only conversations with native calls and a plan have a verdict. If the plan has no calls,
    nothing can be replaced: a failure stays a failure.
    """
    plans = {place: _plan(tasks[place.task]) for place in lost}
    found: Verdicts = {_canonical(place): False for place, plan in plans.items() if plan == ()}
    wanted = dict.fromkeys(_canonical(place) for place, plan in plans.items() if plan)
    for row in replays.play("canonical", wanted):
        passed = has_passed(row)
        # If the arguments are the agent's own, the other random draw saved the conversation, not
        # the plan.
        found[place_of(row)] = None if passed and not _is_changed(row.episode) else passed
    return found


def _plan(task: Task) -> tuple[Action, ...] | None:
    return None if task.criteria is None else task.criteria.actions


def _is_changed(episode: Episode | None) -> bool:
    """Return whether a call of a conversation was given other arguments."""
    return episode is not None and any(
        call.sent is not None
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    )


class _Heard(msgspec.Struct, frozen=True):
    """Recognition losses of one conversation: values that calls need, and words."""

    values_lost: int
    word_errors: int


def _recognition(
    run: Path, reached: Collection[str], lost: Collection[GridPlace], tasks: Mapping[str, Task]
) -> Mapping[GridPlace, _Heard]:
    """Return the recognition losses of each failed conversation that was transcribed.

    The measures count the values that a turn's own calls need. A value that a later call needs is
    lost as well, so the plan's values are searched for in everything that was said and heard. Runs
    of earlier versions are measured now; without their engines their losses are unknown.
    """
    known = _measured_recognition(run, reached)
    with open_run(run, write=False) as store:
        places = {_place(cell): cell for cell in store.cells()}
        keys = {places[place].key: place for place in lost}
        others = {cell.key for cell in places.values()} - keys.keys()
        planned = {
            keys[key]: _planned_values_lost(episode, tasks[keys[key].task], keys[key])
            for key, _, episode in store.episodes(leaving_out=others)
        }
    return {
        place: msgspec.structs.replace(
            heard, values_lost=max(heard.values_lost, planned.get(place, 0))
        )
        for place, heard in known.items()
    }


def _place(cell: StoredCell) -> GridPlace:
    return GridPlace(cell.condition, cell.agent, cell.task, cell.trial)


def _planned_values_lost(episode: Episode, task: Task, place: GridPlace) -> int:
    """Return the number of planned values that the user stated and recognition lost.

    The whole conversation counts.
    """
    said = [
        event.reply.utterance
        for event in episode.events
        if isinstance(event, Message) and event.by == "user" and isinstance(event.reply, TextReply)
    ]
    meant = "\n".join(utterance.intended for utterance in said)
    heard = "\n".join(utterance.received or "" for utterance in said)
    language = place.condition.language
    values = {
        value
        for action in _plan(task) or ()
        for argument in action.arguments.values()
        for value in argument_texts(argument)
    }
    return sum(
        states(value, meant, language) and not states(value, heard, language) for value in values
    )


def _measured_recognition(run: Path, reached: Collection[str]) -> Mapping[GridPlace, _Heard]:
    with open_run(run, write=False) as store:
        known = _heard_by_place(store)
        spoken = {cell.key for cell in store.cells() if cell.condition.voice != TEXT}
        is_whole = len(known) == len(spoken & store.attempts().keys())
    if is_whole or not spoken:
        return known
    try:
        job = resume_job(run, vouched=reached)
    except UsageError:
        return known
    try:
        run_event_loop(
            measure_locally(
                job.setup, job.store, (RECOGNITION, VALUES), lambda: None, choice="missing"
            )
        )
        return _heard_by_place(job.store)
    finally:
        job.store.close()


def _heard_by_place(store: RunStore) -> dict[GridPlace, _Heard]:
    found: dict[GridPlace, _Heard] = {}
    measured = store.measured()
    for cell in store.cells():
        counts: dict[str, int | float] = {}
        for entry in measured.get(cell.key, ()):
            if (entry.measure, entry.version) in _KNOWN_BY and not entry.unscored:
                counts |= {f"{entry.measure}: {name}": n for name, n in entry.counts.items()}
        if "values: lost" in counts and "hearing: utterances" in counts:
            place = _place(cell)
            # If words are not counted, characters are.
            errors = counts.get("hearing: word errors", counts.get("hearing: character errors", 0))
            found[place] = _Heard(int(counts["values: lost"]), int(errors))
    return found


_KNOWN_BY = frozenset({(RECOGNITION.name, RECOGNITION.version), (VALUES.name, VALUES.version)})


def _attribute_failure(
    place: GridPlace,
    found: Verdicts,
    clean: Collection[GridPlace],
    hearing: Mapping[GridPlace, _Heard],
) -> FailureSource:
    heard = hearing.get(place)
    return failure_source(
        Counterfactuals(
            values_lost=None if heard is None else heard.values_lost,
            word_errors=None if heard is None else heard.word_errors,
            understood=found.get(_understood_place(place)),
            clean=False if place in clean else found.get(_over_clean_line(place)),
            canonical=found.get(_canonical(place)),
            is_simulated=_is_simulated(place),
            hears_itself=place.condition.recognizer == ITSELF,
        )
    )


def _store(run: Path, failure_sources: Mapping[GridPlace, FailureSource]) -> None:
    """Store the failure source of each conversation as a measure of it.

    The sources replace those that were found before.
    """
    with open_run(run, write=True) as store:
        keys = {
            GridPlace(cell.condition, cell.agent, cell.task, cell.trial): cell.key
            for cell in store.cells()
        }
        found: dict[str, FailureSource | None] = {
            key: None
            for key, entries in store.measured().items()
            if any(entry.measure == ATTRIBUTION for entry in entries)
        }
        found |= {keys[place]: failure_source for place, failure_source in failure_sources.items()}
        attempts = store.attempts()
        store.declare([ATTRIBUTION_METRICS])
        store.put(
            StoredMeasure(key, attempts[key][0], attribution_result(failure_source))
            for key, failure_source in found.items()
        )
