"""What two conversations, or two cells, have different."""

import msgspec
from aiohttp import web

from dragoman.viewer.conversation.beside import TOLD, beside
from dragoman.viewer.conversation.view import ConversationView
from dragoman.viewer.conversation.words import MAX_SHOWN, told
from dragoman.viewer.nearby import conversation_address
from dragoman.viewer.opened import OpenedRun
from dragoman.viewer.pages.conversation import STANDINGS, sound_addresses, view_at
from dragoman.viewer.pages.flips import show_flips
from dragoman.viewer.rendering import MAX_TEXT
from dragoman.viewer.requests import PageRequest, Route


class ShownSide(msgspec.Struct, frozen=True):
    """One of the two conversations: its run, its address, and where its sounds are."""

    run: OpenedRun
    address: str
    view: ConversationView
    sounds: dict[str, str]


def show(asked: PageRequest) -> web.Response:
    """Show two conversations, each named as `RUN/KEY`, or the tasks that flip between two runs."""
    return show_conversations(asked) if "/" in asked.first("a") else show_flips(asked)


def show_conversations(asked: PageRequest) -> web.Response:
    """Show two conversations side by side.

    Raises:
        HTTPNotFound: Where there is no such run or conversation.
        HTTPBadRequest: Where the two are of different tasks.
    """
    most = MAX_TEXT if asked.first("whole") else MAX_SHOWN
    a, b = (_side(asked, asked.first(name), most) for name in ("a", "b"))
    places = [(side.view.cell.suite, side.view.cell.task) for side in (a, b)]
    if places[0] != places[1]:
        raise web.HTTPBadRequest(text="These are conversations of two tasks: choose two of one.")
    tasks = [None if side.view.task is None else side.view.task.digest for side in (a, b)]
    return asked.page(
        "compare.html.j2",
        a=a,
        b=b,
        both=beside(a.view, b.view),
        is_other_task=tasks[0] != tasks[1],
        differences=TOLD,
        legend=told(mark for side in (a, b) for mark, _ in side.view.legend),
        standings=STANDINGS,
        most=most,
    )


def _side(asked: PageRequest, name: str, most: int) -> ShownSide:
    run_name, _, key = name.partition("/")
    run = asked.run_named(run_name)
    view = view_at(run, key, most)
    return ShownSide(
        run, conversation_address(run_name, key), view, sound_addresses(run, view.turns)
    )


ROUTE = Route("/compare", show)
