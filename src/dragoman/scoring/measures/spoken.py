"""What was spoken aloud in a conversation."""

from collections.abc import Iterator

from msgspec import UNSET

from dragoman.core.episodes import Episode, Move
from dragoman.core.speech import Said, Utterance
from dragoman.core.tools import Role


def spoken_aloud(episode: Episode, side: Role) -> Iterator[tuple[int, Utterance]]:
    """Yield place and utterance of each thing that a side said aloud, the agent's greeting aside."""
    for position, event in enumerate(episode.events):
        if isinstance(event, Move) and event.by == side and isinstance(event.reply, Said):
            utterance, is_greeting = event.reply.utterance, event.scripted and side == "agent"
            if utterance.spoken is not UNSET and not is_greeting:
                yield position, utterance
