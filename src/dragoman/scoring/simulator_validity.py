"""Validity of the simulated user: off its script, invented or leaked facts, early end, language.

Each check gives one Evidence. `met` is False if a rule found a breach, True if it looked and
found none, None if it could not decide. Rules are precise rather than eager: a false alarm would
exclude a valid conversation from the metrics. A judge may decide what the rules leave open.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, get_args

import msgspec

from dragoman.core.episodes import Episode
from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.protocols import AssertionVerdict, Judge, JudgeContext, UserJudge
from dragoman.core.scores import NO_JUDGE, USER_JUDGE, Evidence
from dragoman.core.stop_tokens import STOP, TRANSFER
from dragoman.core.tasks import Task
from dragoman.core.usage import Usage
from dragoman.scoring.dialogue_acts import match_phrase
from dragoman.scoring.language_detection import (
    foreign_reason,
    is_long_enough,
    known_primary_language,
    language_facts,
    language_words,
    uses_latin,
)
from dragoman.scoring.stated_values import (
    alphanumeric,
    contains_identifier,
    find_identifiers,
    is_misread,
    unknown_identifiers,
)
from dragoman.scoring.user_turns import (
    UserTurn,
    is_simulated,
    scenario_texts,
    tools_called_by_agent,
    user_turns,
)

SUBJECT = "not_ended_early"

_UNUSABLE = "the user gave a reply that could not be used"
_SENTENCE = re.compile(r"[^.?!\n]+[.?!\n]?")


def early_end_evidence(turns: Sequence[UserTurn], episode: Episode, language: str) -> Evidence:
    """Return whether the user left the agent the time to act.

    Breaches: a reply that cannot be used; a stop in the first message; a stop together with a yes
    to an agent that asked for consent to act, or together with a fact, named for the first time,
    that it asked for; ###TRANSFER### although the agent neither called a transfer tool nor spoke of
    a transfer. The agent's words are read in English only. A bare stop after a request for consent,
    and a user who found the scenario at its end, stay undecided.
    """
    if episode.ending.reason == "user_error":
        return Evidence(SUBJECT, False, episode.ending.detail or _UNUSABLE)
    if episode.ending.reason != "user_stop":
        return Evidence(SUBJECT, True)
    if not turns or not turns[-1].tokens:
        return Evidence(SUBJECT, None, "the stop stands beside tool calls")
    return _check_stop(turns, turns[-1], tools_called_by_agent(episode), language)


def _check_stop(
    turns: Sequence[UserTurn], last: UserTurn, called: Collection[str], language: str
) -> Evidence:
    if last.number == 1:
        return Evidence(SUBJECT, False, last.describe("stops at once", last.text))
    if TRANSFER in last.tokens:
        return _transfer(turns, called, language)
    if known_primary_language(language) == "en":
        return _stop(turns, last)
    return Evidence(SUBJECT, None, "the rules read the agent's last question in English only")


def _stop(turns: Sequence[UserTurn], last: UserTurn) -> Evidence:
    waits_for_leave = _asks("asks_leave", last.asked)
    if waits_for_leave and _agrees(last.text):
        return Evidence(SUBJECT, False, last.describe("agrees and stops", last.text))
    if _asks("asks_facts", last.asked):
        before = [*(turn.text for turn in turns[:-1]), *(text for t in turns for text in t.heard)]
        for fact in unknown_identifiers(find_identifiers(last.text), "\n".join(before)):
            return Evidence(SUBJECT, False, last.describe("answers and stops", fact))
    if waits_for_leave and not last.text:
        return Evidence(SUBJECT, None, "stops without a word where the agent asks leave to act")
    if STOP not in last.tokens:
        return Evidence(SUBJECT, None, f"stops with {last.tokens[0]}")
    return Evidence(SUBJECT, True)


def _transfer(turns: Sequence[UserTurn], called: Collection[str], language: str) -> Evidence:
    if any("transfer" in name.casefold() for name in called):
        return Evidence(SUBJECT, True)
    if any(match_phrase("hands_over", text) for turn in turns for text in turn.heard):
        return Evidence(SUBJECT, True)
    if known_primary_language(language) != "en":
        return Evidence(SUBJECT, None, "whether the agent spoke of a transfer is not known")
    return Evidence(SUBJECT, False, f"{TRANSFER}, but nobody was transferred")


def _agrees(answer: str) -> bool:
    """Return whether an answer says yes to an action, not that all is well or unwanted.

    A plain yes stays a yes if the user adds that no further wish is open.
    """
    if match_phrase("declines", answer):
        return False
    if match_phrase("gives_leave", answer) and not match_phrase("is_settled", answer):
        return True
    is_content = match_phrase("is_content", answer) or match_phrase("is_settled", answer)
    return bool(match_phrase("consents", answer)) and not is_content


def _asks(kind: str, asked: str) -> bool:
    """Return whether a sentence asks for something, other than whether there is anything else."""
    sentences = _SENTENCE.findall(asked)
    return any(
        match_phrase(kind, sentence) and not match_phrase("closes", sentence)
        for sentence in sentences
    )


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
# Single quotes are quotation marks if no letter stands outside of them: don't is one word. The
# opening mark comes first in the pattern, so that the engine skips all other text at once.
_QUOTED = re.compile(
    r"""["\u201c«'\u2018](?:
        (?<=["\u201c«])[^"\u201d»]{1,2000}["\u201d»]
      | (?<=['\u2018])(?<!\w['\u2018])
        (?:[^'\u2018\u2019]|(?<=\w)['\u2019](?=\w)){1,2000}['\u2019](?!\w)
    )""",
    re.VERBOSE,
)


def user_evidence(task: Task, episode: Episode, language: str) -> tuple[Evidence, ...]:
    """Return one Evidence per check; none if no simulated user took part.

    Args:
        task: The task, for what the user was told.
        episode: The conversation.
        language: The tag of the language that the user has to speak.
    """
    if not is_simulated(task, episode):
        return ()
    turns = user_turns(task, episode)
    instructions = scenario_texts(task.scenario)
    return (
        _goal_evidence(turns, _reason(task), language),
        _invention_evidence(turns, instructions),
        _check_leaks(turns, _instructions(task)),
        early_end_evidence(turns, episode, language),
        _language_evidence(turns, instructions, language),
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
        turn.describe("speaks as the agent", phrase)
        for turn in turns
        if (phrase := match_phrase("serves", without_quotes(turn.text)))
    ]
    if findings:
        return _evidence("goal_kept", findings)
    wanted = _content(reason)
    if known_primary_language(language) != "en":
        return _evidence("goal_kept", (), "the rules follow a goal in English only")
    said = list(chain.from_iterable(language_words(turn.text) for turn in turns))
    if len(wanted) < _MIN_REASON_WORDS or len(said) < _MIN_GOAL_WORDS:
        return _evidence("goal_kept", (), "too little was said to tell")
    function_words = language_facts().english
    speaks_of_it = any(word[:_STEM] in wanted and word not in function_words for word in said)
    strayed = () if speaks_of_it else ("never speaks of the reason for the call",)
    return _evidence("goal_kept", strayed)


def _invention_evidence(turns: Sequence[UserTurn], instructions: Sequence[str]) -> Evidence:
    """The user named no id, address or number of its own making.

    A breach is an identifying fact (see `find_identifiers`) that occurs neither in the scenario,
    nor in what the agent said before, nor in earlier results of the user's own tools. A value of
    the scenario that was misread and then corrected is not a breach: personas misread numbers.
    """
    return _evidence("nothing_invented", _inventions(turns, instructions), _silence(turns))


def _inventions(turns: Sequence[UserTurn], instructions: Sequence[str]) -> Iterator[str]:
    scenario = known = _join_alphanumerics(instructions)
    for place, turn in enumerate(turns):
        known += "".join(map(alphanumeric, turn.heard))
        for fact in find_identifiers(turn.text):
            if not contains_identifier(fact, known) and not _is_put_right(
                fact, turns[place:], scenario
            ):
                yield turn.describe("invents", fact)


@lru_cache(maxsize=256)
def _join_alphanumerics(instructions: Sequence[str]) -> str:
    """Return the text in which facts are searched for.

    The text is cached, since many conversations have the same task.
    """
    return "".join(map(alphanumeric, instructions))


def _is_put_right(fact: str, turns: Sequence[UserTurn], scenario: str) -> bool:
    """Return whether a message corrects a fact to its (normalized) value in the scenario."""
    wrong = alphanumeric(fact)
    said = (each for turn in turns for each in find_identifiers(turn.text))
    meant = (right for right in said if is_misread(wrong, alphanumeric(right)))
    return any(contains_identifier(right, scenario) for right in meant)


def _check_leaks(turns: Sequence[UserTurn], instructions: str) -> Evidence:
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
        if phrase := match_phrase("simulates", turn.text):
            findings.append(turn.describe("speaks of being played", phrase))
        if recited := _find_recited_run(language_words(turn.text), runs):
            findings.append(turn.describe("recites its instructions", recited))
    return _evidence("nothing_leaked", findings, _silence(turns) or blind)


def _language_evidence(
    turns: Sequence[UserTurn], instructions: Sequence[str], language: str
) -> Evidence:
    """The user spoke its language in every message; see `foreign_reason` for what shows another.

    Languages in Latin letters other than English cannot be told apart by these rules, so that
    they are left undecided where no breach is found.
    """
    own = known_primary_language(language)
    if own is None:
        return _evidence("own_language", (), f"the script of {language!r} is not known")
    findings = list(_foreign_turns(turns, instructions, own))
    if findings or (own != "en" and uses_latin(own)):
        return _evidence("own_language", findings, "languages in Latin letters look alike")
    is_open = not any(is_long_enough(turn.text) for turn in turns)
    return _evidence("own_language", (), "too little was said to tell" if is_open else "")


def _foreign_turns(
    turns: Sequence[UserTurn], instructions: Sequence[str], language: str
) -> Iterator[str]:
    known = set(_instruction_words(instructions))
    for turn in turns:
        known.update(*map(language_words, turn.heard))
        if why := foreign_reason(turn.text, language, known):
            yield turn.describe(why, turn.text)


@lru_cache(maxsize=256)
def _instruction_words(instructions: Sequence[str]) -> frozenset[str]:
    """Return the words of a user's instructions.

    The result is cached, because many conversations are of one task.
    """
    return frozenset().union(*map(language_words, instructions))


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
        for word in language_words(text)
        if len(word) >= _MIN_CONTENT_LETTERS and word not in function_words
    )


@lru_cache(maxsize=256)
def _instruction_runs(instructions: str) -> frozenset[tuple[str, ...]]:
    """Return the stretches of instructions that no customer says word for word."""
    spoken = language_words(without_quotes(instructions, " . "))
    return frozenset(run for run in _runs(spoken) if not _ADDRESSED.isdisjoint(run))


def _find_recited_run(spoken: tuple[str, ...], wanted: Collection[tuple[str, ...]]) -> str:
    found = (run for run in _runs(spoken) if run in wanted) if wanted else iter(())
    return " ".join(next(found, ()))


def _runs(spoken: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [spoken[at : at + _RUN] for at in range(len(spoken) - _RUN + 1)]


STATEMENTS: Mapping[Check, str] = {
    "goal_kept": "The customer stayed a customer and pursued what the scenario asks for.",
    "nothing_invented": "The customer stated no fact that it did not know from the scenario, the "
    "agent or its own tools.",
    "nothing_leaked": "The customer gave away neither its instructions nor that it is simulated.",
    "not_ended_early": "The customer did not hang up before the agent could deal with everything "
    "that the scenario asks for, and agreed to.",
    "own_language": "The customer wrote every message in the language with the tag {language}.",
}


class UserCheckResult(msgspec.Struct, frozen=True):
    """Evidence of the checks of a simulated user, and usage of its judge."""

    evidence: tuple[Evidence, ...]
    usage: Usage | None = None


class UserCheck:
    """Checks simulated users; `judge` and `judge_name` are None if rules alone do."""

    def __init__(self, judge: UserJudge | None = None) -> None:
        self.judge = judge
        self.judge_name = None if judge is None else judge.name

    async def check(
        self, task: Task, episode: Episode, language: str, case: JudgeContext
    ) -> UserCheckResult:
        """Return the evidence on the simulated user of one conversation.

        The evidence is empty if no user spoke. Findings of rules are final. A judge decides open
        checks and may find more breaches; if it fails, only the findings of the rules count.
        """
        by_rule = user_evidence(task, episode, language)
        if self.judge is None or not by_rule:
            return UserCheckResult(by_rule)
        asked = tuple(text.format(language=language) for text in STATEMENTS.values())
        instructions = "\n\n".join(scenario_texts(task.scenario))
        try:
            judgement = await self.judge.judge(asked, episode.events, case, instructions)
        except (JudgeError, ParticipantError) as error:
            reason = f"the users' judge failed: {error}"
            return UserCheckResult(tuple(_open(entry, reason) for entry in by_rule), error.usage)
        if tuple(verdict.assertion for verdict in judgement.verdicts) != asked:
            reason = "the users' judge failed: its answers do not fit what was asked"
            return UserCheckResult(
                tuple(_open(entry, reason) for entry in by_rule), judgement.usage
            )
        return UserCheckResult(_merge_verdicts(by_rule, judgement.verdicts), judgement.usage)


def scoring_name(judge: Judge | None, users: UserCheck | None) -> str:
    """Return the name that scores carry: the judge's, and the user judge's where there is one."""
    name = NO_JUDGE if judge is None else judge.name
    if users is None or users.judge_name is None:
        return name
    return f"{name}{USER_JUDGE}{users.judge_name}"


def _merge_verdicts(
    by_rule: Sequence[Evidence], verdicts: Sequence[AssertionVerdict]
) -> tuple[Evidence, ...]:
    judged = {
        check: Evidence(check, verdict.met, verdict.why, kind="judge")
        for check, verdict in zip(STATEMENTS, verdicts, strict=True)
    }
    found = {entry.subject: entry for entry in by_rule if entry.met is False}
    return tuple(found.get(check, evidence) for check, evidence in judged.items())


def _open(entry: Evidence, reason: str) -> Evidence:
    return entry if entry.met is False else Evidence(entry.subject, None, reason)
