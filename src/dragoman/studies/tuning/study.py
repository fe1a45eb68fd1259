"""A whole study: trained, played, compared; what is done already is not done again."""

from collections.abc import Callable

from dragoman.analysis.contrasts.tuning import TuningBoard
from dragoman.studies.tuning.gathering import gathered
from dragoman.studies.tuning.plan import StudyPlan
from dragoman.studies.tuning.playing import Watched, planned_runs, play_run, require_playable
from dragoman.studies.tuning.training import PreparedArm, trained_arms


def run_study(
    plan: StudyPlan,
    arms: tuple[PreparedArm, ...],
    say: Callable[[str], None],
    watched: Watched,
) -> TuningBoard:
    """Train all arms, play all sides on all suites, and return what differs.

    Args:
        plan: The study.
        arms: Its trainings, prepared.
        say: Gets one line at a time while a model is trained.
        watched: Shows how far each run is.

    Raises:
        UsageError: Where something in the plan is to be corrected.
        DataError: Where something cannot be read or written.
        StoreError: Where a folder holds another run.
    """
    require_playable(plan)
    trained = trained_arms(arms, say, plan.price_per_hour)
    runs = planned_runs(plan)
    for run in runs:
        play_run(run, watched)
    return gathered(plan, arms, runs, trained)
