"""Did the simulated user play its part? Rules that mark conversations which say nothing of the agent.

Each check gives one Evidence. `met` is False where a rule found a breach, True where it looked and found
none, None where it could not tell. Rules are precise rather than eager: a false alarm would
take a conversation out of the figures that belongs there.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, get_args

from dragoman.core.episodes import Episode
from dragoman.core.scores import Evidence
from dragoman.core.tasks import Task
from dragoman.scoring.early_end import end_evidence
from dragoman.scoring.identifying import identifying, is_in, is_misread, squeeze
from dragoman.scoring.languages import (
    foreign,
    is_enough,
    language_facts,
    primary,
    uses_latin,
    words,
)
from dragoman.scoring.phrases import found
from dragoman.scoring.user_turns import UserTurn, is_simulated, scenario_texts, user_turns

Check = Literal[
    "goal_kept", "nothing_invented", "nothing_leaked", "not_ended_early", "own_language"
]
CHECKS: tuple[Check, ...] = get_args(Check)

_MIN_GOAL_WORDS = 40
_MIN_REASON_WORDS = 3
_MIN_CONTENT_LETTERS = 4
_STEM = 5
_RUN = 12
_ADDRESSED = frozenset({"you", "your", "agent"})
# Single quotes are quotation marks where no letter stands outside of them: don't is one word. What a
# quotation begins with stands first, as the engine then passes over all else at once.
_QUOTED = re.compile(
    r"""["\u201c«'\u2018](?:
        (?<=["\u201c«])[^"\u201d»]{1,2000}["\u201d»]
      | (?<=['\u2018])(?<!\w['\u2018])
        (?:[^'\u2018\u2019]|(?<=\w)['\u2019](?=\w)){1,2000}['\u2019](?!\w)
    )""",
    re.VERBOSE,
)


def user_evidence(task: Task, episode: Episode, language: str) -> tuple[Evidence, ...]:
    """Return one Evidence per check; none where no simulated user took part.

    Args:
        task: The task, for what the user was told.
        episode: The conversation.
        language: The tag of the language that the user has to speak.
    """
    if not is_simulated(task, episode):
        return ()
    turns = user_turns(task, episode)
    told = scenario_texts(task.scenario)
    return (
        _goal_evidence(turns, _reason(task), language),
        _invention_evidence(turns, told),
        _leak_evidence(turns, _instructions(task)),
        end_evidence(turns, episode, language),
        _language_evidence(turns, told, language),
    )


def _evidence(check: Check, findings: Iterable[str], open_question: str = "") -> Evidence:
    """Return the first finding as a breach; without any, what is open, if something is."""
    for finding in findings:
        return Evidence(check, False, finding)
    return Evidence(check, None if open_question else True, open_question)


def _goal_evidence(turns: Sequence[UserTurn], reason: str, language: str) -> Evidence:
    """The user stayed a customer with its own reason for calling.

    Breaches: a message that offers service as the agent does (outside quotation marks); an English
    conversation of 40 words or more that shares no content word with the reason for the call
    (words of four letters or more, by their first five). Shorter ones and other languages are left
    undecided.
    """
    findings = [
        turn.told("speaks as the agent", phrase)
        for turn in turns
        if (phrase := found("serves", without_quotes(turn.text)))
    ]
    if findings:
        return _evidence("goal_kept", findings)
    wanted = _content(reason)
    if primary(language) != "en":
        return _evidence("goal_kept", (), "the rules follow a goal in English only")
    said = list(chain.from_iterable(words(turn.text) for turn in turns))
    if len(wanted) < _MIN_REASON_WORDS or len(said) < _MIN_GOAL_WORDS:
        return _evidence("goal_kept", (), "too little was said to tell")
    function_words = language_facts().english
    speaks_of_it = any(word[:_STEM] in wanted and word not in function_words for word in said)
    strayed = () if speaks_of_it else ("never speaks of the reason for the call",)
    return _evidence("goal_kept", strayed)


def _invention_evidence(turns: Sequence[UserTurn], told: Sequence[str]) -> Evidence:
    """The user named no id, address or number of its own making.

    A breach is an identifying fact (see `identifying`) that occurs neither in the scenario, nor in
    what the agent said before, nor in earlier results of the user's own tools. A value of the scenario
    that was misread and then put right is none: personas misread numbers.
    """
    return _evidence("nothing_invented", _inventions(turns, told), _silence(turns))


def _inventions(turns: Sequence[UserTurn], told: Sequence[str]) -> Iterator[str]:
    scenario = known = _squeezed(told)
    for place, turn in enumerate(turns):
        known += "".join(map(squeeze, turn.heard))
        for fact in identifying(turn.text):
            if not is_in(fact, known) and not _is_put_right(fact, turns[place:], scenario):
                yield turn.told("invents", fact)


@lru_cache(maxsize=256)
def _squeezed(told: Sequence[str]) -> str:
    """Return what facts are looked for in; remembered, since many conversations are of one task."""
    return "".join(map(squeeze, told))


def _is_put_right(fact: str, turns: Sequence[UserTurn], scenario: str) -> bool:
    """Whether one of these messages says what a fact should have been, as the (squeezed) scenario has it."""
    wrong = squeeze(fact)
    said = (each for turn in turns for each in identifying(turn.text))
    meant = (right for right in said if is_misread(wrong, squeeze(right)))
    return any(is_in(right, scenario) for right in meant)


def _leak_evidence(turns: Sequence[UserTurn], instructions: str) -> Evidence:
    """The user gave away neither its instructions nor that it is played.

    Breaches: a phrase that only a played customer says (`simulates`); 12 words of the task
    instructions in a row that address the player (you, your, agent). Wishes without these words
    may have to be said as they are, and so may what the instructions quote. Instructions in which
    nothing of the kind stands, as in other languages, are left undecided.
    """
    runs = _instruction_runs(instructions)
    blind = "" if runs else "the instructions have no stretch by which reciting would show"
    findings = []
    for turn in turns:
        if phrase := found("simulates", turn.text):
            findings.append(turn.told("speaks of being played", phrase))
        if recited := _recited(words(turn.text), runs):
            findings.append(turn.told("recites its instructions", recited))
    return _evidence("nothing_leaked", findings, _silence(turns) or blind)


def _language_evidence(turns: Sequence[UserTurn], told: Sequence[str], language: str) -> Evidence:
    """The user spoke its language in every message; see `foreign` for what shows another.

    Languages in Latin letters other than English cannot be told apart by these rules, so that
    they are left undecided where no breach is found.
    """
    own = primary(language)
    if own is None:
        return _evidence("own_language", (), f"the script of {language!r} is not known")
    findings = list(_foreign_turns(turns, told, own))
    if findings or (own != "en" and uses_latin(own)):
        return _evidence("own_language", findings, "languages in Latin letters look alike")
    is_open = not any(is_enough(turn.text) for turn in turns)
    return _evidence("own_language", (), "too little was said to tell" if is_open else "")


def _foreign_turns(turns: Sequence[UserTurn], told: Sequence[str], language: str) -> Iterator[str]:
    known = set(_words_told(told))
    for turn in turns:
        known.update(*map(words, turn.heard))
        if why := foreign(turn.text, language, known):
            yield turn.told(why, turn.text)


@lru_cache(maxsize=256)
def _words_told(told: Sequence[str]) -> frozenset[str]:
    """Return the words of what a user was told; remembered, since many conversations are of one task."""
    return frozenset().union(*map(words, told))


def _silence(turns: Sequence[UserTurn]) -> str:
    return "" if any(turn.text for turn in turns) else "the user said nothing"


def without_quotes(text: str, instead: str = " ") -> str:
    """Return a text with something else in the place of what it quotes, marks included."""
    return _QUOTED.sub(instead, text)


def _reason(task: Task) -> str:
    script = task.scenario.instructions
    return script if isinstance(script, str) else script.reason_for_call


def _instructions(task: Task) -> str:
    script = task.scenario.instructions
    return script if isinstance(script, str) else script.task_instructions


@lru_cache(maxsize=256)
def _content(text: str) -> frozenset[str]:
    """Return the beginnings of a text's content words."""
    function_words = language_facts().english
    return frozenset(
        word[:_STEM]
        for word in words(text)
        if len(word) >= _MIN_CONTENT_LETTERS and word not in function_words
    )


@lru_cache(maxsize=256)
def _instruction_runs(instructions: str) -> frozenset[tuple[str, ...]]:
    """Return the stretches of instructions that no customer says word for word."""
    spoken = words(without_quotes(instructions, " . "))
    return frozenset(run for run in _runs(spoken) if not _ADDRESSED.isdisjoint(run))


def _recited(spoken: tuple[str, ...], wanted: Collection[tuple[str, ...]]) -> str:
    found = (run for run in _runs(spoken) if run in wanted) if wanted else iter(())
    return " ".join(next(found, ()))


def _runs(spoken: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [spoken[at : at + _RUN] for at in range(len(spoken) - _RUN + 1)]
