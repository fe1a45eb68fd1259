"""A chat model that is asked only as long as the run's budget allows."""

from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatModel, ChatRequest, Completion
from dragoman.core.usage import Usage
from dragoman.core.voice.sounds import hears_audio
from dragoman.models.spending.purse import Purse


class BudgetedModel:
    """Another model, whose every call is counted against a budget."""

    def __init__(self, model: ChatModel, budget: Purse) -> None:
        self._model = model
        self._budget = budget

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def hears_audio(self) -> bool:
        """Whether the model can be given audio itself."""
        return hears_audio(self._model)

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the model's reply.

        Raises:
            RunHalted: Where the budget is spent.
            ParticipantError: Where the provider broke.
        """
        async with self._budget.room(self.name):
            try:
                completion = await self._model.complete(request, purpose)
            except ParticipantError as error:
                if isinstance(error.usage, Usage):
                    self._budget.spend(error.usage)
                raise
            self._budget.spend(completion.usage)
        return completion
