"""Plays lost spoken conversations again with one stage made perfect, and names what lost them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.blame import Blame, Counterfactuals, blamed
from dragoman.analysis.cells import Outcome
from dragoman.analysis.pass_hat import is_success
from dragoman.core.conditions import TEXT
from dragoman.core.decoding import UNREADABLE
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.keys import content_key
from dragoman.core.scores import Scored
from dragoman.runs.jobs import Job, read_manifest, resume_job
from dragoman.runs.outcomes import chosen_scoring, outcomes
from dragoman.runs.play import play, start
from dragoman.store.run import FILE as FILE_OF_RUN
from dragoman.store.run import open_run
from dragoman.wiring.config import RunConfig, checked
from dragoman.wiring.setup import build_setup
from dragoman.wiring.voices import CLEAN, SIMULATED, UNDERSTOOD, heard_by, spoken_over, voice_label

FOLDER = "blame"
FILE = "blame.json"

Place = tuple[str, str, str, int]
"""Condition, agent, task and trial of a conversation."""


def find_blame(run: Path, on_done: Callable[[], None]) -> tuple[Blame, ...]:
    """Play what is needed in a folder of the run's own, and write what was found beside it.

    Raises:
        UsageError: Where no spoken conversation of the run was lost.
        StoreError: Where the run, or what is written, cannot be reached.
    """
    with open_run(run, write=False) as store:
        config = read_manifest(store).config
        scoring = chosen_scoring(store, None, None)
        lost = [row for row in outcomes(store, *scoring, heads_only=True) if _is_lost(row)]
    if not lost:
        raise UsageError(f"{run}: no spoken conversation was lost: there is nobody to blame")
    played = play(_job(run, _counterfactual_grid(config, lost)), lambda *_: on_done())
    with open_run(played.folder, write=False) as store:
        rows = outcomes(store, played.rules, played.judge, heads_only=True)
        found = {_place(row): _passed(row) for row in rows}
    blames = tuple(_blame(row, found) for row in lost)
    _write(run / FILE, blames)
    return blames


def _job(run: Path, grid: RunConfig) -> Job:
    """Return the run of a grid under the run's folder: begun before and stopped, it is gone on with."""
    folder = run / FOLDER / content_key(grid)[:16]
    if (folder / FILE_OF_RUN).exists():
        return resume_job(folder)
    return start(build_setup(grid), folder)


def read_blame(run: Path) -> tuple[Blame, ...]:
    """Return what was found for a run; nothing where nobody asked.

    Raises:
        StoreError: Where the file is damaged.
    """
    path = run / FILE
    if not path.exists():
        return ()
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Blame, ...])
    except (OSError, *UNREADABLE) as error:
        raise StoreError(f"{path}: damaged ({error}): run `dragoman blame` again") from error


def _is_lost(row: Outcome) -> bool:
    """Return whether a spoken conversation failed; where errors are simulated, nobody spoke."""
    voice = _voice(row.condition)
    return voice != TEXT and not voice.startswith(SIMULATED) and _passed(row) is False


def _voice(label: str) -> str:
    return label.partition("/")[2].rpartition("/")[0]


def _passed(row: Outcome) -> bool | None:
    """Return whether a conversation succeeded; None where that is not known."""
    if row.score is None or not isinstance(row.score.reward, Scored):
        return None
    return is_success(row.score.reward.value)


def _counterfactual_grid(config: RunConfig, lost: Sequence[Outcome]) -> RunConfig:
    """Return the grid of the lost tasks over a clean line too, and heard by a perfect listener."""
    voices = list(dict.fromkeys(_voice(row.condition) for row in lost))
    lines = [spoken_over(voice) for voice in voices]
    listeners = [heard_by(voice) for voice in voices]
    return checked(
        msgspec.structs.replace(
            config,
            tasks=tuple(dict.fromkeys(row.task for row in lost)),
            limit=None,
            agents=tuple(dict.fromkeys(row.agent for row in lost)),
            voices=tuple(dict.fromkeys((*lines, CLEAN))),
            asr=tuple(dict.fromkeys((*listeners, UNDERSTOOD))),
        )
    )


def _blame(row: Outcome, found: Mapping[Place, bool | None]) -> Blame:
    language, _, rest = row.condition.partition("/")
    voice, _, persona = rest.rpartition("/")
    line, listener = spoken_over(voice), heard_by(voice)
    where = Counterfactuals(
        understood=found.get(_at(row, f"{language}/{voice_label(line, UNDERSTOOD)}/{persona}")),
        clean=found.get(_at(row, f"{language}/{voice_label(CLEAN, listener)}/{persona}")),
    )
    return Blame(row.condition, row.agent, row.task, row.trial, blamed(where))


def _place(row: Outcome) -> Place:
    return _at(row, row.condition)


def _at(row: Outcome, condition: str) -> Place:
    return condition, row.agent, row.task, row.trial


def _write(path: Path, blames: Sequence[Blame]) -> None:
    try:
        path.write_bytes(msgspec.json.encode(blames))
    except OSError as error:
        raise StoreError(f"{path}: cannot write ({error.strerror})") from error
