"""What may be confirmed of messages that were recorded: the whitelists that lie beside them."""

from collections.abc import Sequence

from dragoman.conditions.clarifying.conductor import planned_whitelist
from dragoman.core.tasks import Task
from dragoman.core.voice.clarifications import Whitelist, by_topic
from dragoman.core.voice.recordings import Recordings


class RecordedWhitelists:
    """Whitelists of a set; of messages that it does not hold, what planned calls need counts."""

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings

    def __call__(self, task: Task, turn: int, messages: Sequence[str]) -> Whitelist:
        """Return what may be confirmed of what a user said in a turn; topics of one name are numbered."""
        kept = {each.text: each for each in self._recordings.of(task.id) if each.turn == turn}
        stated = [
            pair for text in messages if text in kept for pair in kept[text].whitelist.items()
        ]
        others = "\n".join(text for text in messages if text not in kept)
        return by_topic((*stated, *planned_whitelist(task, turn, others).items()))
