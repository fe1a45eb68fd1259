"""The agent `attentive`: plays the plan as `literal`, and slows down where its user needs it.

It heeds what it is told of its user, a card or what was inferred. Who is new to the matter, unclear, or
hardly understands, it asks for one fact at a time, again where no answer came, and reads back what it
heard before it changes anything, as `careful` does. Told nothing, it is `literal`.
"""

from collections.abc import Iterator, Sequence

from dragoman.core.personas import AboutUser
from dragoman.core.protocols import Opening
from dragoman.core.speech import Reply
from dragoman.core.tasks import Action, Fact
from dragoman.simulation.careful import CarefulSession
from dragoman.simulation.facts import repeats, resembles, segment_of
from dragoman.simulation.hearing import heard_value
from dragoman.simulation.phrases import phrases_of

MAX_TIMES = 3
"""How often one fact is asked for."""
LOW, HIGH = 5, 6
"""Of scores from 0 to 10: skills up to this and frustration from this need care."""

_SKILLS = ("articulation_skill", "language_understanding_skill", "technical_skill")


class AttentiveAgent:
    """Plays the reference plan, with as much care as its user needs."""

    name = "attentive"

    async def open(self, opening: Opening) -> "AttentiveSession":
        """Open a session on the task's plan."""
        session = AttentiveSession(opening.task, phrases_of(opening))
        session.acquaint(opening.user)
        return session


class AttentiveSession(CarefulSession):
    """One conversation."""

    needs_care = False

    def acquaint(self, user: AboutUser) -> None:
        """Take what is known of the user from the next reply on."""
        self.needs_care = needs_care(user)

    def prepare(self, stretch: Sequence[Action]) -> Iterator[Reply]:
        """Ask for what a stretch needs: at once, or one after the other and with confirmation."""
        needed = self.needed(stretch)
        if not self.needs_care:
            yield from self.ask_for(needed, self.scenario)
        # What is known of the user may have changed by now.
        if self.needs_care:
            for fact in needed:
                yield from self._asked_alone(fact)
            yield from self.made_sure(stretch, needed)

    def _asked_alone(self, fact: Fact) -> Iterator[Reply]:
        for _ in range(MAX_TIMES):
            if repeats(self.heard, fact.value, self.phrases):
                return
            start = len(self.heard)
            self.asked.discard(fact)
            yield from self.ask_for([fact], self.scenario)
            if self._tells(self.heard[start:], fact):
                return

    def _tells(self, answer: str, fact: Fact) -> bool:
        """Whether an answer names a fact, or holds what may be its value."""
        named = segment_of(answer, fact, (fact,), self.phrases)
        heard = heard_value(fact.value, answer, self.phrases)
        return named is not None or resembles(heard, fact.value)


def needs_care(user: AboutUser) -> bool:
    """Whether a user needs to be asked slowly and to be read back to."""
    if user.get("expertise") == "novice" or user.get("ambiguity") == "high":
        return True
    skills = [user.get(name) for name in _SKILLS]
    frustration = user.get("frustration_level")
    is_frustrated = isinstance(frustration, int) and frustration >= HIGH
    return is_frustrated or any(isinstance(skill, int) and skill <= LOW for skill in skills)
