"""Did the simulated user leave before the agent could act on its last words?"""

import re
from collections.abc import Collection, Sequence

from dragoman.core.episodes import Episode
from dragoman.core.scores import Evidence
from dragoman.core.stop_tokens import STOP, TRANSFER
from dragoman.scoring.identifying import identifying, unknown
from dragoman.scoring.languages import primary
from dragoman.scoring.phrases import found
from dragoman.scoring.user_turns import UserTurn, called_by_agent

SUBJECT = "not_ended_early"

_UNUSABLE = "the user gave a reply that could not be used"
_SENTENCE = re.compile(r"[^.?!\n]+[.?!\n]?")


def end_evidence(turns: Sequence[UserTurn], episode: Episode, language: str) -> Evidence:
    """Return whether the user left the agent the time to act.

    Breaches: a reply that cannot be used; a stop in the first message; a stop beside a yes to an
    agent that asked leave to act, or beside a fact, named for the first time, that it asked for;
    ###TRANSFER### although the agent neither called a tool to transfer nor spoke of it. What the
    agent says is read in English only. A bare stop on a request for leave, and a user who found the
    scenario at its end, are left undecided.
    """
    if episode.ending.reason == "user_error":
        return Evidence(SUBJECT, False, episode.ending.detail or _UNUSABLE)
    if episode.ending.reason != "user_stop":
        return Evidence(SUBJECT, True)
    if not turns or not turns[-1].tokens:
        return Evidence(SUBJECT, None, "the stop stands beside tool calls")
    return _stopped(turns, turns[-1], called_by_agent(episode), language)


def _stopped(
    turns: Sequence[UserTurn], last: UserTurn, called: Collection[str], language: str
) -> Evidence:
    if last.number == 1:
        return Evidence(SUBJECT, False, last.told("stops at once", last.text))
    if TRANSFER in last.tokens:
        return _transfer(turns, called, language)
    if primary(language) == "en":
        return _stop(turns, last)
    return Evidence(SUBJECT, None, "the rules read the agent's last question in English only")


def _stop(turns: Sequence[UserTurn], last: UserTurn) -> Evidence:
    waits_for_leave = _asks("asks_leave", last.asked)
    if waits_for_leave and _agrees(last.text):
        return Evidence(SUBJECT, False, last.told("agrees and stops", last.text))
    if _asks("asks_facts", last.asked):
        before = [*(turn.text for turn in turns[:-1]), *(text for t in turns for text in t.heard)]
        for fact in unknown(identifying(last.text), "\n".join(before)):
            return Evidence(SUBJECT, False, last.told("answers and stops", fact))
    if waits_for_leave and not last.text:
        return Evidence(SUBJECT, None, "stops without a word where the agent asks leave to act")
    if STOP not in last.tokens:
        return Evidence(SUBJECT, None, f"stops with {last.tokens[0]}")
    return Evidence(SUBJECT, True)


def _transfer(turns: Sequence[UserTurn], called: Collection[str], language: str) -> Evidence:
    if any("transfer" in name.casefold() for name in called):
        return Evidence(SUBJECT, True)
    if any(found("hands_over", text) for turn in turns for text in turn.heard):
        return Evidence(SUBJECT, True)
    if primary(language) != "en":
        return Evidence(SUBJECT, None, "whether the agent spoke of a transfer is not known")
    return Evidence(SUBJECT, False, f"{TRANSFER}, but nobody was transferred")


def _agrees(answer: str) -> bool:
    """Whether an answer says yes, other than that all is well or that something is not wanted.

    A plain yes stays one where the user adds that there is nothing else.
    """
    if found("declines", answer):
        return False
    if found("gives_leave", answer) and not found("is_settled", answer):
        return True
    is_content = found("is_content", answer) or found("is_settled", answer)
    return bool(found("consents", answer)) and not is_content


def _asks(kind: str, asked: str) -> bool:
    """Whether a sentence asks for something, other than whether there is anything else."""
    sentences = _SENTENCE.findall(asked)
    return any(found(kind, sentence) and not found("closes", sentence) for sentence in sentences)
