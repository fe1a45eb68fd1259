"""One conversation: what was meant, said and heard, what was called, and what it is worth."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from aiohttp import web

from dragoman.core.scores import Standing
from dragoman.store.audio_files import audio_path
from dragoman.store.run import StoredConversation
from dragoman.viewer.conversation.turns import Turn
from dragoman.viewer.conversation.view import ConversationView, conversation_view
from dragoman.viewer.conversation.words import MAX_SHOWN
from dragoman.viewer.filters import filter_of
from dragoman.viewer.nearby import (
    comparing_address,
    conversation_address,
    neighbours,
    twins,
)
from dragoman.viewer.opened import OpenedRun
from dragoman.viewer.pages.sound import is_hash
from dragoman.viewer.rendering import MAX_TEXT
from dragoman.viewer.requests import PageRequest, Route

STANDINGS: Mapping[Standing, str] = {
    "pass": "\u2713 passed",
    "fail": "\u2717 failed",
    "unscored": "? unscored",
    "code": "\u203c code raised",
    "infrastructure": "! infrastructure",
    "missing": "\u2013 not run",
}
"""Where a conversation stands, in a sign and a word."""

PATIENCE_SECONDS = 0.03
"""How long what lies around waits for the index: the conversation itself needs none."""

_KEY = re.compile(r"(?:[0-9a-f]{2}){1,64}")


def show(asked: PageRequest) -> web.Response:
    """Show a conversation."""
    run = asked.run()
    key = asked.names["key"]
    most = MAX_TEXT if asked.first("whole") else MAX_SHOWN
    wanted = filter_of({name: each for name, each in asked.query.items() if name != "whole"})
    view = view_at(run, key, most)
    with run.listing(PATIENCE_SECONDS) as listing:
        around = neighbours(listing, key, wanted)
        same_task = twins(listing, view.cell)
    return asked.page(
        "conversation.html.j2",
        run=run,
        view=view,
        most=most,
        standings=STANDINGS,
        sounds=sound_addresses(run, view.turns),
        is_cut=any(turn.longest > most for turn in view.turns),
        wanted=wanted,
        around=around,
        twins=same_task,
        address=conversation_address,
        comparing=comparing_address,
    )


def view_at(run: OpenedRun, key: str, most: int = MAX_SHOWN) -> ConversationView:
    """Return a conversation of a run as it is shown.

    Raises:
        HTTPNotFound: Where the run has no such cell.
    """
    stored = stored_at(run, key)
    return conversation_view(stored, run.tasks.get(stored.cell.task), run.price_of, most=most)


def stored_at(run: OpenedRun, key: str) -> StoredConversation:
    """Return what is stored of a cell.

    Raises:
        HTTPNotFound: Where the run has no such cell.
    """
    found = run.store.conversation(key) if _KEY.fullmatch(key) else None
    if found is None:
        raise web.HTTPNotFound(text="This run has no such conversation.")
    return found


def sound_addresses(run: OpenedRun, turns: tuple[Turn, ...]) -> dict[str, str]:
    """Return by hash where to fetch a sound; "" where it is not in the run's folder."""
    return dict(_addresses(run, turns))


def _addresses(run: OpenedRun, turns: tuple[Turn, ...]) -> Iterator[tuple[str, str]]:
    for sound in (sound for turn in turns for sound in turn.sounds):
        is_there = is_hash(sound.sha256) and (run.folder / audio_path(sound.sha256)).is_file()
        address = f"/run/{quote(run.name, safe='')}/audio/{sound.sha256}.wav"
        yield sound.sha256, address if is_there else ""


ROUTE = Route("/run/{run}/conversation/{key}", show)
