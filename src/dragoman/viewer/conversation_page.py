"""The page of one conversation: its turns, sound, neighbours and the same task elsewhere."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote, urlencode

import msgspec
from aiohttp import web

from dragoman.core.scores import OutcomeStatus
from dragoman.store.audio_files import FOLDER, audio_path
from dragoman.store.run_index import ListedRow, ListPage, rows_of_task
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import StoredConversation
from dragoman.viewer.conversation_list import LABELS, ListFilter, list_filter
from dragoman.viewer.conversation_view import ConversationView, conversation_view
from dragoman.viewer.open_runs import OpenedRun
from dragoman.viewer.rendering import MAX_TEXT, PageRequest, Route
from dragoman.viewer.run_index import FilterFields, Listing, condition_labels
from dragoman.viewer.transcript import Turn
from dragoman.viewer.word_diff import MAX_SHOWN

MOST_OF_TASK = 400
"""Maximum number of conversations of one task that are looked up."""


class Neighbours(msgspec.Struct, frozen=True):
    """The previous and next conversation in a filter, by key, and the number of all."""

    before: str
    after: str
    total: int


class Trial(msgspec.Struct, frozen=True):
    """One conversation of the task."""

    key: str
    number: int
    outcome: OutcomeStatus
    is_here: bool


class SameTask(msgspec.Struct, frozen=True):
    """The same task under one agent and condition.

    `label` is the condition in words, and `same` the trial to show next to this one.
    """

    agent: str
    condition: str
    label: str
    trials: tuple[Trial, ...]
    same: Trial


def neighbours(listing: Listing, key: str, wanted: ListFilter) -> Neighbours:
    """Return the previous and the next conversation in a filter.

    The result is empty if the conversation is not read yet.
    """
    row = listing.row(key)
    if row is None:
        return Neighbours("", "", 0)
    counted = listing.count(wanted.chosen, wanted.sought)

    def key_at(*, before: int = 0, after: int = 0) -> str:
        cut = ListPage(wanted.order, wanted.falling, after=after, before=before, most=1)
        found = listing.rows(counted, cut, wanted.sought)
        return found[0].key if found else ""

    return Neighbours(key_at(before=row.place), key_at(after=row.place), counted.total)


def find_same_task_trials(listing: Listing, cell: StoredCell) -> tuple[SameTask, ...]:
    """Return the conversations of a task, by agent and condition, in the plan's order."""
    filter_fields = listing.filter_fields()
    wanted = [number for number, entry in filter_fields.items() if entry.suite == cell.suite]
    rows = rows_of_task(listing.index, cell.task, wanted, MOST_OF_TASK)
    found: dict[tuple[str, str], list[Trial]] = {}
    for row in rows:
        entry = filter_fields[row.filter_fields]
        found.setdefault((entry.agent, entry.condition), []).append(_trial(row, entry, cell))
    return tuple(_same_task_entries(found, listing.once(condition_labels), cell.trial))


def _trial(row: ListedRow, entry: FilterFields, cell: StoredCell) -> Trial:
    return Trial(row.key, row.trial, entry.outcome, is_here=row.key == cell.key)


def _same_task_entries(
    found: dict[tuple[str, str], list[Trial]], labels: Mapping[str, str], number: int
) -> Iterator[SameTask]:
    for (agent, condition), trials in found.items():
        others = [trial for trial in trials if not trial.is_here] or trials
        same = next((trial for trial in others if trial.number == number), others[0])
        yield SameTask(agent, condition, labels[condition], tuple(trials), same)


def conversation_address(run: str, key: str, wanted: ListFilter | None = None) -> str:
    """Return the address of a conversation within a filter."""
    query = "" if wanted is None else wanted.query()
    return f"/run/{quote(run, safe='')}/conversation/{key}{'?' if query else ''}{query}"


def comparison_address(a: tuple[str, str], b: tuple[str, str]) -> str:
    """Return the address of two conversations side by side, each by its run and key."""
    return f"/compare?{urlencode({'a': '/'.join(a), 'b': '/'.join(b)}, safe='/')}"


