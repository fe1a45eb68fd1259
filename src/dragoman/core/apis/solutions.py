"""Answers to tasks over APIs as a dataset keeps them: each step's thought, calls and what they returned."""

import msgspec

from dragoman.core.apis.tasks import ApiCall


class SolutionStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step: what was thought, which calls were made, and what each returned, as text.

    `result_events` is empty where nothing was called, or where no later step needed to see results.
    """

    thought: str
    calls: tuple[ApiCall, ...] = ()
    results: tuple[str, ...] = ()


class ApiSolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole answer, and who wrote it; calls have the values that were sent."""

    by: str
    steps: tuple[SolutionStep, ...]

    @property
    def calls(self) -> tuple[ApiCall, ...]:
        """All calls in their order."""
        return tuple(call for step in self.steps for call in step.calls)


class RankedSolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """One candidate: the answer, and the places that others gave it (1 is best).

    `why` says why there is no answer, or which rules it breaks.
    """

    by: str
    solution: ApiSolution | None = None
    why: str = ""
    places: dict[str, int] = {}

    @property
    def stands(self) -> bool:
        """Whether it can be taken."""
        return self.solution is not None and not self.why


class TaskSolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer that was taken for a task.

    Attributes:
        task: The task's id.
        solution: The answer.
        candidates: All that were asked for, the taken one among them.
        audit: Why a person should look at it; "" for no reason.
    """

    task: str
    solution: ApiSolution
    candidates: tuple[RankedSolution, ...] = ()
    audit: str = ""
