"""What a conversation costs its user: turns, what was said again, and what was put right.

A message *repeats* where it says a value again that an earlier message said, in answer to words of the
agent that want to be told something and do not have the value themselves, or that want it spelled. It
*corrects* where it says no to the agent and says a value that those words lack, which was said before or
read back wrongly, or where it says a value that was said wrongly before (another sign or two, and no
result has it). A message counts once. A question for further wishes, or for a yes, asks for no value.
"""

from collections.abc import Iterator, Sequence

from dragoman.core.episodes import Event
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.measures import Counted, PlayedCase, Rate, Total
from dragoman.core.scores import Unscored
from dragoman.core.texts.entities import occurs
from dragoman.core.tools import ToolResult
from dragoman.scoring.asking import begins_with_no, insists, only_closes, refuses, wants_told
from dragoman.scoring.identifying import is_misread, squeeze
from dragoman.scoring.measures.counting import Counting
from dragoman.scoring.stated import identifiers, key_of, known_values, squeezed, stated_values
from dragoman.scoring.user_turns import UserTurn, is_simulated, user_turns


def count_effort(case: PlayedCase) -> Iterator[Counted] | Unscored:
    """Yield an entry for the conversation and one for each message that repeats or corrects."""
    if case.fault:
        return Unscored(case.fault)
    if case.task.turns or not is_simulated(case.task, case.episode):
        return Unscored("no user was played: its words are the benchmark's")
    if case.phrases is None:
        return Unscored("the phrases of the user's language are not known")
    return _counted(case, case.phrases)


def _counted(case: PlayedCase, phrases: Phrasebook) -> Iterator[Counted]:
    turns = [turn for turn in user_turns(case.task, case.episode) if turn.text]
    known = known_values(case.task)
    language = phrases.name.partition("@")[0]
    yield Counted({"conversations": 1, "user turns": len(turns)})
    said: set[str] = set()
    misread: set[str] = set()
    for turn in turns:
        stated = stated_values(known, turn.text, language)
        again = [value for value in stated if key_of(value) in said]
        right = _put_right(stated, misread)
        if right and (real := _real(case.episode.events, misread)):
            misread -= real
            right = _put_right(stated, misread)
        if right or _contradicts(turn, stated, again, phrases):
            yield _entry("corrections", turn, right or stated)
        elif repeated := _asked_again(turn, again, phrases):
            yield _entry("repetitions", turn, repeated)
        said |= set(map(key_of, stated))
        misread -= {wrong for wrong in misread if _put_right(stated, {wrong})}
        misread |= _unknown(turn.text, known, language)


def _entry(name: str, turn: UserTurn, values: Sequence[str]) -> Counted:
    return Counted({name: 1}, turn.position, why=turn.told(name, "; ".join(values)))


def _unknown(text: str, known: tuple[str, ...], language: str) -> set[str]:
    """Return what a text says by which something is identified and which is none of the known values."""
    return set(map(squeeze, identifiers(text, language))) - squeezed(known)


def _real(events: Sequence[Event], misread: set[str]) -> set[str]:
    """Return what a tool knows: a value of its own, however near it is to another."""
    results = [
        squeeze(each.content) for each in events if isinstance(each, ToolResult) and not each.error
    ]
    return {value for value in misread if any(value in result for result in results)}


def _put_right(stated: Sequence[str], misread: set[str]) -> list[str]:
    """Return the values that were said wrongly before."""
    return [
        value for value in stated if any(is_misread(wrong, squeeze(value)) for wrong in misread)
    ]


def _contradicts(
    turn: UserTurn, stated: Sequence[str], again: Sequence[str], phrases: Phrasebook
) -> bool:
    """Whether a message says no to the agent, and what the agent should have and has not."""
    is_no, does_insist = refuses(turn.text, phrases), insists(turn.text, phrases)
    if not turn.asked or not (does_insist or is_no) or only_closes(turn.asked, phrases):
        return False
    # "I do not know that" answers a question; what begins with a no contradicts it.
    if not begins_with_no(turn.text, phrases) and wants_told(turn.asked, phrases):
        return False
    if does_insist:
        return True
    is_read_back = phrases.hears.read_back.search(turn.asked) is not None
    return any(not occurs(value, turn.asked) for value in (stated if is_read_back else again))


def _asked_again(turn: UserTurn, again: Sequence[str], phrases: Phrasebook) -> list[str]:
    """Return the values that are said again because the agent wants something that it has not got."""
    if not again:
        return []
    if phrases.hears.spell.search(turn.asked):
        return list(again)
    if not wants_told(turn.asked, phrases):
        return []
    return [value for value in again if not occurs(value, turn.asked)]


EFFORT = Counting(
    "effort",
    "2",
    count_effort,
    (
        Total("user turns", ("user turns",)),
        Rate("user turns per task", ("user turns",), ("conversations",), reads="number"),
        Total("repetitions", ("repetitions",)),
        Total("corrections", ("corrections",)),
        Rate(
            "user effort score",
            ("repetitions", "corrections"),
            ("conversations",),
            reads="number",
        ),
    ),
)
