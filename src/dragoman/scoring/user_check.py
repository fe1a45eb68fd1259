"""Checks a simulated user: by rules always, and by a judge where one is named."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.episodes import Episode
from dragoman.core.errors import JudgeError, ParticipantError
from dragoman.core.protocols import AssertionVerdict, Case, Judge, UserJudge
from dragoman.core.scores import NO_JUDGE, USER_JUDGE, Evidence
from dragoman.core.tasks import Task
from dragoman.core.usage import Usage
from dragoman.scoring.user_turns import scenario_texts
from dragoman.scoring.validity import Check, user_evidence

STATEMENTS: Mapping[Check, str] = {
    "goal_kept": "The customer stayed a customer and pursued what the scenario asks for.",
    "nothing_invented": "The customer stated no fact that it did not know from the scenario, the "
    "agent or its own tools.",
    "nothing_leaked": "The customer gave away neither its instructions nor that it is simulated.",
    "not_ended_early": "The customer did not hang up before the agent could deal with everything "
    "that the scenario asks for, and agreed to.",
    "own_language": "The customer wrote every message in the language with the tag {language}.",
}


class Checked(msgspec.Struct, frozen=True):
    """What the checks of a simulated user found, and what its judge consumed."""

    evidence: tuple[Evidence, ...]
    usage: Usage | None = None


class UserCheck:
    """Checks simulated users; `judge_reply` and `judge_name` are None where rules alone do."""

    def __init__(self, judge: UserJudge | None = None) -> None:
        self.judge = judge
        self.judge_name = None if judge is None else judge.name

    async def check(self, task: Task, episode: Episode, language: str, case: Case) -> Checked:
        """Return the evidence on the simulated user of one conversation; none where none spoke.

        What rules found stands. A judge decides what they left open and may find more; where it
        fails, nothing is known beyond what they found.
        """
        by_rule = user_evidence(task, episode, language)
        if self.judge is None or not by_rule:
            return Checked(by_rule)
        asked = tuple(text.format(language=language) for text in STATEMENTS.values())
        told = "\n\n".join(scenario_texts(task.scenario))
        try:
            judgement = await self.judge.judge(asked, episode.events, case, told)
        except (JudgeError, ParticipantError) as error:
            reason = f"the users' judge failed: {error}"
            return Checked(tuple(_open(entry, reason) for entry in by_rule), error.usage)
        if tuple(verdict.assertion for verdict in judgement.verdicts) != asked:
            reason = "the users' judge failed: its answers do not fit what was asked"
            return Checked(tuple(_open(entry, reason) for entry in by_rule), judgement.usage)
        return Checked(_merged(by_rule, judgement.verdicts), judgement.usage)


def scoring_name(judge: Judge | None, users: UserCheck | None) -> str:
    """Return the name that scores carry: the judge's, and the user judge's where there is one."""
    name = NO_JUDGE if judge is None else judge.name
    if users is None or users.judge_name is None:
        return name
    return f"{name}{USER_JUDGE}{users.judge_name}"


def _merged(
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