_HASH = re.compile(r"[0-9a-f]{64}")


def is_hash(name: str) -> bool:
    """Return whether a name has the form of a content hash, as stored sounds have."""
    return _HASH.fullmatch(name) is not None


def send_sound(asked: PageRequest) -> web.StreamResponse:
    """Send a sound from the run's own folder, whole or the requested range.

    Raises:
        HTTPNotFound: If the name is not a hash, or the folder has no such sound.
    """
    name = asked.names["hash"]
    missing = web.HTTPNotFound(text="This run does not have this sound.")
    if not is_hash(name):
        raise missing
    folder = asked.run().folder
    path = (folder / audio_path(name)).resolve()
    # A symbolic link in a folder from someone else could point to any file.
    if not path.is_file() or not path.is_relative_to((folder / FOLDER).resolve()):
        raise missing
    return web.FileResponse(path, headers={"Content-Type": "audio/wav"})


SOUND_ROUTE = Route("/run/{run}/audio/{hash}.wav", send_sound, is_text=False)


STATUS_NAMES: Mapping[OutcomeStatus, str] = {
    "pass": "\u2713 passed",
    "fail": "\u2717 failed",
    "unscored": "? unscored",
    "code": "\u203c code error",
    "infrastructure": "! infrastructure error",
    "missing": "\u2013 not run",
}
"""The status of a conversation, as a sign and a word."""

MAX_WAIT_SECONDS = 0.03
"""Longest wait for the index, which only the neighbours need, not the conversation itself."""

_KEY = re.compile(r"(?:[0-9a-f]{2}){1,64}")


def show_conversation(asked: PageRequest) -> web.Response:
    """Show a conversation."""
    run = asked.run()
    key = asked.names["key"]
    most = MAX_TEXT if asked.first("whole") else MAX_SHOWN
    wanted = list_filter({name: each for name, each in asked.query.items() if name != "whole"})
    view = view_of_stored(run, key, most)
    with run.listing(MAX_WAIT_SECONDS) as listing:
        around = neighbours(listing, key, wanted)
        same_task = find_same_task_trials(listing, view.cell)
    return asked.page(
        "conversation.html.j2",
        run=run,
        view=view,
        most=most,
        status_names=STATUS_NAMES,
        sounds=sound_addresses(run, view.turns),
        is_cut=any(turn.longest > most for turn in view.turns),
        wanted=wanted,
        labels=LABELS,
        around=around,
        same_task_rows=same_task,
        address=conversation_address,
        comparing=comparison_address,
    )


def view_of_stored(run: OpenedRun, key: str, most: int = MAX_SHOWN) -> ConversationView:
    """Return a conversation of a run as it is shown.

    Raises:
        HTTPNotFound: If the run has no such cell.
    """
    stored = find_stored(run, key)
    return conversation_view(stored, run.tasks.get(stored.cell.task), run.price_of, most=most)


def find_stored(run: OpenedRun, key: str) -> StoredConversation:
    """Return what is stored of a cell.

    Raises:
        HTTPNotFound: If the run has no such cell.
    """
    found = run.store.conversation(key) if _KEY.fullmatch(key) else None
    if found is None:
        raise web.HTTPNotFound(text="This run does not have this conversation.")
    return found


def sound_addresses(run: OpenedRun, turns: tuple[Turn, ...]) -> dict[str, str]:
    """Return the addresses of sounds by hash; "" if the run's folder lacks the sound."""
    return dict(_addresses(run, turns))


def _addresses(run: OpenedRun, turns: tuple[Turn, ...]) -> Iterator[tuple[str, str]]:
    for sound in (sound for turn in turns for sound in turn.sounds):
        is_there = is_hash(sound.sha256) and (run.folder / audio_path(sound.sha256)).is_file()
        address = f"/run/{quote(run.name, safe='')}/audio/{sound.sha256}.wav"
        yield sound.sha256, address if is_there else ""


CONVERSATION_ROUTE = Route("/run/{run}/conversation/{key}", show_conversation)
