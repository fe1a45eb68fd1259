"""A trainer callback that logs losses, usage and progress of each training step."""

from typing import Any

from transformers import TrainerCallback

from dragoman.finetuning.progress import LossFile, LossLine, TrainingProgress
from dragoman.finetuning.result import UseFile


class StepWatch(TrainerCallback):  # type: ignore[misc]  # the library has no types here
    """Writes each step's loss and what was used until then, and says it."""

    def __init__(self, losses: LossFile, use: UseFile, progress: TrainingProgress) -> None:
        self._losses = losses
        self._use = use
        self._progress = progress

    def on_log(self, args: Any, state: Any, control: Any, **progress: Any) -> None:  # noqa: ANN401, ARG002
        """Take what was logged after a step."""
        logs = progress.get("logs") or {}
        if "loss" in logs:
            loss = float(logs["loss"])
            self._losses.add(
                LossLine(state.global_step, loss, float(logs.get("learning_rate", 0.0)))
            )
            self._progress.step(state.global_step, state.max_steps, loss)
            tokens = logs.get("num_tokens")
            read = None if tokens is None else round(tokens)
            self._use.add(state.global_step, self._progress.seconds, read)


def watch_training(losses: LossFile, use: UseFile, progress: TrainingProgress) -> StepWatch:
    """Return what watches a training."""
    return StepWatch(losses, use, progress)
