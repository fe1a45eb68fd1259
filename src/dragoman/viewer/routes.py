"""All pages: whoever adds one adds its module under `pages` and a line here."""

from dragoman.viewer.pages import compare, conversation, conversations, overview, runs, sound
from dragoman.viewer.requests import Route

ROUTES: tuple[Route, ...] = (
    runs.ROUTE,
    overview.ROUTE,
    overview.LIVE,
    conversations.ROUTE,
    conversation.ROUTE,
    sound.ROUTE,
    compare.ROUTE,
)
