"""What was spoken aloud in a conversation."""

from collections.abc import Iterator

from msgspec import UNSET

from dragoman.core.episodes import Episode, Move
from dragoman.core.scores import Unscored
from dragoman.core.speech import Said, Utterance
from dragoman.core.tools import Role


def spoken_aloud(episode: Episode, side: Role) -> Iterator[tuple[int, Utterance]]:
    """Yield place and utterance of each thing that a side said aloud, the agent's greeting aside."""
    for position, event in enumerate(episode.events):
        if isinstance(event, Move) and event.by == side and isinstance(event.reply, Said):
            utterance, is_greeting = event.reply.utterance, event.scripted and side == "agent"
            if utterance.spoken is not UNSET and not is_greeting:
                yield position, utterance


ITSELF_HEARD = "the agent was given the audio itself: nobody knows which words it heard"


def written_down(episode: Episode) -> list[tuple[int, Utterance]] | Unscored:
    """Return what the user said aloud and somebody wrote down as it was heard; why nobody did."""
    said = list(spoken_aloud(episode, "user"))
    heard = [(place, utterance) for place, utterance in said if utterance.received is not None]
    return Unscored(ITSELF_HEARD) if said and not heard else heard
